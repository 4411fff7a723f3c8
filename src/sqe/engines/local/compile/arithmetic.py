"""Arithmetic as ANSI Spark does it: result types, overflow, division, decimals."""

from __future__ import annotations

from dataclasses import replace

from sqe.engines.local.compile.digits import (
    BIGINT_DIGITS,
    compute_once,
    decimal_of_digits,
    digits_of,
    divide_half_up,
    nines,
    part,
    power,
    widen,
)
from sqe.engines.local.compile.value import Value, format_name, make_value
from sqe.engines.local.plan import NotLocal
from sqe.engines.local.types import (
    BIGINT,
    DOUBLE,
    FLOAT,
    SparkType,
    common_type,
    cut_decimal,
    decimal,
    decimal_of,
)

# A HUGEINT holds 38 digits; rounding doubles the dividend, so one digit is kept free.
_HUGEINT_DIGITS = 37
_LONGEST = 30_000  # characters: each level of decimal arithmetic repeats the one below
_OFTEN = 8  # digits before the point: thousands times thousands
_PLAIN = 200  # characters of both factors of a product
_INVERSES = {"0.5": 2, "0.25": 4, "0.2": 5, "0.1": 10, "0.01": 100, "0.001": 1000}
_CHECKED_NAMES = {"+": "add", "-": "subtract", "*": "multiply"}
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
    name = format_name(f"({{}} {operator} {{}})", left, right)
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
    if kind.is_integral:
        # By their other names: DuckDB makes `i = 5 - 9` of `i + 9 = 5`, and no overflow is seen.
        sql = f"{_CHECKED_NAMES[operator]}({left.cast(kind)}, {right.cast(kind)})"
    else:
        sql = f"({left.cast(kind)} {operator} {right.cast(kind)})"
    return make_value(sql, kind, name, left, right)


def _integral(operator: str, left: Value, right: Value, name: str) -> Value:
    if operator == "div" and (left.type.is_decimal or right.type.is_decimal):
        return _whole_quotient(left, right, name)
    if not (left.type.is_integral and right.type.is_integral):
        raise NotLocal(f"{operator} on {left.type} and {right.type} is Spark's")
    if operator == "div":
        sql = f"({left.cast(BIGINT)} // {right.cast(BIGINT)})"
        return _quotient(_check_divisor(left, right, sql, BIGINT), BIGINT, name, left, right)
    kind = common_type(left.type, right.type)
    sides = left.cast(kind), right.cast(kind)
    sql = f"xor({sides[0]}, {sides[1]})" if operator == "^" else f"({operator.join(sides)})"
    return make_value(sql, kind, name, left, right)


def _whole_quotient(left: Value, right: Value, name: str) -> Value:
    """Of decimals without places behind the point. Of one that is no bigint Spark keeps the last
    bits."""
    sides = [
        as_decimal(side) for side in (left, right) if side.type.is_decimal or side.type.is_integral
    ]
    if len(sides) != 2 or any(side.type.scale for side in sides):
        raise NotLocal(f"div on {left.type} and {right.type} is Spark's")
    dividend, divisor = part("left"), part("right")
    large = give_up("a quotient beyond bigint", BIGINT)
    missing = f"{dividend} IS NULL OR {divisor} IS NULL"
    sql = (
        f"ifnull(TRY_CAST({dividend} // {divisor} AS BIGINT), "
        f"CASE WHEN {missing} THEN NULL ELSE {large} END)"
    )
    if _is_zero(right) is not False:
        sql = _unless_zero(dividend, divisor, sql, BIGINT)
    return _quotient(_sides(sides[0], sides[1], sql), BIGINT, name, left, right)


def as_decimal(value: Value) -> Value:
    """An integer beside a decimal; one as written has just the digits it shows."""
    if value.type.is_decimal:
        return value
    if value.bare and isinstance(value.known_value, int):
        kind = SparkType("decimal", max(1, len(str(abs(value.known_value)))), 0)
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
            return make_value(_round_sum(operator, left, right, kind), kind, name, left, right)
        sql = _exact_sum(operator, left, right, kind)
    elif operator == "*":
        kind = decimal(p1 + p2 + 1, s1 + s2)
        if kind.scale < s1 + s2:
            return make_value(_round_product(left, right, kind), kind, name, left, right)
        product = make_value(_exact_product(left, right, kind), kind, name, left, right)
        return replace(product, quick=_quick_product(left, right))
    elif operator == "/":
        return _decimal_divide(left, right, name)
    else:
        return _decimal_remainder(left, right, name)
    return make_value(sql, kind, name, left, right)


def _exact_sum(operator: str, left: Value, right: Value, kind: SparkType) -> str:
    """DuckDB's result has the very type of Spark's, but that it keeps what is made of 18 digits in
    18. Casts would cost more than the sum, so there are some only where they are needed."""
    if kind.precision <= 18 or max(left.type.precision, right.type.precision) > 18:
        return f"({left.sql} {operator} {right.sql})"
    # Both sides in the result's type first: DuckDB then adds without widening further.
    return f"CAST({left.cast(kind)} {operator} {right.cast(kind)} AS {kind.duckdb})"


