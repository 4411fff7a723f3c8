"""SHOW CREATE: the statement that would make a thing again, as Trino prints it."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from sqe.model.names import quote_text
from sqe.model.trino_types import TrinoType
from sqe.model.trino_words import print_name
from sqe.trino.dialect.context import Context, Known
from sqe.trino.dialect.errors import Refused, not_supported
from sqe.trino.dialect.metadata.iceberg import column_text, schema_of, spell_sort_order, view_text
from sqe.trino.dialect.nodes import Identifier
from sqe.trino.dialect.statements.names import Target, find, no_table, target_of
from sqe.trino.dialect.statements.partitioning import PartitionField, partitioning_of_table
from sqe.trino.dialect.statements.session_nodes import Show

_Properties = Mapping[str, str]  # by name, each value as it is written
_PARQUET_BLOOM = "write.parquet.bloom-filter-enabled.column."
_NOUNS = {"TABLE": "a table", "VIEW": "a view", "MATERIALIZED VIEW": "a materialized view"}


def create_text(node: Show, context: Context) -> str:
    if node.name is None:
        raise not_supported(f"SHOW {node.what} without a name", node.at)
    if node.what == "CREATE SCHEMA":
        return _schema(node, context)
    target = target_of(context, node.name, node.at)
    wanted = node.what.removeprefix("CREATE ")
    known = find(context, target)
    if known is None:
        if wanted == "TABLE":
            raise no_table(target, node.at)
        message = f"{wanted.capitalize()} '{target}' does not exist"
        raise Refused("TABLE_NOT_FOUND", message, node.at)
    kind = "TABLE" if known.kind == "METADATA" else known.kind
    if kind != wanted:
        message = f"Relation '{target}' is {_NOUNS[kind]}, not {_NOUNS[wanted]}"
        raise Refused("NOT_SUPPORTED", message, node.at)
    if kind == "MATERIALIZED VIEW":
        raise not_supported("SHOW CREATE MATERIALIZED VIEW", node.at)
    if kind == "VIEW":
        return _view(_name_as_written(node, target), known, node)
    return _table(target, known)


def _name_as_written(node: Show, target: Target) -> str:
    """The name in the user's own spelling, with the parts that were left out."""
    own = [_identifier(name_part) for name_part in node.name or ()]
    full = [print_name(part) for part in (target.catalog, target.schema, target.name)]
    return ".".join([*full[: 3 - len(own)], *own])


def _identifier(one: Identifier) -> str:
    return f'"{one.name}"' if one.quoted else one.name


def _with(properties: _Properties) -> str:
    if not properties:
        return ""
    lines = ",\n".join(f"   {name} = {properties[name]}" for name in sorted(properties))
    return f"\nWITH (\n{lines}\n)"


def _schema(node: Show, context: Context) -> str:
    parts = [part.name.lower() for part in node.name or ()]
    if len(parts) == 1:
        parts.insert(0, context.client.catalog.lower())
    if len(parts) > 2:
        message = f"Too many parts in schema name: {'.'.join(parts)}"
        raise Refused("SYNTAX_ERROR", message, node.at)
    catalog, schema = parts
    if not catalog:
        message = "Catalog must be specified when session catalog is not set"
        raise Refused("MISSING_CATALOG_NAME", message, node.at)
    known = catalog in context.lookup.catalogs()
    if not known or not context.lookup.schema_exists(catalog, schema):
        message = f"Schema '{catalog}.{schema}' does not exist"
        raise Refused("SCHEMA_NOT_FOUND", message, node.at)
    stored = context.lookup.schema_properties(catalog, schema)
    owner = f"\nAUTHORIZATION USER {print_name(stored['owner'])}" if "owner" in stored else ""
    properties = {"location": quote_text(stored["location"])} if "location" in stored else {}
    return f"CREATE SCHEMA {print_name(catalog)}.{print_name(schema)}{owner}{_with(properties)}"


def _view(name: str, known: Known, node: Show) -> str:
    properties = known.metadata.get("properties") or {}
    text = view_text(known.metadata)
    if text is None:
        message = f"Cannot read unsupported dialect 'spark' for view '{name}'"
        raise Refused("ICEBERG_UNSUPPORTED_VIEW_DIALECT", message)
    comment = properties.get("comment")
    comment = f" COMMENT {quote_text(comment)}" if comment is not None else ""
    security = "DEFINER" if known.definer else "INVOKER"
    return f"CREATE VIEW {name}{comment} SECURITY {security} AS\n{text.strip()}"


