"""How large a batch is."""

from __future__ import annotations

import pyarrow as pa


def batch_bytes(batch: pa.RecordBatch) -> int:
    """Its bytes, of a slice only those of its rows.

    Not always ``nbytes``: that reads the offsets of texts also where there are none, which an empty
    array may leave out (Spark's do), and then it reads whatever is behind the message. So it is
    asked only about batches with rows and without arrays inside of arrays.
    """
    if batch.num_rows == 0:
        return 0
    if any(_has_inside(field.type) for field in batch.schema):
        return int(pa.ipc.get_record_batch_size(batch))
    return int(batch.nbytes)


def _has_inside(kind: pa.DataType) -> bool:
    return bool(pa.types.is_nested(kind) or pa.types.is_dictionary(kind))
