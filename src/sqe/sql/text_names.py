"""A table's name in a string, as procedures and table functions take it."""

from __future__ import annotations

from sqe.errors import ErrorCode, UserError
from sqe.sql.cursor import TokenCursor
from sqe.sql.dialect import DIALECT
from sqe.sql.statement import Span, position_at


def parts_of(name: str, text: str, at: Span) -> tuple[str, ...]:
    """The parts of the dotted name, which is an identifier as anywhere else. ``at`` is its place
    in the text."""
    try:
        cursor = TokenCursor(name, DIALECT.tokenize(name))
        parts, _ = cursor.take_dotted_name("a table's name")
        cursor.expect_end()
    except Exception as error:
        raise UserError(
            ErrorCode.INVALID_ARGUMENT,
            f"{name!r} is not the name of a table.",
            hint="Write it as in 'schema.table'; unusual names stand in back quotes.",
            position=position_at(text, at.start, at.of(text)[:40]),
        ) from error
    return parts
