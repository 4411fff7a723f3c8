"""Where a statement calls functions that are not Spark's own."""

from __future__ import annotations

import itertools
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from sqlglot import Token, TokenType, exp

from sqe.sql.dialect import CALL
from sqe.sql.functions import ALLOWED, DENIED, NOT_OF_A_ROW, PARTITION_TRANSFORMS
from sqe.sql.own_functions.texts import unquote
from sqe.sql.read_options import is_table_changes
from sqe.sql.statement import Argument, FunctionCall, Span

_OPENING = {TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE}
_CLOSING = {TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE}
# Clauses around a call that only aggregates and window functions have.
_AROUND = (exp.Window, exp.Filter, exp.IgnoreNulls, exp.RespectNulls, exp.WithinGroup)


def find_calls(text: str, tree: exp.Expr, tokens: Sequence[Token]) -> tuple[FunctionCall, ...]:
    """Calls of what is no function of Spark's, in the order of the text; of a name in several
    parts also where its last part is one."""
    called = [
        node for node in tree.walk() if CALL in node.meta and node.find_ancestor(exp.Hint) is None
    ]
    calls = (_read_call(text, node, tokens) for node in called)
    return tuple(sorted(filter(None, calls), key=lambda call: call.span))


def _read_call(text: str, node: exp.Expr, tokens: Sequence[Token]) -> FunctionCall | None:
    index = bisect_left(tokens, node.meta[CALL], key=lambda token: token.start)
    if index + 1 >= len(tokens) or tokens[index].start != node.meta[CALL]:
        return None
    if tokens[index + 1].token_type is not TokenType.L_PAREN:
        return None
    first = index
    while first >= 2 and tokens[first - 1].token_type is TokenType.DOT:
        if not _is_name(text, tokens[first - 2]):
            return None  # a method of a value, which Spark does not have either
        first -= 2
    parts = tuple(_unquote(text, token) for token in tokens[first : index + 1 : 2])
    if len(parts) == 1 and _is_sparks(parts[0], node):
        return None
    closing = _find_closing(tokens, index + 1)
    if closing is None:
        return None
    inside = list(_split(text, tokens[index + 2 : closing]))
    return FunctionCall(
        parts,
        Span(tokens[first].start, tokens[closing].end + 1),
        Span(tokens[first].start, tokens[index].end + 1),
        tuple(inside),
        tokens[index].start,
        is_table=_is_relation(node),
        is_item=_is_item(node),
        aliased=_has_alias(_with_qualifier(node).parent),
        in_lambda=node.find_ancestor(exp.Lambda) is not None,
        of_rows=_is_of_rows(node),
        unknown=isinstance(node, exp.Anonymous),
        clause=_clause(node, inside, text),
    )


def _is_sparks(name: str, node: exp.Expr) -> bool:
    lowered = name.lower()
    if lowered in ALLOWED or lowered in DENIED:
        return True
    if lowered in PARTITION_TRANSFORMS and node.find_ancestor(exp.Properties):
        return True
    return is_table_changes(node) and isinstance(node.parent, exp.Table)


def _is_name(text: str, token: Token) -> bool:
    written = text[token.start]
    return token.token_type is not TokenType.STRING and (written in "`_" or written.isalpha())


def _unquote(text: str, token: Token) -> str:
    return unquote(text[token.start : token.end + 1])


def _find_closing(tokens: Sequence[Token], opening: int) -> int | None:
    depth = 0
    for index in range(opening, len(tokens)):
        depth += (tokens[index].token_type in _OPENING) - (tokens[index].token_type in _CLOSING)
        if depth == 0:
            return index
    return None


def _split(text: str, tokens: Sequence[Token]) -> Iterator[Argument]:
    """The arguments, between the commas that are in no brackets."""
    depth = 0
    start = 0
    for index, token in enumerate(tokens):
        depth += (token.token_type in _OPENING) - (token.token_type in _CLOSING)
        if depth == 0 and token.token_type is TokenType.COMMA:
            yield _argument(text, tokens[start:index])
            start = index + 1
    if tokens:
        yield _argument(text, tokens[start:])


def _argument(text: str, tokens: Sequence[Token]) -> Argument:
    if not tokens:
        return Argument(Span(0, 0))
    end = tokens[-1].end + 1
    named = len(tokens) > 2 and text[tokens[1].start : tokens[1].end + 1] == "=>"
    if named and _is_name(text, tokens[0]):
        return Argument(Span(tokens[2].start, end), _unquote(text, tokens[0]))
    return Argument(Span(tokens[0].start, end))


def _is_of_rows(node: exp.Expr) -> bool:
    """Whether one row's value of some argument is not told by that row alone."""
    inside = node.walk(prune=lambda one: isinstance(one, exp.Query))
    return not all(one is node or is_value_of_a_row(one) for one in inside)


def is_value_of_a_row(node: exp.Expr) -> bool:
    """No aggregate, window function or generator: what it is depends on one row."""
    if isinstance(node, exp.Query):
        return True
    if isinstance(node, exp.AggFunc | exp.Window | exp.UDTF):
        return False
    names = [node.name] if isinstance(node, exp.Anonymous) else []
    if isinstance(node, exp.Func) and not names:
        names = node.sql_names()
    return not any(name.lower() in NOT_OF_A_ROW for name in names)


def _with_qualifier(node: exp.Expr) -> exp.Expr:
    """The call with what stands before the dots of its name."""
    while isinstance(node.parent, exp.Dot) and node.parent.expression is node:
        node = node.parent
    return node


def _is_item(node: exp.Expr) -> bool:
    """A whole item of a SELECT list, without an alias: the column is named after the call."""
    item = _with_qualifier(node)
    parent = item.parent
    return isinstance(parent, exp.Select) and any(item is one for one in parent.expressions)


def _is_relation(node: exp.Expr) -> bool:
    whole = _with_qualifier(node)
    return isinstance(whole.parent, exp.Table | exp.Lateral) and whole.parent.this is whole


def _has_alias(relation: exp.Expr | None) -> bool:
    return relation is not None and relation.args.get("alias") is not None


def _clause(node: exp.Expr, arguments: Sequence[Argument], text: str) -> str:
    """What the call has that a function in SQL cannot have."""
    parent = node.parent
    if isinstance(parent, _AROUND) and parent.this is node:
        return "OVER, FILTER or another clause of aggregates"
    relation = _with_qualifier(node).parent
    if isinstance(relation, exp.Lateral) and relation.args.get("view"):
        return "LATERAL VIEW"
    given = node.args.get("expressions") or ()
    for word in itertools.chain([node.args.get("this")], given):
        if isinstance(word, exp.Distinct | exp.Star):
            return "DISTINCT" if isinstance(word, exp.Distinct) else "*"
    if any(argument.span.start == argument.span.end for argument in arguments):
        return "an argument left out"
    return ""
