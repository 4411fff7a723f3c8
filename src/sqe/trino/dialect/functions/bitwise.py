"""Functions of bits. Trino shifts 64 bits and keeps as many as the type has."""

from __future__ import annotations

from sqe.model.trino_types import BIGINT, TrinoType
from sqe.trino.dialect.functions.registry import Bound, declare
from sqe.trino.dialect.repeated import both_repeated
from sqe.trino.dialect.typed import fail, spark_type

_BITS = {"tinyint": 8, "smallint": 16, "integer": 32, "bigint": 64}
_TWO = "(bigint, bigint) -> bigint"
declare("bitwise_and", _TWO, "({0} & {1})", description="Bitwise AND in 2's complement arithmetic")
declare("bitwise_or", _TWO, "({0} | {1})", description="Bitwise OR in 2's complement arithmetic")
declare("bitwise_xor", _TWO, "({0} ^ {1})", description="Bitwise XOR in 2's complement arithmetic")
declare("bitwise_not", "(bigint) -> bigint", "(~ {0})",
        description="Bitwise NOT in 2's complement arithmetic")  # fmt: skip


def _lowest_bits(sql: str, kind: TrinoType) -> str:
    """The lowest bits of a bigint, as a number of that type."""
    if kind == BIGINT:
        return sql
    bits = _BITS[kind.base]
    half = f"{2 ** (bits - 1)}L"
    return f"CAST((({sql} & {2**bits - 1}L) ^ {half}) - {half} AS {spark_type(kind, 0)})"


def _shift(call: Bound, function: str, *, unsigned: bool = False, over: str = "0") -> str:
    kind = call.returns
    bits = _BITS[kind.base]

    def write(value: str, shift: str) -> str:
        long = value if kind == BIGINT else f"CAST({value} AS BIGINT)"
        if unsigned and kind != BIGINT:
            long = f"({long} & {2**bits - 1}L)"
        moved = _lowest_bits(f"{function}({long}, {shift})", kind)
        beyond = f"CAST({over.format(value)} AS {spark_type(kind, 0)})"
        cases = f"WHEN {value} IS NULL THEN NULL WHEN {shift} >= {bits} THEN {beyond}"
        return f"CASE {cases} ELSE {moved} END"

    return both_repeated(call.sql(0), call.sql(1), write)


_SHIFTS = [f"({kind}, integer) -> {kind}" for kind in _BITS]
declare("bitwise_left_shift", _SHIFTS, lambda call: _shift(call, "shiftleft"),
        description="bitwise left shift")  # fmt: skip
declare("bitwise_right_shift", _SHIFTS,
        lambda call: _shift(call, "shiftrightunsigned", unsigned=True),
        description="bitwise logical right shift")  # fmt: skip
declare("bitwise_right_shift_arithmetic", _SHIFTS,
        lambda call: _shift(call, "shiftright", over="IF({0} < 0, -1, 0)"),
        description="bitwise arithmetic right shift")  # fmt: skip


def _bit_count(call: Bound) -> str:
    def write(number: str, bits: str) -> str:
        wrong = f"concat('Bits specified in bit_count must be between 2 and 64, got ', {bits})"
        long = (
            "concat('Number must be representable with the bits specified. ', "
            f"{number}, ' cannot be represented with ', {bits}, ' bits')"
        )
        places = f"CAST({bits} AS INT)"
        mask = f"IF({bits} = 64, -1L, shiftleft(1L, {places}) - 1L)"
        name = "INVALID_FUNCTION_ARGUMENT"
        return (
            f"CASE WHEN {number} IS NULL OR {bits} IS NULL THEN NULL "
            f"WHEN {bits} NOT BETWEEN 2 AND 64 THEN {fail(name, wrong, BIGINT)} "
            f"WHEN shiftright({number}, {places} - 1) NOT IN (0, -1) "
            f"THEN {fail(name, long, BIGINT)} "
            f"ELSE CAST(bit_count({number} & {mask}) AS BIGINT) END"
        )

    return both_repeated(call.sql(0), call.sql(1), write)


declare("bit_count", _TWO, _bit_count,
        description="Count number of set bits in 2's complement representation")  # fmt: skip
