"""SHOW STATS: the same figures as in Spark's dialect, with bounds as Trino prints them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from sqe.model.trino_types import DOUBLE, VARCHAR, TrinoType
from sqe.trino.dialect.context import Context, Known
from sqe.trino.dialect.json_literal import java_double
from sqe.trino.dialect.nodes import Query
from sqe.trino.dialect.parser import parse_query
from sqe.trino.dialect.statements.names import relation_of
from sqe.trino.dialect.statements.session_nodes import ShowStats
from sqe.trino.dialect.translate import query
from sqe.trino.dialect.translated import OutputColumn, Rows, Translated

_COLUMNS = (
    OutputColumn("column_name", VARCHAR),
    OutputColumn("data_size", DOUBLE),
    OutputColumn("distinct_values_count", DOUBLE),
    OutputColumn("nulls_fraction", DOUBLE),
    OutputColumn("row_count", DOUBLE),
    OutputColumn("low_value", VARCHAR),
    OutputColumn("high_value", VARCHAR),
)
_NO_ROWS = (
    0.0,
    0.0,
    1.0,
    None,
    None,
    None,
)  # what Trino tells of every column where there are none
_INTEGERS = ("tinyint", "smallint", "integer", "bigint")
_MAX_BIGINT = 2**63 - 1
_MILLIS = len("2020-01-01 00:00:00.000")


def show_stats(node: ShowStats, context: Context) -> Translated:
    """Trino's errors about the name have no place, as it makes a query of its own around it."""
    if isinstance(node.of, Query):
        return _of_query(node.of, context)
    target, known = relation_of(context, node.of, None)
    if _is_stored(known):
        counted = has_current_counts(known.metadata)
        return _show_stats(known.text, [column.type for column in known.columns], counted)
    return _of_query(parse_query(f"SELECT * FROM {target.quoted_name}"), context)


def _is_stored(known: Known) -> bool:
    """Whether the engine tells of its columns by itself, under the names that Trino gives them."""
    lower = all(column.name == column.name.lower() for column in known.columns)
    return lower and known.kind in ("TABLE", "MATERIALIZED VIEW")


def _of_query(node: Query, context: Context) -> Translated:
    inner = query(node, context)
    return _show_stats(f"({inner.text})", [column.type for column in inner.columns])


def has_current_counts(metadata: Mapping[str, Any]) -> bool:
    """Whether distinct values were counted since rows were last written. Rewriting files changes
    no rows."""
    counted = {one["snapshot-id"] for one in metadata.get("statistics") or ()}
    snapshots = {one["snapshot-id"]: one for one in metadata.get("snapshots") or ()}
    snapshot = snapshots.get(metadata.get("current-snapshot-id"))
    while snapshot is not None and snapshot["snapshot-id"] not in counted:
        rewritten = (snapshot.get("summary") or {}).get("operation") == "replace"
        snapshot = snapshots.get(snapshot.get("parent-snapshot-id")) if rewritten else None
    return snapshot is not None


def _show_stats(of: str, types: list[TrinoType], counted: bool = True) -> Translated:
    def reshape(rows: Rows) -> Rows:
        *columns, total = rows
        if total[4] == 0:
            return [*((column[0], *_NO_ROWS) for column in columns), total]
        return [
            *(
                (
                    *column[:2],
                    column[2] if counted else None,
                    *column[3:5],
                    _print_bound(column[5], kind),
                    _print_bound(column[6], kind),
                )
                for column, kind in zip(columns, types, strict=True)
            ),
            total,
        ]

    return Translated(f"SHOW STATS FOR {of}", _COLUMNS, reshape=reshape)


def _print_bound(text: str | None, kind: TrinoType) -> str | None:
    """Trino keeps every bound as a double, and prints it by the column's type."""
    if text is None:
        return None
    if kind.base in _INTEGERS:
        return str(min(int(float(int(text))), _MAX_BIGINT))
    if kind.base in ("double", "decimal", "real"):
        value = float(text)
        if not math.isfinite(value):
            return None
        return java_double(float(str(np.float32(value))) if kind.base == "real" else value)
    if kind.base == "timestamp with time zone":
        return f"{text[:_MILLIS]} UTC"
    return text
