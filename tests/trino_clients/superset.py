"""Superset, in an environment of its own that ``requirements/superset.lock`` pins."""

from __future__ import annotations

import json
import os
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.trino_clients.environments import environment

_PROGRAM = Path(__file__).with_name("superset_program.py")


class Superset:
    """One process, for one database; ``ask`` names a method of ``Questions`` there."""

    def __init__(self, url: str, folder: Path) -> None:
        """``folder`` is for its own metadata and what it logs."""
        self._log = (folder / "superset.log").open("w")
        self._process = subprocess.Popen(
            [environment("superset") / "python", "-P", _PROGRAM, url],
            cwd=folder,
            env={"PATH": os.environ["PATH"], "HOME": str(folder)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
        )

    def ask(self, name: str, *arguments: str) -> Any:
        """AssertionError with what Superset says if it cannot."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps([name, *arguments]) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, f"Superset has ended:\n{Path(self._log.name).read_text()[-2000:]}"
        answer = json.loads(line)
        assert "error" not in answer, answer["error"]
        return answer["answer"]

    def close(self) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        with suppress(BrokenPipeError):  # it has ended by itself
            self._process.stdin.close()
        self._process.wait(30)
        self._process.stdout.close()
        self._log.close()
