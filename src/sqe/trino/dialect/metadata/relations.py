"""Trino's own relations: ``information_schema`` of every catalog, and the catalog ``system``.

A translated text names them by the reserved catalog ``$trino`` and their full name. That is no
secret: who writes it in Spark's dialect gets the same rows, of what they may see anyway.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqe.history.columns import HISTORY_COLUMNS, RUNTIME_COLUMNS
from sqe.model.names import quote
from sqe.model.query import ClientState, Column
from sqe.model.trino_types import (
    BIGINT,
    BOOLEAN,
    VARCHAR,
    TrinoType,
    array,
    carrier,
    timestamp_tz,
)

RESERVED = "$trino"  # the catalog that a translated text names them by
SYSTEM = "system"
INFORMATION_SCHEMA = "information_schema"
_MOMENT = timestamp_tz(3)


@dataclass(frozen=True, slots=True)
class TrinoColumn:
    """``hidden``: not part of ``*``."""

    name: str
    type: TrinoType
    hidden: bool = False


Columns = tuple[TrinoColumn, ...]


@dataclass(frozen=True, slots=True)
class MetadataRelation:
    """What the translator writes into FROM, and the columns that this has."""

    text: str
    columns: Columns


def _texts(*names: str) -> Columns:
    return tuple(TrinoColumn(name, VARCHAR) for name in names)


def _numbers(*names: str) -> Columns:
    return tuple(TrinoColumn(name, BIGINT) for name in names)


def _flags(*names: str) -> Columns:
    return tuple(TrinoColumn(name, BOOLEAN) for name in names)


def _moments(*names: str) -> Columns:
    return tuple(TrinoColumn(name, _MOMENT) for name in names)


def _hide_columns(*names: str) -> Columns:
    return tuple(TrinoColumn(name, VARCHAR, hidden=True) for name in names)


_TABLE = _texts("table_catalog", "table_schema", "table_name")
INFORMATION: Mapping[str, Columns] = {
    "applicable_roles": _texts("grantee", "grantee_type", "role_name", "is_grantable"),
    "columns": (
        *_TABLE,
        *_texts("column_name"),
        *_numbers("ordinal_position"),
        *_texts("column_default", "is_nullable", "data_type"),
        *_hide_columns("comment", "extra_info", "column_comment"),
    ),
    "enabled_roles": _texts("role_name"),
    "roles": _texts("role_name"),
    "schemata": _texts("catalog_name", "schema_name"),
    "table_privileges": (
        *_texts("grantor", "grantor_type", "grantee", "grantee_type"),
        *_TABLE,
        *_texts("privilege_type", "is_grantable", "with_hierarchy"),
    ),
    "tables": (*_TABLE, *_texts("table_type"), *_hide_columns("table_comment")),
    "views": (*_TABLE, *_texts("view_definition")),
}

# What Trino's Iceberg connector has in every catalog besides the user's schemas.
OF_CATALOG: Mapping[str, Mapping[str, Columns]] = {
    INFORMATION_SCHEMA: INFORMATION,
    SYSTEM: {"iceberg_tables": _texts("table_schema", "table_name")},
}

_JDBC_TABLE = _texts("table_cat", "table_schem", "table_name")
_SCOPE = _texts("scope_catalog", "scope_schema", "scope_table")
_SQL_TYPE = _numbers("sql_data_type", "sql_datetime_sub", "char_octet_length", "ordinal_position")
_JDBC: Mapping[str, Columns] = {
    "attributes": (
        *_texts("type_cat", "type_schem", "type_name", "attr_name"),
        *_numbers("data_type"),
        *_texts("attr_type_name"),
        *_numbers("attr_size", "decimal_digits", "num_prec_radix", "nullable"),
        *_texts("remarks", "attr_def"),
        *_SQL_TYPE,
        *_texts("is_nullable"),
        *_SCOPE,
        *_numbers("source_data_type"),
    ),
    "catalogs": _texts("table_cat"),
    "columns": (
        *_JDBC_TABLE,
        *_texts("column_name"),
        *_numbers("data_type"),
        *_texts("type_name"),
        *_numbers("column_size", "buffer_length", "decimal_digits", "num_prec_radix", "nullable"),
        *_texts("remarks", "column_def"),
        *_SQL_TYPE,
        *_texts("is_nullable"),
        *_SCOPE,
        *_numbers("source_data_type"),
        *_texts("is_autoincrement", "is_generatedcolumn"),
    ),
    "procedure_columns": (
        *_texts("procedure_cat", "procedure_schem", "procedure_name", "column_name"),
        *_numbers("column_type", "data_type"),
        *_texts("type_name"),
        *_numbers("precision", "length", "scale", "radix", "nullable"),
        *_texts("remarks", "column_def"),
        *_SQL_TYPE,
        *_texts("is_nullable", "specific_name"),
    ),
    "procedures": (
        *_texts("procedure_cat", "procedure_schem", "procedure_name", "remarks"),
        *_numbers("procedure_type"),
        *_texts("specific_name"),
    ),
    "pseudo_columns": (
        *_JDBC_TABLE,
        *_texts("column_name"),
        *_numbers("data_type", "column_size", "decimal_digits", "num_prec_radix"),
        *_texts("column_usage", "remarks"),
        *_numbers("char_octet_length", "is_nullable"),
    ),
    "schemas": _texts("table_schem", "table_catalog"),
    "super_tables": (*_JDBC_TABLE, *_texts("supertable_name")),
    "super_types": (
        *_texts("type_cat", "type_schem", "type_name"),
        *_texts("supertype_cat", "supertype_schem", "supertype_name"),
    ),
    "table_types": _texts("table_type"),
    "tables": (
        *_JDBC_TABLE,
        *_texts("table_type", "remarks", "type_cat", "type_schem", "type_name"),
        *_texts("self_referencing_col_name", "ref_generation"),
    ),
    "types": (
        *_texts("type_name"),
        *_numbers("data_type", "precision"),
        *_texts("literal_prefix", "literal_suffix", "create_params"),
        *_numbers("nullable"),
        *_flags("case_sensitive"),
        *_numbers("searchable"),
        *_flags("unsigned_attribute", "fixed_prec_scale", "auto_increment"),
        *_texts("local_type_name"),
        *_numbers("minimum_scale", "maximum_scale", "sql_data_type", "sql_datetime_sub"),
        *_numbers("num_prec_radix"),
    ),
    "udts": _texts(
        "type_cat", "type_schem", "type_name", "class_name", "data_type", "remarks", "base_type"
    ),
}

_PROPERTIES = _texts("catalog_name", "property_name", "default_value", "type", "description")
_METADATA: Mapping[str, Columns] = {
    "analyze_properties": _PROPERTIES,
    "catalogs": _texts("catalog_name", "connector_id", "connector_name"),
    "column_properties": _PROPERTIES,
    "materialized_view_properties": _PROPERTIES,
    "materialized_views": (
        *_texts("catalog_name", "schema_name", "name"),
        *_texts("storage_catalog", "storage_schema", "storage_table", "freshness"),
        TrinoColumn("last_fresh_time", timestamp_tz(9)),
        *_texts("comment", "definition"),
    ),
    "schema_properties": _PROPERTIES,
    "table_comments": _texts("catalog_name", "schema_name", "table_name", "comment"),
    "table_properties": _PROPERTIES,
}

_TYPES: Mapping[str, TrinoType] = {
    "string": VARCHAR,
    "bigint": BIGINT,
    "timestamp": _MOMENT,
    "array<string>": array(VARCHAR),
}


def _of_history(columns: Sequence[Column]) -> Columns:
    return tuple(TrinoColumn(column.name, _TYPES[column.type]) for column in columns)


_RUNTIME: Mapping[str, Columns] = {
    "nodes": (
        *_texts("node_id", "http_uri", "node_version"),
        *_flags("coordinator"),
        *_texts("state"),
    ),
    "queries": _of_history(RUNTIME_COLUMNS),
    "tasks": (
        *_texts("node_id", "task_id", "stage_id", "query_id", "state"),
        *_numbers("splits", "queued_splits", "running_splits", "completed_splits"),
        *_numbers("split_scheduled_time_ms", "split_cpu_time_ms", "split_blocked_time_ms"),
        *_numbers("internal_network_input_bytes"),
        *_numbers("processed_input_bytes", "processed_input_rows"),
        *_numbers("output_bytes", "output_rows"),
        *_numbers("physical_input_bytes", "physical_written_bytes"),
        *_moments("created", "start", "last_heartbeat", "end"),
    ),
    "transactions": (
        *_texts("transaction_id", "isolation_level"),
        *_flags("read_only", "auto_commit_context"),
        *_moments("create_time"),
        *_numbers("idle_time_secs"),
        *_texts("written_catalog"),
        TrinoColumn("catalogs", array(VARCHAR)),
    ),
}

OF_SYSTEM: Mapping[str, Mapping[str, Columns]] = {
    "history": {"queries": _of_history(HISTORY_COLUMNS)},
    INFORMATION_SCHEMA: INFORMATION,
    "jdbc": _JDBC,
    "metadata": _METADATA,
    "runtime": _RUNTIME,
}


# What SHOW FUNCTIONS asks; listed nowhere. Its names cannot be as long as to need a limit.
FUNCTIONS_NAME = "$functions"
FUNCTIONS: Columns = (
    *_texts("function_name", "return_type", "argument_types", "function_type"),
    *_flags("deterministic"),
    *_texts("description"),
)


def schemas_of(catalog: str) -> Mapping[str, Mapping[str, Columns]]:
    """Trino's own schemas in a catalog, and their relations."""
    return OF_SYSTEM if catalog == SYSTEM else OF_CATALOG


def metadata_relation(parts: Sequence[str], client: ClientState) -> MetadataRelation | None:
    """The relation that a name in a Trino text means; None if it is none of Trino's own. Whether
    the catalog exists is found out when the translated text is bound."""
    full = [part.lower() for part in parts]
    if len(full) == 1:
        full.insert(0, client.schema.lower())
    if len(full) == 2:
        full.insert(0, client.catalog.lower())
    if len(full) != 3 or not all(full):
        return None
    columns = columns_of(*full)
    if columns is None:
        return None
    return MetadataRelation(".".join(quote(part) for part in (RESERVED, *full)), columns)


def columns_of(catalog: str, schema: str, table: str) -> Columns | None:
    if (catalog, schema, table) == (SYSTEM, "metadata", FUNCTIONS_NAME):
        return FUNCTIONS
    return schemas_of(catalog).get(schema, {}).get(table)


def carriers(columns: Columns) -> tuple[Column, ...]:
    """The columns as the engines know them."""
    return tuple(Column(column.name, carrier(column.type)) for column in columns)