def _exact_product(left: Value, right: Value, kind: SparkType) -> str:
    """DuckDB multiplies in 38 digits, twenty times slower than in 18, so where values are small
    enough for 18 it is asked to."""
    sql = f"CAST({widen(left, right.type.precision)} * {right.sql} AS {kind.duckdb})"
    small = _small_factors(left, right)
    if not small:
        return sql
    quick = f"CAST({left.sql} * {right.sql} AS {kind.duckdb})"
    return f"CASE WHEN {small} THEN {quick} ELSE {sql} END"


def _small_factors(left: Value, right: Value) -> str:
    """A condition under which the product has 18 digits at most. Empty where it always does, or
    would not often, and where working out the factors more than once would cost too much."""
    sides = (left, right)
    whole = [side.type.precision - side.type.scale for side in sides]
    room = 18 - left.type.scale - right.type.scale  # for digits before the point, of both
    if max(side.type.precision for side in sides) > 18 or room < _OFTEN or sum(whole) <= room:
        return ""
    texts = left.sql + right.sql
    if len(texts) > _PLAIN or "SELECT " in texts or " OVER " in texts:
        return ""
    first = max(room // 2, room - whole[1])
    kept_digits = (min(first, whole[0]), room - min(first, whole[0]))
    return " AND ".join(
        f"{side.sql} BETWEEN -{most} AND {most}"
        for side, digits, all_digits in zip(sides, kept_digits, whole, strict=True)
        if digits < all_digits
        for most in [nines(digits + side.type.scale, side.type)]
    )


def _quick_product(left: Value, right: Value) -> str:
    """Empty unless both factors have 18 digits at most."""
    short = [
        side.quick or (side.sql if side.type.precision <= 18 else "") for side in (left, right)
    ]
    if not all(short) or left.type.scale + right.type.scale > 17:
        return ""
    return f"({short[0]} * {short[1]})"


def _round_sum(operator: str, left: Value, right: Value, kind: SparkType) -> str:
    """A sum with more digits than fit: exact in whole numbers, then rounded half up."""
    scale = max(left.type.scale, right.type.scale)
    sides, guards = [], []
    for name, side in (("left", left), ("right", right)):
        shift = scale - side.type.scale
        digits = part(name)
        sides.append(f"({digits} * {power(shift)})" if shift else digits)
        guards.append((digits, _HUGEINT_DIGITS - 1 - shift, side.type.precision))
    total = f"({sides[0]} {operator} {sides[1]})"
    sql = decimal_of_digits(divide_half_up(total, power(scale - kind.scale)), kind)
    return _sides(left, right, _guard_digits(sql, kind, guards))


def _round_product(left: Value, right: Value, kind: SparkType) -> str:
    drop = left.type.scale + right.type.scale - kind.scale
    sides = part("left"), part("right")
    sql = decimal_of_digits(divide_half_up(f"({sides[0]} * {sides[1]})", power(drop)), kind)
    large = f"abs(CAST({sides[0]} AS DOUBLE)) * abs(CAST({sides[1]} AS DOUBLE)) >= 1e37"
    give = give_up(_MORE_DIGITS, kind)
    return _sides(left, right, f"CASE WHEN {large} THEN {give} ELSE {sql} END")


def _sides(left: Value, right: Value, body: str, whole: str = "HUGEINT") -> str:
    """``body`` over the digits of both sides, which it calls left and right."""
    return compute_once({"left": digits_of(left, whole), "right": digits_of(right, whole)}, body)


def _guard_digits(sql: str, kind: SparkType, guards: list[tuple[str, int, int]]) -> str:
    """``guards``: digits, how many there may be, and how many the type allows. Values so large are
    rare; where one turns up, Spark has to do it."""
    needed = [(digits, limit) for digits, limit, most in guards if most > limit]
    if any(limit < 1 for _, limit in needed):
        raise NotLocal("arithmetic on such wide decimals is Spark's")
    if not needed:
        return sql
    large = " OR ".join(f"abs({digits}) >= {power(limit)}" for digits, limit in needed)
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
    return _quotient(_check_divisor(left, right, sql, kind), kind, name, left, right)


def _is_zero(value: Value) -> bool | None:
    """Whether a literal is zero; None for anything that has to be looked at row by row."""
    if isinstance(value.literal, bool) or not isinstance(value.literal, int | float):
        return None
    return value.literal == 0


def _check_divisor(left: Value, right: Value, sql: str, kind: SparkType) -> str:
    """NULL in gives NULL, even over zero; zero raises."""
    return sql if _is_zero(right) is False else _unless_zero(left.sql, right.sql, sql, kind)


def _unless_zero(left: str, right: str, sql: str, kind: SparkType) -> str:
    zero = fail("DIVISION_BY_ZERO", "Division by zero.", kind)
    return (
        f"CASE WHEN {left} IS NULL OR {right} IS NULL THEN NULL "
        f"WHEN {right} = 0 THEN {zero} ELSE {sql} END"
    )


def _divide(left: Value, right: Value, name: str) -> Value:
    sql = f"({left.cast(DOUBLE)} / {right.cast(DOUBLE)})"
    return _quotient(_check_divisor(left, right, sql, DOUBLE), DOUBLE, name, left, right)


def _quotient(sql: str, kind: SparkType, name: str, left: Value, right: Value) -> Value:
    """Spark calls every quotient and remainder nullable."""
    return make_value(sql, kind, name, left, right, nullable=True)


def _remainder(left: Value, right: Value, kind: SparkType, name: str) -> Value:
    if kind == FLOAT:
        raise NotLocal("the remainder of floats is Spark's")
    sql = f"({left.cast(kind)} % {right.cast(kind)})"
    return _quotient(_check_divisor(left, right, sql, kind), kind, name, left, right)


def _decimal_divide(left: Value, right: Value, name: str) -> Value:
    """Spark's quotient: exact, rounded half up to the result's scale. DuckDB would use doubles."""
    p1, s1 = left.type.precision, left.type.scale
    p2, s2 = right.type.precision, right.type.scale
    scale = max(6, s1 + p2 + 1)
    kind = decimal(p1 - s1 + s2 + scale, scale)
    sql = _by_inverse(left, right, kind) or _divide_decimals(left, right, kind)
    return _quotient(sql, kind, name, left, right)


def _by_inverse(left: Value, right: Value, kind: SparkType) -> str:
    """By 2, 5, 10, 100, … as a product, which is exact; empty for other divisors."""
    for inverse, number in _INVERSES.items():
        places = len(inverse) - 2
        fits = left.type.scale + places <= kind.scale and left.type.precision + places <= 38
        if right.literal == number and right.bare and fits:
            factor = f"CAST({inverse} AS DECIMAL({places},{places}))"
            return f"CAST({widen(left, places)} * {factor} AS {kind.duckdb})"
    return ""


def _divide_decimals(left: Value, right: Value, kind: SparkType) -> str:
    p1, p2 = left.type.precision, right.type.precision
    shift = kind.scale - left.type.scale + right.type.scale
    short = p1 + max(0, shift) <= BIGINT_DIGITS and p2 - min(0, shift) <= BIGINT_DIGITS
    whole = "BIGINT" if short else "HUGEINT"
    dividend, divisor = part("left"), part("right")
    sql = decimal_of_digits(_shift_quotient(dividend, divisor, shift, whole), kind, short=short)
    guards = [(dividend, _HUGEINT_DIGITS - max(0, shift), p1)]
    # Spark rounds to 38 places first. By divisors up to this size that never changes the result: a
    # quotient that is no half of a last digit is further away from it than Spark's first rounding.
    guards.append((divisor, min(38 - kind.scale, _HUGEINT_DIGITS) + min(0, shift), p2))
    sql = _guard_digits(sql, kind, guards)
    if _is_zero(right) is not False:
        sql = _unless_zero(dividend, divisor, sql, kind)
    return _sides(left, right, sql, whole)


def _shift_quotient(dividend: str, divisor: str, shift: int, whole: str) -> str:
    if shift >= 0:
        return divide_half_up(f"({dividend} * {power(shift, whole)})", divisor)
    return divide_half_up(dividend, f"({divisor} * {power(-shift, whole)})")


def average(value: Value, distinct: str, over: str) -> str:
    """avg() with Spark's type and rounding. ``over`` is the window, or nothing."""
    if not value.type.is_decimal:
        # Spark adds doubles and divides once.
        added = f"sum({distinct}{value.cast(DOUBLE)}){over}"
        return f"({added} / count({distinct}{value.sql}){over})"
    kind = average_type(value.type)
    total_type = cut_decimal(value.type.precision + 10, value.type.scale)
    added = "" if "OVER (" in over else value.quick
    summed = f"sum({distinct}{added or value.sql}){over}"
    total = Value(f"CAST({summed} AS {total_type.duckdb})", total_type, "")
    # Without rows the sum is NULL, and so is everything made of it.
    values = {"sum": digits_of(total), "count": f"count({distinct}{value.sql}){over}"}
    return compute_once(values, _mean(kind.scale - value.type.scale, total_type, kind))


def _mean(shift: int, total_type: SparkType, kind: SparkType) -> str:
    """sum over count, both whole numbers; the sum gets ``shift`` more digits."""
    quick, slow = (
        decimal_of_digits(
            divide_half_up(
                f"(CAST({part('sum')} AS {whole}) * {power(shift, whole)})",
                f"CAST({part('count')} AS {whole})",
            ),
            kind,
        )
        for whole in ("BIGINT", "HUGEINT")
    )
    small = f"abs({part('sum')}) < {power(BIGINT_DIGITS - shift)}"
    guards = [(part("sum"), _HUGEINT_DIGITS - shift, total_type.precision)]
    return f"CASE WHEN {small} THEN {quick} ELSE {_guard_digits(slow, kind, guards)} END"


def average_type(kind: SparkType) -> SparkType:
    return cut_decimal(kind.precision + 4, kind.scale + 4) if kind.is_decimal else DOUBLE


def sum_type(kind: SparkType) -> SparkType:
    if kind.is_decimal:
        return cut_decimal(kind.precision + 10, kind.scale)
    return DOUBLE if kind.is_float else SparkType("bigint")
