from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from sqe.errors import ErrorCode, SqeError
from sqe.model.query import Parameter
from sqe.protocols.flight_sql.parameters import rows_of, schema_of, type_name


def row(array: pa.Array) -> Parameter:
    ((parameter,),) = rows_of([pa.record_batch([array], names=["p"])])
    return parameter


@pytest.mark.parametrize(
    ("value", "kind", "name"),
    [
        (True, pa.bool_(), "boolean"),
        (1, pa.int8(), "tinyint"),
        (200, pa.uint8(), "smallint"),
        (2**63, pa.uint64(), "decimal(20,0)"),
        (1.5, pa.float32(), "float"),
        (Decimal("1.50"), pa.decimal128(10, 2), "decimal(10,2)"),
        ("x", pa.large_string(), "string"),
        ("x", pa.string_view(), "string"),
        (b"x", pa.binary(1), "binary"),
        (datetime.date(2026, 1, 2), pa.date32(), "date"),
        (datetime.datetime(2026, 1, 2, 3), pa.timestamp("s"), "timestamp_ntz"),
        (datetime.timedelta(seconds=1), pa.duration("us"), "interval day to second"),
        ([1, None], pa.list_(pa.int64()), "array<bigint>"),
        ({"a": 1}, pa.struct([("a", pa.int32())]), "struct<`a`:int>"),
        ([("k", 1)], pa.map_(pa.string(), pa.int32()), "map<string,int>"),
        (None, pa.int32(), "int"),
        (None, pa.null(), "void"),
    ],
)
def test_a_value_keeps_its_type(value: Any, kind: pa.DataType, name: str) -> None:
    assert row(pa.array([value], kind)) == Parameter(name, value)


def test_timestamps_come_in_any_unit() -> None:
    moment = datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=datetime.UTC)
    for unit in ("s", "ms", "us", "ns"):
        assert row(pa.array([moment], pa.timestamp(unit, tz="UTC"))).value == moment
    with pytest.raises(SqeError) as raised:
        row(pa.array([1], pa.timestamp("ns")))
    assert raised.value.code is ErrorCode.INVALID_ARGUMENT


def test_what_sql_has_no_type_for_is_refused() -> None:
    with pytest.raises(SqeError) as raised:
        type_name(pa.time64("us"))
    assert raised.value.code is ErrorCode.TYPE_MISMATCH


def test_a_dictionary_is_its_values() -> None:
    assert row(pa.array(["a"]).dictionary_encode()) == Parameter("string", "a")


def test_rows_over_several_batches_and_none_at_all() -> None:
    batch = pa.record_batch({"a": [1, 2], "b": ["x", "y"]})
    rows = rows_of([batch, batch.slice(0, 0), batch.slice(1)])
    assert [tuple(p.value for p in row) for row in rows] == [(1, "x"), (2, "y"), (2, "y")]
    assert rows_of([]) == []
    assert rows_of([pa.record_batch([], schema=pa.schema([]))]) == []


def test_what_drivers_are_told_to_bind() -> None:
    schema = schema_of(["int", "timestamp", "timestamp_ntz", "void"])
    assert schema.types == [
        pa.int32(),
        pa.timestamp("ms", tz="UTC"),
        pa.timestamp("ms"),
        pa.string(),
    ]
    assert all(field.nullable for field in schema)
