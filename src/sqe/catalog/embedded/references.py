"""Which files a table's or view's metadata leads to: those that it cannot be read without."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Iterator
from typing import Any

from sqe.catalog.embedded.avro_file import AvroFile, value_of
from sqe.catalog.protocol import Json

_DELETED = 2  # the status of a file that a snapshot has removed
Read = Callable[[str], bytes]  # what is at a location; OSError


def parse_metadata(content: bytes) -> Json:
    """ValueError, EOFError or OSError for what is no metadata file."""
    if is_zipped(content):
        try:
            content = gzip.decompress(content)
        except zlib.error as error:
            raise ValueError("it cannot be unpacked") from error
    metadata = json.loads(content)
    if not isinstance(metadata, dict) or "format-version" not in metadata:
        raise ValueError("it is not Iceberg metadata")
    return metadata


def is_zipped(content: bytes) -> bool:
    return content[:2] == b"\x1f\x8b"


def list_references(metadata: Json, read: Read, known: set[str]) -> Iterator[str]:
    """Locations, some perhaps more than once. ``known``: manifests that were read already; their
    files are not listed again."""
    for snapshot in metadata.get("snapshots") or ():
        if snapshot.get("manifest-list"):
            yield snapshot["manifest-list"]
        for manifest in list_manifests(snapshot, read):
            yield manifest
            if manifest not in known:
                known.add(manifest)
                yield from _list_live(AvroFile(read(manifest)))
    for key in ("statistics", "partition-statistics"):
        for entry in metadata.get(key) or ():
            yield entry["statistics-path"]


def list_manifests(snapshot: Json, read: Read) -> list[str]:
    if not snapshot.get("manifest-list"):
        return list(snapshot.get("manifests") or ())
    rows = AvroFile(read(snapshot["manifest-list"])).rows()
    return [text_of(row["manifest_path"]) for row in rows]


def list_earlier_metadata(metadata: Json) -> Iterator[str]:
    """Metadata files of earlier versions: the table is whole without them, and some may be gone."""
    for entry in metadata.get("metadata-log") or ():
        yield entry["metadata-file"]


def _list_live(manifest: AvroFile) -> Iterator[str]:
    for row in manifest.rows():
        if value_of(row["status"]) != _DELETED:
            yield text_of(row["data_file"]["file_path"])


def text_of(value: Any) -> str:
    return str(value_of(value), "utf-8")
