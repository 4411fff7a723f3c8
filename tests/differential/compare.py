"""Whether two outcomes are the same answer, and if not, in what they differ."""

from __future__ import annotations

import datetime
import math
import struct
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from typing import Any

import pyarrow as pa

from tests.differential.outcome import Answer, Failure, Outcome, Refusal

TOLERANCE = 1e-9
# A single-precision number has about seven digits; its last one is not worth a difference.
SINGLE_TOLERANCE = 1e-6
SHOWN_ROWS = 8
# Spark's own defects and the machine's troubles: they say nothing about what is right.
NOT_AN_ANSWER = ("ENGINE_ERROR", "ENGINE_LOST", "ENGINE_UNAVAILABLE", "TIMEOUT", "OUT_OF_MEMORY")


class Verdict(Enum):
    SAME = "same"
    REFUSED = "refused"
    NAMES = "column names"
    TYPES = "column types"
    NULLABILITY = "nullability"
    ROWS = "rows"
    ORDER = "order of rows"
    ERROR = "error"
    NO_ORACLE = "Spark failed for reasons of its own"

    @property
    def is_difference(self) -> bool:
        """Nullability is told apart: some of it only Spark's optimizer knows."""
        agreed = (Verdict.SAME, Verdict.REFUSED, Verdict.NULLABILITY, Verdict.NO_ORACLE)
        return self not in agreed


@dataclass(frozen=True)
class Comparison:
    verdict: Verdict
    detail: str = ""


def compare(expected: Outcome, found: Outcome, *, ordered: bool = False) -> Comparison:
    """``ordered``: the query's ORDER BY leaves no choice, so the order is part of the answer."""
    if isinstance(found, Refusal) or isinstance(expected, Refusal):
        reason = found.reason if isinstance(found, Refusal) else "not comparable"
        return Comparison(Verdict.REFUSED, reason)
    if isinstance(expected, Failure) and expected.code in NOT_AN_ANSWER:
        return Comparison(Verdict.NO_ORACLE, describe(expected))
    if isinstance(expected, Failure) or isinstance(found, Failure):
        return _compare_errors(expected, found)
    return _compare_tables(expected.table, found.table, ordered)


def _compare_tables(expected: pa.Table, found: pa.Table, ordered: bool) -> Comparison:
    """What is worst about it: wrong types, then wrong rows, then wrong names."""
    wrong = _compare_types(expected.schema, found.schema)
    if wrong is None:
        wrong = _compare_rows(rows_of(expected), rows_of(found), expected, ordered)
    if wrong.verdict is not Verdict.SAME:
        return wrong
    if expected.schema.names != found.schema.names:
        names = f"expected: {expected.schema.names}\nfound:    {found.schema.names}"
        return Comparison(Verdict.NAMES, names)
    return _compare_nullability(expected.schema, found.schema)


def _compare_errors(expected: Outcome, found: Outcome) -> Comparison:
    if isinstance(expected, Failure) and isinstance(found, Failure) and expected.code == found.code:
        return Comparison(Verdict.SAME)
    return Comparison(Verdict.ERROR, f"expected: {describe(expected)}\nfound:    {describe(found)}")


def _compare_types(expected: pa.Schema, found: pa.Schema) -> Comparison | None:
    if len(expected) != len(found):
        return Comparison(Verdict.TYPES, f"{len(expected)} columns expected, {len(found)} found")
    wrong = [
        f"{want.name}: expected {type_text(want.type)}, found {type_text(have.type)}"
        for want, have in zip(expected, found, strict=True)
        if type_text(want.type) != type_text(have.type)
    ]
    return Comparison(Verdict.TYPES, "\n".join(wrong)) if wrong else None


def _compare_nullability(expected: pa.Schema, found: pa.Schema) -> Comparison:
    wrong = [
        f"{want.name}: expected nullable={want.nullable}, found nullable={have.nullable}"
        for want, have in zip(expected, found, strict=True)
        if want.nullable != have.nullable
    ]
    return Comparison(Verdict.NULLABILITY, "\n".join(wrong)) if wrong else Comparison(Verdict.SAME)


def type_text(kind: pa.DataType) -> str:
    """The type without the nullability inside it, and without Arrow's free choice of names."""
    if pa.types.is_map(kind):
        return f"map<{type_text(kind.key_type)}, {type_text(kind.item_type)}>"
    if pa.types.is_list(kind):
        return f"list<{type_text(kind.value_type)}>"
    if pa.types.is_struct(kind):
        fields = ", ".join(f"{field.name}: {type_text(field.type)}" for field in kind)
        return f"struct<{fields}>"
    return str(kind)


Row = tuple[Any, ...]


def rows_of(table: pa.Table) -> list[Row]:
    columns = [_plain(column).to_pylist() for column in table.columns]
    return list(zip(*columns, strict=True)) if columns else [()] * table.num_rows


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Moments as numbers: Python's own end at the year 9999. The types were compared before."""
    if pa.types.is_timestamp(column.type):
        return column.cast(pa.int64())
    return column.cast(pa.int32()) if pa.types.is_date32(column.type) else column


