"""GROUP BY: its keys, its text, and what may stand beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqe.trino.dialect import nodes
from sqe.trino.dialect.calls import is_aggregate
from sqe.trino.dialect.errors import Refused
from sqe.trino.dialect.scope import Scope
from sqe.trino.dialect.select_items import Item
from sqe.trino.dialect.tree import children, walk
from sqe.trino.dialect.typed import Typed

if TYPE_CHECKING:
    from sqe.trino.dialect.analyzer import Analyzer

Keys = tuple[Typed, ...]


def is_grouped(node: nodes.Select, order_by: Sequence[nodes.SortItem]) -> bool:
    """Whether the SELECT aggregates."""
    if node.group_by is not None or node.having is not None:
        return True
    parts: list[nodes.Node] = [*node.items, *order_by]
    return any(is_aggregate(one) for part in parts for one in walk(part))


def grouping_keys(
    analyzer: Analyzer, node: nodes.Select, items: Sequence[Item], scope: Scope
) -> Keys:
    """All expressions of GROUP BY, in whatever set they stand."""
    if node.group_by is None:
        return ()
    return tuple(
        _key(analyzer, one, node, items, scope)
        for element in node.group_by.elements
        for group in element.sets
        for one in group
    )


def _key(
    analyzer: Analyzer,
    key: nodes.Expression,
    node: nodes.Select,
    items: Sequence[Item],
    scope: Scope,
) -> Typed:
    """A number means the item at that place."""
    if isinstance(key, nodes.LongLiteral):
        if not 1 <= key.value <= len(items):
            message = f"GROUP BY position {key.value} is not in select list"
            raise Refused("INVALID_COLUMN_REFERENCE", message, key.at)
        chosen = items[key.value - 1]
        if chosen.node is not None:
            _check_scalar(chosen.node)
        return chosen.typed
    _check_scalar(key)
    return analyzer.expression(key, scope)


def check_scalar(node: nodes.Expression | None, what: str) -> None:
    """WHERE and the condition of a join see single rows only."""
    if node is None:
        return
    for one in walk(node):
        if is_aggregate(one) or (isinstance(one, nodes.Call) and one.window is not None):
            message = f"{what} cannot contain aggregations, window functions or grouping operations"
            raise Refused("EXPRESSION_NOT_SCALAR", message, one.at)


def check_nesting(parts: Sequence[nodes.Node]) -> None:
    """No aggregate in an aggregate, no window function in either."""
    for part in parts:
        for one in walk(part):
            if not isinstance(one, nodes.Call):
                continue
            if is_aggregate(one):
                _check_inside(one, windows_only=False)
            elif one.window is not None:
                _check_inside(one, windows_only=True)


def _check_inside(call: nodes.Call, *, windows_only: bool) -> None:
    name = call.name[-1].name.lower()
    inside = [one for argument in call.arguments for one in walk(argument)]
    for one in inside:
        if isinstance(one, nodes.Call) and one.window is not None:
            if windows_only:
                message = (
                    "Cannot nest window functions or row pattern measures inside window function "
                    "arguments"
                )
                raise Refused("NESTED_WINDOW", message, one.at)
            message = (
                f"Cannot nest window functions or row pattern measures inside aggregation '{name}'"
            )
            raise Refused("NESTED_WINDOW", message, call.at)
        if not windows_only and is_aggregate(one):
            message = f"Cannot nest aggregations inside aggregation '{name}'"
            raise Refused("NESTED_AGGREGATION", message, call.at)


def _check_scalar(key: nodes.Expression) -> None:
    for one in walk(key):
        if is_aggregate(one) or (isinstance(one, nodes.Call) and one.window is not None):
            message = (
                "GROUP BY clause cannot contain aggregations, window functions or grouping "
                "operations"
            )
            raise Refused("EXPRESSION_NOT_SCALAR", message, one.at)


def group_by_text(node: nodes.Select, keys: Keys) -> str:
    if node.group_by is None:
        return ""
    remaining = iter(keys)
    parts: list[str] = []
    for element in node.group_by.elements:
        groups = [[_plain(next(remaining)) for _ in group] for group in element.sets]
        if element.kind == "SIMPLE":
            parts += [key for group in groups for key in group]
        else:
            written = [f"({', '.join(group)})" for group in groups]
            word = "GROUPING SETS" if element.kind == "SETS" else element.kind
            parts.append(f"{word} ({', '.join(written)})")
    return f" GROUP BY {', '.join(parts)}" if parts else " GROUP BY ()"


def _plain(key: Typed) -> str:
    """A number alone would be taken for a place."""
    if key.is_constant:
        return f"coalesce({key.sql}, {key.sql})"
    return key.sql


@dataclass(frozen=True, slots=True)
class Grouped:
    """A SELECT that aggregates."""

    node: nodes.Select
    keys: Keys
    items: Sequence[Item]
    order_by: Sequence[nodes.SortItem]


def check_grouping(analyzer: Analyzer, grouped: Grouped, scope: Scope) -> None:
    """EXPRESSION_NOT_AGGREGATE for what is neither a key nor inside of an aggregate."""
    node, keys, items, order_by = grouped.node, grouped.keys, grouped.items, grouped.order_by
    texts = {key.sql for key in keys}
    for item in items:
        if item.node is not None:
            _check(analyzer, item.node, item.node, texts, scope)
        elif item.typed.sql not in texts:
            message = f"Column '{item.name}' not in GROUP BY clause"
            raise Refused("EXPRESSION_NOT_AGGREGATE", message, node.items[0].at)
    if node.having is not None:
        _check(analyzer, node.having, node.having, texts, scope)
    for one in order_by:
        if not isinstance(one.expression, nodes.LongLiteral):
            outputs = {item.typed.sql for item in items}
            _check(analyzer, one.expression, one.expression, texts | outputs, scope)


def check_groupings(
    analyzer: Analyzer, node: nodes.Select, keys: Keys, parts: Sequence[nodes.Node]
) -> None:
    """GROUPING(x) asks about keys, and needs some."""
    texts = {key.sql for key in keys}
    for part in parts:
        for one in walk(part):
            if not isinstance(one, nodes.Call) or one.name[-1].name.lower() != "grouping":
                continue
            if node.group_by is None:
                message = (
                    "A GROUPING() operation can only be used with a corresponding GROUPING "
                    "SET/CUBE/ROLLUP/GROUP BY clause"
                )
                raise Refused("MISSING_GROUP_BY", message, node.at)
            for argument in one.arguments:
                known = analyzer.known.get(id(argument))
                if known is not None and known.sql not in texts:
                    message = (
                        "The arguments to GROUPING() must be expressions referenced by the GROUP "
                        "BY at the associated query level. Mismatch due to the argument"
                    )
                    raise Refused("INVALID_ARGUMENTS", message, one.at)


def _check(
    analyzer: Analyzer,
    node: nodes.Node,
    whole: nodes.Expression,
    keys: set[str],
    scope: Scope,
) -> None:
    known = analyzer.known.get(id(node))
    if known is not None and known.sql in keys:
        return
    if is_aggregate(node) or isinstance(node, nodes.Query):
        return
    if isinstance(node, nodes.Column | nodes.Dereference) and known is not None:
        local = any(known.sql == field.sql for field in scope.fields)
        if local:
            name = whole.identifier.name if isinstance(whole, nodes.Column) else ""
            shown = f"'{name}'" if name else "expression"
            message = f"{shown} must be an aggregate expression or appear in GROUP BY clause"
            raise Refused("EXPRESSION_NOT_AGGREGATE", message, whole.at)
        if isinstance(node, nodes.Column):
            return
    for child in children(node):
        _check(analyzer, child, whole, keys, scope)
