"""Catalogs, schemas, tables and keys, from ``information_schema``: what the caller may see."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import pyarrow as pa

from sqe.errors import SqeError
from sqe.flight_messages import FlightSql_pb2 as sql
from sqe.gateway.gateway import Gateway
from sqe.model.names import quote, string_literal
from sqe.model.query import Column, QueryRequest
from sqe.protocols.flight_sql.caller import FlightCaller
from sqe.protocols.flight_sql.field_metadata import describe_field
from sqe.protocols.flight_sql.wire import not_null_field, schema_bytes, text
from sqe.results.arrow_types import arrow_schema, batch_of_rows

CATALOGS = pa.schema([not_null_field("catalog_name")])
SCHEMAS = pa.schema([text("catalog_name"), not_null_field("db_schema_name")])
TABLES = pa.schema(
    [
        text("catalog_name"),
        text("db_schema_name"),
        not_null_field("table_name"),
        not_null_field("table_type"),
    ]
)
TABLES_WITH_SCHEMA = TABLES.append(not_null_field("table_schema", pa.binary()))
TABLE_TYPES = pa.schema([not_null_field("table_type")])
PRIMARY_KEYS = pa.schema(
    [
        text("catalog_name"),
        text("db_schema_name"),
        not_null_field("table_name"),
        not_null_field("column_name"),
        not_null_field("key_sequence", pa.int32()),
        text("key_name"),
    ]
)
FOREIGN_KEYS = pa.schema(
    [
        text("pk_catalog_name"),
        text("pk_db_schema_name"),
        not_null_field("pk_table_name"),
        not_null_field("pk_column_name"),
        text("fk_catalog_name"),
        text("fk_db_schema_name"),
        not_null_field("fk_table_name"),
        not_null_field("fk_column_name"),
        not_null_field("key_sequence", pa.int32()),
        text("fk_key_name"),
        text("pk_key_name"),
        not_null_field("update_rule", pa.uint8()),
        not_null_field("delete_rule", pa.uint8()),
    ]
)

_TYPES = {"BASE TABLE": "TABLE"}  # as drivers ask for them
_COLUMNS = "table_schema, table_name, column_name, is_nullable, data_type, comment"
_FEW = 100  # tables that are worth being named one by one
_Row = tuple[Any, ...]
_Table = tuple[str, str, str]  # schema, name, type


class Metadata:
    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway

    def catalogs(self, caller: FlightCaller) -> pa.RecordBatch:
        return batch_of_rows(CATALOGS, [(name,) for name in self._catalogs(caller)])

    def schemas(self, caller: FlightCaller, asked: sql.CommandGetDbSchemas) -> pa.RecordBatch:
        wanted = _pattern(_field_of(asked, "db_schema_filter_pattern"))
        rows = [
            (catalog, schema)
            for catalog in self._catalogs(caller, _field_of(asked, "catalog"))
            for (schema,) in self._list_relation(caller, catalog, "schemata", "schema_name")
            if wanted.fullmatch(schema)
        ]
        return batch_of_rows(SCHEMAS, sorted(rows))

    def tables(self, caller: FlightCaller, asked: sql.CommandGetTables) -> pa.RecordBatch:
        rows: list[_Row] = []
        for catalog in self._catalogs(caller, _field_of(asked, "catalog")):
            tables = self._tables(caller, catalog, asked)
            if asked.include_schema:
                schemas = self._table_schemas(caller, catalog, tables)
                rows += [(catalog, *table, schemas.get(table[:2])) for table in tables]
                rows = [row for row in rows if row[-1] is not None]  # dropped meanwhile
            else:
                rows += [(catalog, *table) for table in tables]
        return batch_of_rows(TABLES_WITH_SCHEMA if asked.include_schema else TABLES, rows)

    def table_types(self) -> pa.RecordBatch:
        return batch_of_rows(TABLE_TYPES, [("TABLE",), ("VIEW",)])

    def _tables(
        self, caller: FlightCaller, catalog: str, asked: sql.CommandGetTables
    ) -> list[_Table]:
        schemas = _pattern(_field_of(asked, "db_schema_filter_pattern"))
        names = _pattern(_field_of(asked, "table_name_filter_pattern"))
        types = {kind.upper() for kind in asked.table_types}
        listing = self._list_relation(
            caller, catalog, "tables", "table_schema, table_name, table_type"
        )
        tables = [(schema, name, str(_TYPES.get(kind, kind))) for schema, name, kind in listing]
        return sorted(
            table
            for table in tables
            if schemas.fullmatch(table[0])
            and names.fullmatch(table[1])
            and (not types or table[2] in types)
        )

    def _table_schemas(
        self, caller: FlightCaller, catalog: str, tables: list[_Table]
    ) -> dict[tuple[str, str], bytes]:
        if not tables:
            return {}
        where = ""
        if len(tables) <= _FEW:
            where = (
                f"table_schema IN ({_join_literals(table[0] for table in tables)})"
                f" AND table_name IN ({_join_literals(table[1] for table in tables)})"
            )
        columns: dict[tuple[str, str], list[Column]] = {table[:2]: [] for table in tables}
        listing = self._list_relation(caller, catalog, "columns", _COLUMNS, where)
        for schema, name, column, nullable, kind, comment in listing:
            if (schema, name) in columns:
                columns[schema, name].append(Column(column, kind, nullable != "NO", comment or ""))
        zone = caller.session.property("sqe.time_zone")
        return {
            key: schema_bytes(_schema((catalog, *key), table_columns, zone))
            for key, table_columns in columns.items()
            if table_columns
        }

    def _catalogs(self, caller: FlightCaller, only: str | None = None) -> list[str]:
        names = sorted(row[0] for row in self._rows(caller, "SHOW CATALOGS"))
        return [name for name in names if only is None or name == only]

    def _list_relation(
        self, caller: FlightCaller, catalog: str, relation: str, columns: str, where: str = ""
    ) -> list[_Row]:
        source = f"{quote(catalog)}.information_schema.{relation}"
        condition = f" WHERE {where}" if where else ""
        return self._rows(caller, f"SELECT {columns} FROM {source}{condition}")  # noqa: S608  quoted

    def _rows(self, caller: FlightCaller, query: str) -> list[_Row]:
        request = QueryRequest(
            caller.session.id,
            query,
            caller.source,
            parameters=(),
            origin=caller.origin,
            trace=caller.trace,
        )
        with self._gateway.fetch(self._gateway.submit(request)) as result:
            table = result.read_all()
        return list(zip(*(column.to_pylist() for column in table.columns), strict=True))


def _schema(table: tuple[str, str, str], columns: list[Column], zone: str) -> pa.Schema:
    return pa.schema(
        [describe_field(_field(column, zone), column, table, column.comment) for column in columns]
    )


def _field(column: Column, zone: str) -> pa.Field:
    try:
        return arrow_schema([column], zone).field(0)
    except SqeError:
        return pa.field(column.name, pa.string(), column.nullable)  # a type nobody can read yet


def _join_literals(names: Iterable[str]) -> str:
    return ", ".join(string_literal(name) for name in sorted(set(names)))


def _field_of(message: Any, name: str) -> str | None:
    return str(getattr(message, name)) if message.HasField(name) else None


def _pattern(pattern: str | None) -> re.Pattern[str]:
    """LIKE with ``\\`` as escape. Names are not case-sensitive, so patterns are not."""
    if pattern is None:
        return re.compile(".*", re.DOTALL)
    parts: list[str] = []
    escaped = False
    for sign in pattern:
        if escaped or sign not in "\\%_":
            parts.append(re.escape(sign))
            escaped = False
        elif sign == "\\":
            escaped = True
        else:
            parts.append(".*" if sign == "%" else ".")
    if escaped:
        parts.append(re.escape("\\"))
    return re.compile("".join(parts), re.DOTALL | re.IGNORECASE)
