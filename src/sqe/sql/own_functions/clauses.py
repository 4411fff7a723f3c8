"""What stands between the result and the body of CREATE FUNCTION."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqe.model.functions import TRINO_FUNCTION, TRINO_ONLY
from sqe.sql.cursor import TokenCursor
from sqe.sql.table_properties import read_properties

_FORMS = (
    ("COMMENT",), ("LANGUAGE",), ("DETERMINISTIC",), ("NOT", "DETERMINISTIC"),
    ("CONTAINS", "SQL"), ("READS", "SQL", "DATA"), ("SQL", "SECURITY"), ("TBLPROPERTIES",),
)  # fmt: skip


@dataclass(frozen=True)
class Clauses:
    """``origin``: see ``SqlFunction``."""

    comment: str = ""
    deterministic: bool | None = None
    origin: tuple[tuple[str, str], ...] = ()


def read_clauses(cursor: TokenCursor) -> Clauses:
    clauses, said = Clauses(), set[str]()
    while True:
        form = next((words for words in _FORMS if cursor.looking_at(*words)), None)
        if form is None:
            return clauses
        if form[-1] in said:
            cursor.fail(f"{form[-1]} is said twice")
        cursor.accept(*form)
        said.add(form[-1])
        clauses = _read_clause(cursor, form, clauses)


def _read_clause(cursor: TokenCursor, form: tuple[str, ...], clauses: Clauses) -> Clauses:
    """Those that are not here say nothing that matters: SQE sees for itself what a body reads."""
    if form == ("COMMENT",):
        return replace(clauses, comment=cursor.string_literal())
    if form[-1] == "DETERMINISTIC":
        return replace(clauses, deterministic=len(form) == 1)
    if form == ("LANGUAGE",) and not cursor.accept("SQL"):
        name = cursor.identifier("a language").capitalize()
        cursor.refuse(
            f"A function in {name}",
            "Functions are written in SQL: code that is no SQL would run where SQE cannot see "
            "what it reads.",
        )
    if form[-1] == "SECURITY" and not cursor.accept("INVOKER"):
        cursor.refuse(
            "SQL SECURITY DEFINER of a function",
            "Its body runs with the rights of who calls it; CREATE VIEW … SECURITY DEFINER lends "
            "rights.",
        )
    if form == ("TBLPROPERTIES",):  # what Trino's dialect writes of a function
        origin = tuple((one.name, one.value) for one in read_properties(cursor))
        if not {name for name, _ in origin} <= {TRINO_FUNCTION, TRINO_ONLY}:
            cursor.refuse("TBLPROPERTIES of a function")
        return replace(clauses, origin=origin)
    return clauses
