"""abs, ceil, floor, round, truncate and sign, of every kind of number.

Spark's ceil and floor of a double give a bigint; Trino's give a double, with the sign of a zero.
"""

from __future__ import annotations

from collections.abc import Callable

from sqe.model.trino_types import BIGINT, DOUBLE, MAX_PRECISION, TrinoType, decimal
from sqe.trino.dialect.decimals import absolute
from sqe.trino.dialect.functions.registry import Bound, declare
from sqe.trino.dialect.functions.signatures import Bindings
from sqe.trino.dialect.repeated import with_variable
from sqe.trino.dialect.typed import spark_type

_INTEGERS = ("tinyint", "smallint", "integer", "bigint")
_SAME = [f"({kind}) -> {kind}" for kind in (*_INTEGERS, "double", "real")]
_WHOLE_FROM = "4503599627370496D"  # 2^52: doubles from here on have nothing behind the point
_LONGEST = "9.223372036854775807E18D"
Kinds = tuple[TrinoType, ...]

declare("abs", _SAME, "abs({0})", description="Absolute value")
declare(
    "abs",
    "(decimal(p, s)) -> decimal(p, s)",
    lambda call: absolute(call.sql(0), call.returns),
    description="Absolute value",
)


# ------------------------------------------------------------------- ceil, floor


def _whole_type(bound: Bindings, kinds: Kinds) -> TrinoType:
    kind = kinds[0]
    return decimal(kind.precision - kind.scale + min(kind.scale, 1), 0)


def _as(kind: TrinoType, written: Callable[[str], str], sql: str) -> str:
    """A function of doubles, of a double or a real."""
    if kind == DOUBLE:
        return with_variable(sql, written)
    return f"CAST({with_variable(f'CAST({sql} AS DOUBLE)', written)} AS FLOAT)"


def _whole_double(name: str) -> Callable[[str], str]:
    """``x * 0`` is the zero with x's sign; NaN is more than any number here."""
    return lambda x: (
        f"CASE WHEN abs({x}) >= {_WHOLE_FROM} THEN {x} WHEN {name}({x}) = 0 THEN {x} * 0D "
        f"ELSE CAST({name}({x}) AS DOUBLE) END"
    )


def _declare_whole(name: str, spark: str, description: str) -> None:
    def decimals(call: Bound) -> str:
        if not call.arguments[0].type.scale:
            return call.sql(0)
        return f"CAST({spark}({call.sql(0)}) AS {spark_type(call.returns, call.at)})"

    def floats(call: Bound) -> str:
        return _as(call.returns, _whole_double(spark), call.sql(0))

    declare(name, [f"({kind}) -> {kind}" for kind in _INTEGERS], "{0}", description=description)
    declare(name, ["(double) -> double", "(real) -> real"], floats, description=description)
    declare(name, "(decimal(p, s)) -> decimal(p, s)", decimals, result=_whole_type,
            description=description)  # fmt: skip


_declare_whole("ceil", "ceil", "Round up to nearest integer")
_declare_whole("ceiling", "ceil", "Round up to nearest integer")
_declare_whole("floor", "floor", "Round down to nearest integer")


# ------------------------------------------------------------------------- round


def _factor(call: Bound) -> str:
    """Ten to the number of places, as a double."""
    if len(call.arguments) == 1:
        return "1D"
    places = call.arguments[1].constant
    if isinstance(places, int) and -300 < places < 300:
        return f"{10.0**places!r}D"
    if isinstance(places, int):
        raise call.refuse("so many places")
    return f"pow(10D, CAST({call.sql(1)} AS DOUBLE))"


def _round_float(call: Bound) -> str:
    """As Trino computes it: the nearest long to the number times ten to the places."""
    factor = _factor(call)

    def positive(x: str) -> str:
        if factor == "1D":
            return f"IF({x} >= {_LONGEST}, {x}, round({x}))"
        return f"IF({x} * {factor} >= {_LONGEST}, {x}, round({x} * {factor}) / {factor})"

    def write(x: str) -> str:
        return f"IF({x} < 0, -({positive(f'(-{x})')}), {positive(x)})"

    return _as(call.returns, write, call.sql(0))


