"""OpenTelemetry's own collector: its modules from the Go proxy, with a `main` of ours.

Not its builder: of 0.163 and later the proxy lacks a module that the receiver needs.
"""

from __future__ import annotations

from pathlib import Path

from dev.stack.fetch import coming, run, tool
from dev.stack.messages import say

VERSION = "0.155.0"
_SOURCE = Path(__file__).parent / "otelcol"  # its go.sum pins all that it is made of


def collector_program(cache: Path) -> Path:
    """Built once, which takes a minute. StackError where it cannot be had."""
    program = cache / f"otelcol-{VERSION}"
    if not program.exists():
        go = tool("go", "Go 1.25 or newer")
        say(f"building OpenTelemetry's collector {VERSION}, once: a minute")
        with coming(program) as made:
            command = [go, "build", "-trimpath", "-ldflags", "-s -w", "-o", str(made), "."]
            run(command, _SOURCE, {"GOFLAGS": "-mod=readonly -buildvcs=false", "GOWORK": "off"})
    return program
