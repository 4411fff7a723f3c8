"""Queries inside expressions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqe.model.trino_types import BOOLEAN, row
from sqe.trino.dialect import nodes
from sqe.trino.dialect.casts import coerce
from sqe.trino.dialect.coercion import common_type
from sqe.trino.dialect.comparisons import compare
from sqe.trino.dialect.errors import Refused, mismatch, not_supported
from sqe.trino.dialect.scope import Scope
from sqe.trino.dialect.typed import Typed, quoted

if TYPE_CHECKING:
    from sqe.trino.dialect.analyzer import Analyzer
    from sqe.trino.dialect.built import Built


def exists(analyzer: Analyzer, node: nodes.Exists, scope: Scope) -> Typed:
    built = analyzer.queries.query(node.query, scope)
    return Typed(BOOLEAN, f"EXISTS ({built.text})")


def scalar_query(analyzer: Analyzer, node: nodes.ScalarQuery, scope: Scope) -> Typed:
    built = analyzer.queries.query(node.query, scope)
    if len(built.columns) > 1:  # Trino reads several columns as one row
        name = analyzer.fresh("r")
        parts = ", ".join(
            f"'f{i}', {name}.{quoted(column.sql_name)}" for i, column in enumerate(built.columns)
        )
        kind = row(*((None, column.type) for column in built.columns))
        return Typed(kind, f"(SELECT named_struct({parts}) FROM ({built.text}) AS {name})")
    return Typed(built.columns[0].type, f"({built.text})")


def in_query(analyzer: Analyzer, node: nodes.InQuery, scope: Scope) -> Typed:
    value = analyzer.expression(node.value, scope)
    built = analyzer.queries.query(node.query, scope)
    if len(built.columns) != 1:
        return _row_in(analyzer, node, built, scope)
    kind = common_type(value.type, built.columns[0].type)
    if kind is None:
        message = (
            "Value expression and result of subquery must be of the same type: "
            f"{value.type} vs {built.columns[0].type}"
        )
        raise mismatch(message, node.at)
    if kind.base in ("real", "double"):
        raise not_supported(f"IN with a subquery of {kind}", node.at)
    inner = analyzer.queries.changed(built, [kind], node.at)
    wanted = coerce(value, kind, node.at).sql
    if analyzer.filters(node):
        return Typed(BOOLEAN, f"({wanted} IN ({inner}))")
    # As a value, Spark's IN knows true and false only; Trino's is NULL where it cannot tell.
    name = analyzer.fresh("r")
    column = f"{name}.{quoted(built.columns[0].sql_name)}"
    rows = f"FROM ({inner}) AS {name}"
    return Typed(
        BOOLEAN,
        f"CASE WHEN {wanted} IN ({inner}) THEN true "
        f"WHEN (SELECT count(*) {rows}) = 0 THEN false "
        f"WHEN {wanted} IS NULL OR (SELECT count(*) - count({column}) {rows}) > 0 THEN NULL "
        "ELSE false END",
    )


def _row_in(analyzer: Analyzer, node: nodes.InQuery, built: Built, scope: Scope) -> Typed:
    """``(a, b) IN (SELECT x, y …)`` as a condition of rows."""
    row_node = node.value
    if not isinstance(row_node, nodes.RowConstructor) or not analyzer.filters(node):
        raise not_supported("IN with a subquery of several columns", node.at)
    values = [analyzer.expression(item, scope) for item in row_node.items]
    kinds = [column.type for column in built.columns]
    if [value.type for value in values] != kinds or any(
        kind.base in ("real", "double", "row", "array", "map", "json") for kind in kinds
    ):
        raise not_supported("IN with a subquery of several columns of other types", node.at)
    listed = ", ".join(value.sql for value in values)
    return Typed(BOOLEAN, f"(({listed}) IN ({built.text}))")


def quantified(analyzer: Analyzer, node: nodes.Quantified, scope: Scope) -> Typed:
    """``= ANY`` is IN, ``<> ALL`` is NOT IN, the others compare with the least or the greatest."""
    if (node.operator, node.quantifier) == ("=", "ANY"):
        return in_query(analyzer, nodes.InQuery(node.at, node.value, node.query), scope)
    if (node.operator, node.quantifier) == ("<>", "ALL"):
        found = in_query(analyzer, nodes.InQuery(node.at, node.value, node.query), scope)
        return Typed(BOOLEAN, f"(NOT {found.sql})")
    if node.operator in ("=", "<>"):
        raise not_supported(f"{node.operator} {node.quantifier} with a subquery", node.at)
    value = analyzer.expression(node.value, scope)
    built = analyzer.queries.query(node.query, scope)
    if len(built.columns) != 1:
        message = "Multiple columns returned by subquery are not yet supported"
        raise Refused("NOT_SUPPORTED", message, node.at)
    column = built.columns[0]
    if column.type.base in ("real", "double"):
        raise not_supported(f"{node.operator} {node.quantifier} with {column.type}", node.at)
    name = analyzer.fresh("r")
    inner = f"{name}.{quoted(column.sql_name)}"
    smallest = (node.operator in ("<", "<=")) == (node.quantifier == "ALL")
    extreme = Typed(column.type,
        f"(SELECT {'min' if smallest else 'max'}({inner}) FROM ({built.text}) AS {name})",
    )  # fmt: skip
    rows = f"(SELECT count(*) FROM ({built.text}) AS {name})"
    nulls = f"(SELECT count(*) - count({inner}) FROM ({built.text}) AS {name})"
    test = compare(node.operator, value, extreme, node.at).sql
    every = node.quantifier == "ALL"
    return Typed(
        BOOLEAN,
        f"CASE WHEN {rows} = 0 THEN {'true' if every else 'false'} "
        f"WHEN {test if not every else f'NOT {test}'} THEN {'false' if every else 'true'} "
        f"WHEN {nulls} > 0 THEN NULL ELSE {test} END",
    )
