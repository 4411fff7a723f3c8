"""Arithmetic as ANSI Spark does it: result types, overflow, division, decimals."""

from __future__ import annotations

from sqe.engines.local.compile.value import Value, any_aggregate, any_nullable
from sqe.engines.local.plan import NotLocal
from sqe.engines.local.types import DOUBLE, SparkType, bounded, common_type, decimal, decimal_of

# A HUGEINT holds 38 digits; rounding doubles the dividend, so one digit is kept free.
_HUGEINT_DIGITS = 37


def fail(code: str, message: str, kind: SparkType) -> str:
    """SQL that raises a user's error, of the type the place needs."""
    text = f"SQE:{code}:{message}".replace("'", "''")
    return f"CAST(error('{text}') AS {kind.duckdb})"


def binary(operator: str, left: Value, right: Value) -> Value:
    """left + - * / % right, both numeric."""
    if not (left.type.is_numeric and right.type.is_numeric):
        raise NotLocal(f"{operator} on {left.type} and {right.type} is Spark's")
    name = f"({left.name} {operator} {right.name})"
    if operator == "/" and not (left.type.is_decimal or right.type.is_decimal):
        return _divide(left, right, name)
    if left.type.is_decimal or right.type.is_decimal:
        if left.type.is_float or right.type.is_float:
            raise NotLocal("decimals mixed with doubles are Spark's")
        return _decimal(operator, _as_decimal(left), _as_decimal(right), name)
    kind = common_type(left.type, right.type)
    if operator == "%":
        return _remainder(left, right, kind, name)
    sql = f"({left.cast(kind)} {operator} {right.cast(kind)})"
    return _value(sql, kind, name, left, right)


def _value(sql: str, kind: SparkType, name: str, left: Value, right: Value) -> Value:
    nullable = any_nullable(left, right)
    return Value(sql, kind, name, nullable, aggregate=any_aggregate(left, right))


def _as_decimal(value: Value) -> Value:
    """An integer beside a decimal; a literal has just the digits it shows."""
    if value.type.is_decimal:
        return value
    if isinstance(value.literal, int):
        kind = SparkType("decimal", max(1, len(str(abs(value.literal)))), 0)
    else:
        kind = decimal_of(value.type)
    return Value(value.cast(kind), kind, value.name, value.nullable, value.literal, value.aggregate)


def _decimal(operator: str, left: Value, right: Value, name: str) -> Value:
    p1, s1 = left.type.precision, left.type.scale
    p2, s2 = right.type.precision, right.type.scale
    if operator in ("+", "-"):
        scale = max(s1, s2)
        precision = max(p1 - s1, p2 - s2) + scale + 1
        kind = _exact(precision, scale)
        # Both sides in the result's type first: DuckDB then adds without widening further.
        sql = f"CAST({left.cast(kind)} {operator} {right.cast(kind)} AS {kind.duckdb})"
    elif operator == "*":
        kind = _exact(p1 + p2 + 1, s1 + s2)
        sql = f"CAST({wide(left, p2)} * {right.sql} AS {kind.duckdb})"
    elif operator == "/":
        return _decimal_divide(left, right, name)
    else:
        raise NotLocal("the remainder of decimals is Spark's")
    return _value(sql, kind, name, left, right)


def wide(value: Value, other_precision: int) -> str:
    """A factor that DuckDB multiplies in 38 digits; two of up to 18 it would keep in 18."""
    if value.type.precision + other_precision <= 18:
        return value.sql
    return f"CAST({value.sql} AS DECIMAL(38,{value.type.scale}))"


def _exact(precision: int, scale: int) -> SparkType:
    """A result whose digits may be cut at 38, where both engines then raise, but not its scale."""
    kind = decimal(precision, scale)
    if kind.scale != scale:
        raise NotLocal("decimals that lose digits behind the point are Spark's")
    return kind


def _is_zero(value: Value) -> bool | None:
    """Whether a literal is zero; None for anything that has to be looked at row by row."""
    if isinstance(value.literal, bool) or not isinstance(value.literal, int | float):
        return None
    return value.literal == 0


def _checked(left: Value, right: Value, sql: str, kind: SparkType) -> str:
    """NULL in gives NULL, even over zero; zero raises."""
    if _is_zero(right) is False:
        return sql
    zero = fail("DIVISION_BY_ZERO", "Division by zero.", kind)
    return (
        f"CASE WHEN {left.sql} IS NULL OR {right.sql} IS NULL THEN NULL "
        f"WHEN {right.sql} = 0 THEN {zero} ELSE {sql} END"
    )


def _divide(left: Value, right: Value, name: str) -> Value:
    sql = f"({left.cast(DOUBLE)} / {right.cast(DOUBLE)})"
    return _quotient(_checked(left, right, sql, DOUBLE), DOUBLE, name, left, right)


def _quotient(sql: str, kind: SparkType, name: str, left: Value, right: Value) -> Value:
    """Spark calls every quotient and remainder nullable."""
    return Value(sql, kind, name, True, aggregate=any_aggregate(left, right))


