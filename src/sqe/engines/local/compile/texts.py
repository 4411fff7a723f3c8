"""What in a statement's text its tree does not tell as Spark reads it. Views are asked too."""

from __future__ import annotations

import re

from sqlglot import TokenType

from sqe.engines.local.plan import NotLocal
from sqe.sql.dialect import DIALECT
from sqe.sql.statement import Statement

_ESCAPED = re.compile(r"""\\([\\'"nrt%_])""")
# The wildcards of LIKE keep their backslash.
_CHARACTERS = {"n": "\n", "r": "\r", "t": "\t", "%": "\\%", "_": "\\_"}


def check_statement(statement: Statement) -> None:
    if "|>" in statement.text:
        raise NotLocal("pipe syntax is Spark's")
    if statement.session_functions:
        raise NotLocal("session functions are Spark's so far")
    _check_tokens(statement.text)


# Behind one of these a plus belongs to the value that follows.
_BEFORE_VALUES = {
    TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.COMMA, TokenType.PLUS, TokenType.DASH,
    TokenType.STAR, TokenType.SLASH, TokenType.PERCENT, TokenType.DIV, TokenType.EQ, TokenType.NEQ,
    TokenType.LT, TokenType.LTE, TokenType.GT, TokenType.GTE, TokenType.NULLSAFE_EQ,
    TokenType.DPIPE, TokenType.AMP, TokenType.PIPE, TokenType.CARET, TokenType.TILDE,
    TokenType.AND, TokenType.OR, TokenType.NOT, TokenType.SELECT, TokenType.DISTINCT,
    TokenType.ALL, TokenType.WHERE, TokenType.HAVING, TokenType.ON, TokenType.CASE, TokenType.WHEN,
    TokenType.THEN, TokenType.ELSE, TokenType.BETWEEN, TokenType.IN, TokenType.LIKE,
    TokenType.ILIKE, TokenType.RLIKE, TokenType.IS, TokenType.ORDER_BY, TokenType.GROUP_BY,
    TokenType.PARTITION_BY, TokenType.VALUES,
}  # fmt: skip


def _check_tokens(text: str) -> None:
    """Spark joins neighbouring strings and reads escapes; sqlglot does the first never and the
    second for a few only. And it forgets a plus before a value, which Spark shows in names."""
    previous: TokenType | None = None
    for token in DIALECT.tokenize(text):
        if token.text.upper() == "UNKNOWN" and previous in (TokenType.IS, TokenType.NOT):
            raise NotLocal("IS UNKNOWN is Spark's")
        if token.token_type is TokenType.PLUS and previous in _BEFORE_VALUES:
            raise NotLocal("a plus before a value is Spark's")
        if token.token_type is TokenType.STRING:
            raw = text[token.start : token.end + 1]
            if raw[0] != raw[-1] or not _reads_alike(raw[1:-1], token.text):
                raise NotLocal("strings with escapes are Spark's")
            if previous is TokenType.STRING:
                raise NotLocal("neighbouring strings are Spark's")
        previous = token.token_type


def _reads_alike(raw: str, read: str) -> bool:
    """Whether a string, as written between its quotes, is to Spark what sqlglot has read: a
    backslash stands only where it means the same to both."""
    meant = _ESCAPED.sub(lambda found: _CHARACTERS.get(found[1], found[1]), raw)
    return "\\" not in _ESCAPED.sub("", raw) and meant == read
