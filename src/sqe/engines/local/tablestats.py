"""What a table's manifests and statistics files say about its rows and columns.

Nothing is read but metadata and delete files, as the user. What is not known is None: a wrong
figure is worse than none. Deleted rows are still in the figures of columns, so that bounds stay
bounds and fractions are estimates wherever a table has delete files.
"""

from __future__ import annotations

import datetime as dt
import struct
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from pyiceberg.conversions import from_bytes
from pyiceberg.manifest import DataFile, DataFileContent
from pyiceberg.schema import Schema
from pyiceberg.types import (
    BinaryType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    NestedField,
    PrimitiveType,
    StringType,
    TimestampType,
    TimestamptzType,
)

from sqe.catalog.protocol import Json, Loaded
from sqe.catalog.schemas import current_schema
from sqe.engines.local.deletes import read_deleted_rows
from sqe.engines.local.manifests import LiveFile, ManifestCache, Snapshot
from sqe.engines.local.objects import Objects
from sqe.engines.local.plan import NotLocal
from sqe.engines.local.pruning import Pruning
from sqe.engines.local.storage import Storage, TableSource, storage_of

_MAX_DELETED = 5_000_000
_TIMEOUT_S = 30.0
_SKETCH = "apache-datasketches-theta-v1"
# Strings have no range here: their bounds in manifests are cut off.
_RANGED = (
    IntegerType, LongType, FloatType, DoubleType, DecimalType, DateType, TimestampType,
    TimestamptzType,
)  # fmt: skip
_ODD = (ValueError, TypeError, KeyError, IndexError, ArithmeticError, struct.error)
Value = int | float | Decimal | dt.date | dt.datetime


@dataclass(frozen=True)
class ColumnStats:
    """``size`` is in bytes as stored, of columns whose values differ in length."""

    name: str
    size: float | None = None
    distinct: float | None = None
    nulls: float | None = None  # a fraction
    low: Value | None = None
    high: Value | None = None


@dataclass(frozen=True)
class TableStats:
    rows: float | None
    columns: tuple[ColumnStats, ...]

    def column(self, name: str) -> ColumnStats | None:
        return next(
            (column for column in self.columns if column.name.lower() == name.lower()), None
        )


def table_stats(loaded: Loaded, source: TableSource | None = None) -> TableStats:
    """Of the table's current snapshot. NotLocal where its files are out of reach."""
    metadata = loaded.metadata
    fields: list[Json] = current_schema(metadata)["fields"]
    snapshot = current_snapshot(metadata)
    if snapshot is None:
        return TableStats(0.0, tuple(ColumnStats(field["name"], distinct=0.0) for field in fields))
    objects = Objects(_TIMEOUT_S)
    try:
        storage = storage_of(loaded, objects, source)
        files = _live_files(storage, snapshot)
        rows = _rows(files, storage)
    finally:
        objects.close()
    data = [file.file for file in files if file.file.content == DataFileContent.DATA]
    distinct = _distinct(metadata, snapshot)
    return TableStats(
        rows, tuple(_column(field, data, distinct.get(field["id"]), rows) for field in fields)
    )


def current_snapshot(metadata: Json) -> Json | None:
    wanted = metadata.get("current-snapshot-id")
    for snapshot in metadata.get("snapshots") or ():
        if snapshot["snapshot-id"] == wanted:
            current: Json = snapshot
            return current
    return None


def _live_files(storage: Storage, snapshot: Json) -> list[LiveFile]:
    if "manifest-list" not in snapshot:
        raise NotLocal("a snapshot of the oldest format lists its manifests itself")
    source = Snapshot("", snapshot["manifest-list"], None, storage, ManifestCache(0))
    return list(source.live(Pruning(Schema(), {}, ())))


def _rows(files: list[LiveFile], storage: Storage) -> float | None:
    """Without the deleted ones, which are looked up: a delete file may be about rows that are gone
    already. None where there are too many, and with equality deletes."""
    data = [file for file in files if file.file.content == DataFileContent.DATA]
    deletes = [file for file in files if file.file.content == DataFileContent.POSITION_DELETES]
    if len(data) + len(deletes) < len(files):
        return None
    try:
        deleted, _ = read_deleted_rows(data, deletes, storage, _MAX_DELETED)
    except NotLocal:
        return None
    total = sum(file.file.record_count for file in data)
    return float(total - sum(len(rows) for rows in deleted.values()))


