"""Removing the files of a dropped table."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator

from sqe.catalog.embedded.disks import Disk, local_path
from sqe.catalog.embedded.files import Warehouse
from sqe.catalog.protocol import Ident, Json, Loaded

_LOG = logging.getLogger(__name__)


def purge_files(ident: Ident, table: Loaded, warehouse: Warehouse) -> None:
    """Removes every file the table's metadata leads to, then the folders that are left empty.

    Files are followed from the metadata rather than the folder emptied: another table may
    share the folder. What cannot be read stays where it is; the table is dropped already.
    """
    metadata = table.metadata
    keep_data = str((metadata.get("properties") or {}).get("gc.enabled", "true")).lower() != "true"
    files: set[str] = set()
    for snapshot in metadata.get("snapshots") or ():
        try:
            files.update(_files_of(snapshot, keep_data, warehouse.disk))
        except Exception:  # noqa: BLE001  # any damage to a manifest: go on with the others
            _LOG.warning("The manifests of %s cannot be read; their files stay.", ident)
    files.update(_metadata_files(metadata))
    if table.metadata_location:
        files.add(table.metadata_location)
    warehouse.remove_files(files)
    warehouse.disk.remove_leftovers(metadata["location"])


def find_unused_files(snapshots: list[Json], disk: Disk) -> set[str]:
    """The files that were written for snapshots which were never committed.

    A manifest of theirs may list files of the table besides: only those that one of these
    snapshots has added are in no other.
    """
    files: set[str] = set()
    ids = {snapshot["snapshot-id"] for snapshot in snapshots}
    for snapshot in snapshots:
        try:
            files.update(_list_added(snapshot, ids, disk))
        except Exception:  # noqa: BLE001  # they stay; remove_orphan_files takes them
            _LOG.warning("The manifests of a dropped snapshot cannot be read; its files stay.")
    return files | {_checksum(file) for file in files}


def _checksum(file: str) -> str:
    """Hadoop leaves a checksum file beside each file that it writes."""
    folder, name = os.path.split(file)
    return os.path.join(folder, f".{name}.crc")


def _list_added(snapshot: Json, ids: set[int], disk: Disk) -> Iterator[str]:
    from pyiceberg.manifest import ManifestEntryStatus, read_manifest_list

    manifest_list = snapshot.get("manifest-list") or ""
    if not disk.exists(manifest_list):
        return
    io = disk.io()
    for manifest in read_manifest_list(io.new_input(_readable(manifest_list))):
        if manifest.added_snapshot_id not in ids or not disk.exists(manifest.manifest_path):
            continue
        for entry in manifest.fetch_manifest_entry(io, discard_deleted=True):
            if entry.status == ManifestEntryStatus.ADDED and entry.snapshot_id in ids:
                yield entry.data_file.file_path
        yield manifest.manifest_path
    yield manifest_list


def _files_of(snapshot: Json, keep_data: bool, disk: Disk) -> Iterator[str]:
    from pyiceberg.manifest import read_manifest_list

    manifest_list = snapshot.get("manifest-list")
    if not manifest_list:
        return
    yield manifest_list
    if not disk.exists(manifest_list):
        return
    io = disk.io()
    for manifest in read_manifest_list(io.new_input(_readable(manifest_list))):
        yield manifest.manifest_path
        if not keep_data:
            for entry in manifest.fetch_manifest_entry(io, discard_deleted=False):
                yield entry.data_file.file_path


def _readable(location: str) -> str:
    """PyIceberg wants no ``file:`` in front of a path."""
    return local_path(location) or location


def _metadata_files(metadata: Json) -> Iterator[str]:
    for entry in metadata.get("metadata-log") or ():
        yield entry["metadata-file"]
    for key in ("statistics", "partition-statistics"):
        for entry in metadata.get(key) or ():
            yield entry["statistics-path"]
