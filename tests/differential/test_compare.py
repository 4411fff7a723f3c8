"""What counts as the same answer."""

from __future__ import annotations

from decimal import Decimal

import pyarrow as pa
import pytest

from tests.differential.compare import Verdict, compare, same_value
from tests.differential.outcome import Answer, Failure, Refusal

NAN = float("nan")


def answer(*values: object, kind: pa.DataType | None = None, name: str = "x") -> Answer:
    return Answer(pa.table({name: pa.array(values, kind)}))


@pytest.mark.parametrize(
    ("one", "other"),
    [(NAN, NAN), (1.0, 1.0 + 1e-12), (0.0, 0.0), ([1.0, None], [1.0, None]), (b"a", b"a")],
)
def test_same_values(one: object, other: object) -> None:
    assert same_value(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (0.0, -0.0),
        (NAN, None),
        (1.0, 1.0 + 1e-6),
        (float("inf"), 1e308),
        (Decimal("1.0"), Decimal("1.01")),
        (1, True),
        ("e\u0301", "é"),
    ],
)
def test_different_values(one: object, other: object) -> None:
    assert not same_value(one, other)


def test_rows_are_a_multiset_unless_ordered() -> None:
    one, other = answer(1, 2, 2), answer(2, 1, 2)
    assert compare(one, other).verdict is Verdict.SAME
    assert compare(one, other, ordered=True).verdict is Verdict.ORDER
    assert compare(one, answer(1, 1, 2)).verdict is Verdict.ROWS


def test_numbers_that_sort_differently_by_their_last_digit_are_paired() -> None:
    one = Answer(pa.table({"x": [1.0, 1.0 + 1e-15], "y": ["b", "a"]}))
    other = Answer(pa.table({"x": [1.0 + 1e-15, 1.0], "y": ["b", "a"]}))
    assert compare(one, other).verdict is Verdict.SAME


def test_names_and_types_count() -> None:
    assert compare(answer(1), answer(1, name="y")).verdict is Verdict.NAMES
    assert compare(answer(1), answer(1, kind=pa.int32())).verdict is Verdict.TYPES


def test_nullability_is_told_apart_from_rows() -> None:
    field = pa.field("x", pa.int64(), nullable=False)
    strict = Answer(pa.table({"x": [1]}, schema=pa.schema([field])))
    assert compare(answer(1), strict).verdict is Verdict.NULLABILITY


def test_errors_are_the_same_by_code() -> None:
    zero = Failure("DIVISION_BY_ZERO", "one way to say it")
    assert compare(zero, Failure("DIVISION_BY_ZERO", "another")).verdict is Verdict.SAME
    assert compare(zero, Failure("INVALID_CAST", "")).verdict is Verdict.ERROR
    assert compare(zero, answer(1)).verdict is Verdict.ERROR
    assert compare(answer(1), zero).verdict is Verdict.ERROR


def test_a_failure_of_sparks_own_says_nothing() -> None:
    verdict = compare(Failure("ENGINE_ERROR", "None.get"), answer(1)).verdict
    assert verdict is Verdict.NO_ORACLE
    assert not verdict.is_difference


def test_a_refusal_is_no_difference() -> None:
    assert compare(answer(1), Refusal("not proven")).verdict is Verdict.REFUSED
