from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.flight as flight
import pytest

from sqe.errors import ErrorCode, UpstreamError
from sqe.protocols.flight_sql.batches import Batches, all_nullable, split_batch

SCHEMA = pa.schema([("a", pa.int64())])


class Closing:
    def __init__(self) -> None:
        self.times = 0

    def __call__(self) -> None:
        self.times += 1


def batches(*numbers: int) -> Iterator[pa.RecordBatch]:
    for count in numbers:
        yield pa.record_batch([pa.array(range(count), pa.int64())], schema=SCHEMA)


def sent(source: Iterator[pa.RecordBatch], close: Closing, limit: int = 10_000) -> Batches:
    return Batches(source, close, limit, lambda name, value: None)


def test_batches_pass_as_they_are() -> None:
    close = Closing()
    assert [batch.num_rows for batch in sent(batches(3, 0, 2), close)] == [3, 0, 2]
    assert close.times == 1


def test_large_batches_are_cut_and_nothing_is_lost() -> None:
    parts = list(sent(batches(1000), Closing(), limit=1000))
    assert max(part.nbytes for part in parts) <= 1000
    assert pa.Table.from_batches(parts)["a"].to_pylist() == list(range(1000))


def test_a_row_is_not_cut() -> None:
    wide = pa.record_batch({"t": ["x" * 1000, "y", "z" * 1000]})
    assert [part.num_rows for part in split_batch(wide, 100)] == [1, 1, 1]


def test_an_error_on_the_way_is_ours() -> None:
    def failing() -> Iterator[pa.RecordBatch]:
        yield from batches(1)
        raise UpstreamError(ErrorCode.ENGINE_LOST, "Spark ended.")

    close = Closing()
    reading = sent(failing(), close)
    next(reading)
    with pytest.raises(flight.FlightUnavailableError, match="ENGINE_LOST: Spark ended"):
        next(reading)
    assert close.times == 1


def test_a_defect_on_the_way_says_nothing() -> None:
    def failing() -> Iterator[pa.RecordBatch]:
        yield from batches(int("secret"))

    with pytest.raises(flight.FlightInternalError, match="INTERNAL_ERROR") as raised:
        next(sent(failing(), Closing()))
    assert "secret" not in str(raised.value)


def test_nulls_everywhere() -> None:
    strict = pa.schema(
        [
            pa.field("a", pa.int32(), False),
            pa.field("s", pa.struct([pa.field("x", pa.int32(), False)]), False),
            pa.field("l", pa.list_(pa.field("element", pa.int32(), False)), False),
            pa.field("m", pa.map_(pa.string(), pa.field("value", pa.int32(), False)), False),
        ]
    )
    loose = all_nullable(strict)
    assert all(field.nullable for field in loose)
    assert loose.field("s").type.field(0).nullable
    assert loose.field("l").type.value_field.nullable
    assert loose.field("m").type.item_field.nullable
    assert not loose.field("m").type.key_field.nullable
    assert all_nullable(loose).equals(loose)
