"""CREATE, DROP and ALTER SCHEMA."""

from __future__ import annotations

from sqe.trino.dialect.context import Context
from sqe.trino.dialect.errors import Refused, not_supported
from sqe.trino.dialect.statements.names import schema_of
from sqe.trino.dialect.statements.nodes import (
    CreateSchema,
    DropSchema,
    RenameSchema,
    SetAuthorization,
)
from sqe.trino.dialect.translated import Translated


def create_schema(node: CreateSchema, context: Context) -> Translated:
    schema = schema_of(context, node.name, node.at)
    if node.owner is not None:
        raise not_supported("CREATE SCHEMA … AUTHORIZATION", node.owner.at)
    for property_ in node.properties:
        name = property_.name.name.lower()
        if name == "location":
            raise not_supported("The location of a schema", property_.at)
        message = f"Catalog '{schema.catalog}' schema property '{name}' does not exist"
        raise Refused("INVALID_SCHEMA_PROPERTY", message, property_.at)
    exists = context.lookup.schema_exists(schema.catalog, schema.schema)
    if exists and not node.if_not_exists:
        raise Refused("SCHEMA_ALREADY_EXISTS", f"Schema '{schema}' already exists", node.at)
    tolerant = " IF NOT EXISTS" if node.if_not_exists else ""
    return Translated(f"CREATE SCHEMA{tolerant} {schema.spark}", update_type="CREATE SCHEMA")


def drop_schema(node: DropSchema, context: Context) -> Translated:
    schema = schema_of(context, node.name, node.at)
    if not context.lookup.schema_exists(schema.catalog, schema.schema) and not node.if_exists:
        raise Refused("SCHEMA_NOT_FOUND", f"Schema '{schema}' does not exist", node.at)
    tolerant = " IF EXISTS" if node.if_exists else ""
    cascade = " CASCADE" if node.cascade else ""
    return Translated(f"DROP SCHEMA{tolerant} {schema.spark}{cascade}", update_type="DROP SCHEMA")


def rename_schema(node: RenameSchema, context: Context) -> Translated:
    schema_of(context, node.name, node.at)
    raise Refused("NOT_SUPPORTED", "This connector does not support renaming schemas")


def set_authorization(node: SetAuthorization, context: Context) -> Translated:
    what = f"a {node.kind.lower()}"
    raise Refused("NOT_SUPPORTED", f"This connector does not support setting an owner on {what}")
