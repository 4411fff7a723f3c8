"""How long ``sqe serve`` takes until it answers."""

from __future__ import annotations

import json
import re
import subprocess
import time
import urllib.request
from pathlib import Path

from benchmarks.bench import Bench
from benchmarks.boot import trained_home
from benchmarks.figure import Measured
from benchmarks.processes import environment, sqe_command
from benchmarks.timing import p50

_READY = re.compile(r"sqe is ready on (http://\S+)")
_STOP_S = 30


def serve_ready(bench: Bench) -> Measured:
    home = bench.once(trained_home)
    starts = [_start(bench, home) for _ in range(bench.repeats(3, 1))]
    samples = [round(seconds, 3) for seconds, _ in starts]
    return Measured(p50(samples), {"samples_s": samples, "spark": [said for _, said in starts]})


def _start(bench: Bench, home: Path) -> tuple[float, str]:
    """Seconds until /health answers, and what /ready then says of Spark."""
    started = time.perf_counter()
    process = subprocess.Popen(
        [sqe_command(), "--home", home, "serve", "--port", "0", "--trino-port", "0"],
        env=environment({"SQE_SPARK__JARS": str(bench.jars)}),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        url = _announced(process)
        _get(f"{url}/health")
        seconds = time.perf_counter() - started
        return seconds, str(_get(f"{url}/ready").get("spark"))
    finally:
        process.terminate()
        try:
            process.communicate(timeout=_STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()


def _announced(process: subprocess.Popen[str]) -> str:
    said = []
    for line in process.stderr or ():
        said.append(line)
        found = _READY.search(line)
        if found:
            return found.group(1)
    raise RuntimeError(f"sqe serve ended: {''.join(said)}")


def _get(url: str) -> dict[str, object]:
    with urllib.request.urlopen(url, timeout=10) as answer:
        body: dict[str, object] = json.load(answer)
    return body
