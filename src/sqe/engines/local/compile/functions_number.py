"""Functions of numbers, and those that choose between values, as DuckDB writes them."""

from __future__ import annotations

from collections.abc import Sequence

from sqe.engines.local.compile.arithmetic import give_up
from sqe.engines.local.compile.built import Build, Built, need
from sqe.engines.local.compile.compiling import Compiling
from sqe.engines.local.compile.value import Value, any_nullable, opaque
from sqe.engines.local.types import (
    BIGINT,
    BOOLEAN,
    DOUBLE,
    SIGNED_DIGITS,
    SparkType,
    common_type,
    cut_decimal,
)


def _only_value(values: Sequence[Value], what: str) -> Value:
    need(len(values) == 1, f"{what} takes one argument")
    return values[0]


def common(values: Sequence[Value]) -> SparkType:
    need(bool(values), "a function without arguments")
    kind = values[0].type
    for value in values[1:]:
        kind = common_type(kind, value.type)
    return kind


def absolute(here: Compiling, values: Sequence[Value]) -> Built:
    value = _only_value(values, "abs")
    need(value.type.is_numeric, "abs takes a number")
    need(value.type.precision <= SIGNED_DIGITS, "abs of such wide decimals is Spark's")
    return f"CAST(abs({value.sql}) AS {value.type.duckdb})", value.type, value.nullable


def negative(here: Compiling, values: Sequence[Value]) -> Built:
    value = _only_value(values, "negative")
    need(value.type.is_numeric, "negative takes a number")
    need(value.type.precision <= SIGNED_DIGITS, "minus such wide decimals is Spark's")
    return f"(- {value.sql})", value.type, value.nullable


def sqrt(here: Compiling, values: Sequence[Value]) -> Built:
    """Exact in both engines; of a negative number Spark's is NaN, where DuckDB raises."""
    value = _only_value(values, "sqrt")
    need(value.type.is_numeric, "sqrt takes a number")
    number = value.cast(DOUBLE)
    sql = f"CASE WHEN {number} < 0 THEN 'NaN'::DOUBLE ELSE sqrt({number}) END"
    return sql, DOUBLE, value.nullable


def round_(here: Compiling, values: Sequence[Value]) -> Built:
    need(len(values) in (1, 2), "round takes one or two arguments")
    value = values[0]
    places = values[1].literal if len(values) == 2 else 0
    ok = isinstance(places, int) and not isinstance(places, bool) and places >= 0
    need(ok, "round to computed or negative places is Spark's")
    assert isinstance(places, int)  # noqa: S101  tested on the line above
    if value.type.is_integral:
        return value.sql, value.type, True
    if value.type == DOUBLE and places == 0:
        # Spark goes by way of digits, which have no sign of zero.
        return f"(round({value.sql}) + CAST(0 AS DOUBLE))", DOUBLE, True
    need(value.type.is_decimal, "round of doubles is Spark's")
    whole = value.type.precision - value.type.scale
    if places >= value.type.scale:
        kind = cut_decimal(whole + value.type.scale + 1, value.type.scale)
        return value.cast(kind), kind, True
    kind = cut_decimal(whole + places + 1, places)
    return f"CAST(round({value.sql}, {places}) AS {kind.duckdb})", kind, True


def sign(here: Compiling, values: Sequence[Value]) -> Built:
    """A zero keeps its sign, and NaN is NaN."""
    number = _only_value(values, "sign")
    need(number.type.is_numeric, "sign takes a number")
    sql = number.cast(DOUBLE)
    kept = f"{sql} = 0 OR isnan({sql})"
    return f"CASE WHEN {kept} THEN {sql} ELSE CAST(sign({sql}) AS DOUBLE) END", DOUBLE, True


def nanvl(here: Compiling, values: Sequence[Value]) -> Built:
    need(len(values) == 2 and values[0].type == values[1].type, "nanvl takes two doubles")
    number, other = values
    need(number.type.is_float, "nanvl takes two doubles")
    sql = f"CASE WHEN isnan({number.sql}) THEN {other.sql} ELSE {number.sql} END"
    return sql, number.type, any_nullable(*values)


def try_integers(operator: str) -> Build:
    """try_add and its like: NULL for what does not fit."""

    def build(here: Compiling, values: Sequence[Value]) -> Built:
        need(len(values) == 2, "this takes two numbers")
        kind = common(values)
        need(kind.is_integral, f"this of {kind} is Spark's")
        left, right = (f"CAST({value.cast(kind)} AS HUGEINT)" for value in values)
        return opaque(f"TRY_CAST({left} {operator} {right} AS {kind.duckdb})"), kind, True

    return build


