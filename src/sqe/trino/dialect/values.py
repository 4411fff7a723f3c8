"""VALUES."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqe.model.trino_types import UNKNOWN, field_of_row
from sqe.trino.dialect import nodes
from sqe.trino.dialect.built import Built, BuiltColumn
from sqe.trino.dialect.casts import coerce
from sqe.trino.dialect.coercion import common_type
from sqe.trino.dialect.errors import mismatch
from sqe.trino.dialect.scope import Scope
from sqe.trino.dialect.typed import Typed, quote_name

if TYPE_CHECKING:
    from sqe.trino.dialect.queries import Queries


def values(queries: Queries, node: nodes.Values, scope: Scope) -> Built:
    rows = [_row(queries, row, scope) for row in node.rows]
    width = len(rows[0])
    for row in rows:
        if len(row) != width:
            message = f"Values rows have mismatched sizes: {width} vs {len(row)}"
            raise mismatch(message, node.at)
    kinds = []
    for i in range(width):
        kind = UNKNOWN
        for row in rows:
            common = common_type(kind, row[i].type)
            if common is None:
                message = "Values rows have mismatched types: " + " vs ".join(
                    _types_of(one) for one in (rows[0], row)
                )
                raise mismatch(message, node.at)
            kind = common
        kinds.append(kind)
    columns = tuple(BuiltColumn(None, kind, f"_col{i}") for i, kind in enumerate(kinds))
    if all(cell.is_constant for row in rows for cell in row):
        return _inline(queries, rows, columns, node.at)
    selects = []
    for row in rows:
        cells = ", ".join(
            f"{coerce(cell, kind, node.at).sql} AS {quote_name(column.sql_name)}"
            for cell, kind, column in zip(row, kinds, columns, strict=True)
        )
        selects.append(f"SELECT {cells}")
    return Built(" UNION ALL ".join(selects), columns)


def _types_of(row: Sequence[Typed]) -> str:
    return f"row({', '.join(str(cell.type) for cell in row)})"


def _inline(
    queries: Queries, rows: Sequence[Sequence[Typed]], columns: tuple[BuiltColumn, ...], at: int
) -> Built:
    """Constants only: Spark reads them at once, however many rows there are."""
    name = queries.analyzer.make_id("r")
    written = ", ".join(
        "("
        + ", ".join(
            coerce(cell, column.type, at).sql for cell, column in zip(row, columns, strict=True)
        )
        + ")"
        for row in rows
    )
    names = ", ".join(quote_name(column.sql_name) for column in columns)
    listed = ", ".join(
        f"{name}.{quote_name(column.sql_name)} AS {quote_name(column.sql_name)}"
        for column in columns
    )
    return Built(f"SELECT {listed} FROM VALUES {written} AS {name}({names})", columns)


def _row(queries: Queries, node: nodes.Expression, scope: Scope) -> list[Typed]:
    """The fields of a row are the columns, however the row is made."""
    if isinstance(node, nodes.RowConstructor):
        return [queries.analyzer.expression(item, scope) for item in node.items]
    value = queries.analyzer.expression(node, scope)
    if value.type.base != "row":
        return [value]
    return [
        Typed(field.type, f"{value.sql}.{field_of_row(value.type, i)}")
        for i, field in enumerate(value.type.fields)
    ]
