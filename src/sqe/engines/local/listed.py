"""Relations that list what is in the catalogs: only the part that a query can need is fetched."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping, Sequence

import pyarrow as pa

from sqe.binding.bound import BoundMetadata
from sqe.catalog.listing import Condition, ListingFilter, NameFilter
from sqe.engines.local.plan import Comparison, MetadataScan, NotLocal, SinceNow
from sqe.engines.metadata import MetadataRows
from sqe.engines.protocol import Run

# The columns that say what a row is about, by the level of the name that they hold.
_CATALOGS = frozenset({"catalog_name", "table_cat", "table_catalog"})
_SCHEMAS = frozenset({"schema_name", "table_schem", "table_schema"})
_TABLES = frozenset({"table_name", "name"})
# The engine reads its own clock; and days are not always 24 hours.
_MARGIN = datetime.timedelta(hours=2)


def no_metadata(relation: BoundMetadata, wanted: ListingFilter, run: Run) -> pa.Table:
    """For an engine that is used without catalogs."""
    raise NotLocal("what is in the catalogs is not known to this engine")


def list_metadata(
    scans: Iterable[MetadataScan], rows: MetadataRows, run: Run
) -> Mapping[str, pa.Table]:
    """The rows of each scan, under the relation's name in the SQL."""
    return {
        scan.relation: rows(scan.metadata, _filter_of(scan.pruning), run).select(
            [column.name for column in scan.columns]
        )
        for scan in scans
    }


def _filter_of(pruning: Sequence[Comparison]) -> ListingFilter:
    return ListingFilter(
        schemas=_names(pruning, _SCHEMAS),
        tables=_names(pruning, _TABLES),
        catalogs=_names(pruning, _CATALOGS),
        conditions=tuple(map(_condition, pruning)),
    )


def _condition(comparison: Comparison) -> Condition:
    value = comparison.value
    if isinstance(value, SinceNow):
        value = datetime.datetime.now(datetime.UTC) + value.shift - _MARGIN
    return Condition(comparison.column, comparison.op, value)


def _names(pruning: Sequence[Comparison], columns: frozenset[str]) -> NameFilter:
    name_filter = NameFilter()
    for comparison in pruning:
        if comparison.column not in columns:
            continue
        if comparison.op == "isnull":  # which no name is
            name_filter = NameFilter(frozenset())
        elif comparison.op == "=":
            name_filter = name_filter.both(NameFilter(frozenset({str(comparison.value)})))
        elif comparison.op == "in" and isinstance(comparison.value, tuple):
            name_filter = name_filter.both(NameFilter(frozenset(map(str, comparison.value))))
        elif comparison.op == "startswith":
            name_filter = name_filter.both(NameFilter(prefixes=(str(comparison.value),)))
    return name_filter
