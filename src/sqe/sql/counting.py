"""A DELETE or UPDATE as a query that counts the rows it is about, for where nobody else says."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import Token, TokenType

from sqe.sql.dialect import DIALECT
from sqe.sql.splice import Edit
from sqe.sql.statement import Access, Reference, Span, Statement
from sqe.sql.traits import RowChange

_OPENING = (TokenType.L_PAREN, TokenType.L_BRACKET)
_CLOSING = (TokenType.R_PAREN, TokenType.R_BRACKET)
# What may say something else when it is asked a second time.
_WORDS = """
current_date current_time current_timestamp curdate localtimestamp now unix_timestamp
rand randn random randstr uniform uuid shuffle monotonically_increasing_id spark_partition_id
input_file_name input_file_block_start input_file_block_length today yesterday tomorrow
"""
_CHANGING = frozenset(_WORDS.split())


def edits_of_count(statement: Statement) -> list[Edit] | None:
    """Edits that make a count of the statement; None if a count could come out otherwise."""
    tokens = DIALECT.tokenize(statement.text)
    target = next((r for r in statement.references if r.access is Access.WRITE), None)
    edits = _head(statement, tokens, target) if target is not None else None
    if edits is None or any(_changes(token) for token in _skip_edited(tokens, edits)):
        return None
    return edits


def _head(statement: Statement, tokens: list[Token], target: Reference) -> list[Edit] | None:
    """What turns the beginning of the statement into that of a query."""
    before = Span(tokens[0].start, target.span.start)
    begin = Edit(before, "SELECT count(*) FROM ")
    counts = statement.traits.counts
    if counts is RowChange.DELETED:
        return [begin]
    if counts is not RowChange.UPDATED:
        return None
    at: dict[TokenType, int] = {}
    for token in _outermost(tokens):
        if token.start > target.span.start:
            at.setdefault(token.token_type, token.start)
    assigned = at.get(TokenType.SET)
    if assigned is None:
        return None
    return [begin, Edit(Span(assigned, at.get(TokenType.WHERE, len(statement.text))), "")]


def _outermost(tokens: list[Token]) -> Iterator[Token]:
    depth = 0
    for token in tokens:
        if token.token_type in _OPENING:
            depth += 1
        elif token.token_type in _CLOSING:
            depth -= 1
        elif depth == 0:
            yield token


def _skip_edited(tokens: list[Token], edits: list[Edit]) -> Iterator[Token]:
    for token in tokens:
        if not any(edit.span.start <= token.start < edit.span.end for edit in edits):
            yield token


def _changes(token: Token) -> bool:
    return token.text.strip().lower() in _CHANGING
