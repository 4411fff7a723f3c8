"""Clients in Go: built once for each state of ``go/``, then kept in the tests' cache."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests.flight_clients.cache import CACHE

SOURCE = Path(__file__).parent / "go"
SCENARIOS = (
    "github.com/apache/arrow-go/v18/arrow/internal/flight_integration/cmd/"
    "arrow-flight-integration-client"
)


class NoGo(Exception):
    """Why there is nothing to run."""


def scenarios() -> Path:
    """Arrow's integration client."""
    return _built("scenarios", ["build", SCENARIOS])


def validation() -> Path:
    """The ADBC driver's validation suites, with what ``go/`` says of SQE."""
    return _built("validation", ["test", "-c", "."])


def program(source: str) -> Path:
    """A program of one file, with the same modules."""
    name = f"program-{hashlib.sha256(source.encode()).hexdigest()[:12]}"
    folder = CACHE / "go" / "sources" / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "main.go").write_text(source)
    for pinned in ("go.mod", "go.sum"):
        shutil.copy(SOURCE / pinned, folder)
    return _built(name, ["build", "."], folder)


def _built(name: str, command: list[str], source: Path = SOURCE) -> Path:
    go = shutil.which("go")
    if go is None:
        raise NoGo("Go is not installed")
    state = hashlib.sha256()
    for path in sorted(source.iterdir()):
        state.update(path.name.encode() + b"\0" + path.read_bytes())
    made = CACHE / "go" / f"{name}-{state.hexdigest()[:12]}"
    if not made.exists():
        _go(go, ["mod", "download"], source, NoGo)
        coming = made.with_name(f"{made.name}.{os.getpid()}")
        verb, *rest = command
        options = ["-trimpath", "-ldflags=-s -w", "-o", str(coming)]
        _go(go, [verb, *options, *rest], source, RuntimeError)
        coming.rename(made)
    return made


def _go(go: str, command: list[str], source: Path, failure: type[Exception]) -> None:
    (CACHE / "go").mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        [go, *command],
        cwd=source,
        env={**os.environ, **_caches(), "GOFLAGS": "-buildvcs=false"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise failure(f"go {' '.join(command)} failed: {done.stderr[-2000:]}")


def _caches() -> Mapping[str, str]:
    """Go's own, next to what they are for; not in the home that tests pretend."""
    return {"GOMODCACHE": str(CACHE / "go" / "mod"), "GOCACHE": str(CACHE / "go" / "build")}
