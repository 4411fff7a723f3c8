"""Arithmetic as ANSI Spark does it: result types, overflow, division, decimals."""

from __future__ import annotations

from dataclasses import replace

from sqe.engines.local.compile.value import Value, made, shown
from sqe.engines.local.plan import NotLocal
from sqe.engines.local.types import (
    BIGINT,
    DOUBLE,
    SparkType,
    bounded,
    common_type,
    decimal,
    decimal_of,
)

# A HUGEINT holds 38 digits; rounding doubles the dividend, so one digit is kept free.
_HUGEINT_DIGITS = 37
_BIGINT_DIGITS = 17  # twice such a number, and one more, is still a BIGINT
_LONGEST = 30_000  # characters: each level of decimal arithmetic repeats the one below
_MORE_DIGITS = "decimal arithmetic needs more digits"


def fail(code: str, message: str, kind: SparkType) -> str:
    """SQL that raises a user's error, of the type the place needs."""
    text = f"SQE:{code}:{message}".replace("'", "''")
    return f"CAST(error('{text}') AS {kind.duckdb})"


def give_up(what: str, kind: SparkType) -> str:
    """SQL that leaves the query to Spark when a row gets there, of the type the place needs."""
    return f"CAST(error('SQE:LOCAL:{what}') AS {kind.duckdb})"


def binary(operator: str, left: Value, right: Value) -> Value:
    """left + - * / % div & | ^ right, both numeric."""
    if not (left.type.is_numeric and right.type.is_numeric):
        raise NotLocal(f"{operator} on {left.type} and {right.type} is Spark's")
    name = shown(f"({{}} {operator} {{}})", left, right)
    decimals = left.type.is_decimal or right.type.is_decimal
    floats = left.type.is_float or right.type.is_float
    if operator in ("div", "&", "|", "^"):
        return _integral(operator, left, right, name)
    if operator == "/" and (floats or not decimals):
        return _divide(left, right, name)
    if decimals and not floats:
        if len(left.sql) + len(right.sql) > _LONGEST:
            raise NotLocal("decimal arithmetic nested so deeply is Spark's")
        return _decimal(operator, as_decimal(left), as_decimal(right), name)
    kind = common_type(left.type, right.type)
    if operator == "%":
        return _remainder(left, right, kind, name)
    sql = f"({left.cast(kind)} {operator} {right.cast(kind)})"
    return made(sql, kind, name, left, right)


def _integral(operator: str, left: Value, right: Value, name: str) -> Value:
    if not (left.type.is_integral and right.type.is_integral):
        raise NotLocal(f"{operator} on {left.type} and {right.type} is Spark's")
    if operator == "div":
        sql = f"({left.cast(BIGINT)} // {right.cast(BIGINT)})"
        return _quotient(_checked(left, right, sql, BIGINT), BIGINT, name, left, right)
    kind = common_type(left.type, right.type)
    sides = left.cast(kind), right.cast(kind)
    sql = f"xor({sides[0]}, {sides[1]})" if operator == "^" else f"({operator.join(sides)})"
    return made(sql, kind, name, left, right)


def as_decimal(value: Value) -> Value:
    """An integer beside a decimal; one as written has just the digits it shows."""
    if value.type.is_decimal:
        return value
    if value.bare and isinstance(value.literal, int):
        kind = SparkType("decimal", max(1, len(str(abs(value.literal)))), 0)
    else:
        kind = decimal_of(value.type)
    return Value(value.cast(kind), kind, value.name, value.nullable, value.literal, value.aggregate)


def _decimal(operator: str, left: Value, right: Value, name: str) -> Value:
    p1, s1 = left.type.precision, left.type.scale
    p2, s2 = right.type.precision, right.type.scale
    if operator in ("+", "-"):
        scale = max(s1, s2)
        kind = decimal(max(p1 - s1, p2 - s2) + scale + 1, scale)
        if kind.scale < scale:
            return made(_rounded_sum(operator, left, right, kind), kind, name, left, right)
        # Both sides in the result's type first: DuckDB then adds without widening further.
        sql = f"CAST({left.cast(kind)} {operator} {right.cast(kind)} AS {kind.duckdb})"
    elif operator == "*":
        kind = decimal(p1 + p2 + 1, s1 + s2)
        if kind.scale < s1 + s2:
            return made(_rounded_product(left, right, kind), kind, name, left, right)
        sql = f"CAST({wide(left, p2)} * {right.sql} AS {kind.duckdb})"
        product = made(sql, kind, name, left, right)
        return replace(product, quick=_quick_product(left, right))
    elif operator == "/":
        return _decimal_divide(left, right, name)
    else:
        return _decimal_remainder(left, right, name)
    return made(sql, kind, name, left, right)


