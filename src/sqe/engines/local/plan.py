"""What the local engine is asked to do: DuckDB SQL over named scans of Iceberg tables."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from sqe.binding.bound import BoundMetadata, BoundTable
from sqe.engines.protocol import GaveUp
from sqe.model.query import Column


class NotLocal(GaveUp):
    """The statement is Spark's to run; the message says why, in words for people."""

    refused = True


@dataclass(frozen=True, slots=True)
class SinceNow:
    """A moment that is known when the statement runs: that long after its begin."""

    shift: datetime.timedelta


@dataclass(frozen=True, slots=True)
class Comparison:
    """``column op value``, true for every row the query can need: for pruning files only.

    ``op`` is one of = != < <= > >= in isnull notnull startswith. Values are Python's (int, float,
    str, bool, Decimal, date, datetime), or a tuple of them for ``in``, or None. Of relations that
    are no tables, > and >= may have a ``SinceNow``.
    """

    column: str  # the table's own name for it
    op: str
    value: object = None


@dataclass(frozen=True)
class ScanColumn:
    """A column as the SQL text knows it. ``name`` is the table's; ``alias`` stands in the SQL."""

    name: str
    alias: str
    type: str  # Spark's spelling


@dataclass(frozen=True)
class Scan:
    """A table as the query reads it: which snapshot, which columns, which rows it can need."""

    relation: str  # the name in the SQL text, e.g. scan_1
    table: BoundTable
    columns: tuple[ScanColumn, ...]
    snapshot_id: int | None = None  # None: the table as it is now, or no snapshot yet
    pruning: tuple[Comparison, ...] = ()  # all of them hold
    # Columns of floats that Spark's pruning compares with values that lose it such rows: local only
    # if every file that is read proves that it has none.
    without_nan: tuple[str, ...] = ()
    without_zero: tuple[str, ...] = ()


@dataclass(frozen=True)
class MetadataScan:
    """A list of what is in the catalogs, as the query reads it: ``pruning`` says which names
    count."""

    relation: str
    metadata: BoundMetadata
    columns: tuple[ScanColumn, ...]
    pruning: tuple[Comparison, ...] = ()


@dataclass(frozen=True)
class LocalPlan:
    """A statement the local engine may run. The SQL gives columns of exactly ``schema``'s types,
    in its order, under any names."""

    sql: str
    scans: Sequence[Scan]
    columns: tuple[Column, ...]
    schema: pa.Schema
    doubtful: bool = False  # where a value fails, another one may fail first on Spark, or none
    values: Mapping[str, object] | None = field(default=None, repr=False)  # of markers in the SQL
    metadata: Sequence[MetadataScan] = ()
