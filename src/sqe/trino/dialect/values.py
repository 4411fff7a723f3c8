"""VALUES."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqe.model.trino_types import UNKNOWN, quoted_field
from sqe.trino.dialect import nodes
from sqe.trino.dialect.built import Built, BuiltColumn
from sqe.trino.dialect.casts import coerce
from sqe.trino.dialect.coercion import common_type
from sqe.trino.dialect.errors import mismatch
from sqe.trino.dialect.scope import Scope
from sqe.trino.dialect.typed import Typed, quoted

if TYPE_CHECKING:
    from sqe.trino.dialect.queries import Queries


def values(queries: Queries, node: nodes.Values, scope: Scope) -> Built:
    rows = [_row(queries, one, scope) for one in node.rows]
    width = len(rows[0])
    for one in rows:
        if len(one) != width:
            message = f"Values rows have mismatched sizes: {width} vs {len(one)}"
            raise mismatch(message, node.at)
    kinds = []
    for i in range(width):
        kind = UNKNOWN
        for one in rows:
            found = common_type(kind, one[i].type)
            if found is None:
                message = f"Values rows have mismatched types: {kind} vs {one[i].type}"
                raise mismatch(message, node.at)
            kind = found
        kinds.append(kind)
    columns = tuple(BuiltColumn(None, kind, f"_col{i}") for i, kind in enumerate(kinds))
    if all(cell.is_constant for one in rows for cell in one):
        return _inline(queries, rows, columns, node.at)
    selects = []
    for one in rows:
        cells = ", ".join(
            f"{coerce(cell, kind, node.at).sql} AS {quoted(column.sql_name)}"
            for cell, kind, column in zip(one, kinds, columns, strict=True)
        )
        selects.append(f"SELECT {cells}")
    return Built(" UNION ALL ".join(selects), columns)


def _inline(
    queries: Queries, rows: Sequence[Sequence[Typed]], columns: tuple[BuiltColumn, ...], at: int
) -> Built:
    """Constants only: Spark reads them at once, however many rows there are."""
    name = queries.analyzer.fresh("r")
    written = ", ".join(
        "("
        + ", ".join(
            coerce(cell, column.type, at).sql for cell, column in zip(one, columns, strict=True)
        )
        + ")"
        for one in rows
    )
    names = ", ".join(quoted(column.sql_name) for column in columns)
    listed = ", ".join(
        f"{name}.{quoted(column.sql_name)} AS {quoted(column.sql_name)}" for column in columns
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
        Typed(one.type, f"{value.sql}.{quoted_field(value.type, i)}")
        for i, one in enumerate(value.type.fields)
    ]
