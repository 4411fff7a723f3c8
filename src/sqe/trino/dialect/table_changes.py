"""TABLE(system.table_changes(…)): what became of a table's rows from one snapshot to another.

Iceberg's ``changes`` in Spark has the rows; Trino's names of the columns are written around them.
Who sees only a part of the table is refused by the pipe, as for every way to read ``changes``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sqe.model.trino_types import BIGINT, INTEGER, VARCHAR, timestamp_tz
from sqe.trino.dialect import nodes
from sqe.trino.dialect.built import Source
from sqe.trino.dialect.casts import coerce
from sqe.trino.dialect.coercion import can_coerce
from sqe.trino.dialect.context import Known
from sqe.trino.dialect.errors import Refused, mismatch, not_supported
from sqe.trino.dialect.scope import Field, Scope
from sqe.trino.dialect.typed import quote_name
from sqe.trino.dialect.zones import read_here

if TYPE_CHECKING:
    from sqe.trino.dialect.relations import Relations

_ARGUMENTS = {
    "schema_name": VARCHAR,
    "table_name": VARCHAR,
    "start_snapshot_id": BIGINT,
    "end_snapshot_id": BIGINT,
}
# Iceberg fills these columns by their places, and fails if Spark reads one without those before it.
_ORDINAL = "IF(c._change_type = '', NULL, c._change_ordinal)"
_VERSION = f"IF({_ORDINAL} < 0, NULL, c._commit_snapshot_id)"


def table_changes(relations: Relations, node: nodes.TableFunction) -> Source:
    analyzer = relations.analyzer
    schema, table, start, end = _constants(relations, node)
    catalog = node.name[0].name.lower() if len(node.name) > 2 else analyzer.context.client.catalog
    known = analyzer.context.lookup.relation(catalog.lower(), schema.lower(), table.lower())
    if known is None:
        raise Refused("NOT_FOUND", f"Table '{schema}.{table}' not found")
    if known.kind != "TABLE":
        raise not_supported(f"table_changes of a {known.kind.lower()}", node.at)
    moments = _moments_between(known, start, end, node.at) if known.tells_files else {}
    when = " ".join(f"WHEN {one} THEN timestamp_millis({ms})" for one, ms in moments.items())
    moment = f"CASE {_VERSION} {when} END" if when else "CAST(NULL AS TIMESTAMP)"
    name = analyzer.make_id("r")
    shown = [
        (column.name, read_here(column.type), f"c.{quote_name(column.name)}")
        for column in known.columns
    ]
    shown += [
        ("_change_type", VARCHAR, "lower(c._change_type)"),
        ("_change_version_id", BIGINT, _VERSION),
        ("_change_timestamp", read_here(timestamp_tz(3)), moment),
        ("_change_ordinal", INTEGER, _ORDINAL),
    ]
    listed = ", ".join(f"{sql} AS {quote_name(column)}" for column, _, sql in shown)
    options = f"'start-snapshot-id' = '{start}', 'end-snapshot-id' = '{end}'"
    text = f"(SELECT {listed} FROM {known.text}.changes WITH ({options}) AS c) AS {name}"
    fields = tuple(
        Field(column.lower(), kind, f"{name}.{quote_name(column)}") for column, kind, _ in shown
    )
    return Source(text, fields)


def _constants(relations: Relations, node: nodes.TableFunction) -> list[Any]:
    values: dict[str, Any] = {}
    for (word, value), place in zip(node.arguments, _ARGUMENTS, strict=False):
        key = word.name.lower() if word is not None else place
        if key not in _ARGUMENTS or not isinstance(value, nodes.Expression):
            raise not_supported("table_changes() with other arguments", node.at)
        given, wanted = relations.analyzer.expression(value, Scope()), _ARGUMENTS[key]
        if not can_coerce(given.type, wanted):
            raise mismatch(f"Cannot cast type {given.type} to {wanted}", value.at)
        typed = coerce(given, wanted, value.at)
        if not typed.is_constant:
            raise not_supported("table_changes() with arguments that are not constant", value.at)
        values[key] = typed.constant
    for key in _ARGUMENTS:
        if key not in values:
            at = node.arguments[0][1].at if node.arguments else node.at
            raise Refused("MISSING_ARGUMENT", f"Missing argument: {key.upper()}", at)
    if None in values.values():
        message = "table_changes arguments may not be null"
        raise Refused("INVALID_FUNCTION_ARGUMENT", message)
    return [values[key] for key in _ARGUMENTS]


def _moments_between(known: Known, start: int, end: int, at: int) -> Mapping[int, int]:
    """The snapshots after ``start``, up to and with ``end``, and when they were made (ms)."""
    metadata = known.metadata
    snapshots = {one["snapshot-id"]: one for one in metadata.get("snapshots") or ()}
    for number in (start, end):
        if number not in snapshots:
            message = f"Snapshot not found in Iceberg table history: {number}"
            raise Refused("INVALID_FUNCTION_ARGUMENT", message)
    moments: dict[int, int] = {}
    number = end
    while number != start and number in snapshots:
        moments[number] = snapshots[number]["timestamp-ms"]
        number = snapshots[number].get("parent-snapshot-id")
    if number != start or not moments:
        message = f"Starting snapshot (exclusive) {start} is not a parent ancestor of end snapshot"
        raise Refused("INVALID_FUNCTION_ARGUMENT", f"{message} {end}")
    if snapshots[end].get("schema-id") != metadata.get("current-schema-id"):
        raise not_supported("table_changes of a version whose columns were others", at)
    return moments