def _quick_product(left: Value, right: Value) -> str:
    """Empty unless both factors have 18 digits at most."""
    short = [
        side.quick or (side.sql if side.type.precision <= 18 else "") for side in (left, right)
    ]
    if not all(short) or left.type.scale + right.type.scale > 17:
        return ""
    return f"({short[0]} * {short[1]})"


def wide(value: Value, other_precision: int) -> str:
    """A factor that DuckDB multiplies in 38 digits; two of up to 18 it would keep in 18."""
    if value.type.precision + other_precision <= 18:
        return value.sql
    return f"CAST({value.sql} AS DECIMAL(38,{value.type.scale}))"


def _rounded_sum(operator: str, left: Value, right: Value, kind: SparkType) -> str:
    """A sum with more digits than fit: exact in whole numbers, then rounded half up."""
    scale = max(left.type.scale, right.type.scale)
    sides, guards = [], []
    for side in (left, right):
        shift = scale - side.type.scale
        digits = unscaled(side)
        sides.append(f"({digits} * {_power(shift)})" if shift else digits)
        guards.append((digits, _HUGEINT_DIGITS - 1 - shift, side.type.precision))
    total = f"({sides[0]} {operator} {sides[1]})"
    sql = scaled(divide_half_up(total, _power(scale - kind.scale)), kind)
    return _guarded(sql, kind, guards)


def _rounded_product(left: Value, right: Value, kind: SparkType) -> str:
    drop = left.type.scale + right.type.scale - kind.scale
    sides = unscaled(left), unscaled(right)
    sql = scaled(divide_half_up(f"({sides[0]} * {sides[1]})", _power(drop)), kind)
    large = f"abs(CAST({sides[0]} AS DOUBLE)) * abs(CAST({sides[1]} AS DOUBLE)) >= 1e37"
    return f"CASE WHEN {large} THEN {give_up(_MORE_DIGITS, kind)} ELSE {sql} END"


def _guarded(sql: str, kind: SparkType, guards: list[tuple[str, int, int]]) -> str:
    """``guards``: digits, how many there may be, and how many the type allows. Values so large are
    rare; where one turns up, Spark has to do it."""
    needed = [(digits, limit) for digits, limit, most in guards if most > limit]
    if any(limit < 1 for _, limit in needed):
        raise NotLocal("arithmetic on such wide decimals is Spark's")
    if not needed:
        return sql
    large = " OR ".join(f"abs({digits}) >= {_power(limit)}" for digits, limit in needed)
    return f"CASE WHEN {large} THEN {give_up(_MORE_DIGITS, kind)} ELSE {sql} END"


def _decimal_remainder(left: Value, right: Value, name: str) -> Value:
    p1, s1 = left.type.precision, left.type.scale
    p2, s2 = right.type.precision, right.type.scale
    scale = max(s1, s2)
    if max(p1 - s1, p2 - s2) + scale > 38:
        raise NotLocal("the remainder of such wide decimals is Spark's")
    kind = decimal(min(p1 - s1, p2 - s2) + scale, scale)
    sides = [f"CAST({side.sql} AS DECIMAL(38,{scale}))" for side in (left, right)]
    sql = f"CAST({sides[0]} % {sides[1]} AS {kind.duckdb})"
    return _quotient(_checked(left, right, sql, kind), kind, name, left, right)


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
    return made(sql, kind, name, left, right, nullable=True)


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
    short = p1 + max(0, shift) <= _BIGINT_DIGITS and p2 - min(0, shift) <= _BIGINT_DIGITS
    whole = "BIGINT" if short else "HUGEINT"  # the short one is a hundred times as fast
    dividend, divisor = unscaled(left, whole), unscaled(right, whole)
    sql = scaled(_shifted_quotient(dividend, divisor, shift, whole), kind)
    guards = [(dividend, _HUGEINT_DIGITS - max(0, shift), p1)]
    # Spark rounds to 38 places first. By divisors up to this size that never changes the result: a
    # quotient that is no half of a last digit is further away from it than Spark's first rounding.
    guards.append((divisor, min(38 - kind.scale, _HUGEINT_DIGITS) + min(0, shift), p2))
    sql = _guarded(sql, kind, guards)
    return _quotient(_checked(left, right, sql, kind), kind, name, left, right)


