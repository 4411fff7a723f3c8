"""Calls without arguments that a session answers, in a text that was not parsed yet."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import TokenType

from sqe.sql.dialect import DIALECT
from sqe.sql.splice import Edit, splice
from sqe.sql.statement import SessionFunction, Span

_NAMES = frozenset(
    {
        "current_catalog", "current_date", "current_schema", "current_timestamp",
        "current_timezone", "current_user", "localtimestamp",
    }
)  # fmt: skip


def session_calls(text: str) -> list[SessionFunction]:
    """In the order of the text."""
    if not any(name in text.lower() for name in _NAMES):
        return []
    tokens = DIALECT.tokenize(text)
    return [
        SessionFunction(name.text.lower(), Span(name.start, closing.end + 1), aliased=True)
        for name, opening, closing in zip(tokens, tokens[1:], tokens[2:], strict=False)
        if name.text.lower() in _NAMES
        and text[name.start] not in "'\"`"
        and opening.token_type is TokenType.L_PAREN
        and closing.token_type is TokenType.R_PAREN
    ]


def with_session_values(text: str, values: Mapping[str, str]) -> str:
    """The text with SQL of ``values`` in place of the calls that have one."""
    edits = [
        Edit(call.span, values[call.name]) for call in session_calls(text) if call.name in values
    ]
    return splice(text, edits).text if edits else text
