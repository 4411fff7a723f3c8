"""GROUPING SETS, ROLLUP and CUBE over no rows.

The grouping set without keys has a group then too, as an aggregate without GROUP BY has. Spark has
none. So that group is written as a query of its own beside the others, which gives its row only if
there are no rows: over nothing, with the keys as NULL.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqe.trino.dialect import nodes
from sqe.trino.dialect.built import BuiltColumn
from sqe.trino.dialect.errors import not_supported
from sqe.trino.dialect.grouping_sets import Groups
from sqe.trino.dialect.ordering import Outputs, Sorting, SortKey, compile_sorting
from sqe.trino.dialect.scope import Scope
from sqe.trino.dialect.select_items import Item, expand
from sqe.trino.dialect.tree import walk
from sqe.trino.dialect.typed import null_of, quote_name

if TYPE_CHECKING:
    from sqe.trino.dialect.queries import Queries


@dataclass(frozen=True, slots=True)
class Whole:
    """A SELECT with an empty grouping set: ``tail`` is all behind its items."""

    node: nodes.Select
    groups: Groups
    items: Sequence[Item]
    columns: Sequence[BuiltColumn]
    order: Sorting | None
    source: str
    where: str
    tail: str


def write_items(items: Sequence[Item], columns: Sequence[BuiltColumn]) -> str:
    return ", ".join(
        f"{item.typed.sql} AS {quote_name(column.sql_name)}"
        for item, column in zip(items, columns, strict=True)
    )


def with_group_of_no_rows(
    queries: Queries, whole: Whole, scope: Scope
) -> tuple[str, str, Sorting | None]:
    """The items, all behind them, and the order of the SELECT with that group."""
    _check(whole, scope)
    analyzer, order = queries.analyzer, whole.order
    with analyzer.without(whole.groups.keys):
        items = [_absent(one, whole.groups) for one in expand(analyzer, whole.node, scope)]
        having = queries.having(whole.node, scope) or " HAVING count(*) >= 0"
        keys: Sequence[SortKey] = ()
        if order is not None:
            outputs = Outputs(items, order.outputs.names)
            keys = compile_sorting(analyzer, order.query, outputs, scope).keys
    name, inner = analyzer.make_id("r"), analyzer.make_id("r")
    more, fewer, sorting = _add_sort_keys(order, keys, name)
    text = f"SELECT {write_items(whole.items, whole.columns)}{more}{whole.tail}"
    nothing = f"SELECT {write_items(items, whole.columns)}{fewer}{whole.source} WHERE false{having}"
    test = f"NOT EXISTS (SELECT 1{whole.source}{whole.where})"
    text += f" UNION ALL SELECT * FROM ({nothing}) AS {inner} WHERE {test}" * whole.groups.empty
    shown = ", ".join(
        f"{name}.{quote_name(one.sql_name)} AS {quote_name(one.sql_name)}" for one in whole.columns
    )
    return shown, f" FROM ({text}) AS {name}", sorting


def _add_sort_keys(
    order: Sorting | None, absent: Sequence[SortKey], name: str
) -> tuple[str, str, Sorting | None]:
    """What is sorted by as more columns, of the groups and of the one without rows."""
    if order is None:
        return "", "", None
    more, fewer, keys = "", "", []
    for i, (key, other) in enumerate(zip(order.keys, absent, strict=True)):
        if key.index is None:
            more += f", {key.value} AS `$key{i}`"
            fewer += f", {other.value} AS `$key{i}`"
            key = replace(key, sql=f"{name}.`$key{i}`")
        keys.append(key)
    return more, fewer, replace(order, keys=keys)


def _check(whole: Whole, scope: Scope) -> None:
    node = whole.node
    assert node.group_by is not None  # noqa: S101  it has grouping sets
    if scope.parent is not None and scope.parent.is_named_in(whole.source + whole.where):
        raise not_supported(
            "A grouping set without keys in a correlated subquery", node.group_by.at
        )
    windows = any(isinstance(one, nodes.Call) and one.window is not None for one in walk(node))
    if windows and whole.groups.empty > 1:
        raise not_supported("Two grouping sets without keys beside a window", node.group_by.at)


def _absent(item: Item, groups: Groups) -> Item:
    """What comes from a ``*`` has not been analysed again."""
    if item.node is None and any(key.sql == item.typed.sql for key in groups.keys):
        return replace(item, typed=null_of(item.typed.type, 0))
    return item
