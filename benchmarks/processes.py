"""Processes of their own: for start-up times, and for memory that only SQE uses."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
_SETTINGS = "SQE_"


@dataclass(frozen=True, slots=True)
class ServerProcess:
    """A server that was started for the run."""

    address: str
    pid: int


def sqe_command() -> str:
    """The ``sqe`` that belongs to this Python."""
    return str(Path(sys.executable).parent / "sqe")


def environment(settings: Mapping[str, str] | None = None) -> dict[str, str]:
    """As a user has it: without the developer's own SQE settings, and with compiled modules."""
    inherited = {
        k: v
        for k, v in os.environ.items()
        if not k.startswith(_SETTINGS) and k != "PYTHONDONTWRITEBYTECODE"
    }
    return {**inherited, **(settings or {})}


def program(name: str, settings: Mapping[str, str], *arguments: str) -> dict[str, Any]:
    """Runs ``benchmarks.programs.<name>``, which prints one JSON object."""
    done = subprocess.run(
        [sys.executable, "-m", f"benchmarks.programs.{name}", *arguments],
        cwd=ROOT,
        env=environment(settings),
        stdout=subprocess.PIPE,
        check=True,
    )
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer
