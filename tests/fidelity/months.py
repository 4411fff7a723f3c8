"""Year-month intervals in Arrow batches: pyarrow carries the type but cannot touch its values.

Even `batch.columns` raises for it. So the batch goes out and back in through Arrow's C interface,
with the type's name in the schema replaced by the 32-bit integer that it is stored as.
"""

from __future__ import annotations

import ctypes

import pyarrow as pa

MONTHS, INT32 = b"tiM", b"i"


class CSchema(ctypes.Structure):
    """`struct ArrowSchema` of the Arrow C data interface."""


CSchema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(CSchema))),
    ("dictionary", ctypes.POINTER(CSchema)),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]
C_ARRAY_BYTES = 80


def months_as_integers(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The same batch with integers where the months were; others come back as they are."""
    if MONTHS_NAME not in str(batch.schema):
        return batch
    schema, array = CSchema(), ctypes.create_string_buffer(C_ARRAY_BYTES)
    batch._export_to_c(ctypes.addressof(array), ctypes.addressof(schema))
    _replace(schema)
    return pa.RecordBatch._import_from_c(ctypes.addressof(array), ctypes.addressof(schema))


def _replace(schema: CSchema) -> None:
    if schema.format == MONTHS:
        schema.format = INT32
    for number in range(schema.n_children):
        _replace(schema.children[number].contents)


MONTHS_NAME = "month_interval"
