"""ALTER TABLE … CREATE, REPLACE and DROP BRANCH or TAG."""

from __future__ import annotations

from sqe.sql.cursor import TokenCursor

_UNITS = ("DAYS", "HOURS", "MINUTES")
_KINDS = ("BRANCH", "TAG")


def read_branch_clause(cursor: TokenCursor) -> bool:
    """Reads the clause behind the table's name; False, and nothing read, where it is another."""
    for verb in (("CREATE", "OR", "REPLACE"), ("CREATE",), ("REPLACE",), ("DROP",)):
        for kind in _KINDS:
            if cursor.accept(*verb, kind):
                _read(cursor, verb, kind)
                return True
    return False


def _read(cursor: TokenCursor, verb: tuple[str, ...], kind: str) -> None:
    if verb == ("DROP",):
        cursor.accept("IF", "EXISTS")
    elif verb == ("CREATE",):
        cursor.accept("IF", "NOT", "EXISTS")
    cursor.identifier(f"the {kind.lower()}'s name")
    if verb == ("DROP",):
        return
    if cursor.accept("AS", "OF", "VERSION"):
        _whole_number(cursor, "a snapshot's number")
    if cursor.accept("RETAIN"):
        _duration(cursor)
    if kind == "BRANCH" and cursor.accept("WITH", "SNAPSHOT", "RETENTION"):
        _snapshot_retention(cursor)


def _snapshot_retention(cursor: TokenCursor) -> None:
    """``5 SNAPSHOTS``, ``7 DAYS``, or both in this order."""
    _whole_number(cursor, "how many snapshots, or for how long")
    if not cursor.accept("SNAPSHOTS"):
        _unit(cursor, "SNAPSHOTS")
    elif not cursor.at_end():
        _duration(cursor)


def _duration(cursor: TokenCursor) -> None:
    _whole_number(cursor, "how long")
    _unit(cursor)


def _unit(cursor: TokenCursor, *others: str) -> None:
    if cursor.accept_one_of(*_UNITS) is None:
        cursor.fail(f"Expected {', '.join((*others, *_UNITS[:-1]))} or {_UNITS[-1]}")


def _whole_number(cursor: TokenCursor, what: str) -> None:
    if not cursor.source().isdecimal():
        cursor.fail(f"Expected {what}, as a whole number")
    cursor.skip()
