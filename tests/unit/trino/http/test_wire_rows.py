"""Every type, any value: the rows are those of the plain reference."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sqe.errors import InternalError
from sqe.model import trino_types as t
from sqe.model.query import Column
from sqe.model.trino_types import RowField, TrinoType
from sqe.trino.http.encode import RowEncoder
from tests.unit.trino.http.wire_reference import json_value
from tests.unit.trino.http.wire_values import (
    KINDS,
    PARAMETRIC,
    ZONES,
    encoded,
    result_of,
    values_of,
)


def _in_zone(kind: TrinoType, zone: str) -> TrinoType:
    return replace(
        kind,
        types=tuple(_in_zone(one, zone) for one in kind.types),
        fields=tuple(RowField(one.name, _in_zone(one.type, zone)) for one in kind.fields),
        zone=zone,
    )


@given(st.data(), st.lists(KINDS, min_size=1, max_size=3), st.booleans(), st.sampled_from(ZONES))
@settings(max_examples=300, deadline=None)
def test_rows_are_what_trino_would_send(
    data: st.DataObject, kinds: list[TrinoType], parametric: bool, zone: str
) -> None:
    kinds = [_in_zone(kind, zone) for kind in kinds]
    rows = data.draw(st.lists(st.tuples(*map(values_of, kinds)), max_size=6))
    columns, batch = result_of(kinds, rows, zone)
    expected = [
        [json_value(kind, value, parametric) for kind, value in zip(kinds, row, strict=True)]
        for row in rows
    ]
    assert encoded(columns, batch, PARAMETRIC if parametric else ()) == expected
    assert encoded(columns, batch.slice(1), PARAMETRIC if parametric else ()) == expected[1:]


@given(st.lists(st.text(max_size=30), min_size=1, max_size=50), st.integers(1, 200))
@settings(max_examples=100, deadline=None)
def test_parts_hold_whole_rows_and_no_more_than_the_limit(texts: list[str], limit: int) -> None:
    columns, batch = result_of([t.VARCHAR], [(text,) for text in texts])
    parts = list(RowEncoder(columns, batch.schema, PARAMETRIC).encode(batch, limit))
    read = [json.loads(b"[" + part.text + b"]") for part in parts]
    assert [row for rows in read for row in rows] == [[text] for text in texts]
    assert [len(rows) for rows in read] == [part.count for part in parts]
    assert all(len(part.text) <= limit or part.count == 1 for part in parts)


def test_wide_rows_are_encoded_in_slices() -> None:
    texts = ["x" * 3_000_000] * 5 + ["y"]
    columns, batch = result_of([t.VARCHAR], [(text,) for text in texts])
    parts = list(RowEncoder(columns, batch.schema, PARAMETRIC).encode(batch))
    assert [part.count for part in parts] == [1] * 6


def test_a_result_without_rows_has_no_parts() -> None:
    columns, batch = result_of([t.BIGINT], [])
    assert list(RowEncoder(columns, batch.schema, PARAMETRIC).encode(batch)) == []


LOSSLESS: list[tuple[str, pa.Array, list[Any]]] = [
    ("varchar", pa.array(["a", None, "a"]).dictionary_encode(), ["a", None, "a"]),
    ("varchar", pa.array(["a", None], pa.large_string()), ["a", None]),
    ("varchar", pa.array(["a"], pa.string_view()), ["a"]),
    ("varbinary", pa.array([b"ab"], pa.binary(2)), ["YWI="]),
    ("bigint", pa.array([1, None], pa.int32()), [1, None]),
    ("integer", pa.array([2**31 - 1], pa.uint64()), [2**31 - 1]),
    ("double", pa.array([0.5], pa.float32()), [0.5]),
    ("decimal(5,2)", pa.array(["1.5"]).cast(pa.decimal128(38, 1)), ["1.50"]),
    ("date", pa.array([0], pa.date64()), ["1970-01-01"]),
    ("timestamp(3)", pa.array([1], pa.timestamp("ms")), ["1970-01-01 00:00:00.001"]),
    ("time(6)", pa.array([1_000], pa.time64("ns")), ["00:00:00.000001"]),
    ("array(integer)", pa.array([[1], None], pa.large_list(pa.int64())), [[1], None]),
    ("array(integer)", pa.array([[1, 2], None], pa.list_(pa.int32(), 2)), [[1, 2], None]),
    ("bigint", pa.nulls(2), [None, None]),
    ("array(bigint)", pa.nulls(1), [None]),
    ("unknown", pa.array([None], pa.int32()), [None]),
    ("array(unknown)", pa.array([[], [None]], pa.list_(pa.int32())), [[], [None]]),
    ("map(unknown, unknown)", pa.array([[]], pa.map_(pa.string(), pa.null())), [{}]),
]


@pytest.mark.parametrize(("kind", "array", "expected"), LOSSLESS)
def test_other_arrow_types_of_the_same_values_are_cast(
    kind: str, array: pa.Array, expected: list[Any]
) -> None:
    batch = pa.record_batch([array], names=["c"])
    assert encoded([Column("c", kind)], batch) == [[value] for value in expected]


FOREIGN = [
    ("bigint", pa.array(["1"])),
    ("varchar", pa.array([1])),
    ("integer", pa.array([1.0])),
    ("real", pa.array([0.1])),
    ("boolean", pa.array([1])),
    ("timestamp(3)", pa.array([1], pa.timestamp("us", "UTC"))),
    ("timestamp(3) with time zone", pa.array([1], pa.timestamp("us"))),
    ("row(a integer)", pa.array([{"f0": 1, "f1": 2}])),
    ("array(integer)", pa.array([["1"]])),
    ("map(varchar, integer)", pa.array([[1]])),
    ("time(3) with time zone", pa.array([1])),
    ("hyperloglog", pa.array([b"1"])),
    ("no type", pa.array([1])),
]


@pytest.mark.parametrize(("kind", "array"), FOREIGN)
def test_a_result_of_other_types_is_refused_before_its_rows(kind: str, array: pa.Array) -> None:
    with pytest.raises(InternalError, match="c"):
        RowEncoder([Column("c", kind)], pa.schema([("c", array.type)]), PARAMETRIC)


LOSSY = [
    ("tinyint", pa.array([300])),
    ("decimal(3,1)", pa.array(["1.25"]).cast(pa.decimal128(5, 2))),
    ("timestamp(3)", pa.array([1], pa.timestamp("us"))),
    ("timestamp(6)", pa.array([1], pa.timestamp("ns"))),
    ("time(3)", pa.array([1])),
    ("time(6)", pa.array([86_400_000_000])),
    ("unknown", pa.array([1])),
]


@pytest.mark.parametrize(("kind", "array"), LOSSY)
def test_values_that_do_not_fit_the_type_are_refused(kind: str, array: pa.Array) -> None:
    with pytest.raises(InternalError, match="Column c"):
        encoded([Column("c", kind)], pa.record_batch([array], names=["c"]))


def test_another_number_of_columns_is_refused() -> None:
    with pytest.raises(InternalError, match="1 columns instead of 2"):
        RowEncoder([Column("a", "bigint")] * 2, pa.schema([("a", pa.int64())]), PARAMETRIC)


def test_an_unknown_zone_is_refused() -> None:
    columns, batch = result_of([t.timestamp_tz(3)], [(0,)], "Mars/Olympus")
    with pytest.raises(InternalError, match="Column c0"):
        encoded(columns, batch)