def _shifted_quotient(dividend: str, divisor: str, shift: int, whole: str) -> str:
    if shift >= 0:
        return divide_half_up(f"({dividend} * {_power(shift, whole)})", divisor)
    return divide_half_up(dividend, f"({divisor} * {_power(-shift, whole)})")


def unscaled(value: Value, whole: str = "HUGEINT") -> str:
    """A decimal's digits as a whole number: 12.34 is 1234."""
    if value.type.scale == 0:
        return f"CAST({value.sql} AS {whole})"
    if value.type.precision + value.type.scale + 1 > 38:  # too wide for a product: through text
        return f"CAST(replace(CAST({value.sql} AS VARCHAR), '.', '') AS HUGEINT)"
    ten = f"CAST(1{'0' * value.type.scale} AS DECIMAL({value.type.scale + 1},0))"
    return f"CAST({wide(value, value.type.scale + 1)} * {ten} AS {whole})"


def divide_half_up(dividend: str, divisor: str) -> str:
    """Integer division, rounded half away from zero."""
    sign = f"CASE WHEN ({dividend} < 0) <> ({divisor} < 0) THEN -1 ELSE 1 END"
    return f"(({sign}) * ((2 * abs({dividend}) + abs({divisor})) // (2 * abs({divisor}))))"


def scaled(digits: str, kind: SparkType) -> str:
    """A HUGEINT of digits as a decimal: the way back from ``unscaled``."""
    if kind.scale == 0:
        return f"CAST({digits} AS {kind.duckdb})"
    # One unit of the last place is the number 1 inside: the product has the very digits.
    unit = f"CAST(0.{'0' * (kind.scale - 1)}1 AS DECIMAL({kind.scale},{kind.scale}))"
    return f"CAST(CAST({digits} AS DECIMAL(38,0)) * {unit} AS {kind.duckdb})"


def _power(exponent: int, whole: str = "HUGEINT") -> str:
    return f"CAST(1{'0' * exponent} AS {whole})"


def average(value: Value, distinct: str, over: str) -> str:
    """avg() with Spark's type and rounding. ``over`` is the window, or nothing."""
    if not value.type.is_decimal:
        # Spark adds doubles and divides once.
        added = f"sum({distinct}{value.cast(DOUBLE)}){over}"
        return f"({added} / count({distinct}{value.sql}){over})"
    kind = average_type(value.type)
    total_type = bounded(value.type.precision + 10, value.type.scale)
    added = "" if "OVER (" in over else value.quick
    summed = f"sum({distinct}{added or value.sql}){over}"
    total = Value(f"CAST({summed} AS {total_type.duckdb})", total_type, "")
    count = f"CAST(count({distinct}{value.sql}){over} AS HUGEINT)"
    shift = kind.scale - value.type.scale
    digits = unscaled(total)
    quotient = scaled(divide_half_up(f"({digits} * {_power(shift)})", count), kind)
    sql = _guarded(quotient, kind, [(digits, _HUGEINT_DIGITS - shift, total_type.precision)])
    # Without rows the sum is NULL, and so is everything made of it.
    return f"CASE WHEN {count} = 0 THEN NULL ELSE {sql} END"


def average_type(kind: SparkType) -> SparkType:
    return bounded(kind.precision + 4, kind.scale + 4) if kind.is_decimal else DOUBLE


def sum_type(kind: SparkType) -> SparkType:
    if kind.is_decimal:
        return bounded(kind.precision + 10, kind.scale)
    return DOUBLE if kind.is_float else SparkType("bigint")
