"""CREATE, ALTER and DROP CATALOG, and SHOW CREATE CATALOG."""

from __future__ import annotations

import re

from sqe.model.names import quote
from sqe.model.trino_types import VARCHAR
from sqe.trino.dialect.context import Context
from sqe.trino.dialect.errors import Refused, not_supported
from sqe.trino.dialect.nodes import Expression, Identifier
from sqe.trino.dialect.statements.catalog_nodes import (
    AlterCatalog,
    CreateCatalog,
    DropCatalog,
    ShowCreateCatalog,
)
from sqe.trino.dialect.statements.constants import constant
from sqe.trino.dialect.statements.nodes import Properties
from sqe.trino.dialect.translated import OutputColumn, Rows, Translated
from sqe.trino.dialect.typed import string

_ESCAPED = re.compile(r"\\(.)")
_QUOTED = re.compile(r"^(CREATE CATALOG |  )`([^`]*)`", re.MULTILINE)


def create_catalog(node: CreateCatalog, context: Context) -> Translated:
    if node.comment is not None:
        raise not_supported("CREATE CATALOG … COMMENT", node.at)
    if node.owner is not None:
        raise not_supported("CREATE CATALOG … AUTHORIZATION", node.owner.at)
    tolerant = " IF NOT EXISTS" if node.if_not_exists else ""
    text = f"CREATE CATALOG{tolerant} {_name(node.name)} USING {_name(node.connector)}"
    if node.properties:
        text += f" WITH ({_assignments(node.properties, context)})"
    return Translated(text, update_type="CREATE CATALOG")


def alter_catalog(node: AlterCatalog, context: Context) -> Translated:
    text = f"ALTER CATALOG {_name(node.name)} SET PROPERTIES "
    return Translated(
        text + _assignments(node.properties, context), update_type="SET CATALOG PROPERTIES"
    )


def drop_catalog(node: DropCatalog, context: Context) -> Translated:
    if node.cascade:
        raise not_supported("DROP CATALOG … CASCADE", node.at)
    tolerant = " IF EXISTS" if node.if_exists else ""
    return Translated(f"DROP CATALOG{tolerant} {_name(node.name)}", update_type="DROP CATALOG")


def show_create_catalog(node: ShowCreateCatalog, context: Context) -> Translated:
    column = OutputColumn("Create Catalog", VARCHAR)
    return Translated(f"SHOW CREATE CATALOG {_name(node.name)}", (column,), reshape=_spell)


def _spell(rows: Rows) -> Rows:
    """As Trino writes names and texts."""
    names = [_QUOTED.sub(r'\1"\2"', str(text)) for (text,) in rows]
    return [[_ESCAPED.sub(lambda m: m[1] if m[1] != "'" else "''", text)] for text in names]


def _name(name: Identifier) -> str:
    return quote(name.name.lower())


def _assignments(properties: Properties, context: Context) -> str:
    return ", ".join(
        f"{quote(_property(one.name))} = {_value(one.name, one.value, context)}"
        for one in properties
    )


def _property(name: Identifier) -> str:
    return name.name if name.quoted else name.name.lower()


def _value(name: Identifier, value: Expression | None, context: Context) -> str:
    text = constant(value, context) if value is not None else None
    if isinstance(text, bool):
        text = str(text).lower()
    if not isinstance(text, str | int | float):
        message = f"Catalog property '{name.name}' takes a text"
        raise Refused("INVALID_CATALOG_PROPERTY", message, name.at)
    return string(str(text))