def try_quotient(operator: str) -> Build:
    """try_divide and try_mod: NULL where the divisor is zero."""

    def build(here: Compiling, values: Sequence[Value]) -> Built:
        need(len(values) == 2, "this takes two numbers")
        kind = common(values)
        need(kind.is_integral or (kind == DOUBLE and operator == "/"), f"this of {kind} is Spark's")
        kind = DOUBLE if operator == "/" else kind
        left, right = (value.cast(kind) for value in values)
        return f"({left} {operator} nullif({right}, 0))", kind, True

    return build


def round_to_integer(function: str) -> Build:
    """ceil and floor. Of a double Spark takes the nearest bigint, and zero for NaN."""

    def build(here: Compiling, values: Sequence[Value]) -> Built:
        value = _only_value(values, function)
        need(value.type.is_numeric, f"{function} takes a number")
        if value.type.is_integral:
            return value.cast(BIGINT), BIGINT, True
        if value.type.is_decimal and value.type.scale == 0:
            return value.sql, value.type, True
        if value.type.is_decimal:
            kind = cut_decimal(value.type.precision - value.type.scale + 1, 0)
            return f"CAST({function}({value.sql}) AS {kind.duckdb})", kind, True
        number = f"{function}({value.cast(DOUBLE)})"
        sql = (
            f"CASE WHEN isnan({value.sql}) THEN 0 "
            f"WHEN {number} >= 9223372036854775808.0::DOUBLE THEN {2**63 - 1} "
            f"WHEN {number} < -9223372036854775808.0::DOUBLE THEN -9223372036854775808 "
            f"ELSE CAST({number} AS BIGINT) END"
        )
        return f"CAST({sql} AS BIGINT)", BIGINT, True

    return build


def pmod(here: Compiling, values: Sequence[Value]) -> Built:
    """The remainder that is not negative, by a positive number that is written out."""
    need(len(values) == 2, "pmod takes two arguments")
    kind, by = common(values), values[1].literal
    need(kind.is_integral, "pmod of other than integers is Spark's")
    need(isinstance(by, int) and by > 0, "pmod by a computed or negative number is Spark's")
    left, right = values[0].cast(kind), values[1].cast(kind)
    return f"((({left} % {right}) + {right}) % {right})", kind, True


def isnan(here: Compiling, values: Sequence[Value]) -> Built:
    value = _only_value(values, "isnan")
    need(value.type.is_float, "isnan takes a double")
    return f"coalesce(isnan({value.sql}), false)", BOOLEAN, False


def extreme(function: str) -> Build:
    """greatest and least: NULLs are left out."""

    def build(here: Compiling, values: Sequence[Value]) -> Built:
        need(len(values) >= 2, f"{function} takes several arguments")
        kind = common(values)
        need(kind.is_plain, f"{function} of {kind} is Spark's")
        sql = f"{function}({', '.join(value.cast(kind) for value in values)})"
        if kind.is_float:  # of zeros, Spark takes the one that it meets first
            minus = " OR ".join(f"({v.cast(kind)} = 0 AND signbit({v.cast(kind)}))" for v in values)
            sql = f"CASE WHEN {minus} THEN {give_up('a zero with a sign', kind)} ELSE {sql} END"
        return sql, kind, all(value.nullable for value in values)

    return build


def coalesce(here: Compiling, values: Sequence[Value]) -> Built:
    kind = common(values)
    sql = f"coalesce({', '.join(value.cast(kind) for value in values)})"
    return sql, kind, all(value.nullable for value in values)


def nullif(here: Compiling, values: Sequence[Value]) -> Built:
    need(len(values) == 2, "nullif takes two arguments")
    kind = common(values)
    need(kind == values[0].type, "nullif of different types is Spark's")
    need(kind.is_plain, f"nullif of {kind} is Spark's")
    return f"nullif({values[0].sql}, {values[1].cast(kind)})", kind, True


def nvl2(here: Compiling, values: Sequence[Value]) -> Built:
    need(len(values) == 3, "nvl2 takes three arguments")
    test, some, none = values
    kind = common([some, none])
    sql = f"CASE WHEN {test.sql} IS NOT NULL THEN {some.cast(kind)} ELSE {none.cast(kind)} END"
    return sql, kind, any_nullable(some, none)


def zeroifnull(here: Compiling, values: Sequence[Value]) -> Built:
    value = _only_value(values, "zeroifnull")
    need(value.type.name in ("int", "bigint"), "zeroifnull takes an int")
    return f"coalesce({value.sql}, 0)", value.type, False


def nullifzero(here: Compiling, values: Sequence[Value]) -> Built:
    value = _only_value(values, "nullifzero")
    need(value.type.name in ("int", "bigint"), "nullifzero takes an int")
    return f"nullif({value.sql}, 0)", value.type, True


def is_null(word: str) -> Build:
    def build(here: Compiling, values: Sequence[Value]) -> Built:
        value = _only_value(values, "isnull")
        return f"({value.sql} {word})", BOOLEAN, False

    return build