def _remainder(left: Value, right: Value, kind: SparkType, name: str) -> Value:
    if kind.is_float:
        raise NotLocal("the remainder of doubles is Spark's")
    sql = f"({left.cast(kind)} % {right.cast(kind)})"
    return _quotient(_checked(left, right, sql, kind), kind, name, left, right)


def _decimal_divide(left: Value, right: Value, name: str) -> Value:
    """Spark's quotient: exact, rounded half up to the result's scale. DuckDB would use doubles."""
    p1, s1 = left.type.precision, left.type.scale
    p2, s2 = right.type.precision, right.type.scale
    scale = max(6, s1 + p2 + 1)
    kind = decimal(p1 - s1 + s2 + scale, scale)
    shift = kind.scale - s1 + s2
    if shift < 0 or p1 + s1 + 1 > 38 or p2 + s2 + 1 > 38:
        raise NotLocal("a division of such wide decimals is Spark's")
    dividend, divisor = unscaled(left), unscaled(right)
    quotient = divide_half_up(f"{dividend} * {_power(shift)}", divisor)
    if p1 + shift > _HUGEINT_DIGITS:
        # Values this large are rare; where one turns up, Spark has to do it.
        limit = _power(max(0, _HUGEINT_DIGITS - shift))
        give_up = "CAST(error('SQE:LOCAL:a decimal division needs more digits') AS HUGEINT)"
        quotient = f"CASE WHEN abs({dividend}) >= {limit} THEN {give_up} ELSE {quotient} END"
    sql = scaled(quotient, kind)
    return _quotient(_checked(left, right, sql, kind), kind, name, left, right)


def unscaled(value: Value) -> str:
    """A decimal's digits as a HUGEINT: 12.34 is 1234."""
    if value.type.scale == 0:
        return f"CAST({value.sql} AS HUGEINT)"
    ten = f"CAST(1{'0' * value.type.scale} AS DECIMAL({value.type.scale + 1},0))"
    return f"CAST({wide(value, 38)} * {ten} AS HUGEINT)"


def divide_half_up(dividend: str, divisor: str) -> str:
    """Integer division, rounded half away from zero."""
    sign = f"CASE WHEN ({dividend} < 0) <> ({divisor} < 0) THEN -1 ELSE 1 END"
    return f"(({sign}) * ((2 * abs({dividend}) + abs({divisor})) // (2 * abs({divisor}))))"


def scaled(digits: str, kind: SparkType) -> str:
    """A HUGEINT of digits as a decimal: the way back from ``unscaled``."""
    if kind.scale == 0:
        return f"CAST({digits} AS {kind.duckdb})"
    if kind.precision + kind.scale <= 38:
        unit = f"CAST(0.{'0' * (kind.scale - 1)}1 AS DECIMAL({kind.scale},{kind.scale}))"
        whole = f"CAST({digits} AS DECIMAL(38,0))"
        return f"CAST({whole} * {unit} AS {kind.duckdb})"
    # Too wide for a product: through text. Only results of aggregates get here in practice.
    ten = _power(kind.scale)
    text = (
        f"(CASE WHEN {digits} < 0 THEN '-' ELSE '' END || "
        f"CAST(abs({digits}) // {ten} AS VARCHAR) || '.' || "
        f"lpad(CAST(abs({digits}) % {ten} AS VARCHAR), {kind.scale}, '0'))"
    )
    return f"CAST({text} AS {kind.duckdb})"


def _power(exponent: int) -> str:
    return f"CAST(1{'0' * exponent} AS HUGEINT)"


def average(value: Value, over: str) -> str:
    """avg() with Spark's type and rounding. ``over`` is the window, or nothing."""
    if not value.type.is_decimal:
        # Spark adds doubles and divides once.
        return f"(sum({value.cast(DOUBLE)}){over} / count({value.sql}){over})"
    kind = average_type(value.type)
    total_type = bounded(value.type.precision + 10, value.type.scale)
    total = Value(f"CAST(sum({value.sql}){over} AS {total_type.duckdb})", total_type, "")
    if total_type.precision + total_type.scale + 1 > 38:
        raise NotLocal("the average of such wide decimals is Spark's")
    count = f"CAST(count({value.sql}){over} AS HUGEINT)"
    shift = kind.scale - value.type.scale
    quotient = divide_half_up(f"{unscaled(total)} * {_power(shift)}", count)
    # Without rows the sum is NULL, and so is everything made of it.
    guarded = f"CASE WHEN {count} = 0 THEN NULL ELSE {quotient} END"
    return scaled(guarded, kind)


def average_type(kind: SparkType) -> SparkType:
    return bounded(kind.precision + 4, kind.scale + 4) if kind.is_decimal else DOUBLE


def sum_type(kind: SparkType) -> SparkType:
    if kind.is_decimal:
        return bounded(kind.precision + 10, kind.scale)
    return DOUBLE if kind.is_float else SparkType("bigint")
