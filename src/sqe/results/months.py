"""Year-month intervals, which pyarrow can carry but not open.

Their arrays have no Python class, so asking a batch for its columns fails. The same buffers read
as 32-bit times, a type that Spark's results never have, can be opened; whoever reads them knows.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.types as kinds

CARRIER = pa.time32("s")


def columns_of(batch: pa.RecordBatch) -> list[pa.Array]:
    """The batch's columns, year-month intervals as months in ``CARRIER``."""
    schema = pa.schema([field.with_type(_carrier_type(field.type)) for field in batch.schema])
    if schema.types != batch.schema.types:
        batch = pa.ipc.read_record_batch(batch.serialize(), schema)
    columns: list[pa.Array] = batch.columns
    return columns


def _carrier_type(kind: pa.DataType) -> pa.DataType:
    if kind.id == pa.lib.Type_INTERVAL_MONTHS:
        return CARRIER
    if kinds.is_struct(kind):
        return pa.struct([field.with_type(_carrier_type(field.type)) for field in kind])
    if kinds.is_map(kind):
        return pa.map_(_carrier_type(kind.key_type), _carrier_type(kind.item_type))
    if kinds.is_list(kind):
        return pa.list_(kind.value_field.with_type(_carrier_type(kind.value_type)))
    return kind
