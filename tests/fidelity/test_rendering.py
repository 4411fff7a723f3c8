"""The text of values, as in the golden files."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from tests.fidelity.golden import Style, double_text, float_text, rows_of, texts
from tests.fidelity.moments import date_text, local_micros, timestamp_text

PLAIN = Style()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1.0"),
        (0.001, "0.001"),
        (0.0001, "1.0E-4"),
        (9999999.0, "9999999.0"),
        (1e7, "1.0E7"),
        (12345678.9, "1.23456789E7"),
        (-0.0, "-0.0"),
        (float("nan"), "NaN"),
        (float("-inf"), "-Infinity"),
    ],
)
def test_doubles_look_as_java_prints_them(value: float, text: str) -> None:
    assert double_text(value) == text


def test_floats_have_no_more_digits_than_their_32_bits_need() -> None:
    assert float_text(0.10000000149011612) == "0.1"
    assert float_text(3.4028234663852886e38) == "3.4028235E38"


@pytest.mark.parametrize(
    ("days", "text"),
    [(0, "1970-01-01"), (-719529, "-0001-12-31"), (2932897, "+10000-01-01")],
)
def test_dates_reach_beyond_the_years_of_python(days: int, text: str) -> None:
    assert date_text(days) == text


@pytest.mark.parametrize(
    ("micros", "zone", "text"),
    [
        (0, None, "1970-01-01 00:00:00"),
        (0, "America/Los_Angeles", "1969-12-31 16:00:00"),
        (1_500_000, "+05:30", "1970-01-01 05:30:01.5"),
        (2**63 - 1, "America/Los_Angeles", "+294247-01-09 20:00:54.775807"),
        (-62_135_596_800_000_000, "America/Los_Angeles", "0000-12-31 16:07:02"),
    ],
)
def test_timestamps_are_on_the_clock_of_their_zone(micros: int, zone: str, text: str) -> None:
    assert timestamp_text(local_micros(micros, zone)) == text


@pytest.mark.parametrize(
    ("values", "kind", "text"),
    [
        ([None], pa.int32(), "NULL"),
        ([Decimal("1E-18")], pa.decimal128(38, 18), "0.000000000000000001"),
        ([[1, None]], pa.list_(pa.int32()), "[1,null]"),
        ([[("b", 1), ("a", 2)]], pa.map_(pa.string(), pa.int32()), '{"a":2,"b":1}'),
        ([{"d": date(2020, 1, 2)}], pa.struct([("d", pa.date32())]), '{"d":2020-01-02}'),
        ([-90_061_000_001], pa.duration("us"), "-1 01:01:01.000001000"),
        ([(14, -3, 3_600_000_001_000)], pa.month_day_nano_interval(), None),
    ],
)
def test_values_look_as_in_hive(values: list[Any], kind: pa.DataType, text: str | None) -> None:
    shown = texts(pa.array(values, kind), kind, PLAIN, nested=False)
    assert shown == [text or "1 years 2 months -3 days 1 hours 0.000001 seconds"]


@pytest.mark.parametrize(
    ("style", "text"),
    [
        ("UTF8", "a\ufffd"),
        ("BASIC", "[97, -1]"),
        ("BASE64", "Yf8"),
        ("HEX", "61FF"),
        ("HEX_DISCRETE", "[61 FF]"),
    ],
)
def test_binary_values_follow_the_output_style(style: str, text: str) -> None:
    assert texts(pa.array([b"a\xff"]), pa.binary(), Style(style), nested=False) == [text]


def test_an_interval_is_cut_to_the_last_unit_of_its_type() -> None:
    column = pa.array([4_839_259_260], pa.duration("us"))
    batch = pa.RecordBatch.from_arrays([column], names=["i"])
    assert rows_of([batch], ("interval hour to minute",), PLAIN) == ["0 01:20:00.000000000"]
