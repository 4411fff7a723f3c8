"""What maintenance has to know of a table's files, from its metadata and manifests alone."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from pyiceberg.manifest import DataFileContent

from sqe.catalog.protocol import Loaded
from sqe.engines.local.manifests import ManifestCache, Snapshot
from sqe.engines.local.objects import Objects
from sqe.engines.local.plan import NotLocal
from sqe.engines.local.storage import TableSource, storage_of
from sqe.engines.local.tablestats import current_snapshot

_TIMEOUT_S = 30.0


@dataclass(frozen=True, slots=True)
class TableFiles:
    """Of the current snapshot. Sizes in bytes; ``small``: how many data files below a limit there
    are in each partition."""

    data_files: int = 0
    data_bytes: int = 0
    rows: int = 0
    small: tuple[int, ...] = ()
    delete_files: int = 0
    deleted_rows: int = 0
    manifests: int = 0
    manifest_bytes: int = 0


def table_files(loaded: Loaded, source: TableSource, small_bytes: int) -> TableFiles:
    """``small_bytes``: below this, a data file is small. NotLocal where files are out of reach."""
    snapshot = current_snapshot(loaded.metadata)
    if snapshot is None:
        return TableFiles()
    if "manifest-list" not in snapshot:
        raise NotLocal("a snapshot of the oldest format lists its manifests itself")
    objects = Objects(_TIMEOUT_S)
    try:
        storage = storage_of(loaded, objects, source)
        files = Snapshot("", snapshot["manifest-list"], None, storage, ManifestCache(0))
        manifests = list(files.manifests())
        live = [entry for manifest in manifests for entry in files.entries(manifest)]
    finally:
        objects.close()
    data = [file.file for file in live if file.file.content == DataFileContent.DATA]
    deletes = [file.file for file in live if file.file.content != DataFileContent.DATA]
    positions = [delete for delete in deletes if delete.content == DataFileContent.POSITION_DELETES]
    small = Counter(
        (file.spec_id, repr(file.partition))
        for file in data
        if file.file_size_in_bytes < small_bytes
    )
    return TableFiles(
        len(data),
        sum(file.file_size_in_bytes for file in data),
        sum(file.record_count for file in data),
        tuple(sorted(small.values(), reverse=True)),
        len(deletes),
        sum(position.record_count for position in positions),
        len(manifests),
        sum(file.manifest_length for file in manifests),
    )
