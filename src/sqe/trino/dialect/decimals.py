"""Arithmetic of decimals: Trino's types of results, and exact values.

Spark computes with the same digits as long as its own result type has 38 of them or fewer. Beyond
that it drops digits behind the point, so the wide cases are computed on the numbers without their
points (``digits_of``), which are decimals of scale 0.
"""

from __future__ import annotations

from sqe.model.trino_types import MAX_PRECISION, TrinoType, decimal
from sqe.trino.dialect.errors import Refused, not_supported
from sqe.trino.dialect.repeated import both_repeated, with_variable
from sqe.trino.dialect.trying import in_try
from sqe.trino.dialect.typed import Typed, fail, string

_WHOLE = f"DECIMAL({MAX_PRECISION},0)"
_DIGITS_OF_COUNT = 19
_NEGATED = 34  # digits that Spark keeps in a negative
_KEPT = 6  # digits behind the point that Spark keeps, however long the number
_LONG = 17  # digits of any number that is certain to be a bigint


def decimal_arithmetic(operator: str, left: Typed, right: Typed, at: int) -> Typed:
    kind = result_type(operator, left.type, right.type)
    if in_try():
        return Typed(kind, _try_operator(operator, left, right, kind, at))
    if operator == "*":
        return Typed(kind, _product(left, right, kind))
    if operator == "/":
        return Typed(kind, _quotient(left, right, kind, at))
    if operator == "%":
        return Typed(kind, f"({left.sql} % {right.sql})")
    return Typed(kind, _sum(operator, left, right, kind))


def result_type(operator: str, left: TrinoType, right: TrinoType) -> TrinoType:
    scale = max(left.scale, right.scale)
    mine, theirs = left.precision - left.scale, right.precision - right.scale
    if operator == "*":
        precision, scale = left.precision + right.precision, left.scale + right.scale
        if scale > MAX_PRECISION:
            message = f"DECIMAL scale must be in range [0, precision ({MAX_PRECISION})]: {scale}"
            raise Refused("INVALID_FUNCTION_ARGUMENT", message)
    elif operator == "/":
        precision = left.precision + right.scale + max(0, right.scale - left.scale)
    elif operator == "%":
        precision = min(mine, theirs) + scale
    else:
        precision = max(mine, theirs) + scale + 1
    return decimal(min(MAX_PRECISION, precision), scale)


def _sum(operator: str, left: Typed, right: Typed, kind: TrinoType) -> str:
    mine, theirs = left.type, right.type
    whole = max(mine.precision - mine.scale, theirs.precision - theirs.scale)
    if whole + kind.scale + 1 <= MAX_PRECISION:
        return f"({left.sql} {operator} {right.sql})"
    parts = [as_decimal(value.sql, value.type, kind) for value in (left, right)]
    if kind.scale <= _KEPT:
        return f"({parts[0]} {operator} {parts[1]})"
    numbers = [digits_of(part, kind) for part in parts]
    return _decimal_of_digits(f"({numbers[0]} {operator} {numbers[1]})", kind)


def _product(left: Typed, right: Typed, kind: TrinoType) -> str:
    if left.type.precision + right.type.precision < MAX_PRECISION or kind.scale <= _KEPT:
        return f"CAST({left.sql} * {right.sql} AS {_name(kind)})"
    numbers = [digits_of(value.sql, value.type) for value in (left, right)]
    return _decimal_of_digits(f"({numbers[0]} * {numbers[1]})", kind)


def _quotient(left: Typed, right: Typed, kind: TrinoType, at: int) -> str:
    mine, theirs = left.type, right.type
    digits = mine.precision + max(0, theirs.scale - mine.scale)
    if digits + theirs.precision + theirs.scale + 1 <= MAX_PRECISION:
        # Spark's quotient has so many digits that rounding it again cannot meet a false tie.
        dividend = as_decimal(left.sql, mine, decimal(digits, kind.scale))
        return f"CAST({dividend} / {right.sql} AS {_name(kind)})"
    shift = kind.scale + theirs.scale - mine.scale
    if shift > MAX_PRECISION:
        raise not_supported(f"{mine} / {theirs}", at)
    few = _few_digits(mine.precision, theirs.precision, shift)
    zero = fail("DIVISION_BY_ZERO", string("Division by zero"), kind, at)

    def write(a: str, b: str) -> str:
        missing = f"CASE WHEN {a} IS NULL OR {b} IS NULL THEN NULL WHEN {b} = 0 THEN {zero}"
        return f"{missing} {_division(a, b, shift, kind, few)} END"

    return both_repeated(digits_of(left.sql, mine), digits_of(right.sql, theirs), write)


def mean_of_decimals(total: Typed, count: str, kind: TrinoType) -> str:
    """The sum divided by the count, rounded once. Without rows the sum is NULL."""

    def write(a: str, b: str) -> str:
        if total.type.precision <= _NEGATED and kind.precision <= _LONG:
            return _short_division(a, b, 0, kind)
        missing = f"CASE WHEN {a} IS NULL THEN NULL"
        return f"{missing} {_division(a, b, 0, kind, few)} END"

    few = _few_digits(total.type.precision, _DIGITS_OF_COUNT, 0)

    whole = f"CAST({count} AS DECIMAL({_DIGITS_OF_COUNT},0))"
    return both_repeated(digits_of(total.sql, total.type), whole, write)


