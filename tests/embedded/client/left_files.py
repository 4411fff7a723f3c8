"""Files in a table's folder that the table does not refer to: what a write has left behind."""

from __future__ import annotations

from pathlib import Path

from pyiceberg.table import StaticTable

from sqe.catalog.protocol import Ident
from sqe.errors import SqeError
from sqe.model.identity import Identity
from tests.embedded.pipe.lake import Lake


def left_files(lake: Lake, schema: str, table: str) -> set[str]:
    """Below the table's folder; all of them where there is no such table."""
    folder = lake.home / "warehouse" / schema / table
    known = _referred(lake, Ident((schema,), table))
    return {
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_file() and str(_checked(path)) not in known
    }


def _checked(path: Path) -> Path:
    """The file that a checksum file is about; other files themselves."""
    if path.name.startswith(".") and path.suffix == ".crc":
        return path.with_name(path.name[1:-4])
    return path


def _referred(lake: Lake, ident: Ident) -> set[str]:
    """All that any snapshot refers to, and the metadata files that readers may still have."""
    try:
        loaded = lake.server.catalogs.open("lake", Identity("ann")).load_table(ident)
    except SqeError:
        return set()
    assert loaded.metadata_location is not None
    table = StaticTable.from_metadata(loaded.metadata_location)
    files = {loaded.metadata_location}
    files |= {entry.metadata_file for entry in table.metadata.metadata_log}
    for snapshot in table.snapshots():
        files.add(snapshot.manifest_list)
        for manifest in snapshot.manifests(table.io):
            files.add(manifest.manifest_path)
            entries = manifest.fetch_manifest_entry(table.io, discard_deleted=False)
            files |= {entry.data_file.file_path for entry in entries}
    return {file.removeprefix("file://").removeprefix("file:") for file in files}
