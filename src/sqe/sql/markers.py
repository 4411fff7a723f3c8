"""Parameter markers: the ``?`` of a text, whose values an engine gets beside it."""

from __future__ import annotations

import itertools

from sqlglot import Token, TokenType, exp

from sqe.errors import ErrorCode, UserError
from sqe.sql.dialect import MARKER
from sqe.sql.statement import Span, Statement, position_at

_HINT = "Write the value into the text here, or use a marker where a query has a value."
# What statements with markers begin with. In all others a catalog or a session keeps the text.
_WORDS = "SELECT WITH FROM VALUES TABLE ( INSERT DELETE UPDATE MERGE EXPLAIN"
_BEGINNINGS = frozenset(_WORDS.split())
# Parts of a statement that must be known before there are values.
_FIXED: tuple[tuple[type[exp.Expr], str], ...] = (
    (exp.Version, "time travel"),
    (exp.TableSample, "TABLESAMPLE"),
    (exp.DataType, "a type"),
    (exp.Hint, "a hint"),
    (exp.WithTableHint, "the options of a table"),
    (exp.Properties, "the properties of a table"),
    (exp.Pivot, "PIVOT"),
    (exp.Interval, "an interval"),
    (exp.Partition, "PARTITION"),
)
_NAMES = (exp.Table, exp.Column, exp.Dot, exp.TableAlias, exp.Schema)


def find_markers(text: str, tokens: list[Token]) -> tuple[Span, ...]:
    """The markers in order. Refused in statements that are no queries and change no rows."""
    markers = [token for token in tokens if token.token_type is TokenType.PLACEHOLDER]
    first = text[tokens[0].start : tokens[0].end + 1].upper()
    if markers and first not in _BEGINNINGS:
        raise _refusal(text, markers[0].start, f"a statement that begins with {first[:40]}")
    for before, behind in itertools.pairwise(tokens):
        kinds = (before.token_type, behind.token_type)
        if TokenType.PLACEHOLDER in kinds and TokenType.STRING in kinds:
            # Spark makes one text of neighbours, so that the marker would be a part of it.
            raise _refusal(text, before.start, "the middle of a text")
    return tuple(Span(token.start, token.end + 1) for token in markers)


def check_markers(text: str, tree: exp.Expr, markers: tuple[Span, ...]) -> None:
    """Every marker must stand for a value: what the tree does not have as one is refused."""
    places = {span.start: span for span in markers}
    for node in tree.find_all(exp.Placeholder):
        start = node.meta.get(MARKER)
        if start is None or node.this is not None:
            raise UserError(
                ErrorCode.NOT_SUPPORTED,
                "A named parameter marker is not supported.",
                hint="Use ? for each value.",
            )
        _check_place(text, node, start)
        places.pop(start, None)
    if places:
        raise _refusal(text, min(places), "this place")


def _check_place(text: str, node: exp.Placeholder, start: int) -> None:
    if isinstance(node.parent, _NAMES) or node.arg_key in ("alias", "using"):
        raise _refusal(text, start, "the place of a name")
    for kind, name in _FIXED:
        above = node.find_ancestor(kind, exp.Query)
        if isinstance(above, kind):
            raise _refusal(text, start, name)


def _refusal(text: str, start: int, where: str) -> UserError:
    return UserError(
        ErrorCode.NOT_SUPPORTED,
        f"A parameter marker in {where} is not supported.",
        hint=_HINT,
        position=position_at(text, start, "?"),
    )


def without_markers(statement: Statement) -> Statement:
    """For texts that a catalog keeps: nobody has values for what they leave open."""
    if statement.markers:
        raise _refusal(statement.text, statement.markers[0].start, "a text that is kept")
    return statement
