"""A compiled expression."""

from __future__ import annotations

from dataclasses import dataclass

from sqe.engines.local.types import SparkType


@dataclass(frozen=True, slots=True)
class Value:
    """DuckDB SQL of exactly ``type``, and the name Spark gives a column made of it."""

    sql: str
    type: SparkType
    name: str
    nullable: bool = True
    literal: object = None  # the Python value of a literal, for pruning and folding
    aggregate: bool = False  # holds an aggregate function
    column: bool = False  # is a column and nothing more

    def cast(self, wanted: SparkType) -> str:
        """The SQL as ``wanted``, a type that holds all values of this one."""
        return self.sql if self.type == wanted else f"CAST({self.sql} AS {wanted.duckdb})"


def any_aggregate(*values: Value) -> bool:
    return any(value.aggregate for value in values)


def any_nullable(*values: Value) -> bool:
    return any(value.nullable for value in values)
