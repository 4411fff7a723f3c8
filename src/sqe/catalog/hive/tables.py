"""An Iceberg table or view as an entry of Hive's: as Iceberg's own HiveCatalog writes it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from sqe.catalog.protocol import Ident, Json, Loaded
from sqe.catalog.schemas import current_schema

LOCATION, PREVIOUS = "metadata_location", "previous_metadata_location"
_KIND = "table_type"
_TABLE, _VIEW = "iceberg", "iceberg-view"
_TYPES = {
    "boolean": "boolean",
    "int": "int",
    "long": "bigint",
    "float": "float",
    "double": "double",
    "date": "date",
    "timestamp": "timestamp",
    "timestamptz": "timestamp",
    "timestamp_ns": "timestamp",
    "timestamptz_ns": "timestamp",
    "binary": "binary",
}


def kind_of(parameters: Mapping[str, str] | None) -> bool | None:
    """Whether it is a view; None: it is nothing of Iceberg's."""
    kind = str((parameters or {}).get(_KIND, "")).lower()
    return {_TABLE: False, _VIEW: True}.get(kind)


def is_view(entry: Any) -> bool | None:
    return kind_of(entry.parameters)


def parameters_of(
    before: Mapping[str, str], loaded: Loaded, old: str, *, is_view: bool
) -> dict[str, str]:
    """With another metadata file; ``old`` is the one that it replaces."""
    identifier = "view-uuid" if is_view else "table-uuid"
    return {
        **before,
        _KIND: _VIEW if is_view else _TABLE.upper(),
        LOCATION: loaded.metadata_location or "",
        "uuid": str(loaded.metadata.get(identifier, "")),
        **({PREVIOUS: old} if old else {}),
    }


def location_of(entry: Any) -> str:
    return str((entry.parameters or {}).get(LOCATION, ""))


def entry_of(ident: Ident, loaded: Loaded, owner: str, *, is_view: bool) -> Any:
    from hive_metastore import ttypes

    moment = int(time.time())
    entry = ttypes.Table(
        tableName=ident.name,
        dbName=ident.namespace[0],
        owner=owner,
        createTime=moment,
        lastAccessTime=moment,
        retention=0,
        partitionKeys=[],
        parameters={"EXTERNAL": "TRUE"},
        tableType="VIRTUAL_VIEW" if is_view else "EXTERNAL_TABLE",
    )
    return point_to(entry, loaded, "", is_view=is_view)


def point_to(entry: Any, loaded: Loaded, old: str, *, is_view: bool) -> Any:
    """The entry with another metadata file, and what follows from what is in it."""
    metadata = loaded.metadata
    entry.parameters = parameters_of(entry.parameters, loaded, old, is_view=is_view)
    entry.sd = _storage(metadata)
    if is_view:
        entry.viewOriginalText = entry.viewExpandedText = _text_of_view(metadata)
    return entry


def _storage(metadata: Json) -> Any:
    from hive_metastore import ttypes

    fields = current_schema(metadata)["fields"]
    columns = [
        ttypes.FieldSchema(f["name"], type_of(f["type"]), f.get("doc") or "") for f in fields
    ]
    return ttypes.StorageDescriptor(
        cols=columns,
        location=str(metadata["location"]),
        inputFormat="org.apache.hadoop.mapred.FileInputFormat",
        outputFormat="org.apache.hadoop.mapred.FileOutputFormat",
        compressed=False,
        numBuckets=0,
        serdeInfo=ttypes.SerDeInfo(
            serializationLib="org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe"
        ),
        bucketCols=[],
        sortCols=[],
        parameters={},
    )


def type_of(kind: Any) -> str:
    """In Hive's words, as near as it has them: only Hive itself reads it."""
    if isinstance(kind, dict):
        if kind["type"] == "list":
            return f"array<{type_of(kind['element'])}>"
        if kind["type"] == "map":
            return f"map<{type_of(kind['key'])},{type_of(kind['value'])}>"
        inner = ",".join(f"{f['name']}:{type_of(f['type'])}" for f in kind["fields"])
        return f"struct<{inner}>"
    if kind.startswith("decimal"):
        return str(kind).replace(" ", "")
    if kind.startswith("fixed"):
        return "binary"
    return _TYPES.get(kind, "string")


def _text_of_view(metadata: Json) -> str:
    current = metadata.get("current-version-id")
    for version in metadata.get("versions") or ():
        if version.get("version-id") == current:
            return next((r["sql"] for r in version.get("representations") or () if "sql" in r), "")
    return ""
