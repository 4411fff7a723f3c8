"""Spark's types as SQLAlchemy's, and back."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from sqlalchemy import types
from sqlalchemy.sql import compiler

_DECIMAL = re.compile(r"decimal\((\d+),\s*(\d+)\)\Z")
_SIZED = re.compile(r"(?:var)?char\((\d+)\)\Z")


class SparkType(types.UserDefinedType[Any]):
    """A type that only Spark has, as a struct, a map or an interval, by Spark's spelling."""

    cache_ok = True

    def __init__(self, spelling: str) -> None:
        self.spelling = spelling

    def get_col_spec(self, **kw: Any) -> str:
        return self.spelling


class TINYINT(types.SmallInteger):
    __visit_name__ = "TINYINT"


_PLAIN: dict[str, Callable[[], types.TypeEngine[Any]]] = {
    "boolean": types.BOOLEAN,
    "tinyint": TINYINT,
    "smallint": types.SMALLINT,
    "int": types.INTEGER,
    "bigint": types.BIGINT,
    "float": types.REAL,
    "double": types.DOUBLE,
    "string": types.String,
    "binary": types.LargeBinary,
    "date": types.DATE,
    "timestamp": lambda: types.TIMESTAMP(timezone=True),
    "timestamp_ntz": lambda: types.TIMESTAMP(timezone=False),
}


def sqlalchemy_type(spark: str) -> types.TypeEngine[Any]:
    spelling = spark.lower()
    if spelling in _PLAIN:
        return _PLAIN[spelling]()
    if match := _DECIMAL.match(spelling):
        return types.DECIMAL(int(match[1]), int(match[2]))
    if match := _SIZED.match(spelling):
        return types.VARCHAR(int(match[1]))
    if spelling.startswith("array<") and spelling.endswith(">"):
        return _array(sqlalchemy_type(spark[len("array<") : -1]))
    return SparkType(spark)


def _array(element: types.TypeEngine[Any]) -> types.TypeEngine[Any]:
    """SQLAlchemy has no arrays of arrays, but arrays of several dimensions."""
    if isinstance(element, types.ARRAY):
        return types.ARRAY(element.item_type, dimensions=(element.dimensions or 1) + 1)
    return types.ARRAY(element, dimensions=1)


class SqeTypeCompiler(compiler.GenericTypeCompiler):
    """Names of types in CREATE TABLE and CAST."""

    def _string(self, type_: Any, **kw: Any) -> str:
        return "STRING"

    visit_VARCHAR = visit_CHAR = visit_NVARCHAR = visit_NCHAR = _string
    visit_TEXT = visit_CLOB = visit_UUID = visit_uuid = visit_JSON = _string

    def _binary(self, type_: Any, **kw: Any) -> str:
        return "BINARY"

    visit_BLOB = visit_BINARY = visit_VARBINARY = _binary

    def _timestamp(self, type_: Any, **kw: Any) -> str:
        return "TIMESTAMP" if getattr(type_, "timezone", False) else "TIMESTAMP_NTZ"

    visit_DATETIME = visit_TIMESTAMP = _timestamp

    def visit_INTEGER(self, type_: Any, **kw: Any) -> str:
        return "INT"

    def visit_TINYINT(self, type_: Any, **kw: Any) -> str:
        return "TINYINT"

    def visit_REAL(self, type_: Any, **kw: Any) -> str:
        return "FLOAT"

    def _double(self, type_: Any, **kw: Any) -> str:
        return "DOUBLE"

    visit_FLOAT = visit_DOUBLE = visit_DOUBLE_PRECISION = _double

    def _decimal(self, type_: Any, **kw: Any) -> str:
        precision = 38 if type_.precision is None else type_.precision
        scale = min(18, precision) if type_.scale is None else type_.scale
        return f"DECIMAL({precision}, {scale})"

    visit_NUMERIC = visit_DECIMAL = _decimal

    def visit_ARRAY(self, type_: Any, **kw: Any) -> str:
        levels = type_.dimensions or 1
        return "ARRAY<" * levels + self.process(type_.item_type, **kw) + ">" * levels
