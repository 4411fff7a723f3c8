"""Where the text of a filter names columns of the row, so that it can be said of another one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlglot import ErrorLevel, Token, TokenType, exp
from sqlglot.errors import ParseError

from sqe.model.names import RelationName
from sqe.model.query import Column
from sqe.sql.dialect import DIALECT, SpanParser
from sqe.sql.statement import Span

# Behind these stands a member or a type, and no column.
_NO_COLUMN_BEHIND = (TokenType.DOT, TokenType.ALIAS, TokenType.DCOLON)
# In front of these stands a function, or the type of a literal.
_NO_COLUMN_BEFORE = (TokenType.L_PAREN, TokenType.STRING)


def column_places(
    text: str, name: RelationName, columns: Sequence[Column]
) -> dict[Span, Column] | None:
    """The places of the columns, each with its qualifiers. None where that is not certain: a word
    that is a column's name must be seen as one, or as something that no column can be."""
    tokens = list(DIALECT.tokenize(text))
    tree = _parse(tokens, text)
    if tree is None or any(True for _ in tree.find_all(exp.Query, exp.Values, exp.Star)):
        return None
    known = {column.name.lower(): column for column in columns}
    full = [part.lower() for part in name.parts]
    places: dict[Span, Column] = {}
    for node in tree.find_all(exp.Column):
        place = _place(node.parts, full, known)
        if place is None:
            return None
        places[place[0]] = place[1]
    return places if _all_found(tokens, places, known) else None


def may_be_constant(text: str) -> bool:
    """Whether some part of the filter is true or false for all rows, so that all of it might be."""
    tree = _parse(list(DIALECT.tokenize(text)), text)
    if tree is None:
        return True
    parts = [*_terms(tree), *tree.find_all(exp.Predicate, exp.Boolean, exp.Null)]
    return any(
        part.find(exp.Column) is None and not isinstance(part.parent, exp.Is) for part in parts
    )


def _terms(node: Any) -> Iterator[Any]:
    """What AND, OR and NOT put together."""
    if isinstance(node, exp.And | exp.Or | exp.Not | exp.Paren):
        for child in node.iter_expressions():
            yield from _terms(child)
    else:
        yield node


def _parse(tokens: list[Token], text: str) -> Any:
    try:
        parser = SpanParser(dialect=DIALECT, error_level=ErrorLevel.RAISE)
        [tree] = parser.parse_into(exp.Condition, tokens, text)
    except (ParseError, ValueError):
        return None
    return tree


def _place(
    parts: Sequence[Any], full: Sequence[str], known: Mapping[str, Column]
) -> tuple[Span, Column] | None:
    """Of one name. Engines take a part for a qualifier first, and for a column of structs then."""
    names = [part.name.lower() for part in parts]
    for count in range(len(names) - 1, -1, -1):
        qualified = names[:count] == list(full[len(full) - count :]) if count else True
        if not qualified or names[count] not in known:
            continue
        if any("start" not in part.meta for part in parts[: count + 1]):
            return None
        span = Span(parts[0].meta["start"], parts[count].meta["end"] + 1)
        return span, known[names[count]]
    return None


def _all_found(
    tokens: Sequence[Token], columns: Mapping[Span, Column], known: Mapping[str, Column]
) -> bool:
    for number, token in enumerate(tokens):
        if token.token_type is TokenType.STRING or token.text.lower() not in known:
            continue
        before = tokens[number - 1].token_type if number else None
        after = tokens[number + 1].token_type if number + 1 < len(tokens) else None
        if before in _NO_COLUMN_BEHIND or after in _NO_COLUMN_BEFORE:
            continue
        if not any(span.start <= token.start < span.end for span in columns):
            return False
    return True
