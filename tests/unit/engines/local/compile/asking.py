"""Single expressions, compiled and run by DuckDB over a small table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import duckdb

from sqe.engines.local.compile.expressions import Expressions
from sqe.engines.local.compile.parameters import Parameters
from sqe.engines.local.compile.scope import Relation, Scope, Source, SourceColumn
from sqe.engines.local.compile.value import Value
from sqe.engines.local.plan import NotLocal
from sqe.engines.local.types import parse_type
from sqe.sql.dialect import DIALECT

# The columns of ``t``: type and values, NULL in each.
COLUMNS: dict[str, tuple[str, tuple[object, ...]]] = {
    "id": ("int", (1, 2, None)),
    "k": ("int", (2, -7, None)),
    "n": ("int", (0, 5, None)),
    "b": ("boolean", (True, False, None)),
    "bi": ("bigint", (9223372036854775807, -3, None)),
    "db": ("double", (1.5, -2.5, None)),
    "f": ("float", (0.5, -0.25, None)),
    "d2": ("decimal(10,2)", ("12.35", "-0.05", None)),
    "d4": ("decimal(18,4)", ("1.0001", "-3.5", None)),
    "d38": ("decimal(38,10)", ("1234567890.0123456789", "-1.5", None)),
    "s": ("string", ("Hello", "straße é", None)),
    "t": ("string", ("l", "", None)),
    "g": ("string", ("a", "b", None)),
    "dt": ("date", ("2024-02-29", "1969-12-31", None)),
    "ts": ("timestamp", ("2024-02-29 23:59:59.5+00", "1969-12-31 23:59:59+00", None)),
    "ntz": ("timestamp_ntz", ("2024-03-31 02:30:00", "1969-12-31 00:00:00.000001", None)),
}


def _no_query(node: Any, scope: Scope) -> Relation:
    raise NotLocal("these tests have no queries inside expressions")


def compiled(expression: str, time_zone: str = "UTC") -> Value:
    columns = [
        SourceColumn(name, f't."{name}"', parse_type(kind)) for name, (kind, _) in COLUMNS.items()
    ]
    scope = Scope([Source("t", columns)], columns)
    text = f"SELECT {expression} FROM t"
    (item,) = DIALECT.parse(text)[0].expressions  # type: ignore[union-attr]
    return Expressions(text, scope, _no_query, time_zone, Parameters()).item(item)


@dataclass(frozen=True)
class Answer:
    rows: list[object]
    value: Value


def ask(expression: str, time_zone: str = "UTC") -> Answer:
    """The expression for the three rows of ``t``, or its one row if it aggregates."""
    value = compiled(expression, time_zone)
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        kinds = {name: parse_type(kind).duckdb for name, (kind, _) in COLUMNS.items()}
        listed = ", ".join(f'"{name}" {kind}' for name, kind in kinds.items())
        connection.execute(f"CREATE TABLE t ({listed})")
        holes = ", ".join("?" for _ in COLUMNS)
        rows = zip(*(values for _, values in COLUMNS.values()), strict=True)
        connection.executemany(f"INSERT INTO t VALUES ({holes})", [list(row) for row in rows])
        sql = f"SELECT CAST({value.sql} AS {value.type.duckdb}) FROM t"
        return Answer([row[0] for row in connection.execute(sql).fetchall()], value)
