"""Copies of SQLite files that others are using."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from sqe.errors import ErrorCode, UpstreamError, disk_full

_MAGIC = b"SQLite format 3\0"
_BESIDE = ("-wal", "-shm", "-journal")  # what SQLite has beside a file that is in use


def is_database(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC


def is_beside_database(path: Path) -> bool:
    """It belongs to a database, and is in its copy."""
    owner = next((path.name.removesuffix(end) for end in _BESIDE if path.name.endswith(end)), None)
    return bool(owner) and path.with_name(str(owner)).exists()


def copy_database(source: Path, copy: Path) -> None:
    """One consistent state of it, while others go on writing."""
    os.close(os.open(copy, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    try:
        with (
            closing(sqlite3.connect(f"{source.as_uri()}?mode=ro", uri=True)) as original,
            closing(sqlite3.connect(copy)) as target,
        ):
            original.backup(target)
    except sqlite3.Error as error:
        if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_FULL:
            raise disk_full("the copy of a database") from error
        raise UpstreamError(
            ErrorCode.CORRUPT_DATA,
            f"The database {source} cannot be copied: {error}.",
            hint="Is the file damaged, or may you not read it?",
        ) from error


def read_store_version(database: Path) -> int:
    """Of a copy of SQE's own database; 0: it has no tables yet."""
    with closing(sqlite3.connect(database)) as db:
        try:
            row = db.execute("SELECT max(version) FROM sqe_version").fetchone()
        except sqlite3.OperationalError:
            return 0
    return int(row[0] or 0)
