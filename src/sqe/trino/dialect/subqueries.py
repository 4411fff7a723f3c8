"""Queries inside expressions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqe.model.trino_types import BOOLEAN, TrinoType, row
from sqe.trino.dialect import nodes
from sqe.trino.dialect.casts import coerce
from sqe.trino.dialect.coercion import common_type
from sqe.trino.dialect.comparisons import compare
from sqe.trino.dialect.errors import Refused, mismatch, not_supported
from sqe.trino.dialect.scope import Scope
from sqe.trino.dialect.typed import Typed, quote_name, string

if TYPE_CHECKING:
    from sqe.trino.dialect.analyzer import Analyzer
    from sqe.trino.dialect.built import Built

_FLOATS = ("real", "double")


def exists(analyzer: Analyzer, node: nodes.Exists, scope: Scope) -> Typed:
    built = analyzer.queries.subquery(_any_row(node.query), scope)
    return Typed(BOOLEAN, f"(EXISTS ({built.text}))")


def _any_row(node: nodes.Query) -> nodes.Query:
    """Whether there is a row does not depend on their order, nor on how many are taken."""
    some = isinstance(node.limit, nodes.LongLiteral) and node.limit.value > 0
    if not some or node.offset is not None or node.order_by:
        return node
    return replace(node, limit=None, fetch=False)


def scalar_query(analyzer: Analyzer, node: nodes.ScalarQuery, scope: Scope) -> Typed:
    built = analyzer.queries.subquery(node.query, scope)
    if len(built.columns) > 1:  # Trino reads several columns as one row
        name = analyzer.make_id("r")
        parts = ", ".join(
            f"{string(column.name or f'f{i}')}, {name}.{quote_name(column.sql_name)}"
            for i, column in enumerate(built.columns)
        )
        kind = row(*((column.name, column.type) for column in built.columns))
        return Typed(kind, f"(SELECT named_struct({parts}) FROM ({built.text}) AS {name})")
    return Typed(built.columns[0].type, f"({built.text})")


def in_query(analyzer: Analyzer, node: nodes.InQuery, scope: Scope) -> Typed:
    """Trino answers such a condition by a join. What is equal to what depends on which one: as a
    value or after NOT, NaN is NaN and a row with a NULL is itself. Elsewhere they are not."""
    value = analyzer.expression(node.value, scope)
    built = analyzer.queries.subquery(node.query, scope)
    if len(built.columns) != 1:
        return _row_in(analyzer, node, built, scope)
    kind = common_type(value.type, built.columns[0].type)
    if kind is None:
        message = (
            "Value expression and result of subquery must be of the same type: "
            f"{value.type} vs {built.columns[0].type}"
        )
        raise mismatch(message, node.at)
    inner = analyzer.queries.convert_columns(built, [kind], node.at)
    wanted = coerce(value, kind, node.at).sql
    is_float = kind.base in _FLOATS
    if analyzer.filters(node):
        not_nan = f" AND NOT isnan({wanted})" if is_float else ""
        return Typed(BOOLEAN, f"({wanted} IN ({inner}){not_nan})")
    if is_float and scope.is_named_in(inner):
        raise not_supported(f"IN with a correlated subquery of {kind}, as a value", node.at)
    if analyzer.negates(node) and not is_float:  # Spark joins NOT IN with its NULLs in mind
        return Typed(BOOLEAN, f"({wanted} IN ({inner}))")
    # As a value, Spark's IN knows true and false only; Trino's is NULL where it cannot tell.
    name = analyzer.make_id("r")
    column = f"{name}.{quote_name(built.columns[0].sql_name)}"
    rows = f"FROM ({inner}) AS {name}"
    return Typed(
        BOOLEAN,
        f"CASE WHEN {wanted} IN ({inner}) THEN true "
        f"WHEN (SELECT count(*) {rows}) = 0 THEN false "
        f"WHEN {wanted} IS NULL OR (SELECT count(*) - count({column}) {rows}) > 0 THEN NULL "
        "ELSE false END",
    )


def _row_in(analyzer: Analyzer, node: nodes.InQuery, built: Built, scope: Scope) -> Typed:
    """``(a, b) IN (SELECT x, y …)``, which is never NULL."""
    row_node = node.value
    if not isinstance(row_node, nodes.RowConstructor):
        raise not_supported("IN with a subquery of several columns", node.at)
    values = [analyzer.expression(item, scope) for item in row_node.items]
    mine = row(*((None, value.type) for value in values))
    theirs = row(*((None, column.type) for column in built.columns))
    kind = common_type(mine, theirs)
    if kind is None:
        message = (
            f"Value expression and result of subquery must be of the same type: {mine} vs {theirs}"
        )
        raise mismatch(message, node.at)
    kinds = [one.type for one in kind.fields]
    if any(one.base in (*_FLOATS, "row", "array", "map", "json") for one in kinds):
        raise not_supported(f"IN with a subquery of {kind}", node.at)
    wanted = [coerce(one, part, node.at).sql for one, part in zip(values, kinds, strict=True)]
    inner = analyzer.queries.convert_columns(built, kinds, node.at)
    if analyzer.filters(node):
        return Typed(BOOLEAN, f"(({', '.join(wanted)}) IN ({inner}))")
    name = analyzer.make_id("r")
    operator = "=" if scope.is_named_in(inner) else "<=>"
    equal = " AND ".join(
        f"{one} {operator} {name}.{quote_name(column.sql_name)}"
        for one, column in zip(wanted, built.columns, strict=True)
    )
    return Typed(BOOLEAN, f"(EXISTS (SELECT 1 FROM ({inner}) AS {name} WHERE {equal}))")


def compare_quantified(analyzer: Analyzer, node: nodes.Quantified, scope: Scope) -> Typed:
    """``= ANY`` is IN, ``<> ALL`` is NOT IN, the others compare with the least or the greatest."""
    if (node.operator, node.quantifier) == ("=", "ANY"):
        return in_query(analyzer, nodes.InQuery(node.at, node.value, node.query), scope)
    if (node.operator, node.quantifier) == ("<>", "ALL"):
        comparison = in_query(analyzer, nodes.InQuery(node.at, node.value, node.query), scope)
        return Typed(BOOLEAN, f"(NOT {comparison.sql})")
    if (node.operator, node.quantifier) == ("<>", "ANY"):
        equal = nodes.Quantified(node.at, "=", "ALL", node.value, node.query)
        return Typed(BOOLEAN, f"(NOT ({compare_quantified(analyzer, equal, scope).sql}))")
    value = analyzer.expression(node.value, scope)
    built = analyzer.queries.subquery(node.query, scope)
    if len(built.columns) != 1:
        message = "Multiple columns returned by subquery are not yet supported"
        raise Refused("NOT_SUPPORTED", message, node.at)
    name = analyzer.make_id("r")
    column = built.columns[0]
    inner = f"{name}.{quote_name(column.sql_name)}"
    every = node.quantifier == "ALL"
    least, greatest = (
        Typed(
            column.type,
            f"(SELECT {_extreme(word, inner, column.type)} FROM ({built.text}) AS {name})",
        )
        for word in ("min", "max")
    )
    extreme = least if (node.operator in ("<", "<=")) == every else greatest
    test = compare(node.operator, value, extreme, node.at).sql
    if node.operator == "=":
        test = f"({compare('=', least, greatest, node.at).sql} AND {test})"
    rows = f"(SELECT count(*) FROM ({built.text}) AS {name})"
    nulls = f"(SELECT count(*) - count({inner}) FROM ({built.text}) AS {name})"
    return Typed(
        BOOLEAN,
        f"CASE WHEN {rows} = 0 THEN {'true' if every else 'false'} "
        f"WHEN {test if not every else f'NOT {test}'} THEN {'false' if every else 'true'} "
        f"WHEN {nulls} > 0 THEN NULL ELSE {test} END",
    )


def _extreme(word: str, sql: str, kind: TrinoType) -> str:
    """NaN is neither the least nor the greatest, unless there is nothing else."""
    if kind.base not in _FLOATS:
        return f"{word}({sql})"
    return f"coalesce({word}(IF(isnan({sql}), NULL, {sql})), {word}({sql}))"
