"""The values of a statement's markers: counted, checked, and typed where nobody gave any."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlglot import exp

from sqe.errors import ErrorCode, UserError
from sqe.model.query import Parameter
from sqe.rewrite.guarded import GuardedStatement
from sqe.rewrite.marker_types import marker_types, takes_an_int
from sqe.rewrite.parameter_rows import with_rows
from sqe.rewrite.parameter_values import check_parameter
from sqe.sql.dialect import MARKER
from sqe.sql.statement import Statement

_INTS = range(-(2**31), 2**31)


def fill_markers(
    guarded: GuardedStatement,
    values: Sequence[Parameter] | None,
    rows: Sequence[Sequence[Parameter]],
    *,
    describes: bool,
) -> GuardedStatement:
    """``describes``: where there are no values, markers are typed and left open."""
    if describes and values is None and not rows:
        return fill_with_nulls(guarded)
    return with_values(guarded, values, rows)


def with_values(
    guarded: GuardedStatement,
    values: Sequence[Parameter] | None,
    rows: Sequence[Sequence[Parameter]] = (),
) -> GuardedStatement:
    """The statement as it may run: one value for each marker, or one for each of many rows."""
    if rows:
        return with_rows(guarded, rows)
    count = len(guarded.bound.statement.markers)
    if len(values or ()) != count:
        count_text = "no values were" if not values else f"{len(values)} values were"
        raise UserError(
            ErrorCode.INVALID_ARGUMENT,
            f"The statement has {count} parameter markers, and {count_text} given.",
            hint="Give one value for each ? of the text, in order.",
        )
    if not values:
        return guarded
    kept = [check_parameter(value, number) for number, value in enumerate(values, 1)]
    nodes = marker_nodes(guarded.bound.statement)
    fitted = [_narrow(parameter, node) for parameter, node in zip(kept, nodes, strict=True)]
    return replace(guarded, parameters=tuple(fitted))


def fill_with_nulls(guarded: GuardedStatement) -> GuardedStatement:
    """The statement with a NULL of the type that fits for each marker."""
    nodes = marker_nodes(guarded.bound.statement)
    if not nodes:
        return guarded
    values = [
        # Where Spark wants a number in order to understand the statement, NULL is none.
        Parameter("int", 1) if takes_an_int(node) else Parameter(kind, None)
        for node, kind in zip(nodes, marker_types(guarded, nodes), strict=True)
    ]
    return replace(guarded, parameters=tuple(values))


def marker_nodes(statement: Statement) -> list[Any]:
    """The markers in the tree, in the order of the text."""
    while statement.tree is None and statement.inner is not None:
        statement = statement.inner
    if not statement.markers:
        return []
    nodes_by_number = {node.meta[MARKER]: node for node in statement.tree.find_all(exp.Placeholder)}
    return [nodes_by_number[span.start] for span in statement.markers]


def _narrow(value: Parameter, node: Any) -> Parameter:
    """Many clients have whole numbers of one size only; LIMIT and its like take none but ints."""
    wide = value.type == "bigint" and isinstance(value.value, int) and value.value in _INTS
    return Parameter("int", value.value) if wide and takes_an_int(node) else value
