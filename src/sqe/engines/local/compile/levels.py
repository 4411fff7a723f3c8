"""Aggregates, window functions and columns of one query, without those of the queries inside it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlglot import exp

from sqe.engines.local.compile.proven import AGGREGATES
from sqe.engines.local.plan import NotLocal


def is_aggregate(node: Any) -> bool:
    """Whether the node itself is a call of an aggregate function, and not of a window's."""
    if isinstance(node, exp.Window):
        return False
    called = isinstance(node, exp.AggFunc | exp.Any | exp.Filter | exp.Grouping) or (
        isinstance(node, exp.Anonymous) and node.name.lower() in AGGREGATES
    )
    return called and not _is_windowed(node)


def _is_windowed(node: Any) -> bool:
    parent = node.parent
    while isinstance(parent, exp.Filter | exp.IgnoreNulls | exp.RespectNulls):
        node, parent = parent, parent.parent
    return isinstance(parent, exp.Window) and parent.this is node


def children(node: Any) -> Iterator[Any]:
    """Of the same query: a query inside an expression is another level."""
    for value in node.args.values():
        for child in value if isinstance(value, list) else (value,):
            if isinstance(child, exp.Expr) and not isinstance(child, exp.Query):
                yield child


def parts(node: Any) -> Iterator[Any]:
    """The node and all below it that belong to the same query."""
    if isinstance(node, exp.Query):
        return
    yield node
    for child in children(node):
        yield from parts(child)


def has_aggregate(*nodes: Any) -> bool:
    return any(is_aggregate(part) for node in nodes for part in parts(node))


def has_window(*nodes: Any) -> bool:
    return any(isinstance(part, exp.Window) for node in nodes for part in parts(node))


def has_subquery(*nodes: Any) -> bool:
    return any(node.find(exp.Query) is not None for node in nodes)


def forbid(clause: str, node: Any) -> None:
    """Spark has the error message for aggregates and window functions in the wrong place."""
    if has_aggregate(node) or has_window(node):
        raise NotLocal(f"aggregates and window functions in {clause} are Spark's")


def own_columns(node: Any, in_aggregate: bool = False) -> Iterator[tuple[exp.Column, bool]]:
    """The columns named, and whether that is inside an aggregate."""
    if isinstance(node, exp.Query):
        return
    if isinstance(node, exp.Column):
        yield node, in_aggregate
        return
    inside = in_aggregate or is_aggregate(node)
    for child in children(node):
        yield from own_columns(child, inside)


def check_in_queries(node: Any, *, filters: bool = True) -> None:
    """IN over a query: Spark gives false where the standard gives NULL, which is the same in a
    filter only, and there only where nothing but AND, OR or one NOT is done with it. The condition
    of a branch is a filter too."""
    if isinstance(node, exp.Case | exp.If):
        _check_branches(node)
        return
    if filters and isinstance(node, exp.And | exp.Or | exp.Paren):
        for child in children(node):
            check_in_queries(child)
        return
    inner = _without_not(node) if filters else node
    if isinstance(inner, exp.In) and inner.args.get("query") is not None:
        if not filters:
            raise NotLocal("the value of IN over a query is Spark's")
        if isinstance(inner.args["query"].this, exp.Subquery):
            raise NotLocal("IN over a query in two parentheses is a list of one value to Spark")
    for child in children(inner):
        check_in_queries(child, filters=False)


def _check_branches(node: Any) -> None:
    branches = [node] if isinstance(node, exp.If) else node.args["ifs"]
    for branch in branches:
        # Behind CASE x WHEN stands a value.
        check_in_queries(branch.this, filters=isinstance(node, exp.If) or node.this is None)
    results = [branch.args["true"] for branch in branches]
    for result in (*results, node.args.get("default"), node.args.get("false")):
        if result is not None:
            check_in_queries(result, filters=False)


def _without_not(node: Any) -> Any:
    while isinstance(node, exp.Not | exp.Paren):
        if isinstance(node, exp.Not) and isinstance(node.this, exp.Not):
            break
        node = node.this
    return node