def _compare_rows(
    expected: list[Row], found: list[Row], table: pa.Table, ordered: bool
) -> Comparison:
    if not ordered:
        expected, found = sorted(expected, key=_row_key), sorted(found, key=_row_key)
    tolerances = [_tolerance(kind) for kind in table.schema.types]
    if len(expected) == len(found) and all(
        same_row(want, have, tolerances) for want, have in zip(expected, found, strict=True)
    ):
        return Comparison(Verdict.SAME)
    # Numbers that differ in their last digit may sort differently; pair them the slow way.
    if not ordered and _pair_off(expected, found, tolerances):
        return Comparison(Verdict.SAME)
    if ordered and compare_unordered(expected, found, tolerances):
        return Comparison(Verdict.ORDER, _row_report(expected, found))
    return Comparison(Verdict.ROWS, _row_report(expected, found))


def compare_unordered(expected: list[Row], found: list[Row], tolerances: Sequence[float]) -> bool:
    return _pair_off(sorted(expected, key=_row_key), sorted(found, key=_row_key), tolerances)


def _pair_off(expected: list[Row], found: list[Row], tolerances: Sequence[float]) -> bool:
    if len(expected) != len(found):
        return False
    left = list(found)
    for want in expected:
        for index, have in enumerate(left):
            if same_row(want, have, tolerances):
                del left[index]
                break
        else:
            return False
    return True


def _tolerance(kind: pa.DataType) -> float:
    return SINGLE_TOLERANCE if "float" in str(kind).replace("double", "") else TOLERANCE


def same_row(expected: Row, found: Row, tolerances: Sequence[float]) -> bool:
    return all(map(same_value, expected, found, tolerances))


def same_value(expected: Any, found: Any, tolerance: float = TOLERANCE) -> bool:
    """Exact but for floating numbers. NaN is NaN, and zeros have a sign."""
    if isinstance(expected, float) and isinstance(found, float):
        return _same_float(expected, found, tolerance)
    if isinstance(expected, list | tuple) and isinstance(found, list | tuple):
        return len(expected) == len(found) and all(
            same_value(want, have, tolerance) for want, have in zip(expected, found, strict=True)
        )
    if isinstance(expected, dict) and isinstance(found, dict):
        return list(expected) == list(found) and all(
            same_value(expected[key], found[key], tolerance) for key in expected
        )
    return type(expected) is type(found) and bool(expected == found)


def _same_float(expected: float, found: float, tolerance: float) -> bool:
    if math.isnan(expected) or math.isnan(found):
        return math.isnan(expected) and math.isnan(found)
    if expected == 0 and found == 0:
        return math.copysign(1, expected) == math.copysign(1, found)
    if math.isinf(expected) or math.isinf(found):
        return expected == found
    return math.isclose(expected, found, rel_tol=tolerance, abs_tol=0)


def _row_key(row: Row) -> tuple[Any, ...]:
    return tuple(_key(value) for value in row)


def _key(value: Any) -> tuple[Any, ...]:
    """An order over all values that can be in one column, NULL first. Any order will do."""
    if value is None:
        return (0,)
    if isinstance(value, float):
        return (1, struct.unpack(">q", struct.pack(">d", value))[0])
    if isinstance(value, bool | int | Decimal | str | bytes):
        return (2, value)
    if isinstance(value, datetime.datetime):
        return (3, value.isoformat())
    if isinstance(value, list | tuple):
        return (4, tuple(_key(item) for item in value))
    if isinstance(value, dict):
        return (5, tuple((key, _key(item)) for key, item in value.items()))
    return (6, str(value))


def _row_report(expected: list[Row], found: list[Row]) -> str:
    """The rows that only one side has; where there are none, both in order."""
    ours, theirs = (Counter(map(repr, rows)) for rows in (expected, found))
    missing = list((ours - theirs).elements()) or list(map(repr, expected))
    surplus = list((theirs - ours).elements()) or list(map(repr, found))
    lines = [f"{len(expected)} rows expected, {len(found)} found"]
    lines += [f"expected only: {row}" for row in missing[:SHOWN_ROWS]]
    lines += [f"found only:    {row}" for row in surplus[:SHOWN_ROWS]]
    return "\n".join(lines)


def describe(outcome: Outcome) -> str:
    if isinstance(outcome, Failure):
        return f"error {outcome.code}: {outcome.message}"
    if isinstance(outcome, Refusal):
        return f"refused: {outcome.reason}"
    rows = rows_of(outcome.table)
    shown = ", ".join(map(repr, rows[:SHOWN_ROWS]))
    return f"{len(rows)} rows: {shown}{' …' if len(rows) > SHOWN_ROWS else ''}"


def columns_of(outcome: Answer, names: Sequence[int]) -> Answer:
    """Some columns of an answer, by position: a bundle is compared piece by piece."""
    return Answer(outcome.table.select(list(names)))
