"""XXH64, and the checksum that Trino makes of it, in SQL.

The algorithm works on 64 bits that wrap around, which Spark's numbers do not: they fail. So it
calculates with decimals, whose 38 digits hold the product of any two such numbers, and takes the
rest by 2^64.
"""

from __future__ import annotations

from sqe.model.trino_types import TrinoType
from sqe.trino.dialect.functions.aggregates import aggregate
from sqe.trino.dialect.functions.registry import Bound, declare, null_for_null
from sqe.trino.dialect.once import once
from sqe.trino.dialect.repeated import with_variable

# XXH64's, and Trino's for checksums, which is the first of them.
_PRIMES = (
    0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63,
    0x27D4EB2F165667C5,
)  # fmt: skip
_WHOLE, _HALF = "18446744073709551616BD", "9223372036854775808BD"
_BYTES_TO_HEX = "lpad(hex({}), 16, '0')"
_STRIPE, _LANE = 32, 8  # bytes


def _to_signed(number: int) -> int:
    number %= 1 << 64
    return number - (1 << 64) if number >> 63 else number


_P1, _P2, _P3, _P4, _P5 = map(_to_signed, _PRIMES)


def _wrap(number: str) -> str:
    """A decimal as the 64 bits that are left of it."""
    return f"CAST(pmod({number} + {_HALF}, {_WHOLE}) - {_HALF} AS BIGINT)"


def _decimal(number: str) -> str:
    return f"CAST({number} AS DECIMAL(19,0))"


def _times(number: str, factor: int, more: int | str = 0) -> str:
    """``number * factor + more``, where ``more`` is a number or the SQL of a decimal."""
    product = f"{_decimal(number)} * ({factor}BD)"
    return _wrap(f"{product} + ({more}BD)" if isinstance(more, int) else f"{product} + {more}")


def _divide(number: str, divisor: int) -> str:
    return f"CAST({number} div {divisor} AS INT)"


def _rotate(number: str, bits: int) -> str:
    return with_variable(
        number, lambda x: f"(shiftleft({x}, {bits}) | shiftrightunsigned({x}, {64 - bits}))"
    )


def _round(state: str, lane: str) -> str:
    return _times(_rotate(_times(lane, _P2, _decimal(state)), 31), _P1)


def _mix(number: str, bits: int) -> str:
    return with_variable(number, lambda x: f"({x} ^ shiftrightunsigned({x}, {bits}))")


def _avalanche(hash_sql: str) -> str:
    second = _times(_mix(hash_sql, 33), _P2)
    return _mix(_times(_mix(second, 29), _P3), 32)


def _with_lane(state: str, lane: str) -> str:
    """The step for eight bytes behind the stripes."""
    return _times(_rotate(f"({state} ^ {_round('0L', lane)})", 27), _P1, _P4)


def hash_of_number(number: str) -> str:
    """XXH64 of the eight bytes of a BIGINT, the lowest first."""
    return with_variable(number, lambda n: _avalanche(_with_lane(f"{_to_signed(_P5 + 8)}L", n)))


def _stripes(lane: str, size: str) -> str:
    """The state behind the whole stripes of 32 bytes."""
    first = f"array({_to_signed(_P1 + _P2)}L, {_P2}L, 0L, {_to_signed(-_P1)}L)"
    all_ = f"sequence(0, {_divide(size, _STRIPE)} - 1)"
    place = f"{_STRIPE} * i + {_LANE} * j"
    step = f"transform(s, (v, j) -> {_round('v', lane.format(place))})"
    states = f"aggregate({all_}, {first}, (s, i) -> {step})"

    def merge(s: str) -> str:
        turned = " + ".join(
            _decimal(_rotate(f"{s}[{i}]", bits)) for i, bits in enumerate((1, 7, 12, 18))
        )
        mixed = _times(f"(h ^ {_round('0L', 'v')})", _P1, _P4)
        return f"aggregate({s}, {_wrap(turned)}, (h, v) -> {mixed})"

    return f"IF({size} < {_STRIPE}, {_P5}L, {with_variable(states, merge)})"


