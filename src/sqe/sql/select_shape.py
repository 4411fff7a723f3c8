"""A plain query over one table, as far as an estimate of its size needs to know it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from sqlglot import exp

from sqe.sql.statement import Statement

_COMPARISONS: dict[type[exp.Expr], tuple[str, str]] = {
    exp.EQ: ("=", "="),
    exp.GT: (">", "<"),
    exp.GTE: (">", "<"),
    exp.LT: ("<", ">"),
    exp.LTE: ("<", ">"),
}
_ALLOWED = frozenset({"expressions", "from_", "where", "limit", "order", "hint", "kind"})


@dataclass(frozen=True, slots=True)
class Condition:
    """``op`` is one of = < > in isnull notnull; whether a range includes its end is no matter."""

    column: str
    op: str
    values: tuple[Decimal | str, ...] = ()


@dataclass(frozen=True, slots=True)
class SelectShape:
    """``columns``: the table's column behind each column of the result, "*" for all of them, None
    for anything computed. ``conditions`` hold together; None: one of them is of another kind."""

    columns: tuple[str | None, ...]
    conditions: tuple[Condition, ...] | None
    limit: int | None


def shape_of(statement: Statement) -> SelectShape | None:
    """None for joins, aggregates, subqueries and everything else that is not one plain SELECT."""
    tree = statement.tree
    if not isinstance(tree, exp.Select) or len(statement.references) != 1:
        return None
    used = {key for key, value in tree.args.items() if value}
    source = tree.args.get("from_")
    table = source.this if source is not None else None
    if used - _ALLOWED or not isinstance(table, exp.Table) or table.args.get("sample"):
        return None
    if tree.find(exp.AggFunc, exp.Window, exp.Subquery, exp.UDTF, exp.Explode) is not None:
        return None
    where = tree.args.get("where")
    conditions = list(_conditions(where.this)) if where is not None else []
    known = [condition for condition in conditions if condition is not None]
    return SelectShape(
        tuple(_source(item) for item in tree.expressions),
        tuple(known) if len(known) == len(conditions) else None,
        _limit(tree.args.get("limit")),
    )


def _source(item: exp.Expr) -> str | None:
    node = item.this if isinstance(item, exp.Alias) else item
    if isinstance(node, exp.Star):
        return None if any(node.args.values()) else "*"
    if isinstance(node, exp.Column) and isinstance(node.this, exp.Star):
        return "*"
    return node.name if isinstance(node, exp.Column) else None


def _limit(node: Any) -> int | None:
    text = node.expression.name if node is not None and node.expression is not None else ""
    return int(text) if text.isdigit() else None


def _conditions(node: Any) -> Iterator[Condition | None]:
    """Every part of a conjunction; None for one that is not understood."""
    if isinstance(node, exp.And):
        yield from _conditions(node.this)
        yield from _conditions(node.expression)
    elif isinstance(node, exp.Paren):
        yield from _conditions(node.this)
    elif type(node) in _COMPARISONS:
        yield _comparison(node)
    elif isinstance(node, exp.Between) and not node.args.get("symmetric"):
        yield _condition(node.this, ">", [node.args["low"]])
        yield _condition(node.this, "<", [node.args["high"]])
    elif isinstance(node, exp.In) and node.expressions:
        yield _condition(node.this, "in", node.expressions)
    elif isinstance(node, exp.Is) and isinstance(node.expression, exp.Null):
        yield _condition(node.this, "isnull", [])
    elif isinstance(node, exp.Not) and isinstance(node.this, exp.Is):
        inner = node.this
        null = isinstance(inner.expression, exp.Null)
        yield _condition(inner.this, "notnull", []) if null else None
    else:
        yield None


def _comparison(node: Any) -> Condition | None:
    forward, backward = _COMPARISONS[type(node)]
    return _condition(node.this, forward, [node.expression]) or _condition(
        node.expression, backward, [node.this]
    )


def _condition(column: Any, op: str, literals: list[Any]) -> Condition | None:
    values = [_literal(literal) for literal in literals]
    if not isinstance(column, exp.Column) or any(value is None for value in values):
        return None
    return Condition(column.name, op, tuple(value for value in values if value is not None))


def _literal(node: Any) -> Decimal | str | None:
    if isinstance(node, exp.Neg):
        inner = _literal(node.this)
        return -inner if isinstance(inner, Decimal) else None
    if not isinstance(node, exp.Literal):
        return None
    return str(node.this) if node.is_string else Decimal(node.this)