def _try_operator(operator: str, left: Typed, right: Typed, kind: TrinoType, at: int) -> str:
    """NULL where it fails; only where Spark's own digits are enough."""
    mine, theirs = left.type, right.type
    if mine.precision + theirs.precision + mine.scale + theirs.scale >= MAX_PRECISION:
        raise not_supported(f"TRY of {mine} {operator} {theirs}", at)
    if operator == "/":
        dividend = as_decimal(left.sql, mine, decimal(mine.precision + kind.scale, kind.scale))
        return f"try_cast(try_divide({dividend}, {right.sql}) AS {_name(kind)})"
    if operator == "%":
        return f"IF({right.sql} = 0, NULL, {left.sql} % {right.sql})"
    if operator == "*":
        return _product(left, right, kind)
    return _sum(operator, left, right, kind)


def _division(dividend: str, divisor: str, shift: int, kind: TrinoType, few: list[str]) -> str:
    """The last branches of a CASE. ``few`` are the conditions for the short way."""
    long = f"ELSE {_long_division(dividend, divisor, shift, kind)}"
    if kind.scale > _LONG or shift > _LONG:
        return long
    short = _short_division(dividend, divisor, shift, kind)
    if not few:
        return f"ELSE {short}"
    conditions = " AND ".join(few).format(a=dividend, b=divisor)
    return f"WHEN {conditions} THEN {short} {long}"


def _few_digits(dividend: int, divisor: int, shift: int) -> list[str]:
    """Conditions on ``{a}`` and ``{b}``, of so many digits, under which a division in whole numbers
    is exact: Spark keeps 34 digits of what has no sign, and the quotient is a bigint."""
    conditions = []
    for name, digits in (("{a}", dividend + shift), ("{b}", divisor)):
        if digits > _NEGATED:
            most = 10 ** (_NEGATED - (shift if name == "{a}" else 0)) - 1
            conditions.append(f"{name} BETWEEN -{most}BD AND {most}BD")
    if dividend + shift > _LONG:
        sizes = [f"abs(CAST({name} AS DOUBLE))" for name in ("{a}", "{b}")]
        conditions.append(f"{sizes[0]} * 1E{shift}D < 1E{_LONG}D * {sizes[1]}")
    return conditions


def _short_division(dividend: str, divisor: str, shift: int, kind: TrinoType) -> str:
    """In whole numbers, rounded half away from zero."""
    shifted = f"{dividend} * {10**shift}BD" if shift else dividend
    number, by = (f"abs(CAST({sql} AS DECIMAL({_NEGATED},0)))" for sql in (shifted, divisor))
    quotient = f"((2BD * {number} + {by}) div (2BD * {by}))"
    signed = f"IF(({dividend} < 0) = ({divisor} < 0), {quotient}, -{quotient})"
    unit = f" * 0.{'0' * (kind.scale - 1)}1BD" if kind.scale else ""
    return f"CAST({signed}{unit} AS {_name(kind)})"


def _long_division(dividend: str, divisor: str, shift: int, kind: TrinoType) -> str:
    """Digit by digit, then the rounding."""
    sign = f"IF(({dividend} < 0) = ({divisor} < 0), '', '-')"
    number = f"ltrim('-', CAST({dividend} AS STRING))"
    digits = f"split(concat({number}, '{'0' * shift}'), '')"
    size = f"IF({divisor} < 0, 0BD - {divisor}, {divisor})"
    rest = f"CAST(s.r * 10BD + CAST(i AS {_WHOLE}) AS {_WHOLE})"
    left = f"{rest} % {size}"
    step = _state(f"s.q * 10BD + CAST(({rest} - {left}) / {size} AS INT)", left)
    final = f"s.q + IF(s.r >= {size} - s.r, 1BD, 0BD)"
    quotient = f"aggregate({digits}, {_state('0', '0')}, (s, i) -> {step}, s -> {final})"
    return f"CAST(concat({sign}, CAST({quotient} AS STRING), 'E-{kind.scale}') AS {_name(kind)})"


def _state(quotient: str, rest: str) -> str:
    return f"named_struct('q', CAST({quotient} AS {_WHOLE}), 'r', CAST({rest} AS {_WHOLE}))"


def negate_decimal(sql: str, kind: TrinoType) -> str:
    """Spark rounds negatives of more than 34 digits, and so absolute values."""
    if kind.precision <= _NEGATED:
        return f"(- {sql})"
    if kind.scale <= _KEPT:
        return f"CAST(0BD - {sql} AS {_name(kind)})"
    text = f"CAST({sql} AS STRING)"
    return f"CAST(IF({sql} < 0, ltrim('-', {text}), concat('-', {text})) AS {_name(kind)})"


def absolute(sql: str, kind: TrinoType) -> str:
    if kind.precision <= _NEGATED:
        return f"abs({sql})"
    if kind.scale <= _KEPT:
        return with_variable(sql, lambda x: f"IF({x} < 0, {negate_decimal(x, kind)}, {x})")
    return f"CAST(ltrim('-', CAST({sql} AS STRING)) AS {_name(kind)})"


def as_decimal(sql: str, source: TrinoType, target: TrinoType) -> str:
    return sql if source == target else f"CAST({sql} AS {_name(target)})"


def digits_of(sql: str, kind: TrinoType) -> str:
    """A decimal without its point: all its digits as a whole number."""
    if kind.scale == 0:
        return f"CAST({sql} AS {_WHOLE})"
    if kind.precision + kind.scale + 2 <= MAX_PRECISION:
        return f"CAST({sql} * {10**kind.scale}BD AS {_WHOLE})"
    return f"CAST(replace(CAST({sql} AS STRING), '.', '') AS {_WHOLE})"


def _decimal_of_digits(sql: str, kind: TrinoType) -> str:
    """Back from ``digits_of``."""
    return f"CAST(concat(CAST({sql} AS STRING), 'E-{kind.scale}') AS {_name(kind)})"


def _name(kind: TrinoType) -> str:
    return f"DECIMAL({kind.precision},{kind.scale})"
