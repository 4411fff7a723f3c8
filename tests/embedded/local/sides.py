"""One lakehouse through the gateway: by Spark, by the local engine, and by another engine that
knows nothing of SQE but its catalog."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.table import Table

from sqe.errors import ErrorCode
from tests.embedded.pipe.lake import Lake


@dataclass
class Sides:
    spark: Lake
    local: Lake
    rest: RestCatalog

    def do(self, *statements: str) -> None:
        self.spark.all(*statements)

    def table(self, name: str) -> Table:
        """As PyIceberg has it."""
        table: Table = self.rest.load_table(f"default.{name}")
        return table

    def same(self, sql: str) -> list[str]:
        """Asserts that both engines give the same rows of the same types, and gives them."""
        expected, found = self.spark.run(sql), self.local.run(sql)
        assert found.schema.names == expected.schema.names, sql
        assert found.schema.types == expected.schema.types, sql
        assert in_order(found) == in_order(expected), sql
        return in_order(expected)

    def left(self, sql: str, reason: str) -> list[str]:
        """Asserts that the local engine leaves it to Spark, and why; gives Spark's rows."""
        expected = in_order(self.spark.run(sql))
        error = self.local.fails(sql)
        assert error.code is ErrorCode.NOT_SUPPORTED, error
        assert reason in error.message
        return expected


def in_order(table: pa.Table) -> list[str]:
    rows: list[tuple[Any, ...]] = list(
        zip(*(column.to_pylist() for column in table.columns), strict=True)
    )
    return sorted(map(repr, rows))
