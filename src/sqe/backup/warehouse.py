"""The catalog of a home and the files that its tables are made of, as they were at one moment.

The catalog's copy comes first. Files are never changed, so what it refers to can be copied while
others write. Only maintenance takes files away, those of snapshots that it has expired before: then
the catalog has moved on, and another copy of it is taken.
"""

from __future__ import annotations

import gzip
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from sqe.backup.archive import Archive
from sqe.backup.databases import copy_database
from sqe.backup.manifest import BackedUpFile, is_safe
from sqe.catalog.embedded.disks import local_path
from sqe.catalog.embedded.entry import CATALOG_FILE, WAREHOUSE
from sqe.catalog.embedded.references import (
    list_earlier_metadata,
    list_references,
    parse_metadata,
)
from sqe.catalog.embedded.relocation.move import root_of
from sqe.errors import ErrorCode, ResourceError, UpstreamError

_ATTEMPTS = 20
# What reading files of another form, or half of one, ends with.
_DAMAGE = (ValueError, EOFError, LookupError, TypeError, AttributeError, gzip.BadGzipFile)
_ROWS = (
    "SELECT catalog_name, table_namespace, table_name, iceberg_type, metadata_location"
    " FROM iceberg_tables WHERE metadata_location IS NOT NULL ORDER BY 1, 2, 3"
)
_POINTER = (
    "SELECT metadata_location FROM iceberg_tables"
    " WHERE catalog_name = ? AND table_namespace = ? AND table_name = ?"
)
Progress = Callable[[int, int, int], None]  # files copied, files in all, bytes copied


@dataclass(frozen=True, slots=True)
class Relation:
    """A table or view of the copied catalog."""

    catalog: str
    namespace: str
    name: str
    is_view: bool
    metadata_location: str

    def __str__(self) -> str:
        return f"{self.catalog}.{self.namespace}.{self.name}"


class _Gone(Exception):
    """A file of the relation is not there."""

    def __init__(self, relation: Relation, location: str) -> None:
        self.relation = relation
        self.location = location


class WarehouseCopy:
    """Of a home that has a catalog. ``roots``: the names of its warehouse folder."""

    def __init__(self, home: Path, archive: Archive, folder: Path, progress: Progress) -> None:
        """``folder``: for copies of the catalog until they are in the archive."""
        self._home = home
        self._archive = archive
        self._folder = folder
        self._progress = progress
        self._copied: dict[str, BackedUpFile] = {}  # by the path in the home
        self._bytes = 0
        self.roots = roots_of(home)
        self._real_root = os.path.realpath(home / WAREHOUSE)
        self.relations: list[Relation] = []

    def copy(self) -> list[BackedUpFile]:
        """CORRUPT_DATA where a table is damaged."""
        for number in range(_ATTEMPTS):
            copy = self._folder / f"catalog-{number}.db"
            copy_database(self._home / CATALOG_FILE, copy)
            try:
                paths = self._copy_files(copy)
            except _Gone as gone:
                self._check_moved_on(gone)
                continue
            return [*self._drop_others(paths), self._add(CATALOG_FILE, copy)]
        raise ResourceError(
            ErrorCode.HOME_IN_USE,
            "Files of tables were removed again and again while they were copied.",
            hint="Make the backup when no maintenance is running.",
        )

    def _copy_files(self, copy: Path) -> set[str]:
        with closing(sqlite3.connect(copy)) as db:
            rows = db.execute(_ROWS).fetchall()
        self.relations = [
            Relation(catalog, namespace, name, kind == "VIEW", location)
            for catalog, namespace, name, kind, location in rows
        ]
        wanted = self._list_files()
        for number, (path, (relation, location)) in enumerate(wanted.items(), start=1):
            if path not in self._copied:
                try:
                    self._copied[path] = self._add(path, self._place(relation, location))
                except FileNotFoundError:
                    raise _Gone(relation, location) from None
            self._progress(number, len(wanted), self._bytes)
        return set(wanted)

    def _list_files(self) -> dict[str, tuple[Relation, str]]:
        """By their paths in the home."""
        wanted: dict[str, tuple[Relation, str]] = {}
        manifests: set[str] = set()
        for relation in self.relations:
            for location in self._references(relation, manifests):
                wanted.setdefault(self._path_in_home(relation, location), (relation, location))
        return wanted

    def _references(self, relation: Relation, manifests: set[str]) -> Iterator[str]:
        def read(location: str) -> bytes:
            try:
                return self._place(relation, location).read_bytes()
            except FileNotFoundError:
                raise _Gone(relation, location) from None

        try:
            metadata = parse_metadata(read(relation.metadata_location))
            yield relation.metadata_location
            for earlier in list_earlier_metadata(metadata):
                if self._place(relation, earlier).exists():
                    yield earlier
            if not relation.is_view:
                yield from list_references(metadata, read, manifests)
        except _DAMAGE as error:
            raise _damage_of(relation, f"its metadata cannot be read: {error}") from error

    def _place(self, relation: Relation, location: str) -> Path:
        self._path_in_home(relation, location)
        return Path(local_path(location) or "")

    def _path_in_home(self, relation: Relation, location: str) -> str:
        path = local_path(location)
        root = root_of(path, self.roots) if path is not None else None
        if path is not None and root is not None:
            below = path[len(root) + 1 :]
            real = os.path.realpath(path)
            if is_safe(below) and root_of(real, [self._real_root]) is not None:
                return f"{WAREHOUSE}/{below}"
        raise _damage_of(relation, f"its file {location} is not in the warehouse of the home")

    def _add(self, path: str, place: Path) -> BackedUpFile:
        with place.open("rb") as file:
            added = self._archive.add(path, file, os.fstat(file.fileno()).st_size)
        self._bytes += added.size
        return added

    def _drop_others(self, paths: set[str]) -> list[BackedUpFile]:
        """Files that only an earlier copy of the catalog has referred to."""
        for path in self._copied.keys() - paths:
            self._archive.forget(path)
        return [file for path, file in self._copied.items() if path in paths]

    def _check_moved_on(self, gone: _Gone) -> None:
        """CORRUPT_DATA, if the table still wants the file that is not there."""
        relation = gone.relation
        uri = f"{(self._home / CATALOG_FILE).as_uri()}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True)) as db:
            key = relation.catalog, relation.namespace, relation.name
            row = db.execute(_POINTER, key).fetchone()
        if row is not None and row[0] == relation.metadata_location:
            raise _damage_of(relation, f"its file {gone.location} is missing")


def roots_of(home: Path) -> tuple[str, ...]:
    """The names that its warehouse has in metadata: as it is opened, and without links."""
    folder = os.path.abspath(home / WAREHOUSE)
    return tuple(dict.fromkeys((folder, os.path.realpath(folder))))


def _damage_of(relation: Relation, why: str) -> UpstreamError:
    return UpstreamError(
        ErrorCode.CORRUPT_DATA,
        f"{relation} cannot be backed up: {why}.",
        hint="Repair or drop it, then make the backup; nothing was left behind.",
    )
