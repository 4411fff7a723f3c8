"""Words and names in the text of a body or an argument."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import TokenType

from sqe.model.names import quote
from sqe.sql.dialect import DIALECT

_WORD = re.compile(r"`(?:[^`]|``)*`|[^\W\d]\w*")


def body_as_query(text: str, is_query: bool) -> tuple[str, int]:
    """A text that can be parsed, and where in it the body begins."""
    return (text, 0) if is_query else (f"SELECT ({text})", len("SELECT ("))


def words_in(text: str) -> Iterator[tuple[str, int]]:
    """Names and keywords in small letters, without quotes, and where each stands."""
    for token in DIALECT.tokenize(text):
        written = text[token.start : token.end + 1]
        if token.token_type is not TokenType.STRING and _WORD.fullmatch(written):
            yield unquote(written).lower(), token.start


def names_in(text: str) -> Iterator[tuple[str, int]]:
    """Those of them that may name a column: no function, no field, nothing that gets a value."""
    for name, at in words_in(text):
        before, behind = text[:at].rstrip()[-1:], text[at:].lstrip("`")[len(name) :].lstrip("` ")
        if before != "." and not behind.startswith(("(", "=>", "->")):
            yield name, at


def has_marker(text: str) -> bool:
    """A ``?``, which must stay in its place among the others, and the only one of its value."""
    return "?" in text and any(
        token.token_type is TokenType.PLACEHOLDER for token in DIALECT.tokenize(text)
    )


def unquote(written: str) -> str:
    return written[1:-1].replace("``", "`") if written.startswith("`") else written


def quote_always(name: str) -> str:
    """Also what is a word of the language to some parser."""
    quoted = quote(name)
    return quoted if quoted.startswith("`") else f"`{quoted}`"
