"""Arithmetic of decimals: Trino's types of results, and exact values.

Spark computes with the same digits as long as its own result type has 38 of them or fewer. Beyond
that it drops digits behind the point, so the wide cases are computed on the numbers without their
points (``unscaled``), which are decimals of scale 0.
"""

from __future__ import annotations

from sqe.model.trino_types import MAX_PRECISION, TrinoType, decimal
from sqe.trino.dialect.errors import Refused, not_supported
from sqe.trino.dialect.repeated import both_repeated
from sqe.trino.dialect.trying import trying
from sqe.trino.dialect.typed import Typed, raised, string

_WHOLE = f"DECIMAL({MAX_PRECISION},0)"
_NEGATED = 34  # digits that Spark keeps in a negative
_KEPT = 6  # digits behind the point that Spark keeps, however long the number


def decimal_arithmetic(operator: str, left: Typed, right: Typed, at: int) -> Typed:
    kind = result_type(operator, left.type, right.type)
    if trying():
        return Typed(kind, _tried(operator, left, right, kind, at))
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
    numbers = [unscaled(part) for part in parts]
    return _scaled(f"({numbers[0]} {operator} {numbers[1]})", kind)


def _product(left: Typed, right: Typed, kind: TrinoType) -> str:
    if left.type.precision + right.type.precision < MAX_PRECISION or kind.scale <= _KEPT:
        return f"CAST({left.sql} * {right.sql} AS {_name(kind)})"
    return _scaled(f"({unscaled(left.sql)} * {unscaled(right.sql)})", kind)


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
    return both_repeated(
        unscaled(left.sql), unscaled(right.sql), lambda a, b: _divided(a, b, shift, kind, at)
    )


def _tried(operator: str, left: Typed, right: Typed, kind: TrinoType, at: int) -> str:
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


def _divided(dividend: str, divisor: str, shift: int, kind: TrinoType, at: int) -> str:
    """Long division, digit by digit, then the rounding."""
    zero = raised("DIVISION_BY_ZERO", string("Division by zero"), kind, at)
    sign = f"IF(({dividend} < 0) = ({divisor} < 0), '', '-')"
    number = f"ltrim('-', CAST({dividend} AS STRING))"
    digits = f"split(concat({number}, '{'0' * shift}'), '')"
    size = f"IF({divisor} < 0, 0BD - {divisor}, {divisor})"
    rest = f"CAST(s.r * 10BD + CAST(i AS {_WHOLE}) AS {_WHOLE})"
    left = f"{rest} % {size}"
    step = _state(f"s.q * 10BD + CAST(({rest} - {left}) / {size} AS INT)", left)
    final = f"s.q + IF(s.r >= {size} - s.r, 1BD, 0BD)"
    found = f"aggregate({digits}, {_state('0', '0')}, (s, i) -> {step}, s -> {final})"
    answer = f"CAST(concat({sign}, CAST({found} AS STRING), 'E-{kind.scale}') AS {_name(kind)})"
    return (
        f"CASE WHEN {dividend} IS NULL OR {divisor} IS NULL THEN NULL "
        f"WHEN {divisor} = 0 THEN {zero} ELSE {answer} END"
    )


def _state(quotient: str, rest: str) -> str:
    return f"named_struct('q', CAST({quotient} AS {_WHOLE}), 'r', CAST({rest} AS {_WHOLE}))"


def negated(sql: str, kind: TrinoType) -> str:
    """Spark rounds negatives of more than 34 digits, and so absolute values."""
    if kind.precision <= _NEGATED:
        return f"(- {sql})"
    text = f"CAST({sql} AS STRING)"
    return f"CAST(IF({sql} < 0, ltrim('-', {text}), concat('-', {text})) AS {_name(kind)})"


def absolute(sql: str, kind: TrinoType) -> str:
    if kind.precision <= _NEGATED:
        return f"abs({sql})"
    return f"CAST(ltrim('-', CAST({sql} AS STRING)) AS {_name(kind)})"


def as_decimal(sql: str, source: TrinoType, target: TrinoType) -> str:
    return sql if source == target else f"CAST({sql} AS {_name(target)})"


def unscaled(sql: str) -> str:
    """A decimal without its point: all its digits as a whole number."""
    return f"CAST(replace(CAST({sql} AS STRING), '.', '') AS {_WHOLE})"


def _scaled(sql: str, kind: TrinoType) -> str:
    """Back from ``unscaled``."""
    return f"CAST(concat(CAST({sql} AS STRING), 'E-{kind.scale}') AS {_name(kind)})"


def _name(kind: TrinoType) -> str:
    return f"DECIMAL({kind.precision},{kind.scale})"
