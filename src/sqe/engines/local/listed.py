"""Relations that list what is in the catalogs: only the part that a query can need is fetched."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import pyarrow as pa

from sqe.binding.bound import BoundMetadata
from sqe.catalog.listing import ListingFilter, NameFilter
from sqe.engines.local.plan import Comparison, MetadataScan, NotLocal
from sqe.engines.metadata import MetadataRows
from sqe.engines.protocol import Run

# The columns that say what a row is about, by the level of the name that they hold.
_CATALOGS = frozenset({"catalog_name", "table_cat", "table_catalog"})
_SCHEMAS = frozenset({"schema_name", "table_schem", "table_schema"})
_TABLES = frozenset({"table_name", "name"})


def no_metadata(relation: BoundMetadata, wanted: ListingFilter, run: Run) -> pa.Table:
    """For an engine that is used without catalogs."""
    raise NotLocal("what is in the catalogs is not known to this engine")


def list_metadata(
    scans: Iterable[MetadataScan], rows: MetadataRows, run: Run
) -> Mapping[str, pa.Table]:
    """The rows of each scan, under the relation's name in the SQL."""
    return {
        scan.relation: rows(scan.metadata, _wanted(scan.pruning), run).select(
            [column.name for column in scan.columns]
        )
        for scan in scans
    }


def _wanted(pruning: Sequence[Comparison]) -> ListingFilter:
    return ListingFilter(
        schemas=_names(pruning, _SCHEMAS),
        tables=_names(pruning, _TABLES),
        catalogs=_names(pruning, _CATALOGS),
    )


def _names(pruning: Sequence[Comparison], columns: frozenset[str]) -> NameFilter:
    found = NameFilter()
    for one in pruning:
        if one.column not in columns:
            continue
        if one.op == "isnull":  # which no name is
            found = NameFilter(frozenset())
        elif one.op == "=":
            found = found.both(NameFilter(frozenset({str(one.value)})))
        elif one.op == "in" and isinstance(one.value, tuple):
            found = found.both(NameFilter(frozenset(map(str, one.value))))
        elif one.op == "startswith":
            found = found.both(NameFilter(prefixes=(str(one.value),)))
    return found