def _distinct(metadata: Json, snapshot: Json) -> dict[int, float]:
    """By field id, of the newest snapshot with statistics among this one and its ancestors."""
    by_snapshot = {
        statistic["snapshot-id"]: statistic for statistic in metadata.get("statistics") or ()
    }
    parents = {s["snapshot-id"]: s.get("parent-snapshot-id") for s in metadata["snapshots"]}
    current = snapshot["snapshot-id"]
    while current is not None:
        if current in by_snapshot:
            return _distinct_counts(by_snapshot[current])
        current = parents.get(current)
    return {}


def _distinct_counts(statistics: Json) -> dict[int, float]:
    counts = {}
    for blob in statistics.get("blob-metadata") or ():
        count = (blob.get("properties") or {}).get("ndv")
        if blob.get("type") == _SKETCH and len(blob["fields"]) == 1 and count is not None:
            counts[blob["fields"][0]] = float(count)
    return counts


def _column(
    stored: Json, files: list[DataFile], distinct: float | None, rows: float | None
) -> ColumnStats:
    try:
        field = NestedField.model_validate(stored)
    except ValueError:  # a type that PyIceberg does not know
        return ColumnStats(stored["name"])
    kind = field.field_type
    if not isinstance(kind, PrimitiveType):
        return ColumnStats(field.name)
    if distinct is not None and rows is not None:
        distinct = min(distinct, rows)  # it is an estimate, and may be of an older snapshot
    low, high = _range(field, files) if isinstance(kind, _RANGED) else (None, None)
    sized = isinstance(kind, StringType | BinaryType)
    return ColumnStats(
        field.name,
        _sum(files, "column_sizes", field.field_id) if sized else None,
        distinct,
        _null_fraction(field, files),
        low,
        high,
    )


def _sum(files: list[DataFile], figure: str, field_id: int) -> float | None:
    """None if one of the files does not say."""
    total = 0
    for file in files:
        value = (getattr(file, figure) or {}).get(field_id)
        if value is None:
            return None
        total += value
    return float(total)


def _null_fraction(field: NestedField, files: list[DataFile]) -> float | None:
    rows = sum(file.record_count for file in files)
    if not rows:
        return None
    if field.required:
        return 0.0
    nulls = _sum(files, "null_value_counts", field.field_id)
    return None if nulls is None else nulls / rows


def _range(field: NestedField, files: list[DataFile]) -> tuple[Value | None, Value | None]:
    """Of all files together; none if a file with values in the column has no bounds for it."""
    lows: list[Any] = []
    highs: list[Any] = []
    for file in files:
        if _only_nulls(field.field_id, file):
            continue
        if (file.nan_value_counts or {}).get(field.field_id):
            return None, None
        low = (file.lower_bounds or {}).get(field.field_id)
        high = (file.upper_bounds or {}).get(field.field_id)
        if low is None or high is None:
            return None, None
        try:
            lows.append(_value(field.field_type, low))
            highs.append(_value(field.field_type, high))
        except _ODD:
            return None, None
    return (min(lows), max(highs)) if lows else (None, None)


def _only_nulls(field_id: int, file: DataFile) -> bool:
    nulls = (file.null_value_counts or {}).get(field_id)
    return nulls is not None and nulls == file.record_count


def _value(kind: Any, stored: bytes) -> Value:
    """Files from before a column was widened have the narrower type's bounds."""
    if isinstance(kind, LongType) and len(stored) == 4:
        kind = IntegerType()
    elif isinstance(kind, DoubleType) and len(stored) == 4:
        kind = FloatType()
    value: Any = from_bytes(kind, stored)
    if isinstance(kind, DateType):
        return dt.date(1970, 1, 1) + dt.timedelta(days=int(value))
    if isinstance(kind, TimestampType | TimestamptzType):
        return dt.datetime(1970, 1, 1) + dt.timedelta(microseconds=int(value))
    native: Value = value
    return native
