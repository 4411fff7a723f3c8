"""The functions that are proven to mean the same in DuckDB as in Spark. The list is the rule.

Each entry says what it takes and gives; the reference page and the differential suite read it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqe.engines.local.compile.arithmetic import average, average_type, sum_type
from sqe.engines.local.compile.value import Value, any_nullable
from sqe.engines.local.plan import NotLocal
from sqe.engines.local.types import (
    BIGINT,
    DATE,
    DOUBLE,
    INT,
    STRING,
    SparkType,
    common_type,
)

Build = Callable[[Sequence[Value]], tuple[str, SparkType, bool]]


@dataclass(frozen=True)
class Function:
    """A scalar function: names Spark knows it by, argument kinds in words, and how it is written.

    ``build`` gives SQL, type and whether it may be NULL; it raises NotLocal for other arguments.
    """

    names: tuple[str, ...]
    arguments: str
    result: str
    build: Build


@dataclass(frozen=True)
class Aggregate:
    """An aggregate over one argument; ``write`` gets the argument and the window's text."""

    name: str
    arguments: str
    result: str
    write: Callable[[Value, str, str], tuple[str, SparkType, bool]]


def _need(condition: bool, why: str) -> None:
    if not condition:
        raise NotLocal(why)


def _coalesce(values: Sequence[Value]) -> tuple[str, SparkType, bool]:
    kind = _common(values)
    sql = f"coalesce({', '.join(value.cast(kind) for value in values)})"
    return sql, kind, all(value.nullable for value in values)


def _nullif(values: Sequence[Value]) -> tuple[str, SparkType, bool]:
    _need(len(values) == 2, "nullif takes two arguments")
    kind = common_type(values[0].type, values[1].type)
    _need(kind == values[0].type, "nullif of different types is Spark's")
    return f"nullif({values[0].sql}, {values[1].cast(kind)})", kind, True


def _common(values: Sequence[Value]) -> SparkType:
    _need(bool(values), "a function without arguments")
    kind = values[0].type
    for value in values[1:]:
        kind = common_type(kind, value.type)
    return kind


def _abs(values: Sequence[Value]) -> tuple[str, SparkType, bool]:
    (value,) = values
    _need(value.type.is_numeric, "abs takes a number")
    return f"CAST(abs({value.sql}) AS {value.type.duckdb})", value.type, value.nullable


def _length(values: Sequence[Value]) -> tuple[str, SparkType, bool]:
    (value,) = values
    _need(value.type == STRING, "length takes a string")
    return f"CAST(length({value.sql}) AS INTEGER)", INT, value.nullable


def _substring(values: Sequence[Value]) -> tuple[str, SparkType, bool]:
    """From a place and of a length that are literals: at zero and below the engines differ."""
    _need(len(values) == 3 and values[0].type == STRING, "substring takes a string")
    start, length = values[1].literal, values[2].literal
    ok = isinstance(start, int) and isinstance(length, int) and start >= 1 and length >= 0
    _need(ok, "substring with a computed or negative place is Spark's")
    return f"substring({values[0].sql}, {start}, {length})", STRING, values[0].nullable


def _concat(values: Sequence[Value]) -> tuple[str, SparkType, bool]:
    _need(all(value.type == STRING for value in values), "concat takes strings")
    sql = " || ".join(value.sql for value in values)
    return f"({sql})", STRING, any_nullable(*values)


def _date_part(part: str) -> Build:
    def build(values: Sequence[Value]) -> tuple[str, SparkType, bool]:
        (value,) = values
        _need(value.type == DATE, f"{part} takes a date")
        return f"CAST({part}({value.sql}) AS INTEGER)", INT, value.nullable

    return build


def _date_add(values: Sequence[Value]) -> tuple[str, SparkType, bool]:
    day, count = values
    _need(day.type == DATE and count.type == INT, "date_add takes a date and an int")
    return f"({day.sql} + {count.sql})", DATE, any_nullable(*values)