def _reverse_bytes(text: str) -> str:
    """Of hexadecimal text."""
    return f"reverse(regexp_replace({text}, '(.)(.)', '$2$1'))"


def hash_of_bytes(value: str) -> str:
    """XXH64 of a binary."""
    # Its bytes from the last to the first, as hexadecimal text: numbers stand the right way then.
    text = _reverse_bytes(f"hex({value})")

    def write(r: str, n: str) -> str:
        def number(place: str, size: int, base: int) -> str:
            behind = f"2 * ({n} - ({place})) - {2 * size - 1}"
            return f"CAST(conv(substring({r}, {behind}, {2 * size}), 16, {base}) AS BIGINT)"

        lane = number("{}", _LANE, -10)
        state = _wrap(f"{_decimal(_stripes(lane, n))} + {n}")
        lanes = f"slice(array(0, 1, 2), 1, {_divide(f'({n} % {_STRIPE})', _LANE)})"
        place = f"{n} - {n} % {_STRIPE} + {_LANE} * i"
        state = f"aggregate({lanes}, {state}, (h, i) -> {_with_lane('h', lane.format(place))})"
        four = _times(number(f"{n} - {n} % {_LANE}", 4, 10), _P1)
        words = f"slice(array(0), 1, {_divide(f'({n} % {_LANE})', 4)})"
        step = _times(_rotate(f"(h ^ {four})", 23), _P2, _P3)
        state = f"aggregate({words}, {state}, (h, i) -> {step})"
        byte = _times(number(f"{n} - {n} % 4 + i", 1, 10), _P5)
        step = _times(_rotate(f"(h ^ {byte})", 11), _P1)
        state = f"aggregate(slice(array(0, 1, 2), 1, {n} % 4), {state}, (h, i) -> {step})"
        return _avalanche(state)

    hashed = once([_divide("length(b)", 2)], lambda n: write("b", n))
    return f"transform(array({text}), b -> {hashed})[0]"


declare("xxhash64", "(varbinary) -> varbinary", null_for_null(
    lambda call: f"unhex({_BYTES_TO_HEX.format(hash_of_bytes(call.sql(0)))})"
))  # fmt: skip

# ------------------------------------------------------------------- checksum

_NUMBERS = ("tinyint", "smallint", "integer", "bigint")
_TEXTS = ("varchar", "varbinary")


def _hash_of_value(call: Bound, kind: TrinoType, value: str) -> str:
    """The hash of a value that is not NULL, as Trino's types have it."""
    if kind.base in _NUMBERS:
        return hash_of_number(f"CAST({value} AS BIGINT)")
    if kind.base == "boolean":
        return hash_of_number(f"IF({value}, 1L, 0L)")
    if kind.base == "date":
        return hash_of_number(f"CAST(unix_date({value}) AS BIGINT)")
    if kind.base == "decimal" and kind.precision <= 18:
        return hash_of_number(f"CAST({value} * {10**kind.scale}BD AS BIGINT)")
    if kind.base in _TEXTS:
        return hash_of_bytes(f"CAST({value} AS BINARY)")
    raise call.refuse(f"values of {kind}")


def _checksum(call: Bound) -> str:
    """The sum of the hashes; NULL counts as one, and no rows have none."""
    kind, value = call.arguments[0].type, call.sql(0)
    hashed = f"IF({value} IS NULL, 1L, {_hash_of_value(call, kind, value)})"
    total = call.aggregate("sum", f"CAST({hashed} AS DECIMAL(38,0))")
    mixed = _times(_wrap(total), _P1)
    return f"unhex({_reverse_bytes(_BYTES_TO_HEX.format(mixed))})"


aggregate("checksum", "(T) -> varbinary", _checksum, "Checksum of the given values")
