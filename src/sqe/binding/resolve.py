"""From the parts of a name, as written, to the tables they may mean."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqe.model.names import SchemaName

# What may stand behind a table's name in Iceberg on Spark.
METADATA_TABLES = frozenset(
    {
        "all_data_files",
        "all_delete_files",
        "all_entries",
        "all_files",
        "all_manifests",
        "changes",
        "data_files",
        "delete_files",
        "entries",
        "files",
        "history",
        "manifests",
        "metadata_log_entries",
        "partitions",
        "position_deletes",
        "refs",
        "snapshots",
    }
)
_PREFIXES = ("branch_", "tag_", "snapshot_id_", "at_timestamp_")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A reading of the name: a schema, a table in it, and what stands behind the table."""

    schema: SchemaName
    name: str
    suffix: tuple[str, ...] = ()


def is_suffix(part: str) -> bool:
    """Whether ``table.part`` can mean a metadata table, branch, tag or snapshot of the table."""
    lowered = part.lower()
    return lowered in METADATA_TABLES or lowered.startswith(_PREFIXES)


def candidates(
    parts: Sequence[str], current: SchemaName, catalogs: Sequence[str]
) -> Iterator[Candidate]:
    """All readings, the likeliest first: the longest table name wins over a suffix."""
    for schema, rest in _anchors(parts, current, catalogs):
        path, name = (*schema.path, *rest[:-1]), rest[-1]
        if path:
            yield Candidate(SchemaName(schema.catalog, path), name)
    for schema, rest in _anchors(parts, current, catalogs):
        if len(rest) >= 2 and is_suffix(rest[-1]):
            path, name = (*schema.path, *rest[:-2]), rest[-2]
            if path:
                yield Candidate(SchemaName(schema.catalog, path), name, (rest[-1],))


def _anchors(
    parts: Sequence[str], current: SchemaName, catalogs: Sequence[str]
) -> Iterator[tuple[SchemaName, tuple[str, ...]]]:
    """Where the first part may hang: under a catalog, a catalog's root, the current schema."""
    rest = tuple(parts)
    if len(rest) >= 3:
        catalog = next((name for name in catalogs if name.lower() == rest[0].lower()), None)
        if catalog is not None:
            yield SchemaName(catalog, ()), rest[1:]
    if len(rest) >= 2:
        yield SchemaName(current.catalog, ()), rest
    if len(rest) == 1 or (len(rest) == 2 and is_suffix(rest[-1])):
        yield current, rest
