"""Makes the files of a warehouse name each other as if they had always been in its new folder."""

from __future__ import annotations

import gzip
import json
import sqlite3
from pathlib import Path
from typing import Any

from sqe.catalog.embedded.avro_file import AvroFile, Row, value_of, with_value
from sqe.catalog.embedded.references import (
    is_zipped,
    list_earlier_metadata,
    parse_metadata,
    text_of,
)
from sqe.catalog.embedded.relocation.delete_files import relocate_deletes
from sqe.catalog.embedded.relocation.move import MovedFolder

_DELETED = 2
_POSITION_DELETES = 1
_PATH_BOUND = 2_147_483_546  # Iceberg's id of the column with the file of a position delete


def relocate_catalog(database: Path, folder: MovedFolder) -> None:
    """Also its rows in the SQLite file. OSError and ValueError for what is damaged; sqlite3.Error.
    Half way through nothing fits together: the caller throws both away then."""
    relocation = _Relocation(folder)
    db = sqlite3.connect(database, isolation_level=None)
    try:
        db.execute("BEGIN IMMEDIATE")
        rows = db.execute("SELECT rowid, metadata_location FROM iceberg_tables").fetchall()
        relocation.relocate_all([location for _, location in rows if location])
        for table, column in (
            ("iceberg_tables", "metadata_location"),
            ("iceberg_tables", "previous_metadata_location"),
            ("iceberg_namespace_properties", "property_value"),
        ):
            _relocate_column(db, table, column, folder)
        db.execute("COMMIT")
    finally:
        db.close()


def _relocate_column(db: sqlite3.Connection, table: str, column: str, folder: MovedFolder) -> None:
    values = db.execute(f"SELECT rowid, {column} FROM {table}").fetchall()  # noqa: S608  our own
    db.executemany(
        f"UPDATE {table} SET {column} = ? WHERE rowid = ?",  # noqa: S608
        [(folder.move.relocate(text), rowid) for rowid, text in values if isinstance(text, str)],
    )


class _Relocation:
    """Each file is rewritten once, those that others name with their size before these."""

    def __init__(self, folder: MovedFolder) -> None:
        self._folder = folder
        self._move = folder.move
        self._lists: set[str] = set()
        self._sizes: dict[str, int] = {}  # of manifests and files of deletes, by their old location

    def relocate_all(self, locations: list[str]) -> None:
        """What the metadata files there lead to, then they themselves and those before them:
        somebody may have made a table of an earlier one."""
        found: dict[Path, tuple[Any, bool]] = {}
        for location in locations:
            for snapshot in self._read_metadata(location, found).get("snapshots") or ():
                if snapshot.get("manifest-list"):
                    self._relocate_list(snapshot["manifest-list"])
                for manifest in snapshot.get("manifests") or ():
                    self._relocate_manifest(manifest)
        for metadata, _ in list(found.values()):
            for earlier in list_earlier_metadata(metadata):
                self._read_metadata(earlier, found)
        for path, (metadata, zipped) in found.items():
            moved = self._move.relocate_all(metadata)
            content = json.dumps(moved, ensure_ascii=False, separators=(",", ":")).encode()
            path.write_bytes(gzip.compress(content) if zipped else content)

    def _read_metadata(self, location: str, found: dict[Path, tuple[Any, bool]]) -> Any:
        path = self._folder.path_of(location)
        if path is None or not path.exists():
            return {}
        if path not in found:
            content = path.read_bytes()
            found[path] = parse_metadata(content), is_zipped(content)
        return found[path][0]

    def _relocate_list(self, location: str) -> None:
        path = self._folder.path_of(location)
        if location in self._lists or path is None:
            return
        self._lists.add(location)

        def change(row: Row) -> None:
            manifest = text_of(row["manifest_path"])
            size = self._relocate_manifest(manifest)
            row["manifest_path"] = self._relocate_text(row["manifest_path"])
            if size is not None:
                row["manifest_length"] = with_value(row["manifest_length"], size)

        path.write_bytes(AvroFile(path.read_bytes()).rewrite(change))

    def _relocate_manifest(self, location: str) -> int | None:
        path = self._folder.path_of(location)
        if path is None:
            return None
        if location not in self._sizes:
            content = AvroFile(path.read_bytes()).rewrite(self._relocate_entry)
            path.write_bytes(content)
            self._sizes[location] = len(content)
        return self._sizes[location]

    def _relocate_entry(self, row: Row) -> None:
        file = row["data_file"]
        if value_of(file.get("content")) == _POSITION_DELETES:
            if value_of(row["status"]) != _DELETED:
                size = self._relocate_deletes(file)
                if size is not None:
                    file["file_size_in_bytes"] = with_value(file["file_size_in_bytes"], size)
            self._relocate_bounds(file)
        file["file_path"] = self._relocate_text(file["file_path"])
        if value_of(file.get("referenced_data_file")) is not None:
            file["referenced_data_file"] = self._relocate_text(file["referenced_data_file"])

    def _relocate_deletes(self, file: Row) -> int | None:
        location = text_of(file["file_path"])
        path = self._folder.path_of(location)
        if path is None:
            return None
        if location not in self._sizes:
            file_format = text_of(file["file_format"]).lower()
            self._sizes[location] = relocate_deletes(path, file_format, self._move)
        if file.get("split_offsets") is not None:
            _clear(file, "split_offsets")  # of the file as it was
        return self._sizes[location]

    def _relocate_bounds(self, file: Row) -> None:
        """What is cut does not say which file it is: then there is none."""
        for name in ("lower_bounds", "upper_bounds"):
            bounds = value_of(file.get(name))
            if bounds is None:
                continue
            kept = []
            for bound in bounds:
                if value_of(bound["key"]) == _PATH_BOUND:
                    text = text_of(bound["value"])
                    if self._folder.path_of(text) is None:
                        continue
                    bound["value"] = self._relocate_text(bound["value"])
                kept.append(bound)
            file[name] = with_value(file[name], kept)

    def _relocate_text(self, value: Any) -> Any:
        return with_value(value, self._move.relocate(text_of(value)).encode())


def _clear(file: Row, name: str) -> None:
    """An optional field without a value: null comes first in the unions of Iceberg."""
    if isinstance(file[name], tuple):
        file[name] = (0, None)
