"""SHOW CREATE TABLE and SHOW CREATE VIEW: DDL that makes the same thing again."""

from __future__ import annotations

from collections.abc import Iterator

from sqe.binding.bound import BoundTable, BoundView
from sqe.catalog.materialized import STATE
from sqe.catalog.protocol import Json
from sqe.catalog.redaction import redact_secrets
from sqe.catalog.schemas import current_schema, ddl_type, view_dialects
from sqe.catalog.views import SCHEMA_MODE, TYPE_EVOLUTION
from sqe.coordinator.call import Answer, CommandCall, Row, answer, is_information_schema, strings
from sqe.coordinator.default_values import default_text
from sqe.coordinator.describe import metadata_of_target, tells_query
from sqe.coordinator.partitions import parts_of
from sqe.errors import AccessError, ErrorCode
from sqe.model.names import quote, string_literal
from sqe.model.query import Column
from sqe.sql.commands import ShowCreate, ShowCreateSchema
from sqe.sql.statement import Command

# What the catalog or Spark sets by itself, and what stands in the DDL under a clause of its own.
_LEFT_OUT = frozenset({"comment", "location", "provider", "owner", "created-at", STATE})
_VIEW_LEFT_OUT = _LEFT_OUT | {
    "create_engine_version", "engine_version", "spark.query-column-names", "sqe.column-types",
    "sqe.security", SCHEMA_MODE,
}  # fmt: skip


def _show_create(command: ShowCreate, call: CommandCall) -> Iterator[Row]:
    target, metadata = call.target, metadata_of_target(call)
    at = call.reference.reference.span
    if isinstance(target, BoundTable) and not target.suffix:
        if command.view:
            raise call.error(
                ErrorCode.INVALID_ARGUMENT,
                f"{target.name} is a table.",
                at,
                "Use SHOW CREATE TABLE.",
            )
        yield (_table_text(str(target.name), metadata),)
    elif isinstance(target, BoundView) and not target.inner.statement.text:
        raise call.error(
            ErrorCode.NOT_SUPPORTED,
            f"View {target.relation} is not written in Spark's dialect, but in"
            f" {', '.join(view_dialects(target.metadata)) or 'no'}.",
            at,
        )
    elif isinstance(target, BoundView) and not tells_query(call, target):
        raise AccessError(
            ErrorCode.ACCESS_DENIED,
            f"You see only part of {target.relation}; its query tells more.",
        )
    elif isinstance(target, BoundView):
        yield (_view_text(target, metadata),)
    else:
        raise call.error(
            ErrorCode.NOT_SUPPORTED,
            f"{'.'.join(call.reference.reference.parts)} was not made by a statement.",
            at,
        )


def _table_text(name: str, metadata: Json) -> str:
    fields = current_schema(metadata)["fields"]
    lines = [f"CREATE TABLE {name} (", ",\n".join(map(_column, fields)) + ")", "USING iceberg"]
    parts = parts_of(metadata)
    if parts:
        lines.append(f"PARTITIONED BY ({', '.join(part.text for part in parts)})")
    properties: dict[str, str] = metadata.get("properties") or {}
    if properties.get("comment"):
        lines.append(f"COMMENT {string_literal(properties['comment'])}")
    kept = {key: value for key, value in properties.items() if key not in _LEFT_OUT}
    kept["format-version"] = str(metadata.get("format-version", 1))
    lines.append(_properties(kept))
    return "\n".join(lines)


def _column(field: Json) -> str:
    text = f"  {quote(field['name'])} {ddl_type(field['type'])}"
    if field.get("required"):
        text += " NOT NULL"
    if field.get("write-default") is not None:
        text += f" DEFAULT {default_text(field['write-default'], field['type'])}"
    if field.get("doc"):
        text += f" COMMENT {string_literal(field['doc'])}"
    return text


def _properties(properties: dict[str, str]) -> str:
    pairs = [
        f"  {string_literal(key)} = {string_literal(value)}"
        for key, value in sorted(redact_secrets(properties).items())
    ]
    return "TBLPROPERTIES (\n" + ",\n".join(pairs) + ")"


def _view_text(view: BoundView, metadata: Json) -> str:
    kind = "VIEW" if view.relation else "TEMPORARY VIEW"
    lines = [f"CREATE {kind} {view.relation or quote(view.name)} ("]
    lines.append(",\n".join(map(_view_column, view.columns)) + ")")
    properties: dict[str, str] = metadata.get("properties") or {}
    if properties.get("comment"):
        lines.append(f"COMMENT {string_literal(properties['comment'])}")
    kept = {key: value for key, value in properties.items() if key not in _VIEW_LEFT_OUT}
    if kept:
        lines.append(_properties(kept))
    if SCHEMA_MODE in properties:
        lines.append(f"WITH SCHEMA {TYPE_EVOLUTION}")
    if view.definer:
        lines.append("SECURITY DEFINER")
    lines += ["AS", view.inner.statement.text]
    return "\n".join(lines)


def _view_column(column: Column) -> str:
    comment = f" COMMENT {string_literal(column.comment)}" if column.comment else ""
    return f"  {quote(column.name)}{comment}"


def _show_create_schema(command: ShowCreateSchema, call: CommandCall) -> Iterator[Row]:
    schema = call.require_schema(command.schema)
    if not schema.path or is_information_schema(schema):
        raise call.error(
            ErrorCode.NOT_SUPPORTED, f"{schema} was not made by a statement.", command.schema.span
        )
    properties = call.open(schema.catalog).load_namespace(schema.path)
    lines = [f"CREATE SCHEMA {schema}"]
    if properties.get("comment"):
        lines.append(f"COMMENT {string_literal(properties['comment'])}")
    kept = {key: value for key, value in properties.items() if key not in _LEFT_OUT}
    if kept:
        lines.append(_properties(kept).replace("TBLPROPERTIES", "WITH PROPERTIES", 1))
    yield ("\n".join(lines),)


CREATE_TEXTS: dict[type[Command], Answer] = {
    ShowCreate: answer(strings("createtab_stmt"), _show_create),
    ShowCreateSchema: answer(strings("createschema_stmt"), _show_create_schema),
}
