"""GROUP BY: its keys, its text, and what may stand beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqe.trino.dialect import nodes
from sqe.trino.dialect.calls import is_aggregate
from sqe.trino.dialect.errors import Refused
from sqe.trino.dialect.grouping_sets import Element, Groups, Keys
from sqe.trino.dialect.scope import Scope
from sqe.trino.dialect.select_items import Item
from sqe.trino.dialect.statements.query_text import expression_text
from sqe.trino.dialect.tree import children, walk
from sqe.trino.dialect.typed import Typed

if TYPE_CHECKING:
    from sqe.trino.dialect.analyzer import Analyzer


def is_grouped(node: nodes.Select, order_by: Sequence[nodes.SortItem]) -> bool:
    """Whether the SELECT aggregates."""
    if node.group_by is not None or node.having is not None:
        return True
    parts: list[nodes.Node] = [*node.items, *order_by]
    return any(is_aggregate(inner) for part in parts for inner in walk(part))


def groups_of(
    analyzer: Analyzer, node: nodes.Select, items: Sequence[Item], scope: Scope
) -> Groups:
    """What GROUP BY says."""
    if node.group_by is None:
        return Groups()
    elements = []
    for one in node.group_by.elements:
        if one.kind == "AUTO":
            groups: tuple[Keys, ...] = (tuple(item.typed for item in items if _is_plain(item)),)
        else:
            groups = tuple(
                tuple(_key(analyzer, key, one, items, scope) for key in group) for group in one.sets
            )
        elements.append(Element(one.kind, groups))
    asked = any(
        isinstance(one, nodes.Call) and one.name[-1].name.lower() == "grouping"
        for part in (*node.items, *((node.having,) if node.having is not None else ()))
        for one in walk(part)
    )
    groups_by = Groups(tuple(elements), node.group_by.distinct, asked)
    groups_by.check(node.group_by)
    return groups_by


def _is_plain(item: Item) -> bool:
    """Neither an aggregate nor with one inside."""
    return item.node is None or not any(is_aggregate(one) for one in walk(item.node))


def _key(
    analyzer: Analyzer,
    key: nodes.Expression,
    element: nodes.GroupingElement,
    items: Sequence[Item],
    scope: Scope,
) -> Typed:
    """A number means the item at that place, alone; in sets of keys are columns only."""
    if element.kind != "SIMPLE":
        typed = analyzer.expression(key, scope)
        if not any(typed.sql == one.sql for one in scope.fields):
            message = f"GROUP BY expression must be a column reference: {expression_text(key)}"
            raise Refused("INVALID_COLUMN_REFERENCE", message, key.at)
        return typed
    if isinstance(key, nodes.LongLiteral):
        if not 1 <= key.value <= len(items):
            message = f"GROUP BY position {key.value} is not in select list"
            raise Refused("INVALID_COLUMN_REFERENCE", message, key.at)
        chosen = items[key.value - 1]
        if chosen.node is not None:
            check_scalar(chosen.node, "GROUP BY clause")
        return chosen.typed
    check_scalar(key, "GROUP BY clause")
    return analyzer.expression(key, scope)


def check_scalar(node: nodes.Expression | None, what: str) -> None:
    """WHERE and the condition of a join see single rows only."""
    if node is None:
        return
    calls = [one for one in walk(node) if isinstance(one, nodes.Call)]
    wrong = [one for one in calls if is_aggregate(one)]
    wrong += [one for one in calls if one.window is not None]
    if wrong:
        listed = ", ".join(map(expression_text, wrong))
        message = f"{what} cannot contain aggregations, window functions or grouping operations"
        raise Refused("EXPRESSION_NOT_SCALAR", f"{message}: [{listed}]", node.at)


def check_nesting(parts: Sequence[nodes.Node]) -> None:
    """No aggregate in an aggregate, no window function in either."""
    for part in parts:
        for inner in walk(part):
            if not isinstance(inner, nodes.Call):
                continue
            if is_aggregate(inner):
                _check_inside(inner, windows_only=False)
            elif inner.window is not None:
                _check_inside(inner, windows_only=True)


def _check_inside(call: nodes.Call, *, windows_only: bool) -> None:
    name = call.name[-1].name.lower()
    inside = [inner for argument in call.arguments for inner in walk(argument)]
    for inner in inside:
        if isinstance(inner, nodes.Call) and inner.window is not None:
            if windows_only:
                message = (
                    "Cannot nest window functions or row pattern measures inside window function "
                    "arguments"
                )
                raise Refused("NESTED_WINDOW", message, inner.at)
            message = (
                f"Cannot nest window functions or row pattern measures inside aggregation '{name}'"
            )
            raise Refused("NESTED_WINDOW", message, call.at)
        if not windows_only and is_aggregate(inner):
            listed = ", ".join(
                expression_text(one)
                for one in inside
                if isinstance(one, nodes.Call) and is_aggregate(one)
            )
            message = f"Cannot nest aggregations inside aggregation '{name}': [{listed}]"
            raise Refused("NESTED_AGGREGATION", message, call.at)


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
    for sort_item in order_by:
        if not isinstance(sort_item.expression, nodes.LongLiteral):
            outputs = {item.typed.sql for item in items}
            _check(analyzer, sort_item.expression, sort_item.expression, texts | outputs, scope)


def check_groupings(
    analyzer: Analyzer, node: nodes.Select, keys: Keys, parts: Sequence[nodes.Node]
) -> None:
    """GROUPING(x) asks about keys, and needs some."""
    texts = {key.sql for key in keys}
    for part in parts:
        for inner in walk(part):
            if not isinstance(inner, nodes.Call) or inner.name[-1].name.lower() != "grouping":
                continue
            if node.group_by is None:
                message = (
                    "A GROUPING() operation can only be used with a corresponding GROUPING "
                    "SET/CUBE/ROLLUP/GROUP BY clause"
                )
                raise Refused("MISSING_GROUP_BY", message, node.at)
            for argument in inner.arguments:
                known = analyzer.known.get(id(argument))
                if known is not None and known.sql not in texts:
                    message = (
                        "The arguments to GROUPING() must be expressions referenced by the GROUP "
                        "BY at the associated query level. Mismatch due to the argument"
                    )
                    raise Refused("INVALID_ARGUMENTS", message, inner.at)


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
            shown = expression_text(whole)
            message = f"'{shown}' must be an aggregate expression or appear in GROUP BY clause"
            raise Refused("EXPRESSION_NOT_AGGREGATE", message, whole.at)
        if isinstance(node, nodes.Column):
            return
    for child in children(node):
        _check(analyzer, child, whole, keys, scope)
