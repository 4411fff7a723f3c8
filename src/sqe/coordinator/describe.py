"""DESCRIBE, SHOW COLUMNS, SHOW TBLPROPERTIES: what a relation or schema is."""

from __future__ import annotations

from collections.abc import Iterator

from sqe.binding.bound import BoundAbsent, BoundMetadata, BoundTable, BoundView
from sqe.binding.resolve import METADATA_TABLES
from sqe.catalog.materialized import STATE
from sqe.catalog.protocol import Json
from sqe.catalog.redaction import redact_secrets
from sqe.catalog.schemas import current_schema, spark_type
from sqe.coordinator.call import (
    Answer,
    CommandCall,
    Row,
    answer,
    is_information_schema,
    nearest,
    strings,
)
from sqe.coordinator.describe_json import table_json, view_json
from sqe.coordinator.partitions import Part, parts_of
from sqe.coordinator.sort_orders import order_text
from sqe.errors import ErrorCode
from sqe.model.names import quote
from sqe.model.query import Column
from sqe.sql.commands import (
    DescribeSchema,
    DescribeTable,
    Name,
    ShowColumns,
    ShowTableProperties,
)
from sqe.sql.statement import Command

_NO_PROPERTIES: dict[str, str] = {}


def columns_of_target(call: CommandCall) -> tuple[Column, ...]:
    target = call.target
    if isinstance(target, BoundAbsent):
        raise call.error(ErrorCode.TABLE_NOT_FOUND, f"There is no table or view {target.name}.")
    if isinstance(target, BoundTable) and METADATA_TABLES & {s.lower() for s in target.suffix}:
        raise call.error(
            ErrorCode.NOT_SUPPORTED,
            "Metadata tables cannot be described.",
            call.reference.reference.span,
            "SELECT * FROM it LIMIT 0 shows its columns.",
        )
    if isinstance(target, BoundView):
        call.view_metadata(target)  # says why not
    return call.visible(target.columns)


def metadata_of_target(call: CommandCall) -> Json:
    """Iceberg's metadata of the table or stored view, as this user sees it; empty for anything
    else."""
    target = call.target
    if isinstance(target, BoundTable) and target.loaded is not None:
        return call.redact(call.reference, target.loaded.metadata)
    return call.view_metadata(target) if isinstance(target, BoundView) else {}


def tells_query(call: CommandCall, view: BoundView) -> bool:
    """Whether the user may know the view's query. A temporary view is their own."""
    if view.relation is None or call.restriction is not None:
        return view.relation is None
    return any(version["representations"] for version in call.view_metadata(view)["versions"])


def _show_columns(command: ShowColumns, call: CommandCall) -> Iterator[Row]:
    for column in columns_of_target(call):
        yield (column.name,)


def _describe(command: DescribeTable, call: CommandCall) -> Iterator[Row]:
    columns = columns_of_target(call)
    if command.as_json:
        yield (_as_json(columns, call),)
        return
    if command.column is not None:
        yield from _describe_column(command.column, columns, call)
        return
    for column in columns:
        yield column.name, column.type, column.comment or None
    if isinstance(call.target, BoundTable):
        yield from _partitions(parts_of(metadata_of_target(call)), columns)
    if command.extended:
        yield from _details(call)


def _describe_column(name: Name, columns: tuple[Column, ...], call: CommandCall) -> Iterator[Row]:
    match = next((c for c in columns if c.name.lower() == name.parts[0].lower()), None)
    if match is None or len(name.parts) > 1:
        raise call.error(
            ErrorCode.COLUMN_NOT_FOUND,
            f"There is no column {'.'.join(name.parts)}."
            if match is None
            else "Only whole columns can be described.",
            name.span,
            nearest(name.parts[0], (column.name for column in columns)) if match is None else "",
        )
    yield "col_name", match.name
    yield "data_type", match.type
    yield "comment", match.comment or "NULL"


def _as_json(columns: tuple[Column, ...], call: CommandCall) -> str:
    target, metadata = call.target, metadata_of_target(call)
    if isinstance(target, BoundTable):
        shown = table_properties(metadata, whole=call.restriction is None)
        return table_json(target.name, columns, metadata, dict(shown))
    if isinstance(target, BoundView):
        text = target.inner.statement.text if tells_query(call, target) else ""
        return view_json(target.relation or target.name, columns, metadata, text)
    raise call.error(ErrorCode.NOT_SUPPORTED, "DESCRIBE … AS JSON is of tables and views.")


def _partitions(parts: list[Part], columns: tuple[Column, ...]) -> Iterator[Row]:
    """As Spark prints them: whole columns in one way, transforms in another."""
    if parts and all(part.is_identity for part in parts):
        yield "# Partition Information", "", ""
        yield "# col_name", "data_type", "comment"
        by_name = {column.name: column for column in columns}
        for part in parts:
            column = by_name.get(part.source)
            if column is not None:
                yield column.name, column.type, column.comment or None
            else:
                yield part.source, spark_type(part.source_type), None
    elif parts:
        yield "", "", ""
        yield "# Partitioning", "", ""
        for number, part in enumerate(parts):
            yield f"Part {number}", part.text, ""


