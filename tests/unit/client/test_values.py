from __future__ import annotations

import datetime
from decimal import Decimal
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest

from sqe.client.exceptions import DataError
from sqe.client.values import rows_of, values_of

BERLIN = ZoneInfo("Europe/Berlin")


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (pa.bool_(), True),
        (pa.int8(), -128),
        (pa.int64(), 2**63 - 1),
        (pa.float64(), 1.5),
        (pa.string(), "Ł 🦆"),
        (pa.binary(), b"\x00\xff"),
        (pa.decimal128(38, 10), Decimal("1234567890.0123456789")),
        (pa.date32(), datetime.date(1, 1, 1)),
        (pa.timestamp("us"), datetime.datetime(2024, 5, 1, 12, 0, 0, 1)),
        (pa.timestamp("us", "UTC"), datetime.datetime(2024, 5, 1, 12, tzinfo=ZoneInfo("UTC"))),
        (pa.timestamp("s", "Europe/Berlin"), datetime.datetime(2024, 5, 1, 14, tzinfo=BERLIN)),
        (pa.duration("us"), datetime.timedelta(days=-1, microseconds=3)),
        (pa.list_(pa.int32()), [1, None, 3]),
        (pa.list_(pa.list_(pa.string())), [["a"], [], None]),
        (pa.struct([("a", pa.int32()), ("b", pa.string())]), {"a": 1, "b": None}),
        (pa.map_(pa.string(), pa.int32()), {"x": 1, "y": None}),
        (pa.list_(pa.map_(pa.int32(), pa.struct([("z", pa.bool_())]))), [{1: {"z": True}}]),
        (pa.month_day_nano_interval(), pa.MonthDayNano([14, 3, 5_000])),
        (pa.null(), None),
    ],
    ids=str,
)
def test_a_value_and_a_null_come_as_pythons_own(kind: pa.DataType, value: object) -> None:
    array = pa.array([value, None, value], kind)
    assert values_of(array) == [value, None, value]
    assert values_of(array.slice(1, 2)) == [None, value]


def test_a_zone_stays_with_its_timestamp() -> None:
    (value,) = values_of(pa.array([0], pa.timestamp("us", "Europe/Berlin")))
    assert value.tzinfo == BERLIN


def test_nanoseconds_that_python_can_say_are_said() -> None:
    assert values_of(pa.array([1_000], pa.timestamp("ns"))) == [
        datetime.datetime(1970, 1, 1, 0, 0, 0, 1)
    ]


@pytest.mark.parametrize(
    "array",
    [pa.array([1], pa.timestamp("ns")), pa.array([-10_000_000], pa.date32())],
    ids=["nanosecond", "a year before 1"],
)
def test_what_python_cannot_say_is_an_error_with_a_way_out(array: pa.Array) -> None:
    batch = pa.RecordBatch.from_arrays([array], ["x"])
    with pytest.raises(DataError) as raised:
        list(rows_of(batch))
    assert "fetch_arrow_table" in raised.value.hint


def test_a_map_with_keys_that_cannot_be_hashed_is_a_list_of_pairs() -> None:
    kind = pa.map_(pa.struct([("a", pa.int32())]), pa.int32())
    assert values_of(pa.array([[({"a": 1}, 2)]], kind)) == [[({"a": 1}, 2)]]


def test_rows_are_made_in_slices_and_none_is_lost() -> None:
    batch = pa.RecordBatch.from_arrays([pa.array(range(5_000)), pa.array(range(5_000))], ["a", "b"])
    assert list(rows_of(batch)) == [(n, n) for n in range(5_000)]


def test_rows_without_columns_are_counted() -> None:
    batch = pa.RecordBatch.from_struct_array(pa.array([{}, {}], pa.struct([])))
    assert list(rows_of(batch)) == [(), ()]
