"""Files from Maven's repositories that have a classifier, which Spark's resolver does not take."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.flight_clients.cache import CACHE


class NoMaven(Exception):
    """Why the file cannot be had."""


@dataclass(frozen=True)
class Artifact:
    """``coordinate`` is group:name:version:type:classifier."""

    coordinate: str
    sha256: str

    def fetched(self) -> Path:
        """The file, checked, in the tests' cache."""
        _, name, version, kind, classifier = self.coordinate.split(":")
        folder = CACHE / "trino"
        path = folder / f"{name}-{version}-{classifier}.{kind}"
        if not path.exists():
            folder.mkdir(parents=True, exist_ok=True)
            self._copy(folder)
        with path.open("rb") as content:
            digest = hashlib.file_digest(content, "sha256").hexdigest()
        if digest != self.sha256:
            path.unlink()
            raise RuntimeError(f"{path.name} is not the pinned one: its SHA-256 is {digest}")
        return path

    def _copy(self, folder: Path) -> None:
        maven = shutil.which("mvn")
        if maven is None:
            raise NoMaven(f"{self.coordinate} is fetched with Maven, which is not installed")
        command = [maven, "-q", "-B", "dependency:copy", f"-Dartifact={self.coordinate}"]
        subprocess.run([*command, f"-DoutputDirectory={folder}"], check=True, cwd=folder)
