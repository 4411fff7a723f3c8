"""The properties that WITH (…) and ANALYZE take, as ``system.metadata`` lists them."""

from __future__ import annotations

from collections.abc import Mapping

_Property = tuple[str, str, str, str]  # name, default, type, what it is for
_LIST, _TEXT = "array(varchar)", "varchar"
_TABLE: tuple[_Property, ...] = (
    ("data_location", "", _TEXT, "File system location URI for the table's data files"),
    ("extra_properties", "", "map(varchar, varchar)", "Extra table properties"),
    (
        "format",
        "PARQUET",
        _TEXT,
        "File format for the table. Possible values: [ORC, PARQUET, AVRO]",
    ),
    ("format_version", "2", "integer", "Iceberg table format version"),
    ("location", "", _TEXT, "File system location URI for the table"),
    ("max_commit_retry", "4", "integer", "Number of times to retry a commit before failing"),
    (
        "object_store_layout_enabled",
        "false",
        "boolean",
        "Set to true to enable Iceberg object store file layout",
    ),
    ("orc_bloom_filter_columns", "[]", _LIST, "ORC Bloom filter index columns"),
    ("orc_bloom_filter_fpp", "0.05", "double", "ORC Bloom filter false positive probability"),
    ("parquet_bloom_filter_columns", "[]", _LIST, "Parquet Bloom filter index columns"),
    ("partitioning", "[]", _LIST, "Partition transforms"),
    ("sorted_by", "[]", _LIST, "Sorted columns"),
)
_STORAGE = ("storage_schema", "", _TEXT, "Schema for creating materialized view storage table")

PROPERTIES: Mapping[str, tuple[_Property, ...]] = {
    "analyze_properties": (("columns", "", _LIST, "Columns to be analyzed"),),
    "column_properties": (),
    "materialized_view_properties": (*_TABLE, _STORAGE),
    "schema_properties": (("location", "", _TEXT, "Base file system location URI"),),
    "table_properties": _TABLE,
}
