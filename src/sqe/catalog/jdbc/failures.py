"""What a database refuses, in SQE's words. Its own text is left out: it may quote the address."""

from __future__ import annotations

from sqe.catalog.commit.failures import conflict, invalid
from sqe.errors import ErrorCode, ResourceError, SqeError, UpstreamError, disk_full, is_disk_full

# SQLSTATE of failures after which nothing is changed.
_LOCKED = ("55P03",)
_OVERTAKEN = ("40001", "40P01", "23505")
_TOO_LONG = ("22001",)
_FORBIDDEN = ("42501", "25006")


def of_database(name: str, error: Exception) -> SqeError:
    cause = getattr(error, "orig", None) or error
    state = str(getattr(cause, "sqlstate", None) or "")
    if state in _LOCKED:
        return ResourceError(
            ErrorCode.HOME_IN_USE,
            f"Another program holds the tables of catalog {name}; nothing was changed.",
            hint="Try again; if it stays so, look for the program that keeps a transaction open.",
        )
    if state in _OVERTAKEN:
        return conflict(
            f"Somebody else has changed catalog {name} at the same moment; nothing was changed."
        )
    if state in _TOO_LONG:
        return invalid(
            "A name, a location or a property is longer than the catalog's database can hold.",
            hint="Names have up to 255 characters, locations and properties up to 1,000.",
        )
    if is_disk_full(cause):
        return disk_full(f"the database of catalog {name}")
    kind = f"{type(cause).__name__} {state}".strip()
    advice = "Look whether the database runs, and whether its url and the account there are good."
    if state in _FORBIDDEN:
        advice = "The account of its url needs to read and write the catalog's tables."
    return UpstreamError(
        ErrorCode.CATALOG_UNAVAILABLE,
        f"The database of catalog {name} cannot be used ({kind}).",
        hint=advice,
    )
