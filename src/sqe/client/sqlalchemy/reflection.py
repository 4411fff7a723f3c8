"""What is there: schemas, tables, views and columns, asked of ``information_schema``."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, exc
from sqlalchemy.engine import default, reflection

from sqe.client.sqlalchemy.types import sqlalchemy_type

_TABLES = "SELECT table_name FROM information_schema.tables"
_COLUMNS = """
SELECT column_name, data_type, is_nullable, column_default, comment
FROM information_schema.columns WHERE table_schema = ? AND table_name = ? ORDER BY ordinal_position
"""
_VIEW = """
SELECT view_definition FROM information_schema.views WHERE table_schema = ? AND table_name = ?
"""


class Reflection(default.DefaultDialect):
    """Keys, indexes and constraints are always none: Iceberg keeps no such thing."""

    @reflection.cache
    def get_schema_names(self, connection: Connection, **kw: Any) -> list[str]:
        return self._names(connection, "SELECT schema_name FROM information_schema.schemata")

    @reflection.cache
    def get_table_names(
        self, connection: Connection, schema: str | None = None, **kw: Any
    ) -> list[str]:
        return self._of_type(connection, schema, "BASE TABLE")

    @reflection.cache
    def get_view_names(
        self, connection: Connection, schema: str | None = None, **kw: Any
    ) -> list[str]:
        return self._of_type(connection, schema, "VIEW")

    def has_table(
        self, connection: Connection, table_name: str, schema: str | None = None, **kw: Any
    ) -> bool:
        query = f"{_TABLES} WHERE table_schema = ? AND table_name = ?"
        return bool(self._names(connection, query, self._here(schema), table_name))

    @reflection.cache
    def has_schema(self, connection: Connection, schema_name: str, **kw: Any) -> bool:
        return schema_name in self.get_schema_names(connection, **kw)

    @reflection.cache
    def get_columns(
        self, connection: Connection, table_name: str, schema: str | None = None, **kw: Any
    ) -> list[Any]:
        rows = connection.exec_driver_sql(_COLUMNS, (self._here(schema), table_name)).fetchall()
        if not rows and not self.has_table(connection, table_name, schema):
            raise exc.NoSuchTableError(table_name)
        return [
            {
                "name": name,
                "type": sqlalchemy_type(kind),
                "nullable": nullable == "YES",
                "default": value,
                "comment": comment,
                "autoincrement": False,
            }
            for name, kind, nullable, value, comment in rows
        ]

    @reflection.cache
    def get_view_definition(
        self, connection: Connection, view_name: str, schema: str | None = None, **kw: Any
    ) -> str:
        definitions = self._names(connection, _VIEW, self._here(schema), view_name)
        if not definitions:
            raise exc.NoSuchTableError(view_name)
        return definitions[0]

    def get_pk_constraint(self, *args: Any, **kw: Any) -> Any:
        return {"constrained_columns": [], "name": None}

    def get_foreign_keys(self, *args: Any, **kw: Any) -> list[Any]:
        return []

    def get_indexes(self, *args: Any, **kw: Any) -> list[Any]:
        return []

    def get_unique_constraints(self, *args: Any, **kw: Any) -> list[Any]:
        return []

    def get_check_constraints(self, *args: Any, **kw: Any) -> list[Any]:
        return []

    def get_table_comment(self, *args: Any, **kw: Any) -> Any:
        return {"text": None}

    def _of_type(self, connection: Connection, schema: str | None, kind: str) -> list[str]:
        query = f"{_TABLES} WHERE table_schema = ? AND table_type = ?"
        return self._names(connection, query, self._here(schema), kind)

    def _here(self, schema: str | None) -> str:
        return schema or self.default_schema_name or ""

    def _names(self, connection: Connection, query: str, *parameters: str) -> list[str]:
        return [str(name) for (name,) in connection.exec_driver_sql(query, parameters)]
