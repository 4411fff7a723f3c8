"""CAST from and to texts, with Trino's rules of reading (which are Java's) and of printing."""

from __future__ import annotations

import re

from sqe.model.trino_types import DOUBLE, REAL, TrinoType
from sqe.trino.dialect.casts import cast_failure, casts, fit_text, spark_cast
from sqe.trino.dialect.casts_numbers import shortest_digits
from sqe.trino.dialect.repeated import with_variable
from sqe.trino.dialect.typed import Typed, fail, spark_type, string

# The longest text a value of the type can have.
_LONGEST = {"tinyint": 4, "smallint": 6, "integer": 11, "bigint": 20}
_FORMATS = {"double": "0.0##################E0", "real": "0.0#####E0"}
_NAMES = {"integer": "INT"}


# ------------------------------------------------------------------------ to texts


@casts("tinyint smallint integer bigint decimal", "varchar")
def _exact_to_text(value: Typed, target: TrinoType, safe: bool, at: int) -> str:
    source = value.type
    longest = source.precision + 3 if source.base == "decimal" else _LONGEST[source.base]
    text = f"CAST({value.sql} AS STRING)"
    if target.length is None or target.length >= longest:
        return text
    return fit_text(text, target, at, safe=safe)


@casts("boolean", "varchar")
def _boolean_to_text(value: Typed, target: TrinoType, safe: bool, at: int) -> str:
    if target.length is None or target.length >= 5:
        return f"CAST({value.sql} AS STRING)"
    message = string(f"Character count exceeds length limit {target.length}")
    error = fail("GENERIC_INTERNAL_ERROR", message, target, at)  # also of TRY_CAST
    true = "'true'" if target.length == 4 else error
    return f"CASE WHEN {value.sql} THEN {true} WHEN NOT {value.sql} THEN {error} END"


@casts("double real", "varchar")
def _float_to_text(value: Typed, target: TrinoType, safe: bool, at: int) -> str:
    """Always with an exponent; Java's DecimalFormat, which Spark's format_number is, writes it. A
    real is first read again as a double."""

    def write(sql: str) -> str:
        plain = f"CAST({sql} AS STRING)"
        special = f"isnan({sql}) OR abs({sql}) = CAST('Infinity' AS DOUBLE)"
        zero = f"IF({plain} = '0.0', '0E0', '-0E0')"
        number = sql if value.type == DOUBLE else f"CAST({shortest_digits(sql, REAL)} AS DOUBLE)"
        return (
            f"CASE WHEN {special} THEN {plain} WHEN {sql} = 0 THEN {zero} "
            f"ELSE format_number({number}, '{_FORMATS[value.type.base]}') END"
        )

    text = with_variable(value.sql, write)
    if target.length is None or target.length >= 24:
        return text
    return with_variable(text, lambda sql: _if_it_fits(sql, target, safe, at))


def _if_it_fits(sql: str, target: TrinoType, safe: bool, at: int) -> str:
    message = f"concat('Value ', {sql}, ' cannot be represented as {target}')"
    error = cast_failure(message, target, at, safe=safe)
    return f"IF(length({sql}) > {target.length}, {error}, {sql})"


@casts("varchar", "varchar")
def _text_to_text(value: Typed, target: TrinoType, safe: bool, at: int) -> str:
    return _cut(value.sql, value.type.length, target.length)


@casts("varchar char", "char")
def _to_char(value: Typed, target: TrinoType, safe: bool, at: int) -> str:
    """Blanks at the end are not kept: the type says how many there are."""
    cut = _cut(value.sql, value.type.length, target.length)
    return cut if cut == value.sql and value.type.base == "char" else f"rtrim({cut})"


@casts("char", "varchar")
def _from_char(value: Typed, target: TrinoType, safe: bool, at: int) -> str:
    length = value.type.length
    return _cut(f"rpad({value.sql}, {length}, ' ')", length, target.length)


def _cut(sql: str, length: int | None, longest: int | None) -> str:
    if longest is None or (length is not None and length <= longest):
        return sql
    return f"substring({sql}, 1, {longest})"


@casts("varchar", "varbinary")
def _to_bytes(value: Typed, target: TrinoType, safe: bool, at: int) -> str:
    return f"CAST({value.sql} AS BINARY)"


# ---------------------------------------------------------------------- from texts


def _unreadable(sql: str, target: TrinoType) -> str:
    name = _NAMES.get(target.base, target.base.upper())
    return f"concat('Cannot cast \\'', {sql}, '\\' to {name}')"


@casts("varchar", "tinyint smallint integer bigint")
def _to_integer(value: Typed, target: TrinoType, safe: bool, at: int) -> str:
    return spark_cast(value.sql, target, at, safe=safe)


_SPECIAL = re.compile("inf|nan", re.IGNORECASE)


@casts("varchar", "double real")
def _to_float(value: Typed, target: TrinoType, safe: bool, at: int) -> str:
    """Spark's reading is Java's, too, but takes ``inf`` and ``nan`` in any case besides."""
    if isinstance(value.constant, str) and _SPECIAL.search(value.constant) is None:
        return spark_cast(value.sql, target, at, safe=safe)

    def write(sql: str) -> str:
        named = f"contains(lower({sql}), 'inf') OR contains(lower({sql}), 'nan')"
        right = f"contains({sql}, 'Infinity') OR contains({sql}, 'NaN')"
        error = cast_failure(_unreadable(sql, target), target, at, safe=safe)
        read = spark_cast(sql, target, at, safe=safe)
        return f"IF(({named}) AND NOT ({right}), {error}, {read})"

    return with_variable(value.sql, write)


@casts("varchar", "decimal")
def _to_decimal(value: Typed, target: TrinoType, safe: bool, at: int) -> str:
    """Blanks around the number are an error, which Spark does not mind."""

    def write(sql: str) -> str:
        read = f"try_cast({sql} AS {spark_type(target, at)})"
        if not isinstance(value.constant, str):
            read = f"IF({sql} RLIKE '[\\\\x00-\\\\x20]', NULL, {read})"
        elif value.constant.strip() != value.constant:
            read = "NULL"
        if safe:
            return read
        named = f"DECIMAL({target.precision}, {target.scale})"
        message = f"concat('Cannot cast VARCHAR \\'', {sql}, '\\' to {named}.')"
        error = cast_failure(message, target, at, safe=False)
        return f"coalesce({read}, IF({sql} IS NULL, NULL, {error}))"

    return with_variable(value.sql, write)


@casts("varchar", "boolean")
def _to_boolean(value: Typed, target: TrinoType, safe: bool, at: int) -> str:
    def write(sql: str) -> str:
        error = cast_failure(_unreadable(sql, target), target, at, safe=safe)
        return (
            f"CASE WHEN lower({sql}) IN ('true', 't', '1') THEN true "
            f"WHEN lower({sql}) IN ('false', 'f', '0') THEN false "
            f"WHEN {sql} IS NOT NULL THEN {error} END"
        )

    return with_variable(value.sql, write)
