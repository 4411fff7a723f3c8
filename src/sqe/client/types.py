"""PEP 249's type objects and constructors. A column's type code is Spark's spelling of its type."""

from __future__ import annotations

import datetime
import re
from typing import Any

from sqe.model.query import Column

Date = datetime.date
Time = datetime.time
Timestamp = datetime.datetime
Binary = bytes
DateFromTicks = datetime.date.fromtimestamp
TimestampFromTicks = datetime.datetime.fromtimestamp


def TimeFromTicks(ticks: float) -> datetime.time:
    return datetime.datetime.fromtimestamp(ticks).time()


class TypeObject:
    """Equal to the type codes of its kind: ``cursor.description[0][1] == NUMBER``."""

    def __init__(self, *names: str) -> None:
        self._names = frozenset(names)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str):
            return re.split(r"[(<]| day| hour| minute| second", other)[0] in self._names
        return self is other

    def __hash__(self) -> int:
        return hash(self._names)


STRING = TypeObject("string", "varchar", "char", "variant")
BINARY = TypeObject("binary")
NUMBER = TypeObject("tinyint", "smallint", "int", "bigint", "float", "double", "decimal", "boolean")
DATETIME = TypeObject("date", "timestamp", "timestamp_ntz", "time", "interval")
ROWID = TypeObject()

_DECIMAL = re.compile(r"decimal\((\d+),\s*(\d+)\)\Z")


def description_of(column: Column) -> tuple[Any, ...]:
    """name, type code, display size, internal size, precision, scale, may be NULL."""
    match = _DECIMAL.match(column.type)
    precision, scale = (int(match[1]), int(match[2])) if match else (None, None)
    return column.name, column.type, None, None, precision, scale, column.nullable
