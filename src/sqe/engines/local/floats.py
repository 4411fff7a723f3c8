"""What a file's metrics prove about a column of floats.

Iceberg, and with it Spark, compares bounds as Java orders floats: -0.0 below 0.0, and bounds leave
NaN out. So Spark loses rows with ``= 0.0`` or ``> x`` that DuckDB would give; whether it does is up
to how rows are spread over files. Only where there are no such values do both agree for certain.
"""

from __future__ import annotations

from pyiceberg.conversions import from_bytes
from pyiceberg.manifest import DataFile
from pyiceberg.schema import Schema
from pyiceberg.types import DoubleType, FloatType


def free_of_nan(file: DataFile, field_id: int) -> bool:
    if (file.nan_value_counts or {}).get(field_id) == 0:
        return True
    return _only_nulls(file, field_id)


def free_of_zero(file: DataFile, field_id: int, schema: Schema) -> bool:
    kind = schema.find_type(field_id)
    if _only_nulls(file, field_id):
        return True
    lower = (file.lower_bounds or {}).get(field_id)
    upper = (file.upper_bounds or {}).get(field_id)
    if not isinstance(kind, FloatType | DoubleType):
        return False
    above = lower is not None and float(from_bytes(kind, lower)) > 0
    below = upper is not None and float(from_bytes(kind, upper)) < 0
    return above or below


def _only_nulls(file: DataFile, field_id: int) -> bool:
    count = (file.value_counts or {}).get(field_id)
    return count is not None and (file.null_value_counts or {}).get(field_id) == count
