"""A real PostgreSQL: the machine's, or unpacked from Debian's packages."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dev.stack.fetch import coming, run, tool
from tests.unit.store.postgresql import PostgreSQL, installed, place, running

PACKAGES = ("postgresql-15", "libpq5")
PASSWORD = "a-store-password"


@contextmanager
def postgresql(cache: Path) -> Iterator[PostgreSQL]:
    with (
        place() as folder,
        running(installed() or _unpacked(cache, folder), folder, PASSWORD) as made,
    ):
        yield made


def _unpacked(cache: Path, folder: Path) -> Path:
    """Into the folder, where the user that PostgreSQL runs as can reach it."""
    kept = cache / "postgresql"
    if not kept.is_dir():
        with coming(kept) as made:
            made.mkdir()
            run([tool("apt-get", "Debian's apt"), "download", *PACKAGES], made)
    for package in kept.glob("*.deb"):
        run([tool("dpkg", "dpkg"), "-x", str(package), str(folder / "unpacked")], folder)
    return next((folder / "unpacked/usr/lib/postgresql").glob("*/bin"))
