"""What in a statement's text its tree does not tell as Spark reads it. Views are asked too."""

from __future__ import annotations

from sqlglot import TokenType

from sqe.engines.local.plan import NotLocal
from sqe.sql.dialect import DIALECT
from sqe.sql.statement import Statement


def check_statement(statement: Statement) -> None:
    if "|>" in statement.text:
        raise NotLocal("pipe syntax is Spark's")
    if statement.session_functions:
        raise NotLocal("session functions are Spark's so far")
    _check_strings(statement.text)


def _check_strings(text: str) -> None:
    """Spark joins neighbouring strings and reads escapes; sqlglot does neither as Spark does."""
    previous = None
    for token in DIALECT.tokenize(text):
        if token.token_type is TokenType.STRING:
            raw = text[token.start : token.end + 1]
            if raw[1:-1] != token.text or raw[0] != raw[-1] or "\\" in raw:
                raise NotLocal("strings with escapes are Spark's")
            if previous is TokenType.STRING:
                raise NotLocal("neighbouring strings are Spark's")
        previous = token.token_type
