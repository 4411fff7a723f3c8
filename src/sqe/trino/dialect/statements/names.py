"""The relations and schemas that a statement names, found or missed as Trino finds them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sqe.model.trino_words import quote_name as quoted_in_trino
from sqe.trino.dialect.context import Context, Known
from sqe.trino.dialect.errors import Refused
from sqe.trino.dialect.nodes import Name
from sqe.trino.dialect.typed import quote_name

_PLAIN = re.compile(r"[a-z_][a-z0-9_:@]*\Z")
_OWN_CATALOG, _OWN_SCHEMA = "system", "information_schema"


@dataclass(frozen=True, slots=True)
class Target:
    """A relation by its full name, in lower case."""

    catalog: str
    schema: str
    name: str

    def __str__(self) -> str:
        parts = (self.catalog, self.schema, self.name)
        return ".".join(part if _PLAIN.match(part) else f'"{part}"' for part in parts)

    @property
    def spark(self) -> str:
        return ".".join(map(quote_name, (self.catalog, self.schema, self.name)))

    @property
    def quoted_name(self) -> str:
        """In Trino's SQL, whatever the parts are."""
        return ".".join(map(quoted_in_trino, (self.catalog, self.schema, self.name)))

    @property
    def argument(self) -> str:
        """As an argument of CALL: the catalog stands before the procedure."""
        return f"{quote_name(self.schema)}.{quote_name(self.name)}"


def target_of(context: Context, name: Name, at: int | None) -> Target:
    """Trino's errors about missing parts point to the statement, or nowhere."""
    try:
        return Target(*context.table_name(name))
    except Refused as error:
        raise Refused(error.name, error.message, at) from None


def function_target(context: Context, name: Name, at: int) -> Target:
    """A function's full name, in a schema that is there."""
    if len(name) != 3:
        message = "Catalog and schema must be specified when function schema is not configured"
        raise Refused("NOT_SUPPORTED", message, at)
    target = Target(*(part.name.lower() for part in name))
    check_catalog(context, target.catalog, at)
    if not context.lookup.schema_exists(target.catalog, target.schema):
        raise Refused("SCHEMA_NOT_FOUND", f"Schema '{target.schema}' does not exist", at)
    return target


def relation_of(context: Context, name: Name, at: int | None) -> tuple[Target, Known]:
    """Whatever can be read under the name; it must be there."""
    target = target_of(context, name, at)
    check_catalog(context, target.catalog, at)
    if not context.lookup.schema_exists(target.catalog, target.schema):
        raise Refused("SCHEMA_NOT_FOUND", f"Schema '{target.schema}' does not exist", at)
    known = find(context, target)
    if known is None:
        raise no_table(target, at)
    return target, known


def find(context: Context, target: Target) -> Known | None:
    if target.catalog not in context.lookup.catalogs():
        return None
    return context.lookup.relation(target.catalog, target.schema, target.name)


def find_changed(context: Context, target: Target) -> Known | None:
    """For a statement that changes it: whoever may do that need not be able to read it."""
    if target.catalog not in context.lookup.catalogs():
        return None
    return context.lookup.target(target.catalog, target.schema, target.name)


def table_of(context: Context, name: Name, at: int) -> tuple[Target, Known]:
    """A table that must be there. To Trino, a view is none."""
    known = table_if_there(context, name, at)
    if known is None:
        raise no_table(target_of(context, name, at), at)
    return known


def table_if_there(context: Context, name: Name, at: int) -> tuple[Target, Known] | None:
    target = target_of(context, name, at)
    known = find_changed(context, target)
    if known is None or known.kind in ("VIEW", "MATERIALIZED VIEW"):
        return None
    check_writable(target, known)
    return target, known


def no_table(target: Target, at: int | None) -> Refused:
    return Refused("TABLE_NOT_FOUND", f"Table '{target}' does not exist", at)


def check_writable(target: Target, known: Known | None = None) -> None:
    """What SQE answers by itself is nobody's to change: ``system``, ``t$snapshots`` …"""
    own = target.catalog == _OWN_CATALOG or target.schema == _OWN_SCHEMA
    if own or (known is not None and known.kind == "METADATA"):
        raise Refused("NOT_SUPPORTED", f"{target} cannot be changed")


def check_new(context: Context, target: Target, at: int) -> None:
    """The catalog and the schema of something that is going to be made."""
    check_catalog(context, target.catalog, at)
    check_writable(target)
    check_schema(context, target)


def check_schema(context: Context, target: Target) -> None:
    if not context.lookup.schema_exists(target.catalog, target.schema):
        raise Refused("NOT_FOUND", f"Schema {target.schema} not found")


def check_catalog(context: Context, catalog: str, at: int | None) -> None:
    if catalog not in context.lookup.catalogs():
        raise Refused("CATALOG_NOT_FOUND", f"Catalog '{catalog}' not found", at)


@dataclass(frozen=True, slots=True)
class TargetSchema:
    catalog: str
    schema: str

    def __str__(self) -> str:
        return f"{self.catalog}.{self.schema}"

    @property
    def spark(self) -> str:
        return f"{quote_name(self.catalog)}.{quote_name(self.schema)}"


def schema_of(context: Context, name: Name, at: int) -> TargetSchema:
    parts = [part.name.lower() for part in name]
    if len(parts) > 2:
        message = f"Too many parts in schema name: {'.'.join(parts)}"
        raise Refused("INVALID_SCHEMA_NAME", message, at)
    if len(parts) == 1:
        if not context.client.catalog:
            message = "Catalog must be specified when session catalog is not set"
            raise Refused("MISSING_CATALOG_NAME", message, at)
        parts = [context.client.catalog.lower(), *parts]
    check_catalog(context, parts[0], at)
    schema = TargetSchema(parts[0], parts[1])
    if _OWN_CATALOG in parts[:1] or parts[1] == _OWN_SCHEMA:
        raise Refused("NOT_SUPPORTED", f"{schema} cannot be changed")
    return schema
