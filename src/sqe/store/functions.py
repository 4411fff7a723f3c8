"""Functions that people have written in SQL, by the schema they are in."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from sqe.model.functions import FunctionParameter, SqlFunction
from sqe.model.names import RelationName, SchemaName
from sqe.store.database import Database

_ONE = "SELECT body FROM sql_functions WHERE schema_name = :schema_name AND name = :name"
_ALL = "SELECT name, body FROM sql_functions WHERE schema_name = :schema_name ORDER BY name"
_ADD = (
    "INSERT INTO sql_functions (schema_name, name, owner, made_at, body)"
    " VALUES (:schema_name, :name, :owner, :made_at, :body)"
)
_DROP = "DELETE FROM sql_functions WHERE schema_name = :schema_name AND name = :name"
_DROP_ALL = "DELETE FROM sql_functions WHERE schema_name = :schema_name"


class FunctionStore:
    """Thread-safe. Case does not matter in a function's name; a schema's is the catalog's own."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def find(self, name: RelationName) -> SqlFunction | None:
        from sqlalchemy import text

        with self._database.begin() as connection:
            row = connection.execute(text(_ONE), _key(name)).first()
        return _function(name, row[0]) if row is not None else None

    def list_in(self, schema: SchemaName) -> list[SqlFunction]:
        from sqlalchemy import text

        with self._database.begin() as connection:
            rows = list(connection.execute(text(_ALL), {"schema_name": _schema_key(schema)}))
        return [_function(RelationName(schema, row[0]), row[1]) for row in rows]

    def put(self, function: SqlFunction, *, replaces: SqlFunction | None = None) -> bool:
        """False if there is one of its name by now, which is not the one that it replaces."""
        from sqlalchemy import text
        from sqlalchemy.exc import IntegrityError

        name = function.name
        assert name is not None  # noqa: S101  a temporary one is the session's
        row = {
            **_key(name),
            "owner": function.owner,
            "made_at": function.created_at,
            "body": _body(function),
        }
        with self._database.begin() as connection:
            was = connection.execute(text(_ONE), _key(name)).first()
            expected = _body(replaces) if replaces is not None else None
            if was is not None and was[0] != expected:
                return False
            connection.execute(text(_DROP), _key(name))
            try:
                connection.execute(text(_ADD), row)
            except IntegrityError:  # somebody was quicker
                connection.rollback()
                return False
        return True

    def drop(self, name: RelationName) -> bool:
        """False if there is none."""
        from sqlalchemy import text

        with self._database.begin() as connection:
            return connection.execute(text(_DROP), _key(name)).rowcount > 0

    def drop_all(self, schema: SchemaName) -> None:
        from sqlalchemy import text

        with self._database.begin() as connection:
            connection.execute(text(_DROP_ALL), {"schema_name": _schema_key(schema)})


def _schema_key(schema: SchemaName) -> str:
    return json.dumps([schema.catalog, *schema.path])


def _key(name: RelationName) -> dict[str, str]:
    return {"schema_name": _schema_key(name.schema), "name": name.name.lower()}


def _body(function: SqlFunction) -> str:
    kept = asdict(function)
    del kept["name"]
    return json.dumps(kept)


def _function(name: RelationName, body: str) -> SqlFunction:
    kept: dict[str, Any] = json.loads(body)
    for key in ("parameters", "columns"):
        kept[key] = tuple(FunctionParameter(**parameter) for parameter in kept[key])
    return SqlFunction(name=RelationName(name.schema, kept["short_name"]), **kept)
