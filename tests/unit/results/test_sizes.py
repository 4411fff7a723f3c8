from __future__ import annotations

import pyarrow as pa
import pytest

from sqe.results.sizes import batch_bytes

NOTHING = pa.py_buffer(b"")


def test_a_batch_of_rows_has_the_bytes_of_its_rows() -> None:
    batch = pa.RecordBatch.from_pydict({"a": ["x" * 1000] * 10})
    assert batch_bytes(batch) > 10_000
    assert batch_bytes(batch.slice(0, 1)) < 1_100


def test_nested_values_count_as_well() -> None:
    batch = pa.RecordBatch.from_pydict({"a": [["x" * 1000]] * 10})
    assert batch_bytes(batch) > 10_000
    assert batch_bytes(batch.slice(3, 1)) < 2_000


@pytest.mark.parametrize("kind", [pa.string(), pa.binary()])
def test_empty_texts_without_offsets_are_not_read(kind: pa.DataType) -> None:
    """As Spark sends them: an array of no values may have no offsets at all."""
    empty = pa.Array.from_buffers(kind, 0, [None, NOTHING, NOTHING])
    assert batch_bytes(pa.RecordBatch.from_arrays([empty], names=["a"])) == 0
    lists = pa.Array.from_buffers(
        pa.list_(kind), 2, [None, pa.py_buffer(b"\0" * 12)], children=[empty]
    )
    assert batch_bytes(pa.RecordBatch.from_arrays([lists], names=["a"])) >= 0