def _datediff(values: Sequence[Value]) -> tuple[str, SparkType, bool]:
    end, start = values
    _need(end.type == DATE and start.type == DATE, "datediff takes dates")
    return f"CAST({end.sql} - {start.sql} AS INTEGER)", INT, any_nullable(*values)


def _round(values: Sequence[Value]) -> tuple[str, SparkType, bool]:
    value = values[0]
    places = values[1].literal if len(values) == 2 else 0
    _need(value.type.is_decimal, "round of other than decimals is Spark's")
    _need(isinstance(places, int) and 0 <= places < value.type.scale, "round to fewer places")
    assert isinstance(places, int)  # noqa: S101  tested on the line above
    whole = value.type.precision - value.type.scale
    kind = SparkType("decimal", min(38, whole + places + 1), places)
    return f"CAST(round({value.sql}, {places}) AS {kind.duckdb})", kind, value.nullable


FUNCTIONS: tuple[Function, ...] = (
    Function(("coalesce", "nvl", "ifnull"), "any, any, …", "their common type", _coalesce),
    Function(("nullif",), "any, same type", "the first's type", _nullif),
    Function(("abs",), "number", "same type", _abs),
    Function(("length", "char_length", "character_length", "len"), "string", "int", _length),
    Function(("substring", "substr"), "string, literal >= 1, literal >= 0", "string", _substring),
    Function(("concat",), "string, …", "string", _concat),
    Function(("year",), "date", "int", _date_part("year")),
    Function(("month",), "date", "int", _date_part("month")),
    Function(("day", "dayofmonth"), "date", "int", _date_part("day")),
    Function(("quarter",), "date", "int", _date_part("quarter")),
    Function(("date_add",), "date, int", "date", _date_add),
    Function(("datediff", "date_diff"), "date, date", "int", _datediff),
    Function(("round",), "decimal(p,s), literal n < s", "decimal(p-s+n+1,n)", _round),
)
BY_NAME = {name: function for function in FUNCTIONS for name in function.names}


def _sum(value: Value, distinct: str, over: str) -> tuple[str, SparkType, bool]:
    _need(value.type.is_numeric, "sum takes a number")
    kind = sum_type(value.type)
    argument = value.cast(DOUBLE) if kind == DOUBLE else value.sql
    return f"CAST(sum({distinct}{argument}){over} AS {kind.duckdb})", kind, True


def _avg(value: Value, distinct: str, over: str) -> tuple[str, SparkType, bool]:
    _need(value.type.is_numeric, "avg takes a number")
    _need(not distinct, "avg(DISTINCT …) is Spark's")
    return average(value, over), average_type(value.type), True


def _extreme(name: str) -> Callable[[Value, str, str], tuple[str, SparkType, bool]]:
    def write(value: Value, distinct: str, over: str) -> tuple[str, SparkType, bool]:
        _need(not value.type.is_float, f"{name} of doubles is Spark's")  # -0.0 and 0.0
        return f"{name}({value.sql}){over}", value.type, True

    return write


def _count(value: Value, distinct: str, over: str) -> tuple[str, SparkType, bool]:
    return f"count({distinct}{value.sql}){over}", BIGINT, False


def _spread(name: str) -> Callable[[Value, str, str], tuple[str, SparkType, bool]]:
    def write(value: Value, distinct: str, over: str) -> tuple[str, SparkType, bool]:
        _need(value.type.is_integral or value.type.is_float, f"{name} of decimals is Spark's")
        _need(not distinct, f"{name}(DISTINCT …) is Spark's")
        return f"{name}({value.cast(DOUBLE)}){over}", DOUBLE, True

    return write


AGGREGATES: dict[str, Aggregate] = {
    aggregate.name: aggregate
    for aggregate in (
        Aggregate("sum", "number", "bigint, double or decimal(p+10,s)", _sum),
        Aggregate("avg", "number", "double or decimal(p+4,s+4)", _avg),
        Aggregate("min", "any but double", "same type", _extreme("min")),
        Aggregate("max", "any but double", "same type", _extreme("max")),
        Aggregate("count", "any", "bigint", _count),
        Aggregate("stddev_samp", "integer or double", "double", _spread("stddev_samp")),
    )
}
