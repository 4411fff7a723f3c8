"""The normal distribution, in SQL: Spark has no error function."""

from __future__ import annotations

import math

from sqe.trino.dialect.functions.registry import Bound, declare, null_for_null
from sqe.trino.dialect.functions.strings import INVALID
from sqe.trino.dialect.once import once
from sqe.trino.dialect.typed import fail, string

_ROOT_OF_TWO, _ROOT_OF_PI = f"{math.sqrt(2)!r}D", f"{math.sqrt(math.pi)!r}D"
# Wichura's algorithm AS 241: from the highest power down, above and below the line.
_CENTRE = (
    ("2509.0809287301227", "33430.57558358813", "67265.7709270087", "45921.95393154987",
     "13731.69376550946", "1971.5909503065513", "133.14166789178438", "3.3871328727963665"),
    ("5226.495278852854", "28729.085735721943", "39307.89580009271", "21213.794301586597",
     "5394.196021424751", "687.1870074920579", "42.31333070160091", "1.0"),
)  # fmt: skip
_SIDE = (
    ("0.0007745450142783414", "0.022723844989269184", "0.2417807251774506", "1.2704582524523684",
     "3.6478483247632045", "5.769497221460691", "4.630337846156546", "1.4234371107496835"),
    ("1.0507500716444169e-09", "0.0005475938084995345", "0.015198666563616457",
     "0.14810397642748008", "0.6897673349851", "1.6763848301838038", "2.053191626637759", "1.0"),
)  # fmt: skip
_TAIL = (
    ("2.0103343992922881e-07", "2.7115555687434876e-05", "0.0012426609473880784",
     "0.026532189526576124", "0.29656057182850487", "1.7848265399172913", "5.463784911164114",
     "6.657904643501103"),
    ("2.0442631033899397e-15", "1.421511758316446e-07", "1.8463183175100548e-05",
     "0.0007868691311456133", "0.014875361290850615", "0.1369298809227358", "0.599832206555888",
     "1.0"),
)  # fmt: skip


def _error_function(x: str) -> str:
    """Of a number that is not negative. The series and the continued fraction meet where those of
    Trino do, so that what is left of 1 is rounded alike."""
    square = f"{x} * {x}"
    term = f"s.t * 2D * {square} / (2 * k + 1)"
    series = (
        "aggregate(sequence(1, 60), named_struct('t', 1D, 's', 1D), "
        f"(s, k) -> named_struct('t', {term}, 's', s.s + {term}), s -> s.s)"
    )
    near = f"2D / {_ROOT_OF_PI} * {x} * exp(-({square})) * {series}"
    fraction = f"aggregate(sequence(200, 1, -1), 0D, (f, k) -> k / 2D / ({x} + f))"
    far = f"1D - exp(-({square})) / {_ROOT_OF_PI} / ({x} + {fraction})"
    return f"CASE WHEN {x} > 27D THEN 1D WHEN {square} < 1.5D THEN {near} ELSE {far} END"


def _normal_cdf(call: Bound) -> str:
    mean, deviation, value = (call.sql(i) for i in range(3))
    wrong = fail(INVALID, string("standardDeviation must be > 0"), call.returns, call.at)

    def write(z: str) -> str:
        return once(
            [_error_function(f"abs({z})")], lambda e: f"0.5D * (1D + IF({z} < 0D, -{e}, {e}))"
        )

    standard = f"(({value} - {mean}) / ({deviation} * {_ROOT_OF_TWO}))"
    written = once([standard], lambda z: f"IF(isnan({z}), double('NaN'), {write(z)})")
    good = f"{deviation} > 0D AND NOT isnan({deviation})"
    return f"IF({good}, {written}, {wrong})"


def _ratio(sides: tuple[tuple[str, ...], tuple[str, ...]], x: str) -> str:
    above, below = (", ".join(f"{one}D" for one in side) for side in sides)
    return " / ".join(
        f"aggregate(array({side}), 0D, (s, c) -> s * {x} + c)" for side in (above, below)
    )


def _inverse_normal_cdf(call: Bound) -> str:
    """Trino takes ``2p - 1`` and loses digits of a small ``p`` by that; so does this."""
    mean, deviation, share = (call.sql(i) for i in range(3))
    no_share = fail(INVALID, string("p must be 0 > p > 1"), call.returns, call.at)
    no_deviation = fail(INVALID, string("sd must be > 0"), call.returns, call.at)

    def write(y: str) -> str:
        centre = once([f"(0.180625D - {y} * {y} / 4D)"], lambda r: _ratio(_CENTRE, r))
        side = once([f"(sqrt(-ln((1D - abs({y})) / 2D)))"], _outer)
        return f"IF(abs({y}) <= 0.85D, {y} / 2D * {centre}, sign({y}) * {side})"

    quantile = once([f"(2D * {share} - 1D)"], write)
    return (
        f"CASE WHEN NOT ({share} > 0D AND {share} < 1D) THEN {no_share} "
        f"WHEN NOT ({deviation} > 0D) OR isnan({deviation}) THEN {no_deviation} "
        f"ELSE {mean} + {deviation} * {quantile} END"
    )


def _outer(r: str) -> str:
    side = once([f"({r} - 1.6D)"], lambda x: _ratio(_SIDE, x))
    return f"IF({r} <= 5D, {side}, {once([f'({r} - 5D)'], lambda x: _ratio(_TAIL, x))})"


declare("normal_cdf", "(double, double, double) -> double", null_for_null(_normal_cdf),
        description="Normal cdf given a mean, standard deviation, and value")  # fmt: skip
declare("inverse_normal_cdf", "(double, double, double) -> double",
        null_for_null(_inverse_normal_cdf),
        description="Inverse of normal cdf given a mean, std, and probability")  # fmt: skip
