"""The parts of INSERT, UPDATE and DELETE, as places in the user's text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from sqlglot import Token, TokenType, exp

from sqe.sql.dialect import DIALECT
from sqe.sql.splice import Edit, splice
from sqe.sql.statement import Access, Reference, Span, Statement

_OPENING = (TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE)
_CLOSING = (TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE)


@dataclass(frozen=True, slots=True)
class InsertParts:
    """``columns`` as they are listed, in small letters; empty: all of the table's."""

    source: Span
    columns: tuple[str, ...] = ()
    by_name: bool = False
    defaults: bool = False  # the word DEFAULT stands in it


@dataclass(frozen=True, slots=True)
class Assignment:
    target: tuple[str, ...]  # a dotted name, in small letters
    value: Span
    constant: bool  # it depends on no row
    default: bool  # the word DEFAULT


@dataclass(frozen=True, slots=True)
class ChangeParts:
    """Of UPDATE and DELETE. ``condition``: what stands behind WHERE."""

    condition: Span | None
    assignments: tuple[Assignment, ...] = ()


def find_target(statement: Statement) -> Reference:
    """The table that is written, the only one of its kind in a statement."""
    [target] = [reference for reference in statement.references if reference.access is Access.WRITE]
    return target


def insert_parts(statement: Statement) -> InsertParts | None:
    """None where it is not one of the plain forms."""
    tree, target = statement.tree, find_target(statement)
    schema = tree.this if isinstance(tree.this, exp.Schema) else None
    table = schema.this if schema is not None else tree.this
    odd = ("overwrite", "where", "exists", "returning", "conflict", "partition", "ignore")
    if target.alias is not None or any(tree.args.get(name) for name in odd):
        return None
    if any(table.args.get(name) for name in ("partition", "alias", "sample", "version")):
        return None
    tokens = tokens_behind(statement, target)
    columns: tuple[str, ...] = ()
    if schema is not None:
        columns = tuple(expression.name.lower() for expression in schema.expressions)
        end = find_closing_parenthesis(tokens)
        named = all(isinstance(expression, exp.Identifier) for expression in schema.expressions)
        if end is None or not columns or not named:
            return None
        tokens = tokens[end + 1 :]
    by_name = [token.text.upper() for token in tokens[:2]] == ["BY", "NAME"]
    tokens = tokens[2:] if by_name else tokens
    if not tokens or (by_name and columns):
        return None
    source = Span(tokens[0].start, tokens[-1].end + 1)
    return InsertParts(source, columns, by_name, any(map(is_default, tokens)))


def change_parts(statement: Statement) -> ChangeParts | None:
    """None where it is not one of the plain forms."""
    tokens = tokens_behind(statement, find_target(statement))
    outer = list(outermost(tokens))
    where = next((n for n, token in outer if token.token_type is TokenType.WHERE), None)
    condition = None
    if where is not None:
        if where + 1 >= len(tokens):
            return None
        condition = Span(tokens[where + 1].start, tokens[-1].end + 1)
    if isinstance(statement.tree, exp.Delete):
        return ChangeParts(condition)
    begin = next((n for n, token in outer if token.token_type is TokenType.SET), None)
    if begin is None:
        return None
    assignments = [
        assignment_of(piece) for piece in split(tokens[begin + 1 : where], TokenType.COMMA)
    ]
    if None in assignments or len(assignments) != len(statement.tree.expressions):
        return None
    return ChangeParts(
        condition, tuple(assignment for assignment in assignments if assignment is not None)
    )


def assignment_of(tokens: list[Token]) -> Assignment | None:
    equals = next((n for n, t in outermost(tokens) if t.token_type is TokenType.EQ), None)
    if equals is None or equals + 1 >= len(tokens):
        return None
    names, dots = tokens[:equals:2], tokens[1:equals:2]
    if not names or any(dot.token_type is not TokenType.DOT for dot in dots):
        return None
    return make_assignment(names, tokens[equals + 1 :])


def make_assignment(names: Sequence[Token], value: Sequence[Token]) -> Assignment:
    return Assignment(
        tuple(name.text.lower() for name in names),
        Span(value[0].start, value[-1].end + 1),
        constant=len(value) == 1 and value[0].token_type in _CONSTANTS,
        default=len(value) == 1 and is_default(value[0]),
    )


_CONSTANTS = (
    TokenType.STRING,
    TokenType.NUMBER,
    TokenType.NULL,
    TokenType.TRUE,
    TokenType.FALSE,
    TokenType.PLACEHOLDER,
)


def tokens_behind(statement: Statement, target: Reference) -> list[Token]:
    return [token for token in DIALECT.tokenize(statement.text) if token.start >= target.span.end]


def outermost(tokens: Sequence[Token]) -> Iterator[tuple[int, Token]]:
    """Those outside of all parentheses, with their numbers."""
    depth = 0
    for number, token in enumerate(tokens):
        if token.token_type in _OPENING:
            depth += 1
        elif token.token_type in _CLOSING:
            depth -= 1
        elif depth == 0:
            yield number, token


def split(
    tokens: list[Token],
    by: TokenType,
    walk: Callable[[list[Token]], Iterator[tuple[int, Token]]] = outermost,
) -> Iterator[list[Token]]:
    begin = 0
    for number, token in walk(tokens):
        if token.token_type is by:
            yield tokens[begin:number]
            begin = number + 1
    yield tokens[begin:]


def find_closing_parenthesis(tokens: list[Token]) -> int | None:
    """Where the parenthesis closes that the tokens begin with."""
    depth = 0
    for number, token in enumerate(tokens):
        if number == 0 and token.token_type is not TokenType.L_PAREN:
            return None
        depth += (token.token_type in _OPENING) - (token.token_type in _CLOSING)
        if depth == 0:
            return number
    return None


def is_default(token: Token) -> bool:
    return token.text.upper() == "DEFAULT" and token.token_type is not TokenType.STRING


def piece(text: str, span: Span, edits: Sequence[Edit]) -> str:
    """A part of the text as the engine gets it."""
    inside = [
        Edit(Span(edit.span.start - span.start, edit.span.end - span.start), edit.text)
        for edit in dict.fromkeys(edits)
        if span.start <= edit.span.start and edit.span.end <= span.end
    ]
    return splice(span.of(text), inside).text
