"""LIKE. Trino has no escape character unless one is given; Spark's is the backslash."""

from __future__ import annotations

from sqe.model.trino_types import BOOLEAN, UNKNOWN, VARCHAR
from sqe.trino.dialect import nodes
from sqe.trino.dialect.casts import cast
from sqe.trino.dialect.coercion import is_text
from sqe.trino.dialect.errors import Refused, mismatch, not_supported
from sqe.trino.dialect.typed import OpenParameter, Typed, string


def like(value: Typed, pattern: Typed, escape: Typed | None, node: nodes.Like) -> Typed:
    for operand, where, what in (
        (value, node.value, "Left side of LIKE expression"),
        (pattern, node.pattern, "Pattern for LIKE expression"),
        (escape, node.escape, "Escape for LIKE expression"),
    ):
        if operand is not None and isinstance(operand.constant, OpenParameter):
            operand.constant.types.append(VARCHAR)
        if (
            operand is not None
            and where is not None
            and not (is_text(operand.type) or operand.type == UNKNOWN)
        ):
            raise mismatch(f"{what} must evaluate to a varchar (actual: {operand.type})", where.at)
    if value.type.base == "char":  # with its blanks
        value = cast(value, VARCHAR, node.at)
    written = _pattern(pattern, escape, node)
    return Typed(BOOLEAN, f"({value.sql} LIKE {written})")


def _pattern(pattern: Typed, escape: Typed | None, node: nodes.Like) -> str:
    sign = escape.constant if escape is not None else None
    known = sign is None if escape is None else isinstance(sign, str)
    if isinstance(pattern.constant, str) and known and isinstance(sign, str | None):
        return string(_with_backslashes(pattern.constant, sign, node.at))
    if escape is not None:
        raise not_supported("LIKE … ESCAPE with a pattern that is not constant", node.at)
    return f"replace({pattern.sql}, '\\\\', '\\\\\\\\')"


def _with_backslashes(pattern: str, escape: str | None, at: int) -> str:
    """The same pattern with Spark's escape character."""
    if escape is not None and len(escape) != 1:
        message = "Escape string must be a single character"
        raise Refused("INVALID_FUNCTION_ARGUMENT", message, at)
    written = []
    characters = iter(pattern)
    for character in characters:
        if character == escape:
            character = next(characters, "")
            if character not in ("%", "_", escape):
                message = (
                    "Escape character must be followed by '%', '_' or the escape character itself"
                )
                raise Refused("INVALID_FUNCTION_ARGUMENT", message, at)
            written.append(f"\\{character}" if character in "%_\\" else character)
        else:
            written.append("\\\\" if character == "\\" else character)
    return "".join(written)
