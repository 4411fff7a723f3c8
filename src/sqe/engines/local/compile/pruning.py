"""Conditions that let Iceberg skip files: ``column op literal``, joined by AND."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from typing import Any

from sqlglot import exp

from sqe.engines.local.compile.scope import Scope, SourceColumn
from sqe.engines.local.plan import Comparison

_OPERATORS: dict[type[exp.Expr], tuple[str, str]] = {
    exp.EQ: ("=", "="),
    exp.GT: (">", "<"),
    exp.GTE: (">=", "<="),
    exp.LT: ("<", ">"),
    exp.LTE: ("<=", ">="),
}


def comparisons(condition: Any, scope: Scope) -> Iterator[tuple[SourceColumn, Comparison]]:
    """Every conjunct that is certain; leaving one out only costs time."""
    if isinstance(condition, exp.Paren):
        yield from comparisons(condition.this, scope)
    elif isinstance(condition, exp.And):
        yield from comparisons(condition.this, scope)
        yield from comparisons(condition.expression, scope)
    elif isinstance(condition, exp.Between):
        for side, op in (("low", ">="), ("high", "<=")):
            yield from _one(condition.this, op, condition.args[side], scope)
    elif type(condition) in _OPERATORS:
        forward, backward = _OPERATORS[type(condition)]
        yield from _one(condition.this, forward, condition.expression, scope)
        yield from _one(condition.expression, backward, condition.this, scope)


def _one(
    column: Any, op: str, value: Any, scope: Scope
) -> Iterator[tuple[SourceColumn, Comparison]]:
    if not isinstance(column, exp.Column) or isinstance(column.this, exp.Star):
        return
    parts = [column.args.get(key) for key in ("catalog", "db", "table")]
    qualifier = tuple(part.name for part in parts if part is not None)
    found = list(scope.matches(column.name, qualifier))
    if len(found) != 1:
        return
    literal = _literal(value, getattr(found[0], "type_text", ""))
    if literal is not None:
        yield found[0], Comparison(found[0].name, op, literal)


def _literal(node: Any, type_text: str) -> object:
    """The value in the column's own type, or None where there could be any doubt."""
    if isinstance(node, exp.Cast) and type_text == "date":
        node = node.this
    if not isinstance(node, exp.Literal):
        return None
    text = str(node.this)
    if node.is_string:
        if type_text == "string":
            return text
        if type_text == "date":
            try:
                return datetime.date.fromisoformat(text)
            except ValueError:
                return None
        return None
    if type_text in ("int", "bigint") and text.isdigit():
        return int(text)
    return None
