"""ORDER BY, LIMIT and OFFSET."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlglot import exp

from sqe.engines.local.compile.expressions import Expressions, order_key
from sqe.engines.local.compile.parameters import Parameters
from sqe.engines.local.compile.value import Value, without_sign_of_zero
from sqe.engines.local.plan import NotLocal

_MAX_LIMIT = 2**31 - 1  # Spark's limits are ints


def order_by(
    order: exp.Order,
    expressions: Expressions,
    items: list[Value],
    *,
    only_items: bool,
    check: Callable[[Any], None] = lambda node: None,
) -> str:
    """``only_items``: what is sorted by must be selected, as under DISTINCT. ``check`` sees every
    key that is not simply a selected column."""
    keys = []
    for key in order.expressions:
        inner = key.this if isinstance(key, exp.Ordered) else key
        if _is_all(inner, expressions, items):
            if len(order.expressions) > 1:
                raise NotLocal("ORDER BY ALL beside other keys is Spark's")
            keys += _keys_of_items(key, items, only_items)
            continue
        value = by_position(inner, items)
        if value is None:
            check(inner)
            value = expressions.value(inner)
            if only_items and not _is_item(inner, value, items):
                raise NotLocal("sorting by what is not selected is Spark's")
        if value.literal is not None and value not in items:
            raise NotLocal("sorting by a constant is Spark's")
        position = next((i for i, item in enumerate(items, 1) if item.sql == value.sql), None)
        keys.append(order_key(_sort_key(value, position, only_items), key))
    return f" ORDER BY {', '.join(keys)}"


def _is_item(node: Any, value: Value, items: list[Value]) -> bool:
    """Whether the key is a selected column, by its name."""
    return isinstance(node, exp.Column) and any(
        item.sql == value.sql and item.name.lower() == node.name.lower() for item in items
    )


def _sort_key(value: Value, position: int | None, distinct: bool) -> str:
    """DuckDB makes 0.0 of the -0.0 it sorts by, so a double is sorted by a copy of it."""
    if not value.type.is_plain:
        raise NotLocal(f"ORDER BY {value.type} is Spark's")
    if value.type.is_float and not distinct:
        return without_sign_of_zero(value.sql, value.type)
    return str(position) if position else value.sql


def _is_all(node: Any, expressions: Expressions, items: list[Value]) -> bool:
    """ORDER BY ALL, unless it is the name of a column."""
    if not isinstance(node, exp.Column) or node.name.lower() != "all" or node.args.get("table"):
        return False
    named = any(item.name.lower() == "all" for item in items)
    return not named and not list(expressions.scope.matches("all", ()))


def _keys_of_items(key: Any, items: list[Value], distinct: bool) -> list[str]:
    """By every selected column, from the left."""
    return [
        order_key(_sort_key(item, position, distinct), key)
        for position, item in enumerate(items, 1)
    ]


def by_position(node: Any, items: list[Value]) -> Value | None:
    """ORDER BY 2 and GROUP BY 2 mean the second selected column."""
    if isinstance(node, exp.Neg) and isinstance(node.this, exp.Literal):
        raise NotLocal("a position outside the select list")
    if not isinstance(node, exp.Literal) or node.is_string:
        return None
    if not str(node.this).isdigit() or not 1 <= int(node.this) <= len(items):
        raise NotLocal("a position outside the select list")
    return items[int(node.this) - 1]


def limits(limit: Any, offset: Any, parameters: Parameters) -> str:
    text = ""
    for clause, word in ((limit, "LIMIT"), (offset, "OFFSET")):
        if clause is None:
            continue
        count = clause.expression
        if isinstance(count, exp.Var) and word == "LIMIT" and count.name.upper() == "ALL":
            continue
        if isinstance(count, exp.Placeholder):
            text += f" {word} {parameters.limit(count)}"
            continue
        plain = isinstance(count, exp.Literal) and not count.is_string
        if not plain or not str(count.this).isdigit() or int(count.this) > _MAX_LIMIT:
            raise NotLocal(f"a computed {word} is Spark's")
        text += f" {word} {count.this}"
    return text
