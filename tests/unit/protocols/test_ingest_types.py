"""Batches on their way to a table: the same values in a type that tables have, or a refusal."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from sqe.errors import ErrorCode, UserError
from sqe.protocols.flight_sql.ingest_types import Conversion, type_to_store

KEPT = [
    pa.bool_(),
    pa.int32(),
    pa.int64(),
    pa.float32(),
    pa.float64(),
    pa.string(),
    pa.large_string(),
    pa.binary(),
    pa.date32(),
    pa.timestamp("us"),
    pa.timestamp("us", "UTC"),
    pa.decimal128(38, 38),
    pa.list_(pa.struct([("a", pa.map_(pa.string(), pa.int64()))])),
]


@pytest.mark.parametrize("kind", KEPT, ids=str)
def test_what_fits_is_left_as_it_is(kind: pa.DataType) -> None:
    assert type_to_store(kind, "c") == kind
    batch = pa.record_batch([pa.nulls(2, kind)], names=["c"])
    assert Conversion(batch.schema).batch(batch).equals(batch)


WIDER = [
    (pa.array([200], pa.uint8()), pa.int32(), 200),
    (pa.array([2**64 - 1], pa.uint64()), pa.decimal128(20, 0), Decimal(2**64 - 1)),
    (pa.array([0.5], pa.float16()), pa.float32(), 0.5),
    (pa.array([7], pa.timestamp("s", "+01:00")), pa.timestamp("us", "UTC"), None),
    (pa.array([7000], pa.timestamp("ns")), pa.timestamp("us"), None),
    (pa.array([Decimal("1.5")], pa.decimal256(76, 3)), pa.decimal128(38, 3), Decimal("1.500")),
    (pa.array(["a"]).dictionary_encode(), pa.string(), "a"),
    (pc.run_end_encode(pa.array([3, 3], pa.int8())), pa.int32(), 3),
    (
        pa.array([[{"x": 1}]], pa.large_list(pa.struct([("x", pa.uint16())]))),
        pa.list_(pa.struct([("x", pa.int32())])),
        [{"x": 1}],
    ),
    (pa.array([[b"ab"]], pa.list_(pa.binary(2), 1)), pa.list_(pa.binary()), [b"ab"]),
]


@pytest.mark.parametrize(("column", "kind", "value"), WIDER, ids=lambda one: str(one)[:20])
def test_what_does_not_is_given_a_type_that_holds_all_of_it(
    column: pa.Array, kind: pa.DataType, value: Any
) -> None:
    batch = pa.record_batch([column], names=["c"])
    (found,) = Conversion(batch.schema).batch(batch)
    assert found.type == kind
    if value is not None:
        assert found[0].as_py() == value


NOWHERE = [
    pa.time32("s"),
    pa.duration("ns"),
    pa.month_day_nano_interval(),
    pa.null(),
    pa.struct([]),
    pa.uuid(),
    pa.sparse_union([pa.field("a", pa.int8())]),
    pa.list_(pa.map_(pa.string(), pa.time64("ns"))),
    pa.decimal128(5, 7),
]


@pytest.mark.parametrize("kind", NOWHERE, ids=str)
def test_what_no_type_holds_is_refused_with_the_name_of_its_column(kind: pa.DataType) -> None:
    with pytest.raises(UserError) as raised:
        Conversion(pa.schema([("ok", pa.int8()), ("the one", kind)]))
    assert raised.value.code is ErrorCode.NOT_SUPPORTED
    assert "the one" in raised.value.message
    assert raised.value.hint


LOST = [
    pa.array([1], pa.timestamp("ns")),
    pa.array([2**62], pa.timestamp("s")),
    pa.array([Decimal(10**40)], pa.decimal256(50, 0)),
    pa.array([{"x": 1}], pa.struct([("x", pa.timestamp("ns"))])),
]


@pytest.mark.parametrize("column", LOST, ids=lambda one: str(one.type))
def test_a_value_that_would_change_is_refused(column: pa.Array) -> None:
    batch = pa.record_batch([column], names=["when"])
    with pytest.raises(UserError, match="when") as raised:
        Conversion(batch.schema).batch(batch)
    assert raised.value.code is ErrorCode.INVALID_CAST


def test_a_column_of_nothing_takes_the_type_it_is_told() -> None:
    batch = pa.record_batch([pa.nulls(2)], names=["C"])
    converted = Conversion(batch.schema, {"c": pa.list_(pa.int32())}).batch(batch)
    assert converted.schema.field("C").type == pa.list_(pa.int32())
    assert converted.column(0).null_count == 2


@pytest.mark.parametrize("names", [[], [""], ["a", "A"], ["a", "b", "a"]])
def test_columns_need_names_of_their_own(names: list[str]) -> None:
    with pytest.raises(UserError):
        Conversion(pa.schema([(name, pa.int32()) for name in names]))


BROKEN = [
    pa.DictionaryArray.from_arrays(pa.array([5], pa.int32()), ["a"], safe=False),
    pa.Array.from_buffers(
        pa.string(), 1, [None, pa.array([0, 1], pa.int32()).buffers()[1], pa.py_buffer(b"\xff")]
    ),
    pa.array([1], pa.date64()),  # a date with a time
]


@pytest.mark.parametrize("column", BROKEN, ids=lambda one: str(one.type)[:10])
def test_what_is_no_proper_batch_is_refused(column: pa.Array) -> None:
    batch = pa.record_batch([column], names=["c"])
    with pytest.raises(UserError, match="broken") as raised:
        Conversion(batch.schema).batch(batch)
    assert raised.value.code is ErrorCode.INVALID_ARGUMENT
