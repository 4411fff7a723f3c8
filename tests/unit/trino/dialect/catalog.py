"""A catalog for tests of the translation: a few relations in the schema ``lake.s``."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence

from sqe.errors import SqeError
from sqe.model.query import ClientState
from sqe.model.trino_types import BIGINT, INTEGER, VARCHAR, decimal, row, timestamp
from sqe.trino.dialect.context import Context, Known, KnownColumn, KnownFunction
from sqe.trino.dialect.translate import translate
from sqe.trino.dialect.translated import Translated

NOW = datetime.datetime(2026, 1, 10, 12, tzinfo=datetime.UTC)
_COLUMNS = (
    KnownColumn("id", INTEGER, nullable=False),
    KnownColumn("name", VARCHAR),
    KnownColumn("price", decimal(5, 2)),
    KnownColumn("ts", timestamp(6)),
    KnownColumn("pos", row(("x", INTEGER), ("y", BIGINT))),
)
_METADATA = {
    "format-version": 2,
    "properties": {
        "comment": "old",
        "write.format.default": "orc",
        "write.parquet.bloom-filter-enabled.column.id": "true",
        "own.key": "x",
    },
    "current-schema-id": 0,
    "schemas": [
        {
            "schema-id": 0,
            "fields": [
                {"id": 1, "name": "id", "type": "int"},
                {"id": 2, "name": "name", "type": "string"},
                {"id": 3, "name": "ts", "type": "timestamp"},
            ],
        }
    ],
    "default-spec-id": 1,
    "partition-specs": [
        {"spec-id": 0, "fields": []},
        {
            "spec-id": 1,
            "fields": [
                {"source-id": 2, "transform": "identity", "name": "name"},
                {"source-id": 3, "transform": "day", "name": "ts_day"},
            ],
        },
    ],
}


def _known(name: str, kind: str, columns: tuple[KnownColumn, ...] = _COLUMNS) -> Known:
    return Known(f"`lake`.`s`.`{name}`", columns, kind, _METADATA)


class Lake:
    relations: Mapping[str, Known] = {
        "t": _known("t", "TABLE"),
        "one": _known("one", "TABLE", (KnownColumn("id", INTEGER),)),
        "v": _known("v", "VIEW"),
        "mv": _known("mv", "MATERIALIZED VIEW"),
        "t$files": _known("t$files", "METADATA"),
    }

    def catalogs(self) -> Sequence[str]:
        return ["lake", "system"]

    def schema_exists(self, catalog: str, schema: str) -> bool:
        return (catalog, schema) == ("lake", "s")

    def schema_properties(self, catalog: str, schema: str) -> Mapping[str, str]:
        return {}

    def target(self, catalog: str, schema: str, name: str) -> Known | None:
        return self.relation(catalog, schema, name)

    def relation(self, catalog: str, schema: str, name: str) -> Known | None:
        return self.relations.get(name) if (catalog, schema) == ("lake", "s") else None

    def function(self, catalog: str, schema: str, name: str) -> KnownFunction | None:
        return self.functions(catalog, schema).get(name)

    def functions(self, catalog: str, schema: str) -> Mapping[str, KnownFunction]:
        if (catalog, schema) != ("lake", "s"):
            return {}
        kept = "FUNCTION lake.s.kept(x bigint) RETURNS varchar RETURN CAST(x * x AS varchar)"
        return {
            "kept": KnownFunction("`lake`.`s`.`kept`", ("x",), ("bigint",), "string", kept),
            "spark": KnownFunction("`lake`.`s`.`spark`", ("x", "y"), ("int", "string"), "double"),
            "odd": KnownFunction("`lake`.`s`.`odd`", ("x",), ("timestamp",), "double"),
        }


def translated(sql: str, client: ClientState | None = None) -> Translated:
    return translate(Context(sql, client or ClientState("lake", "s"), "ann", Lake(), NOW))


def refusal(sql: str, client: ClientState | None = None) -> tuple[str, str]:
    """Trino's name of the error, and its message with the place as Trino writes it."""
    try:
        found = translated(sql, client)
    except SqeError as error:
        where = f"{error.position.line}:{error.position.column}: " if error.position else ""
        return error.subcode, f"{where}{error.message}"
    raise AssertionError(f"not refused: {found}")
