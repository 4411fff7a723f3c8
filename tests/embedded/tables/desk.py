"""Tables made and changed through the gateway, and looked at by both engines."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sqe.catalog.protocol import Ident, Json, Loaded
from sqe.errors import ErrorCode, SqeError
from sqe.model.identity import Identity
from tests.embedded.pipe.lake import Lake


@dataclass
class Desk:
    spark: Lake
    local: Lake
    schema: str

    def run(self, *statements: str) -> None:
        self.spark.all(*statements)

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        return sorted(self.spark.rows(sql), key=repr)

    def both(self, sql: str) -> list[tuple[Any, ...]]:
        """What both engines answer, in order."""
        expected = self.rows(sql)
        assert sorted(self.local.rows(sql), key=repr) == expected, sql
        return expected

    def left(self, sql: str) -> list[tuple[Any, ...]]:
        """Spark's answer to what the local engine does not take."""
        assert self.local.fails(sql).code is ErrorCode.NOT_SUPPORTED
        return self.rows(sql)

    def loaded(self, table: str) -> Loaded:
        """As the catalog has it now."""
        catalog = self.spark.server.catalogs.open("lake", Identity("ann"))
        return catalog.load_table(Ident((self.schema,), table))

    def metadata(self, table: str) -> Json:
        return self.loaded(table).metadata

    def described(self, table: str) -> dict[str, str]:
        """Column names and types, in the table's order."""
        rows = self.spark.rows(f"DESCRIBE {table}")
        names = [row[0] for row in rows]
        end = next((i for i, name in enumerate(names) if not name or name[0] == "#"), len(names))
        return {row[0]: row[1] for row in rows[:end]}

    def properties(self, table: str) -> dict[str, str]:
        return dict(self.spark.rows(f"SHOW TBLPROPERTIES {table}"))

    @contextmanager
    def unchanged(self, *tables: str) -> Iterator[None]:
        """The tables' metadata is the same file before and after."""
        before = [self.loaded(table).metadata_location for table in tables]
        yield
        assert [self.loaded(table).metadata_location for table in tables] == before

    def refuses(self, sql: str, code: ErrorCode, *tables: str) -> SqeError:
        """It fails for this reason, in words for people, and leaves the tables as they are."""
        with self.unchanged(*tables):
            error = self.spark.fails(sql)
        assert error.code is code, f"{error.code}: {error.message}"
        assert "org.apache" not in error.message
        assert "Exception" not in error.message
        assert "q_" not in error.message
        return error
