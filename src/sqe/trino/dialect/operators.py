"""Arithmetic with Trino's meaning.

``ARITHMETIC`` has a writer for each operator and pair of base types that is not plain numbers
(dates, intervals); decimals are in ``decimals``.
"""

from __future__ import annotations

from collections.abc import Callable

from sqe.model.trino_types import BIGINT, DOUBLE, INTEGERS, REAL, UNKNOWN, TrinoType
from sqe.trino.dialect import literals
from sqe.trino.dialect.casts import coerce
from sqe.trino.dialect.coercion import as_decimal, common_type, is_numeric
from sqe.trino.dialect.decimals import decimal_arithmetic, negate_decimal
from sqe.trino.dialect.errors import Refused, mismatch, not_supported
from sqe.trino.dialect.repeated import both_repeated
from sqe.trino.dialect.tried import try_integer_arithmetic
from sqe.trino.dialect.trying import in_try
from sqe.trino.dialect.typed import Typed, fail, spark_type, string

Arithmetic = Callable[[Typed, Typed, int], Typed]
ARITHMETIC: dict[tuple[str, str, str], Arithmetic] = {}
_AMBIGUOUS = "Could not choose a best candidate operator. Explicit type casts must be added."


def arithmetic_of(operator: str, left: str, right: str) -> Callable[[Arithmetic], Arithmetic]:
    """Registers a writer; base types are separated by blanks, ``_`` is one inside a name."""

    def register(writer: Arithmetic) -> Arithmetic:
        for operand_name in left.split():
            for other in right.split():
                ARITHMETIC[operator, operand_name.replace("_", " "), other.replace("_", " ")] = (
                    writer
                )
        return writer

    return register


def arithmetic(operator: str, left: Typed, right: Typed, at: int) -> Typed:
    special = ARITHMETIC.get((operator, left.type.base, right.type.base))
    if special is not None:
        if in_try():
            raise not_supported(f"TRY of {left.type} {operator} {right.type}", at)
        return special(left, right, at)
    common = common_type(left.type, right.type)
    if common == UNKNOWN:
        raise Refused("AMBIGUOUS_FUNCTION_CALL", _AMBIGUOUS)
    if common is None or not is_numeric(common):
        shown = f"{left.type.display} {operator} {right.type.display}"
        raise mismatch(f"Cannot apply operator: {shown}", at)
    if common.base == "decimal":
        left, right = (_as_decimal(value, common, at) for value in (left, right))
        return decimal_arithmetic(operator, left, right, at)
    left, right = coerce(left, common, at), coerce(right, common, at)
    if common in INTEGERS:
        return _of_integers(operator, left, right, at)
    return _of_floats(operator, left, right, at)


def _as_decimal(value: Typed, common: TrinoType, at: int) -> Typed:
    return coerce(value, common if value.type == UNKNOWN else as_decimal(value.type), at)


def _of_integers(operator: str, left: Typed, right: Typed, at: int) -> Typed:
    kind = left.type
    if in_try():
        return Typed(kind, try_integer_arithmetic(operator, left, right, at))
    if operator != "/":
        return Typed(kind, f"({left.sql} {operator} {right.sql})")
    divided = f"({left.sql} div {right.sql})"
    if kind == BIGINT:
        return Typed(kind, divided)
    divided = f"CAST({divided} AS {spark_type(kind, at)})"
    if right.constant == -1:  # the smallest one's negative is a failure of Trino's own there
        message = string(f"Value exceeds the range of {kind}")
        error = fail("GENERIC_INTERNAL_ERROR", message, kind, at)
        smallest = {"tinyint": -(2**7), "smallint": -(2**15)}.get(kind.base, -(2**31))
        divided = f"IF({left.sql} = {smallest}, {error}, {divided})"
    return Typed(kind, divided)


def _of_floats(operator: str, left: Typed, right: Typed, at: int) -> Typed:
    """Division by zero gives Infinity or NaN, which ANSI Spark refuses."""
    kind = left.type
    name = spark_type(kind, at)
    known = isinstance(right.constant, int | float) and right.constant != 0
    if operator == "/":
        text = _quotient if known else _any_quotient
    elif operator == "%" and not known:
        text = _any_remainder
    else:
        return Typed(kind, f"({left.sql} {operator} {right.sql})")
    return Typed(kind, both_repeated(left.sql, right.sql, lambda a, b: text(a, b, name)))


def _quotient(left: str, right: str, name: str) -> str:
    """Spark divides floats as doubles; rounding that again gives the float."""
    divided = f"({left} / {right})"
    return divided if name == "double" else f"CAST({divided} AS {name})"


def _any_quotient(left: str, right: str, name: str) -> str:
    nan, infinity = f"CAST('NaN' AS {name})", f"CAST('Infinity' AS {name})"
    # The sign of a zero is seen in its text only.
    negative = f"(({left} < 0) <> (CAST({right} AS STRING) LIKE '-%'))"
    return (
        f"IF({right} = 0, CASE WHEN {left} IS NULL THEN NULL "
        f"WHEN isnan({left}) OR {left} = 0 THEN {nan} "
        f"WHEN {negative} THEN -{infinity} ELSE {infinity} END, {_quotient(left, right, name)})"
    )


def _any_remainder(left: str, right: str, name: str) -> str:
    nan = f"IF({left} IS NULL, NULL, CAST('NaN' AS {name}))"
    return f"IF({right} = 0, {nan}, {left} % {right})"


def negate(value: Typed, at: int) -> Typed:
    kind = value.type
    if kind == UNKNOWN:
        raise Refused("AMBIGUOUS_FUNCTION_CALL", _AMBIGUOUS)
    if not (is_numeric(kind) or kind.base.startswith("interval")):
        raise mismatch(f"Cannot negate {kind.display}", at)
    if isinstance(value.constant, int) and kind in INTEGERS:
        literal = literals.integer(-value.constant, kind)
        if literal is not None:
            return literal
    if isinstance(value.constant, float) and kind == DOUBLE:
        return literals.double(str(-value.constant))
    if in_try() and kind in INTEGERS:
        zero = coerce(literals.integer_literal(0, at), kind, at)
        return Typed(kind, f"try_subtract({zero.sql}, {value.sql})")
    if kind.base == "decimal":
        return Typed(kind, negate_decimal(value.sql, kind))
    return Typed(kind, f"(- {value.sql})")


def positive(value: Typed, at: int) -> Typed:
    if value.type in INTEGERS or value.type in (REAL, DOUBLE) or value.type.base == "decimal":
        return value
    message = f"Unary '+' operator cannot by applied to {value.type.display} type"
    raise mismatch(message, at)