def _table(target: Target, known: Known) -> str:
    stored = known.kind != "METADATA"
    docs = _docs(known.metadata) if stored else {}
    lines = []
    for column in known.columns:
        if not column.hidden:
            doc = docs.get(column.name.lower())
            required = "" if column.nullable else " NOT NULL"
            comment = f" COMMENT {quote_text(doc)}" if doc is not None else ""
            name = print_name(column.name.lower())
            lines.append(f"   {name} {sql_type(column.type)}{required}{comment}")
    name = ".".join(print_name(part) for part in (target.catalog, target.schema, target.name))
    columns = ",\n".join(lines)
    about = (known.metadata.get("properties") or {}).get("comment")
    comment = f"\nCOMMENT {quote_text(about)}" if about is not None else ""
    properties = table_properties(known.metadata) if stored else {}
    return f"CREATE TABLE {name} (\n{columns}\n){comment}{_with(properties)}"


def _docs(metadata: Mapping[str, Any]) -> Mapping[str, str | None]:
    return {field["name"].lower(): field.get("doc") for field in schema_of(metadata)["fields"]}


def sql_type(kind: TrinoType) -> str:
    """A type as it stands in a statement that Trino prints."""
    if kind.base == "row":
        inside = (
            sql_type(field.type)
            if field.name is None
            else f"{print_name(field.name)} {sql_type(field.type)}"
            for field in kind.fields
        )
        return f"ROW({', '.join(inside)})"
    if kind.types:
        return f"{kind.base}({', '.join(map(sql_type, kind.types))})"
    return str(kind).replace(",", ", ")


def table_properties(metadata: Mapping[str, Any]) -> dict[str, str]:
    """Those that Trino shows of an Iceberg table, written as in WITH (…)."""
    stored: Mapping[str, str] = metadata.get("properties") or {}
    properties = {
        "format": quote_text(stored.get("write.format.default", "parquet").upper()),
        "format_version": str(metadata.get("format-version", 2)),
        "location": quote_text(str(metadata.get("location", ""))),
        "max_commit_retry": str(int(stored.get("commit.retry.num-retries", "4"))),
    }
    partitioning = [_partition(field) for field in partitioning_of_table(metadata)]
    if partitioning:
        properties["partitioning"] = _array(partitioning)
    order = spell_sort_order(metadata)
    if order:
        properties["sorted_by"] = _array(order)
    if stored.get("write.object-storage.enabled") == "true":
        properties["object_store_layout_enabled"] = "true"
    if "write.data.path" in stored:
        properties["data_location"] = quote_text(stored["write.data.path"])
    return properties | _bloom_filters(stored)


def _bloom_filters(stored: Mapping[str, str]) -> dict[str, str]:
    columns = {}
    orc = stored.get("write.orc.bloom.filter.columns")
    if orc:
        rate = stored.get("write.orc.bloom.filter.fpp", "0.05")
        columns["orc_bloom_filter_columns"] = _array([name.strip() for name in orc.split(",")])
        columns["orc_bloom_filter_fpp"] = _double(rate)
    parquet = [
        name.removeprefix(_PARQUET_BLOOM)
        for name, value in stored.items()
        if name.startswith(_PARQUET_BLOOM) and value == "true"
    ]
    if parquet:
        columns["parquet_bloom_filter_columns"] = _array(sorted(parquet))
    return columns


def _array(texts: list[str]) -> str:
    return f"ARRAY[{','.join(map(quote_text, texts))}]"


def _double(text: str) -> str:
    """0.05 is 5E-2 in Trino's print."""
    sign, digits, exponent = Decimal(text).normalize().as_tuple()
    fraction = "".join(map(str, digits[1:]))
    power = int(exponent) + len(digits) - 1
    return f"{'-' if sign else ''}{digits[0]}{'.' + fraction if fraction else ''}E{power}"


def _partition(field: PartitionField) -> str:
    name = column_text(field.path)
    if field.transform == "identity":
        return name
    return f"{field.transform}({name}{f', {field.width}' if field.width else ''})"
