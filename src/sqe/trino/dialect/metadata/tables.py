"""The metadata tables of an Iceberg table, ``"t$snapshots"`` and its kin, out of Spark's.

Spark has them under the same names with other columns. What is written here has Trino's columns,
in Trino's order and types.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sqe.model.trino_types import (
    BIGINT,
    BOOLEAN,
    INTEGER,
    JSON,
    VARBINARY,
    VARCHAR,
    TrinoType,
    array,
    carrier,
    map_of,
    row,
    timestamp_tz,
)
from sqe.trino.dialect.errors import Refused
from sqe.trino.dialect.metadata import metrics
from sqe.trino.dialect.metadata.iceberg import (
    Leaf,
    Metadata,
    leaves,
    partition_fields,
    schema_of,
    spell_sort_order,
    types_by_id,
)
from sqe.trino.dialect.metadata.metrics import File
from sqe.trino.dialect.metadata.relations import Columns, MetadataRelation, TrinoColumn
from sqe.trino.dialect.metadata.types import trino_type
from sqe.trino.dialect.typed import quote_name, string

_FILE = File("f", "f.readable_metrics")
_ENTRY = File("e.data_file", "e.readable_metrics")
_Items = tuple[tuple[str, TrinoType, str], ...]  # name, type, and the SQL that gives it
_MOMENT = timestamp_tz(3)
_COUNTS = map_of(INTEGER, BIGINT)
_BOUNDS = map_of(INTEGER, VARCHAR)
_SUMMARY = row(
    ("contains_null", BOOLEAN),
    ("contains_nan", BOOLEAN),
    ("lower_bound", VARCHAR),
    ("upper_bound", VARCHAR),
)


def metadata_table(name: str, metadata: Metadata, suffix: str) -> MetadataRelation | None:
    """``name`` is the table's in Spark's text; None where Trino has no such metadata table."""
    if suffix in _REFUSED:
        raise Refused("NOT_SUPPORTED", f"The metadata table ${suffix} is not supported")
    make = _TABLES.get(suffix)
    return make(name, metadata) if make is not None else None


def _relation(items: _Items, source: str, rest: str = "") -> MetadataRelation:
    listed = ", ".join(f"{sql} AS {quote_name(name)}" for name, _, sql in items)
    columns: Columns = tuple(TrinoColumn(name, kind) for name, kind, _ in items)
    text = f"(SELECT {listed} FROM {source}{rest})"
    return MetadataRelation(text, columns)


def _same_as_spark(
    suffix: str, **columns: TrinoType
) -> Callable[[str, Metadata], MetadataRelation]:
    """One that Spark has with the same columns."""
    items = tuple((name, kind, quote_name(name)) for name, kind in columns.items())
    return lambda name, metadata: _relation(items, f"{name}.{suffix}")


def _history(name: str, metadata: Metadata) -> MetadataRelation:
    """Each snapshot once: in Trino a rollback makes no new entry, in Spark it does."""
    items: _Items = (
        ("made_current_at", _MOMENT, "min(made_current_at)"),
        ("snapshot_id", BIGINT, "snapshot_id"),
        ("parent_id", BIGINT, "parent_id"),
        ("is_current_ancestor", BOOLEAN, "is_current_ancestor"),
    )
    groups = "snapshot_id, parent_id, is_current_ancestor"
    return _relation(items, f"{name}.history", f" GROUP BY {groups}")


def _struct(kind: TrinoType, *values: str) -> str:
    """The carrier of a row of this type."""
    parts = zip(kind.fields, values, strict=True)
    return (
        f"named_struct({', '.join(f'{string(str(name.name))}, {value}' for name, value in parts)})"
    )


def _all_manifests(name: str, metadata: Metadata) -> MetadataRelation:
    counts = [
        f"{what}_{kind}_files_count"
        for kind in ("data", "delete")
        for what in ("added", "existing", "deleted")
    ]
    parts = ("contains_null", "contains_nan", "lower_bound", "upper_bound")
    summary = _struct(_SUMMARY, *(f"s.{part}" for part in parts))
    summaries = f"transform(partition_summaries, s -> {summary})"
    items: _Items = (
        ("path", VARCHAR, "path"),
        ("length", BIGINT, "length"),
        ("partition_spec_id", INTEGER, "partition_spec_id"),
        ("added_snapshot_id", BIGINT, "added_snapshot_id"),
        *((count, INTEGER, count) for count in counts),
        ("partition_summaries", array(_SUMMARY), summaries),
        ("reference_snapshot_id", BIGINT, "reference_snapshot_id"),
    )
    return _relation(items, f"{name}.all_manifests")


def _partition(metadata: Metadata, source: str) -> _Items:
    """The column ``partition``; none where the table has never been partitioned."""
    fields = partition_fields(metadata)
    if not fields:
        return ()
    types = types_by_id(metadata)
    kinds = [
        (field["name"], _partition_type(field["transform"], types[field["source-id"]]))
        for field in fields
    ]
    values = [f"{source}.{quote_name(field['name'])}" for field in fields]
    kind = row(*kinds)
    return (("partition", kind, _struct(kind, *values)),)


def _partition_type(transform: str, source: TrinoType) -> TrinoType:
    if transform == "day":
        return trino_type("date")
    if transform in ("year", "month", "hour") or transform.startswith("bucket"):
        return INTEGER
    return source


def _file(metadata: Metadata, file: File) -> _Items:
    """The columns of a file."""
    known = leaves(metadata)

    def bounds(side: str) -> str:
        entries = ", ".join(
            f"{leaf.id}, {metrics.text(leaf.type, file.bound_of(leaf, side))}" for leaf in known
        )
        stored = f"{file.columns}.{side}_bounds"
        return f"IF({stored} IS NULL, NULL, map_filter(map({entries}), (k, v) -> v IS NOT NULL))"

    def list_items(columns: Mapping[str, TrinoType]) -> _Items:
        return tuple((name, kind, f"{file.columns}.{name}") for name, kind in columns.items())

    return (
        *list_items(_BEFORE),
        *_partition(metadata, f"{file.columns}.partition"),
        *list_items(_COUNTED),
        ("lower_bounds", _BOUNDS, bounds("lower")),
        ("upper_bounds", _BOUNDS, bounds("upper")),
        *list_items(_BEHIND),
    )


_BEFORE: Mapping[str, TrinoType] = {
    "content": INTEGER,
    "file_path": VARCHAR,
    "file_format": VARCHAR,
    "spec_id": INTEGER,
}
_COUNTED: Mapping[str, TrinoType] = {
    "record_count": BIGINT,
    "file_size_in_bytes": BIGINT,
    "column_sizes": _COUNTS,
    "value_counts": _COUNTS,
    "null_value_counts": _COUNTS,
    "nan_value_counts": _COUNTS,
}
_BEHIND: Mapping[str, TrinoType] = {
    "key_metadata": VARBINARY,
    "split_offsets": array(BIGINT),
    "equality_ids": array(INTEGER),
    "sort_order_id": INTEGER,
}


def _files(name: str, metadata: Metadata) -> MetadataRelation:
    read = metrics.readable(leaves(metadata), _FILE)
    items = (*_file(metadata, _FILE), ("readable_metrics", JSON, read))
    return _relation(items, f"{name}.files AS f")


def _entries(suffix: str) -> Callable[[str, Metadata], MetadataRelation]:
    def make(name: str, metadata: Metadata) -> MetadataRelation:
        file = _file(metadata, _ENTRY)
        kind = row(*((part, column_name) for part, column_name, _ in file))
        items: _Items = (
            ("status", INTEGER, "e.status"),
            ("snapshot_id", BIGINT, "e.snapshot_id"),
            ("sequence_number", BIGINT, "e.sequence_number"),
            ("file_sequence_number", BIGINT, "e.file_sequence_number"),
            ("data_file", kind, _struct(kind, *(sql for *_, sql in file))),
            ("readable_metrics", JSON, metrics.readable(leaves(metadata), _ENTRY)),
        )
        return _relation(items, f"{name}.{suffix} AS e")

    return make


def _partitions(name: str, metadata: Metadata) -> MetadataRelation:
    """Added up from the files, as Trino does it: rows that were deleted since count as well."""
    partition = _partition(metadata, "f.partition")
    data = _with_statistics(metadata)
    items: _Items = (
        *partition,
        ("record_count", BIGINT, "sum(f.record_count)"),
        ("file_count", BIGINT, "count(*)"),
        ("total_size", BIGINT, "sum(f.file_size_in_bytes)"),
    )
    if data:
        kind = row(*((leaf.name.lower(), _statistics(leaf.type)) for leaf in data))
        items += (("data", kind, _struct(kind, *map(_collect_bounds, data))),)
    groups = ", ".join(["f.spec_id", *(["f.partition"] if partition else [])])
    return _relation(items, f"{name}.files AS f", f" WHERE f.content = 0 GROUP BY {groups}")


def _with_statistics(metadata: Metadata) -> list[Leaf]:
    """The columns that ``data`` tells about: not rows, lists and maps, and not those whose value
    the partition has."""
    identity = {
        field["source-id"]
        for field in partition_fields(metadata)
        if field["transform"] == "identity"
    }
    top = {field["id"] for field in schema_of(metadata)["fields"]}
    return [leaf for leaf in leaves(metadata) if leaf.id in top and leaf.id not in identity]


def _statistics(kind: TrinoType) -> TrinoType:
    return row(("min", kind), ("max", kind), ("null_count", BIGINT), ("nan_count", BIGINT))


def _collect_bounds(leaf: Leaf) -> str:
    """A bound is known if every file has it that has a value at all."""
    nulls = _FILE.metric(leaf, "null_value_count")
    valued = f"{nulls} IS DISTINCT FROM f.record_count"
    kind = carrier(leaf.type)

    def write_bound(side: str, pick: str) -> str:
        value = _FILE.bound_of(leaf, side)
        missing = f"bool_or({valued} AND {value} IS NULL)"
        return f"IF({missing}, NULL, CAST({pick}({value}) AS {kind}))"

    nans = _FILE.metric(leaf, "nan_value_count")
    told = write_bound("lower", "min"), write_bound("upper", "max"), f"sum({nulls})", f"sum({nans})"
    return _struct(_statistics(leaf.type), *told)


def _properties(name: str, metadata: Metadata) -> MetadataRelation:
    """What the metadata itself says; there is no table of it in Spark."""
    stored: dict[str, str] = dict(metadata.get("properties") or {})
    order = spell_sort_order(metadata)
    if order is None:
        message = "The properties of a table that is sorted by more than columns are not supported"
        raise Refused("NOT_SUPPORTED", message)
    current = metadata.get("current-snapshot-id")
    file_format = stored.get("write.format.default", "parquet")
    told = {
        "format": f"iceberg/{file_format}",
        "provider": "iceberg",
        "current-snapshot-id": "none" if current in (None, -1) else str(current),
        "location": str(metadata.get("location", "")),
        "format-version": str(metadata.get("format-version", 2)),
    }
    if order:
        told["sort-order"] = ", ".join(order)
    rows = ", ".join(f"({string(key)}, {string(value)})" for key, value in (told | stored).items())
    items: _Items = (("key", VARCHAR, "`key`"), ("value", VARCHAR, "`value`"))
    return _relation(items, f"VALUES {rows} AS p(`key`, `value`)")


_REFUSED = ("manifests",)  # Spark does not tell how many rows are in one
_TABLES: Mapping[str, Callable[[str, Metadata], MetadataRelation]] = {
    "snapshots": _same_as_spark(
        "snapshots",
        committed_at=_MOMENT,
        snapshot_id=BIGINT,
        parent_id=BIGINT,
        operation=VARCHAR,
        manifest_list=VARCHAR,
        summary=map_of(VARCHAR, VARCHAR),
    ),
    "history": _history,
    "refs": _same_as_spark(
        "refs",
        name=VARCHAR,
        type=VARCHAR,
        snapshot_id=BIGINT,
        max_reference_age_in_ms=BIGINT,
        min_snapshots_to_keep=INTEGER,
        max_snapshot_age_in_ms=BIGINT,
    ),
    "metadata_log_entries": _same_as_spark(
        "metadata_log_entries",
        timestamp=_MOMENT,
        file=VARCHAR,
        latest_snapshot_id=BIGINT,
        latest_schema_id=INTEGER,
        latest_sequence_number=BIGINT,
    ),
    "all_manifests": _all_manifests,
    "partitions": _partitions,
    "files": _files,
    "entries": _entries("entries"),
    "all_entries": _entries("all_entries"),
    "properties": _properties,
}
