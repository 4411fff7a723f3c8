"""Values and their JSON as a Trino 476 sent them."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from sqe.model.trino_types import parse_type
from tests.unit.trino.http.wire_values import PARAMETRIC, encoded, result_of

_SECOND = 1_000_000
_Y2020 = 1_577_836_800 * _SECOND
_INFINITE, _NAN = float("inf"), float("nan")

WITH_PRECISION: list[tuple[str, Any, Any]] = [
    ("date", 3_789_391, "+12345-01-01"),
    ("date", -735_525, "-0044-03-15"),
    ("date", -719_528, "0000-01-01"),
    ("date", -719_529, "-0001-12-31"),
    ("date", 2_147_483_647, "+5881580-07-11"),
    ("timestamp(2)", 3_789_391 * 86_400 * _SECOND + 120_000, "+12345-01-01 00:00:00.12"),
    ("timestamp(0)", -735_525 * 86_400 * _SECOND + 3_723 * _SECOND, "-0044-03-15 01:02:03"),
    ("timestamp(6)", _Y2020 + 123_456, "2020-01-01 00:00:00.123456"),
    ("timestamp(9)", _Y2020 + 123_456, "2020-01-01 00:00:00.123456000"),
    ("time(4)", 86_399_999_900, "23:59:59.9999"),
    ("time(0)", 36_000 * _SECOND, "10:00:00"),
    ("interval day to second", -10_800_000, "-0 03:00:00.000"),
    ("interval day to second", 9_223_372_036_828_800_000, "106751991167 00:00:00.000"),
    ("interval year to month", -12, "-1-0"),
    ("interval year to month", -14, "-1-2"),
    ("interval year to month", -1, "-0-1"),
    ("double", 100.0, 100.0),
    ("double", 1e22, 1e22),
    ("double", _NAN, "NaN"),
    ("double", -_INFINITE, "-Infinity"),
    ("real", 1.1, 1.1),
    ("real", 1.401298464324817e-45, 1.4e-45),
    ("array(real)", [9.80908925027372e-45, -4.203895392974451e-45], [9.8e-45, -4.2e-45]),
    ("map(double, integer)", [(5e-324, 1), (2e-323, 2)], {"4.9E-324": 1, "2.0E-323": 2}),
    ("decimal(38,38)", "0.00000000000000000000000000000000000001", None),
    ("decimal(3,3)", "-0.010", None),
    ("char(3)", "", "   "),
    ("varbinary", b"\xca\xfe\x01", "yv4B"),
    ("varchar", 'a\x01b\n\t\u2028"\\/\x7f', None),
    ("map(real, integer)", [(1.1, 1), (1e10, 2), (16777216.0, 3)],
     {"1.1": 1, "1.0E10": 2, "1.6777216E7": 3}),
    ("map(double, integer)",
     [(1.0, 1), (1e10, 2), (_NAN, 3), (1e-5, 4), (123456.7, 5), (-0.0, 6), (1e7, 7), (0.001, 8),
      (9999999.0, 9), (_INFINITE, 10)],
     {"1.0": 1, "1.0E10": 2, "NaN": 3, "1.0E-5": 4, "123456.7": 5, "-0.0": 6, "1.0E7": 7,
      "0.001": 8, "9999999.0": 9, "Infinity": 10}),
    ("map(varbinary, integer)", [(b"\xca\xfe\x01", 1), (b"", 2)], {"yv4B": 1, "": 2}),
    ("map(interval day to second, integer)", [(86_400_000, 1)], {"1 00:00:00.000": 1}),
    ("map(char(3), integer)", [("a", 1)], {"a  ": 1}),
    ("map(array(integer), integer)", [([1, 3], 2)], {"[1, 3]": 2}),
    ("map(row(integer, varchar(5)), integer)", [((1, 'a "x"'), 2)], {'[1, a "x"]': 2}),
    ("map(map(varchar(1), integer), integer)", [([("a", 1), ("b", 2)], 2)], {"{a=1, b=2}": 2}),
    ("map(array(double), integer)", [([1.0, _NAN], 2)], {"[1.0, NaN]": 2}),
    ("map(array(row(timestamp(6))), integer)", [([(_Y2020 + 123_456,)], 2)],
     {"[[2020-01-01 00:00:00.123456]]": 2}),
]  # fmt: skip
WITHOUT_PRECISION: list[tuple[str, Any, Any]] = [
    ("timestamp(0)", _Y2020, "2020-01-01 00:00:00.000"),
    ("timestamp(5)", _Y2020 + 123_450, "2020-01-01 00:00:00.123"),
    ("timestamp(4)", -500, "1970-01-01 00:00:00.000"),
    ("timestamp(4)", -284_000_400 * _SECOND + 123_500, "1960-12-31 23:00:00.124"),
    ("time(4)", 86_399_999_900, "00:00:00.000"),
    ("time(0)", 36_000 * _SECOND, "10:00:00.000"),
    ("array(timestamp(5))", [_Y2020 + 999_510], ["2020-01-01 00:00:01.000"]),
    ("timestamp(5) with time zone", _Y2020 + 999_510, "2020-01-01 00:00:01.000 UTC"),
    ("row(t timestamp(0) with time zone)", (_Y2020,), ["2020-01-01 00:00:00.000 UTC"]),
    ("map(timestamp(6), timestamp(6))", [(_Y2020 + 123_456, _Y2020 + 123_556)],
     {"2020-01-01 00:00:00.123456": "2020-01-01 00:00:00.124"}),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "value", "expected"), WITH_PRECISION)
def test_values_are_written_as_trino_writes_them(kind: str, value: Any, expected: Any) -> None:
    if kind.startswith("decimal"):
        value, expected = pa.scalar(value).cast(_arrow_decimal(kind)).as_py(), value
    columns, batch = result_of([parse_type(kind)], [(value,)])
    assert encoded(columns, batch) == [[value if expected is None else expected]]


@pytest.mark.parametrize(("kind", "value", "expected"), WITHOUT_PRECISION)
def test_clients_without_precisions_get_milliseconds(kind: str, value: Any, expected: Any) -> None:
    columns, batch = result_of([parse_type(kind)], [(value,)])
    assert encoded(columns, batch, ()) == [[expected]]


ZONED = [
    ("+05:30", _Y2020 - 19_800 * _SECOND, "2020-01-01 00:00:00 +05:30"),
    ("-03:00", _Y2020 + 10_800 * _SECOND, "2020-01-01 00:00:00 -03:00"),
    ("UTC", 3_789_391 * 86_400 * _SECOND, "+12345-01-01 00:00:00 UTC"),
    ("America/New_York", -62_135_578_962 * _SECOND, "0001-01-01 00:01:16 America/New_York"),
    # Summer time goes on after the last change that files of rules list, and after year 9999.
    ("America/New_York", 2_540_376_000 * _SECOND, "2050-07-02 08:00:00 America/New_York"),
    ("America/New_York", 327_413_707_200 * _SECOND, "+12345-04-30 08:00:00 America/New_York"),
    ("America/New_York", -90_000_000_000 * _SECOND, "-0882-01-06 03:03:58 America/New_York"),
    # The hour of a change of clocks, on both sides of it.
    ("Europe/Berlin", 1_603_587_599 * _SECOND, "2020-10-25 02:59:59 Europe/Berlin"),
    ("Europe/Berlin", 1_603_587_600 * _SECOND, "2020-10-25 02:00:00 Europe/Berlin"),
]


@pytest.mark.parametrize(("zone", "instant", "expected"), ZONED)
def test_instants_are_told_in_their_zone(zone: str, instant: int, expected: str) -> None:
    columns, batch = result_of([parse_type("timestamp(0) with time zone")], [(instant,)], zone)
    assert encoded(columns, batch, PARAMETRIC) == [[expected]]


def _arrow_decimal(kind: str) -> pa.DataType:
    found = parse_type(kind)
    return pa.decimal128(found.precision, found.scale)