def _round_integer(call: Bound) -> str:
    places = call.arguments[1].constant
    if not isinstance(places, int):
        raise call.refuse("a number of places that is not constant")
    if call.returns == BIGINT and places < -18:
        raise call.refuse("so many places")
    return f"round({call.sql(0)}, {places})" if places < 0 else call.sql(0)


def _round_decimal(call: Bound) -> str:
    places = 0 if len(call.arguments) == 1 else call.arguments[1].constant
    if not isinstance(places, int):
        raise call.refuse("a number of places that is not constant")
    kind = call.arguments[0].type
    name = spark_type(call.returns, call.at)
    if places >= kind.scale:
        return f"CAST({call.sql(0)} AS {name})"
    if places < kind.scale - kind.precision:
        return f"IF({call.sql(0)} IS NULL, NULL, CAST(0 AS {name}))"
    return f"CAST(round({call.sql(0)}, {places}) AS {name})"


def _round_type(bound: Bindings, kinds: Kinds) -> TrinoType:
    return decimal(min(MAX_PRECISION, kinds[0].precision + 1), kinds[0].scale)


_TO_INTEGER = "Round to nearest integer"
_TO_PLACES = "Round to given number of decimal places"
declare("round", [f"({kind}) -> {kind}" for kind in _INTEGERS], "{0}", description=_TO_INTEGER)
declare("round", [f"({kind}, integer) -> {kind}" for kind in _INTEGERS], _round_integer,
        description=_TO_INTEGER)  # fmt: skip
declare("round", "(double) -> double", _round_float, description=_TO_INTEGER)
declare("round", ["(double, integer) -> double", "(real) -> real", "(real, integer) -> real"],
        _round_float, description=_TO_PLACES)  # fmt: skip
declare("round", "(decimal(p, s)) -> decimal(p, s)", _round_decimal, result=_whole_type,
        description=_TO_INTEGER)  # fmt: skip
declare("round", "(decimal(p, s), integer) -> decimal(p, s)", _round_decimal,
        result=_round_type, description=_TO_PLACES)  # fmt: skip


# ---------------------------------------------------------------------- truncate


def _truncate_float(call: Bound) -> str:
    up, down = _whole_double("ceil"), _whole_double("floor")
    return _as(call.returns, lambda x: f"IF({x} < 0, {up(x)}, {down(x)})", call.sql(0))


def _truncate_decimal(call: Bound) -> str:
    places = 0 if len(call.arguments) == 1 else call.arguments[1].constant
    if not isinstance(places, int):
        raise call.refuse("a number of places that is not constant")
    kind, name = call.arguments[0].type, spark_type(call.returns, call.at)
    if places >= kind.scale:
        return call.sql(0)
    if places < kind.scale - kind.precision:
        return f"IF({call.sql(0)} IS NULL, NULL, CAST(0 AS {name}))"
    return with_variable(
        call.sql(0),
        lambda x: f"CAST(IF({x} < 0, ceil({x}, {places}), floor({x}, {places})) AS {name})",
    )


def _truncate_type(bound: Bindings, kinds: Kinds) -> TrinoType:
    return decimal(max(1, kinds[0].precision - kinds[0].scale), 0)


_DROPPING = "Round to integer by dropping digits after decimal point"
declare("truncate", ["(double) -> double", "(real) -> real"], _truncate_float,
        description=_DROPPING)  # fmt: skip
declare("truncate", "(decimal(p, s)) -> decimal(p, s)", _truncate_decimal,
        result=_truncate_type, description=_DROPPING)  # fmt: skip
declare(
    "truncate",
    "(decimal(p, s), integer) -> decimal(p, s)",
    _truncate_decimal,
    description="Round to integer by dropping given number of digits after decimal point",
)


# -------------------------------------------------------------------------- sign


def _sign(call: Bound) -> str:
    signum = f"sign({call.sql(0)})"
    return signum if call.returns == DOUBLE else f"CAST({signum} AS {spark_type(call.returns, 0)})"


declare("sign", [*_SAME, "(decimal(p, s)) -> decimal(1, 0)"], _sign, description="Signum")
