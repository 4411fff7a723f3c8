"""CAST between numbers and booleans. Trino rounds half away from zero where Spark cuts off."""

from __future__ import annotations

from sqe.model.trino_types import BIGINT, INTEGER, REAL, SMALLINT, TINYINT, TrinoType
from sqe.trino.dialect.casts import EXACT_DIGITS, cast_failure, casts, spark_cast
from sqe.trino.dialect.errors import not_supported
from sqe.trino.dialect.repeated import with_variable
from sqe.trino.dialect.typed import Typed, fail, spark_type, string

_BITS = {TINYINT: 8, SMALLINT: 16, INTEGER: 32, BIGINT: 64}
_DIGITS = {TINYINT: 3, SMALLINT: 5, INTEGER: 10, BIGINT: 19}
_SHORT = 18  # digits of a decimal that Trino computes with as a long
_TWO_63 = "9223372036854775808E0D"


@casts("tinyint smallint integer bigint", "tinyint smallint integer bigint double real")
def _integer(value: Typed, target: TrinoType, safe: bool, at: int) -> str:
    if target == REAL:
        return _as_float(value.sql)
    narrower = target in _BITS and _BITS[target] < _BITS[value.type]
    return spark_cast(value.sql, target, at, safe=safe and narrower)


def _as_float(sql: str) -> str:
    """Spark makes one cast of two, from an integer to a float to a double, and so loses the
    rounding; a product between them stays."""
    return f"(CAST({sql} AS FLOAT) * CAST(1 AS FLOAT))"


@casts("real", "double")
def _to_double(value: Typed, target: TrinoType, safe: bool, at: int) -> str:
    return f"CAST({value.sql} AS DOUBLE)"


@casts("double", "real")
def _to_real(value: Typed, target: TrinoType, safe: bool, at: int) -> str:
    return f"CAST({value.sql} AS FLOAT)"


@casts("tinyint smallint integer bigint real double decimal", "boolean")
def _to_boolean(value: Typed, target: TrinoType, safe: bool, at: int) -> str:
    return f"({value.sql} <> 0)"


@casts("boolean", "tinyint smallint integer bigint real double decimal")
def _from_boolean(value: Typed, target: TrinoType, safe: bool, at: int) -> str:
    number = f"CAST({value.sql} AS INT)"
    if target.base == "decimal" and target.precision == target.scale:
        raise not_supported(f"CAST of boolean to {target}, which cannot hold a 1,", at)
    return number if target == INTEGER else f"CAST({number} AS {spark_type(target, at)})"


# ------------------------------------------------------------------- to integers


@casts("double", "tinyint smallint integer")
def _double_to_integer(value: Typed, target: TrinoType, safe: bool, at: int) -> str:
    if safe:  # NaN is out of range to Spark, too
        return spark_cast(f"round({value.sql})", target, at, safe=True)
    return _float_to_integer(value, target, at)


@casts("real", "tinyint smallint integer")
def _real_to_integer(value: Typed, target: TrinoType, safe: bool, at: int) -> str:
    return _double_to_integer(Typed(value.type, f"CAST({value.sql} AS DOUBLE)"), target, safe, at)


def _float_to_integer(value: Typed, target: TrinoType, at: int) -> str:
    message = string(f"Cannot cast {value.type} NaN to {target}")
    nan = fail("INVALID_CAST_ARGUMENT", message, target, at)
    return with_variable(
        value.sql,
        lambda sql: (
            f"IF(isnan({sql}), {nan}, {spark_cast(f'round({sql})', target, at, safe=False)})"
        ),
    )


@casts("double", "bigint")
def _double_to_bigint(value: Typed, target: TrinoType, safe: bool, at: int) -> str:
    def write(sql: str) -> str:
        message = f"concat('Unable to cast ', CAST({sql} AS STRING), ' to bigint')"
        return (
            f"CASE WHEN {sql} >= -{_TWO_63} AND {sql} < {_TWO_63} "
            f"THEN CAST(round({sql}) AS BIGINT) "
            f"WHEN {sql} IS NOT NULL THEN {cast_failure(message, target, at, safe=safe)} END"
        )

    return with_variable(value.sql, write)


@casts("real", "bigint")
def _real_to_bigint(value: Typed, target: TrinoType, safe: bool, at: int) -> str:
    """Out of range, it is the largest or the smallest one."""
    nan = cast_failure(string("Cannot cast real NaN to bigint"), target, at, safe=safe)
    return with_variable(
        f"CAST({value.sql} AS DOUBLE)",
        lambda sql: (
            f"CASE WHEN isnan({sql}) THEN {nan} "
            f"WHEN {sql} >= {_TWO_63} THEN 9223372036854775807L "
            f"WHEN {sql} < -{_TWO_63} THEN (-9223372036854775807L - 1L) "
            f"ELSE CAST(round({sql}) AS BIGINT) END"
        ),
    )