def _details(call: CommandCall) -> Iterator[Row]:
    target, metadata = call.target, metadata_of_target(call)
    properties: dict[str, str] = metadata.get("properties") or _NO_PROPERTIES
    yield "", "", ""
    if isinstance(target, BoundTable):
        yield "# Detailed Table Information", "", ""
        yield "Name", str(target.name), ""
        if properties.get("comment"):
            yield "Comment", properties["comment"], ""
        if "location" in metadata:  # not of what is seen in part
            yield "Location", metadata["location"], ""
        yield "Provider", "iceberg", ""
        if properties.get("owner"):
            yield "Owner", properties["owner"], ""
        shown = table_properties(metadata, whole=call.restriction is None)
        pairs = ",".join(f"{key}={value}" for key, value in shown)
        yield "Table Properties", f"[{pairs}]", ""
    elif isinstance(target, BoundView):
        yield "# Detailed View Information", "", ""
        yield "Name", str(target.relation or target.name), ""
        if properties.get("comment"):
            yield "Comment", properties["comment"], ""
        if tells_query(call, target):
            yield "View Text", target.inner.statement.text, ""
    elif isinstance(target, BoundMetadata):
        yield "# Detailed Table Information", "", ""
        yield "Name", f"{target.catalog}.information_schema.{target.table}", ""
        yield "Provider", "sqe", ""


# The last is for SHOW MATERIALIZED VIEWS, which tells it of tables that the user sees all of.
_RESERVED = frozenset({"comment", "location", "provider", "owner", STATE})


def table_properties(metadata: Json, *, whole: bool) -> list[tuple[str, str]]:
    """With those that Iceberg on Spark adds of its own. Not ``whole``: the user sees a part."""
    properties: dict[str, str] = metadata.get("properties") or _NO_PROPERTIES
    snapshot = metadata.get("current-snapshot-id")
    shown = {key: value for key, value in properties.items() if key not in _RESERVED}
    if whole:  # else it would tell of every change, of rows that are not shown too
        shown["current-snapshot-id"] = "none" if snapshot in (None, -1) else str(snapshot)
    shown["format"] = "iceberg/" + properties.get("write.format.default", "parquet")
    shown["format-version"] = str(metadata.get("format-version", 1))
    schema = current_schema(metadata)
    identifiers = set(schema.get("identifier-field-ids") or ())
    names = [field["name"] for field in schema["fields"] if field["id"] in identifiers]
    if names:
        shown["identifier-fields"] = f"[{','.join(names)}]"
    order = order_text(metadata)
    if order:
        shown["sort-order"] = order
    return sorted(redact_secrets(shown).items())


def _show_properties(command: ShowTableProperties, call: CommandCall) -> Iterator[Row]:
    metadata = metadata_of_target(call)
    if isinstance(call.target, BoundTable):
        shown = dict(table_properties(metadata, whole=call.restriction is None))
    else:
        shown = redact_secrets(dict(sorted((metadata.get("properties") or {}).items())))
    if command.key is None:
        yield from shown.items()
    else:
        name = ".".join(call.reference.reference.parts)
        yield (
            command.key,
            shown.get(command.key, f"Table {name} does not have property: {command.key}"),
        )


def _describe_schema(command: DescribeSchema, call: CommandCall) -> Iterator[Row]:
    schema = call.require_schema(command.schema)
    own = is_information_schema(schema)
    properties = {} if own else call.open(schema.catalog).load_namespace(schema.path)
    yield "Catalog Name", schema.catalog
    yield "Namespace Name", ".".join(quote(part) for part in schema.path)
    for key in ("comment", "location", "owner"):
        if properties.get(key):
            yield key.capitalize(), properties[key]
    if command.extended:
        shown = redact_secrets(properties)
        rest = sorted(item for item in shown.items() if item[0] not in _RESERVED)
        pairs = ", ".join(f"({key},{value})" for key, value in rest)
        yield "Properties", f"({pairs})" if pairs else ""


_ROWS = strings("col_name", "data_type", "comment")
_INFO = strings("info_name", "info_value")


def _describe_columns(command: DescribeTable) -> tuple[Column, ...]:
    if command.as_json:
        return strings("json_metadata")
    return _ROWS if command.column is None else _INFO


DESCRIPTIONS: dict[type[Command], Answer] = {
    ShowColumns: answer(strings("col_name"), _show_columns),
    DescribeTable: Answer(_describe_columns, _describe),
    DescribeSchema: answer(_INFO, _describe_schema),
    ShowTableProperties: answer(strings("key", "value"), _show_properties),
}
