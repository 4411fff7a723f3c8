"""GROUPS frames, which Spark does not have.

The groups of rows that are equal by a window's order can be numbered below the SELECT; then GROUPS
is RANGE over their numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from sqe.trino.dialect import nodes
from sqe.trino.dialect.aggregation import is_grouped
from sqe.trino.dialect.built import Source
from sqe.trino.dialect.errors import Refused, not_supported
from sqe.trino.dialect.scope import Scope
from sqe.trino.dialect.tree import walk
from sqe.trino.dialect.windows import FrameOrder, counts_groups, frame_order, resolve_window

if TYPE_CHECKING:
    from sqe.trino.dialect.queries import Queries


def number_groups(
    queries: Queries,
    node: nodes.Select,
    order_by: Sequence[nodes.SortItem],
    source: Source,
    outer: Scope,
) -> Source:
    """The source with the numbers. ``queries.group_numbers`` has their columns."""
    orders = list(dict.fromkeys(_orders_with_counts(queries, node, order_by)))
    if not orders:
        return source
    if is_grouped(node, order_by):
        raise not_supported("Window frame of type GROUPS beside aggregates", node.at)
    analyzer, scope = queries.analyzer, outer.around(source.fields)
    name = analyzer.make_id("r")
    cells = [f"{field.sql} AS `c{i}`" for i, field in enumerate(source.fields)]
    for i, (partition_by, sorted_by) in enumerate(orders):
        spec = nodes.WindowSpec(node.at, None, partition_by, sorted_by)
        cells.append(f"dense_rank() OVER ({analyzer.window(spec, scope)}) AS `g{i}`")
        queries.group_numbers[partition_by, sorted_by] = f"{name}.`g{i}`"
    where = queries.where(node, scope)
    text = f"SELECT {', '.join(cells)} FROM {source.text}{where}"
    if outer.is_named_in(text):
        raise not_supported("Window frame of type GROUPS in a correlated subquery", node.at)
    fields = tuple(replace(field, sql=f"{name}.`c{i}`") for i, field in enumerate(source.fields))
    return Source(f"({text}) AS {name}", fields)


def _orders_with_counts(
    queries: Queries, node: nodes.Select, order_by: Sequence[nodes.SortItem]
) -> Iterator[FrameOrder]:
    written = [spec for _, spec in node.windows]
    for part in (*node.items, *order_by):
        written += [
            one.window
            for one in walk(part)
            if isinstance(one, nodes.Call) and isinstance(one.window, nodes.WindowSpec)
        ]
    for window in written:
        if window.frame is not None and counts_groups(window.frame):
            spec = resolve_window(queries.analyzer, window)
            if not spec.order_by:
                message = "Window frame of type GROUPS PRECEDING or FOLLOWING requires ORDER BY"
                raise Refused("MISSING_ORDER_BY", message, window.frame.at)
            yield frame_order(spec)