@casts("decimal", "tinyint smallint integer bigint")
def _decimal_to_integer(value: Typed, target: TrinoType, safe: bool, at: int) -> str:
    source = value.type
    rounded = f"round({value.sql}, 0)" if source.scale else value.sql
    if source.precision - source.scale < _DIGITS[target] - 1 or safe:
        return spark_cast(rounded, target, at, safe=safe)
    limit = 2 ** (_BITS[target] - 1)
    if source.precision - source.scale < _DIGITS[target]:
        limit = min(limit, 10 ** (_DIGITS[target]))

    def write(sql: str) -> str:
        message = (
            f"concat('Cannot cast \\'', CAST({sql} AS STRING), '\\' to {target.base.upper()}')"
        )
        return (
            f"CASE WHEN {sql} BETWEEN -{limit}BD AND {limit - 1}BD "
            f"THEN CAST({sql} AS {spark_type(target, at)}) "
            f"WHEN {sql} IS NOT NULL THEN {cast_failure(message, target, at, safe=False)} END"
        )

    return with_variable(rounded, write)


# ------------------------------------------------------------------- to decimals


def _display(target: TrinoType) -> str:
    return f"{target.base.upper()}({target.precision}, {target.scale})"


def _too_large(source: TrinoType, target: TrinoType, sql: str) -> str:
    named = _display(source) if source.base == "decimal" else source.base.upper()
    return f"concat('Cannot cast {named} \\'', CAST({sql} AS STRING), '\\' to {_display(target)}')"


@casts("tinyint smallint integer bigint", "decimal")
def _integer_to_decimal(value: Typed, target: TrinoType, safe: bool, at: int) -> str:
    whole = target.precision - target.scale
    if whole >= _DIGITS[value.type] or safe:
        return spark_cast(value.sql, target, at, safe=safe)
    largest = 10**whole - 1
    ending = "L" if largest >= 2**31 else ""

    def write(sql: str) -> str:
        message = _too_large(value.type, target, sql)
        return (
            f"CASE WHEN {sql} BETWEEN -{largest}{ending} AND {largest}{ending} "
            f"THEN {spark_cast(sql, target, at, safe=False)} "
            f"WHEN {sql} IS NOT NULL THEN {cast_failure(message, target, at, safe=False)} END"
        )

    return with_variable(value.sql, write)


@casts("decimal", "decimal")
def _decimal_to_decimal(value: Typed, target: TrinoType, safe: bool, at: int) -> str:
    source = value.type
    mine, theirs = source.precision - source.scale, target.precision - target.scale
    fits = theirs > mine or (theirs == mine and target.scale >= source.scale)
    if fits or safe:
        return spark_cast(value.sql, target, at, safe=safe and not fits)
    return with_variable(value.sql, lambda sql: _or_fail(sql, sql, source, target, at))


def _or_fail(sql: str, written: str, source: TrinoType, target: TrinoType, at: int) -> str:
    """``written`` as a decimal; ``sql`` is the value it stands for."""
    error = cast_failure(_too_large(source, target, sql), target, at, safe=False)
    tried = f"try_cast({written} AS {spark_type(target, at)})"
    return f"coalesce({tried}, IF({sql} IS NULL, NULL, {error}))"


@casts("double real", "decimal")
def _float_to_decimal(value: Typed, target: TrinoType, safe: bool, at: int) -> str:
    def write(sql: str) -> str:
        written = shortest_digits(sql, value.type)
        if safe:
            return f"try_cast({written} AS {spark_type(target, at)})"
        return _or_fail(sql, written, value.type, target, at)

    return with_variable(value.sql, write)


def shortest_digits(sql: str, kind: TrinoType) -> str:
    """The fewest digits that mean this number; NULL of NULL, which ``format_string`` would write
    out. Java before 19 writes too many of some."""
    name, fewest, most = ("FLOAT", 6, 9) if kind == REAL else ("DOUBLE", 15, 17)
    tries = []
    for digits in range(fewest, most):
        written = f"format_string('%.{digits - 1}e', {sql})"
        tries.append(f"WHEN try_cast({written} AS {name}) = {sql} THEN {written}")
    tries.append(f"WHEN {sql} IS NOT NULL THEN format_string('%.{most - 1}e', {sql})")
    return f"CASE {' '.join(tries)} END"


# ----------------------------------------------------------------- from decimals


@casts("decimal", "double")
def _decimal_to_double(value: Typed, target: TrinoType, safe: bool, at: int) -> str:
    source = value.type
    if not EXACT_DIGITS < source.precision <= _SHORT or source.scale == 0:
        return f"CAST({value.sql} AS DOUBLE)"
    return f"(CAST({_digits_of(value)} AS DOUBLE) / 1E{source.scale}D)"


@casts("decimal", "real")
def _decimal_to_real(value: Typed, target: TrinoType, safe: bool, at: int) -> str:
    source = value.type
    if source.precision > _SHORT:
        return f"CAST({value.sql} AS FLOAT)"
    power = f"CAST(1E{source.scale}D AS FLOAT)"
    return f"CAST(({_as_float(_digits_of(value))} / {power}) AS FLOAT)"


def _digits_of(value: Typed) -> str:
    """A short decimal without its point, a bigint: Trino divides that, and rounds twice."""
    scale = value.type.scale
    return (
        f"CAST({value.sql} * {10**scale}BD AS BIGINT)" if scale else f"CAST({value.sql} AS BIGINT)"
    )
