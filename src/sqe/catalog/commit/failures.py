"""How the embedded catalog says no: one short function for each kind of failure."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

from sqe.errors import (
    ErrorCode,
    ResourceError,
    SqeError,
    UpstreamError,
    UserError,
    disk_full,
    is_disk_full,
)

T = TypeVar("T")

_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_BROKEN = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def invalid(message: str, *, hint: str = "") -> UserError:
    return UserError(ErrorCode.INVALID_ARGUMENT, message, hint=hint)


def conflict(message: str) -> UserError:
    return UserError(ErrorCode.COMMIT_CONFLICT, message)


def corrupt(message: str, *, hint: str) -> UpstreamError:
    return UpstreamError(ErrorCode.CORRUPT_DATA, message, hint=hint)


def need(value: T | None, message: str) -> T:
    """The value, or INVALID_ARGUMENT where it is missing."""
    if value is None:
        raise invalid(message)
    return value


def check(condition: bool, message: str) -> None:
    """INVALID_ARGUMENT unless the condition holds."""
    if not condition:
        raise invalid(message)


@contextmanager
def shape_failures(what: str) -> Iterator[None]:
    """INVALID_ARGUMENT where JSON from outside has not the shape that the specification gives it.

    Around the code that takes such JSON apart, instead of a check of every type at every level.
    """
    try:
        yield
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise invalid(f"Malformed {what}: it has not the shape of the specification.") from error


@contextmanager
def file_failures(what: str) -> Iterator[None]:
    """Turns the operating system's refusals to write into SQE's errors."""
    try:
        yield
    except OSError as error:
        if is_disk_full(error):
            raise disk_full(what) from error
        raise UpstreamError(
            ErrorCode.CATALOG_UNAVAILABLE,
            f"The warehouse refused {what}: {error.strerror or error}.",
            hint="Check that the warehouse folder exists and is writable.",
        ) from error


def of_sqlite(error: sqlite3.Error, database: str) -> SqeError:
    """The error SQLite raised, in SQE's words."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in _BUSY:
        return ResourceError(
            ErrorCode.HOME_IN_USE,
            f"Another process holds the catalog file {database}.",
            hint="Wait for it to finish, or stop it, and try again.",
        )
    if code == sqlite3.SQLITE_FULL:
        return disk_full(f"the catalog file {database}")
    if code in _BROKEN:
        return corrupt(
            f"The catalog file {database} is damaged or is not a SQLite database.",
            hint="Restore it from a backup, or move it away to start an empty catalog.",
        )
    return UpstreamError(
        ErrorCode.CATALOG_UNAVAILABLE,
        f"The catalog file {database} cannot be used: {error}.",
        hint="Check that the file and its folder exist and are writable.",
    )
