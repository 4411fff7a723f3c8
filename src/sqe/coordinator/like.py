"""CREATE TABLE … LIKE: an empty table of the same shape, made without an engine."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

from sqe.binding.bound import BoundAbsent, BoundReference, BoundTable, BoundView
from sqe.catalog.iceberg_types import iceberg_schema
from sqe.catalog.protocol import Json
from sqe.catalog.schemas import current_schema
from sqe.coordinator.call import Answer, CommandCall, Row, answer
from sqe.coordinator.partitions import default_spec
from sqe.coordinator.sort_orders import default_order
from sqe.errors import ErrorCode, SqeError, UserError
from sqe.sql.create_table import CreateTableLike
from sqe.sql.statement import Command

# What belongs to the one table: who made it, its field ids, what SQE or the catalog keeps there.
_OWN = frozenset({"created-at", "location", "owner", "provider", "schema.name-mapping.default"})
_OWN_PREFIXES = (
    "sqe.",
    "write.data.path",
    "write.folder-storage.path",
    "write.location-provider.impl",
    "write.metadata.path",
    "write.object-storage.path",
)


def _create_like(command: CreateTableLike, call: CommandCall) -> list[Row]:
    new, source = call.statement.bound.references
    if not isinstance(new.target, BoundAbsent):
        return []  # IF NOT EXISTS: the binder lets nothing else through
    request = _request(source, call)
    request["name"] = new.target.name.name
    request["properties"] = {**request["properties"], **dict(command.properties)}
    catalog = call.open(new.target.name.catalog)
    try:
        catalog.create_table(new.target.name.schema.path, request)
    except SqeError as error:
        if error.code is not ErrorCode.TABLE_ALREADY_EXISTS or not command.if_not_exists:
            raise
    return []


def _request(source: BoundReference, call: CommandCall) -> Json:
    target = source.stored_target
    if isinstance(target, BoundView):
        types = target.types or tuple(column.type for column in target.columns)
        columns = [replace(c, type=t) for c, t in zip(target.columns, types, strict=True)]
        return {"schema": iceberg_schema(columns), "properties": {}}
    if not isinstance(target, BoundTable) or target.suffix or target.loaded is None:
        raise UserError(
            ErrorCode.NOT_SUPPORTED,
            f"{'.'.join(source.reference.parts)} is not a table that another can be made like.",
            hint="Use CREATE TABLE … AS SELECT.",
        )
    return table_like(call.redact(source, target.loaded.metadata))


def table_like(metadata: Json) -> Json:
    """What makes a table of the same shape: its columns, and only what is made of them."""
    schema = copy.deepcopy(current_schema(metadata))
    visible = set(_ids(schema))
    identifiers = [i for i in schema.get("identifier-field-ids") or () if i in visible]
    schema["identifier-field-ids"] = identifiers
    schema.pop("schema-id", None)
    spec = [
        {key: part[key] for key in ("source-id", "transform", "name")}
        for part in default_spec(metadata)
        if part.get("source-id") in visible and part["transform"] != "void"
    ]
    order = [
        order_field
        for order_field in default_order(metadata)
        if order_field.get("source-id") in visible
    ]
    properties = {
        key: value
        for key, value in (metadata.get("properties") or {}).items()
        if key not in _OWN and not key.startswith(_OWN_PREFIXES)
    }
    properties["format-version"] = str(metadata.get("format-version", 1))
    return {
        "schema": {**schema, "schema-id": 0},
        "partition-spec": {"spec-id": 0, "fields": spec},
        "write-order": {"order-id": 1 if order else 0, "fields": order},
        "properties": properties,
    }


def _ids(node: Any) -> list[int]:
    ids: list[int] = []
    if isinstance(node, dict):
        ids += [node[key] for key in ("id", "element-id", "key-id", "value-id") if key in node]
        for value in node.values():
            ids += _ids(value)
    elif isinstance(node, list):
        for value in node:
            ids += _ids(value)
    return ids


LIKE: dict[type[Command], Answer] = {CreateTableLike: answer((), _create_like)}
