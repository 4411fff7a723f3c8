"""The buffer between a query and its reader."""

from __future__ import annotations

import threading

import pyarrow as pa
import pytest

from sqe.errors import ErrorCode, SqeError, UserError
from sqe.results.buffer import BatchBuffer
from sqe.results.cancellation import Cancellation

BATCH = pa.RecordBatch.from_pydict({"n": [1]})
CANCELLED = UserError(ErrorCode.CANCELLED, "The query was cancelled.")


def test_batches_come_in_order_and_end() -> None:
    buffer = BatchBuffer(limit=5)
    batches = [pa.RecordBatch.from_pydict({"n": [i]}) for i in range(3)]
    assert all(buffer.put(batch) for batch in batches)
    buffer.finish()
    assert list(buffer) == batches


def test_put_waits_for_room_and_hears_that_the_reader_is_gone() -> None:
    buffer, answers = BatchBuffer(limit=1), []
    assert buffer.put(BATCH)
    producer = threading.Thread(target=lambda: answers.append(buffer.put(BATCH)))
    producer.start()
    producer.join(0.05)
    assert producer.is_alive()
    buffer.close()
    producer.join(2)
    assert answers == [False]
    assert list(buffer) == []


def test_an_error_comes_before_waiting_batches() -> None:
    buffer = BatchBuffer()
    buffer.put(BATCH)
    buffer.fail(CANCELLED)
    with pytest.raises(SqeError) as raised:
        list(buffer)
    assert raised.value is CANCELLED
    assert buffer.put(BATCH) is False


def test_an_error_after_the_end_changes_nothing() -> None:
    buffer = BatchBuffer()
    buffer.put(BATCH)
    buffer.finish()
    buffer.fail(CANCELLED)
    assert list(buffer) == [BATCH]


def test_a_cancel_is_told_once_to_everybody() -> None:
    cancellation, told = Cancellation(), []
    cancellation.on_cancel(lambda: told.append("first"))
    assert cancellation.cancel()
    assert not cancellation.cancel(UserError(ErrorCode.USER_ERROR, "late"))
    cancellation.on_cancel(lambda: told.append("late"))
    assert told == ["first", "late"]
    with pytest.raises(UserError) as raised:
        cancellation.check()
    assert raised.value.code is ErrorCode.CANCELLED
