"""The suites of ``dev/suites.toml``."""

from __future__ import annotations

import subprocess
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TOLERANCE = 1.5  # times the budget


@dataclass(frozen=True)
class Suite:
    """One run of pytest. ``causes``: files below these are a reason to run it. ``on_stack``: only
    where Keycloak, MinIO and the catalogs run (``dev/stack``)."""

    name: str
    paths: tuple[str, ...]
    left_out: tuple[str, ...]
    cpu_s: int
    causes: tuple[str, ...]
    on_stack: bool = False

    @property
    def arguments(self) -> list[str]:
        return [*self.paths, *(f"--ignore={path}" for path in self.left_out)]

    def exceeds_budget(self, cpu_s: float) -> bool:
        return cpu_s > self.cpu_s * TOLERANCE

    def concerns(self, files: Iterable[str]) -> bool:
        return any(
            file == cause or file.startswith(f"{cause}/") for file in files for cause in self.causes
        )


def read_suites(file: Path = ROOT / "dev" / "suites.toml") -> list[Suite]:
    return [
        Suite(
            name,
            tuple(entry["paths"]),
            tuple(entry.get("except", ())),
            entry["cpu_s"],
            tuple(entry["for"]),
            entry.get("on_stack", False),
        )
        for name, entry in tomllib.loads(file.read_text()).items()
    ]


def changed_files(base: str) -> list[str]:
    """What differs from ``base``, with what is not committed and not even added."""
    commands: Sequence[Sequence[str]] = (
        ("git", "diff", "--name-only", base),
        ("git", "ls-files", "--others", "--exclude-standard"),
    )
    return [
        line
        for command in commands
        for line in subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout.splitlines()
    ]
