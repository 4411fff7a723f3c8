"""Constants are computed by Spark before it reads a row: one that fails, fails without any row.

DuckDB would raise only where a row gets there. So constants are tried when they are compiled, and
a query with one that fails is Spark's.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from sqe.engines.local.compile.parameters import Parameters
from sqe.engines.local.compile.value import Value
from sqe.engines.local.plan import NotLocal

if TYPE_CHECKING:
    import duckdb

# What cannot be computed ahead, and what cannot fail.
_MOVING = (exp.Column, exp.Query, exp.AggFunc, exp.Window, exp.CurrentDate, exp.CurrentTimestamp)
_HARMLESS = (exp.Literal, exp.Placeholder, exp.Boolean, exp.Null, exp.Paren, exp.Star)
_lock = threading.Lock()


def check_constant(node: Any, value: Value, parameters: Parameters) -> None:
    """NotLocal if the expression is a constant that raises."""
    if isinstance(node, _HARMLESS) or value.literal is not None or node.find(*_MOVING):
        return
    if _raises(node):  # on purpose, when a row gets there
        return
    call = node.find_ancestor(exp.Anonymous)
    if call is not None and call.name.lower() == "raise_error":  # part of what it says
        return
    computes = _computes_with if node.find(exp.Placeholder) else _computes
    if not computes(value.sql, parameters.values):
        raise NotLocal("a constant that cannot be computed is Spark's")


def _raises(node: Any) -> bool:
    return any(call.name.lower() == "raise_error" for call in node.find_all(exp.Anonymous))


def _computes(sql: str, values: Mapping[str, object]) -> bool:
    return _computes_always(sql)


@lru_cache(maxsize=1024)
def _computes_always(sql: str) -> bool:
    return _computes_with(sql, {})


def _computes_with(sql: str, values: Mapping[str, object]) -> bool:
    import duckdb

    text = f"SELECT {sql}"
    with _lock:
        try:
            _database().execute(text, values_in_text(text, values)).to_arrow_table()
        except duckdb.Error:
            return False
    return True


def values_in_text(sql: str, values: Mapping[str, object]) -> dict[str, object] | None:
    """Those values that the text names: DuckDB wants no others."""
    import duckdb

    if not values:
        return None
    names = duckdb.extract_statements(sql)[0].named_parameters
    return {name: value for name, value in values.items() if name in names}


@lru_cache(maxsize=1)
def _database() -> duckdb.DuckDBPyConnection:
    import duckdb

    connection = duckdb.connect(config={"threads": "1", "enable_external_access": "false"})
    connection.execute("SET TimeZone = 'UTC'")
    return connection
