"""Constants are computed by Spark before it reads a row: one that fails, fails without any row.

DuckDB would raise only where a row gets there. So constants are tried when they are compiled, and
a query with one that fails is Spark's.
"""

from __future__ import annotations

import threading
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from sqe.engines.local.compile.value import Value
from sqe.engines.local.plan import NotLocal

if TYPE_CHECKING:
    import duckdb

# What cannot be computed ahead, and what cannot fail.
_MOVING = (exp.Column, exp.Query, exp.AggFunc, exp.Window, exp.CurrentDate, exp.CurrentTimestamp)
_HARMLESS = (exp.Literal, exp.Boolean, exp.Null, exp.Paren, exp.Star)
_lock = threading.Lock()


def check_constant(node: Any, value: Value) -> None:
    """NotLocal if the expression is a constant that raises."""
    if isinstance(node, _HARMLESS) or value.literal is not None or node.find(*_MOVING):
        return
    if not _computes(value.sql):
        raise NotLocal("a constant that cannot be computed is Spark's")


@lru_cache(maxsize=1024)
def _computes(sql: str) -> bool:
    import duckdb

    with _lock:
        try:
            _database().execute(f"SELECT {sql}").to_arrow_table()
        except duckdb.Error:
            return False
    return True


@lru_cache(maxsize=1)
def _database() -> duckdb.DuckDBPyConnection:
    import duckdb

    connection = duckdb.connect(config={"threads": "1", "enable_external_access": "false"})
    connection.execute("SET TimeZone = 'UTC'")
    return connection
