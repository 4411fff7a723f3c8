"""Class data sharing: the first server leaves an archive of its classes, later ones boot from it.

The archive is dynamic: the JVM writes it when it exits cleanly, so a training run costs nothing
but a slower stop. It lies on top of a base archive, which some Java builds do not carry.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sqe.engines.spark.java import Java

_KEPT = 3  # archives of about 160 MB each; a machine may use two Javas in turn
_QUIET = ("-Xlog:disable", "-Xlog:all=error:stderr")


@dataclass(frozen=True, slots=True)
class ClassArchive:
    """Where the archive of one Java and one class path is, or will be."""

    path: Path
    base: Path | None  # None: the Java's own

    @property
    def ready(self) -> bool:
        return self.path.exists()

    @property
    def draft(self) -> Path:
        return self.path.with_suffix(f".{os.getpid()}.part")

    def flags(self) -> tuple[str, ...]:
        """Use the archive, or record one. Java ignores an archive that does not fit."""
        if self.ready:
            layers = [self.base, self.path] if self.base else [self.path]
            shared = f"-XX:SharedArchiveFile={os.pathsep.join(map(str, layers))}"
            # A flipped bit in a class would be run as it is; checking costs a tenth of a second.
            return ("-Xshare:auto", "-XX:+VerifySharedSpaces", shared, *_QUIET)
        base = (f"-XX:SharedArchiveFile={self.base}",) if self.base else ()
        return ("-Xshare:auto", *base, f"-XX:ArchiveClassesAtExit={self.draft}", *_QUIET)

    def keep(self) -> None:
        """Takes the draft of a training run that ended cleanly."""
        if self.draft.exists():
            self.draft.replace(self.path)
            _forget_old(self.path.parent)

    def discard(self) -> None:
        self.draft.unlink(missing_ok=True)
        self.path.unlink(missing_ok=True)


def archive_for(folder: Path, java: Java, class_path: Sequence[Path]) -> ClassArchive | None:
    """The archive for this Java and these jars; None where this Java cannot share classes."""
    folder.mkdir(parents=True, exist_ok=True)
    if (java.home / "lib" / "server" / "classes.jsa").exists():
        return ClassArchive(folder / f"spark-{_key(java, class_path)}.jsa", None)
    base = folder.resolve() / f"base-{_key(java, ())}.jsa"
    if not base.exists() and not _dump_base(java, base):
        return None
    # Java looks for the base where it was when the archive was written: one that has moved is of
    # no use, and Java would not say so.
    return ClassArchive(folder / f"spark-{_key(java, (*class_path, base))}.jsa", base)


def _key(java: Java, class_path: Sequence[Path]) -> str:
    """Java compares names, sizes and times of the jars itself; so does the key."""
    digest = hashlib.sha256(f"{java.version} {java.home}".encode())
    for jar in class_path:
        state = jar.stat()
        digest.update(f"\n{jar} {state.st_size} {state.st_mtime_ns}".encode())
    return digest.hexdigest()[:16]


def _dump_base(java: Java, base: Path) -> bool:
    """A Java cut down by jlink has no base archive, and its folder may be read-only."""
    part = base.with_suffix(f".{os.getpid()}.part")
    command = [str(java.executable), *_QUIET, "-Xshare:dump", f"-XX:SharedArchiveFile={part}"]
    try:
        subprocess.run(  # noqa: S603 - the Java we chose
            command, capture_output=True, stdin=subprocess.DEVNULL, timeout=120, check=True
        )
        part.replace(base)
    except (OSError, subprocess.SubprocessError):
        part.unlink(missing_ok=True)
        return False
    return True


def _forget_old(folder: Path) -> None:
    archives = sorted(folder.glob("spark-*.jsa"), key=lambda path: path.stat().st_mtime)
    for old in archives[:-_KEPT]:
        old.unlink(missing_ok=True)
