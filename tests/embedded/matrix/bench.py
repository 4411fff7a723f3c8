"""What a row of the matrix is tried on: a schema of its own, on Spark and on the local engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

import pyarrow as pa

from sqe.errors import ErrorCode, SqeError
from tests.embedded.pipe.lake import Lake

Rows = Sequence[tuple[Any, ...]]


class Local(Enum):
    """What the local engine did with a feature's reads."""

    SAME = "yes"
    LEFT = "left to Spark"
    NONE = "-"  # nothing is read: there is nothing to be fast at


@dataclass
class Bench:
    """``version`` is the format version of the tables that ``create`` makes."""

    spark: Lake
    local: Lake
    schema: str
    version: int
    files: Path  # a folder whose files may be loaded
    read_locally: list[Local] = field(default_factory=list)

    @property
    def local_outcome(self) -> Local:
        if Local.LEFT in self.read_locally:
            return Local.LEFT
        return Local.SAME if self.read_locally else Local.NONE

    def run(self, *statements: str) -> None:
        for sql in statements:
            self.spark.run(sql)

    def create(self, columns: str, more: str = "", table: str = "t", **properties: str) -> None:
        """A table. Names of properties have dots: write them with two underscores."""
        given = {"format-version": str(self.version)}
        given |= {name.replace("__", "."): value for name, value in properties.items()}
        listed = ", ".join(f"'{name}' = '{value}'" for name, value in given.items())
        self.run(f"CREATE TABLE {table} ({columns}) {more} TBLPROPERTIES ({listed})")

    def reads(self, sql: str, rows: Rows) -> None:
        """Spark's rows, and the local engine's answer: the same, or none."""
        answer = self.spark.run(sql)
        _same(sql, _rows(answer), rows)
        try:
            local = self.local.run(sql)
        except SqeError as error:
            if error.code is not ErrorCode.NOT_SUPPORTED:
                raise
            self.read_locally.append(Local.LEFT)
            return
        _same(sql, _rows(local), rows)
        assert local.schema == answer.schema, f"{sql}\n{local.schema}\n{answer.schema}"
        self.read_locally.append(Local.SAME)

    def value(self, sql: str) -> Any:
        return self.spark.value(sql)

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        return self.spark.rows(sql)

    def fails(self, sql: str, code: ErrorCode) -> SqeError:
        error = self.spark.fails(sql)
        assert error.code is code, f"{sql}\n{error}"
        return error

    def snapshots(self, table: str = "t") -> list[int]:
        """Ids, oldest first."""
        return [
            id_
            for (id_,) in self.rows(
                f"SELECT snapshot_id FROM {table}.snapshots ORDER BY committed_at"
            )
        ]


def _rows(table: pa.Table) -> list[tuple[Any, ...]]:
    return list(zip(*(column.to_pylist() for column in table.columns), strict=True))


def _same(sql: str, given: list[tuple[Any, ...]], wanted: Rows) -> None:
    ordered = "ORDER BY" in sql
    one, other = given, list(wanted)
    if not ordered:
        one, other = sorted(one, key=repr), sorted(other, key=repr)
    assert one == other, f"{sql}\n{one}\nwanted\n{other}"
