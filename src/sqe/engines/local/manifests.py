"""An Iceberg snapshot's files, read from its manifests and remembered: none of them ever changes.

PyIceberg's own planner is not used for this: it keeps manifests for all users together, refuses a
snapshot with equality deletes only after reading all of it, and does not say where in its file a
deletion vector is.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass

from pyiceberg.manifest import (
    DATA_FILE_TYPE,
    DataFile,
    DataFileContent,
    ManifestContent,
    ManifestEntryStatus,
    ManifestFile,
    _inherit_from_manifest,
)

from sqe.engines.local.avro import manifest_entries, manifests_of_list
from sqe.engines.local.plan import NotLocal
from sqe.engines.local.pruning import Pruning
from sqe.engines.local.storage import Storage

_PLACES = {field.name: place for place, field in enumerate(DATA_FILE_TYPE[3].fields)}
_REFERENCED = _PLACES["referenced_data_file"]
_OFFSET, _SIZE = _PLACES["content_offset"], _PLACES["content_size_in_bytes"]


@dataclass(frozen=True, slots=True)
class LiveFile:
    """A data or delete file of a snapshot."""

    file: DataFile
    sequence: int

    @property
    def referenced_file(self) -> str | None:
        """The only data file a delete file is about, where it says so."""
        value: str | None = self.file[_REFERENCED]
        return value

    @property
    def blob(self) -> tuple[int, int] | None:
        """Where in its file a deletion vector is: offset and size."""
        offset, size = self.file[_OFFSET], self.file[_SIZE]
        return None if offset is None or size is None else (offset, size)


class ManifestCache:
    """Manifests by owner and path. ``limit`` is the number of files remembered, in all."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._size = 0
        self._lock = threading.Lock()
        self._kept: OrderedDict[Hashable, tuple[int, tuple[object, ...]]] = OrderedDict()

    def get(
        self, key: Hashable, read: Callable[[], tuple[ManifestFile | LiveFile, ...]]
    ) -> tuple[object, ...]:
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key][1]
        entry = read()  # two may read the same file at once; both read the same
        with self._lock:
            if key not in self._kept:
                self._kept[key] = (len(entry) + 1, entry)
                self._size += len(entry) + 1
            while self._size > self._limit and self._kept:
                _, (size, _) = self._kept.popitem(last=False)
                self._size -= size
        return entry


@dataclass(frozen=True)
class Snapshot:
    """Where a snapshot's files are listed, and on whose behalf they are read. ``rows`` is how many
    there are in all, where the snapshot says so."""

    owner: Hashable
    manifest_list: str
    rows: int | None
    storage: Storage
    cache: ManifestCache

    def files(self, pruning: Pruning) -> tuple[list[LiveFile], list[LiveFile]]:
        """(data files, delete files) that survive pruning."""
        data: list[LiveFile] = []
        deletes: list[LiveFile] = []
        for live in self.live(pruning):
            if live.file.content == DataFileContent.DATA:
                data.append(live)
            elif live.file.content == DataFileContent.POSITION_DELETES:
                deletes.append(live)
            else:
                raise NotLocal("the table has equality deletes")
        return data, deletes

    def live(self, pruning: Pruning) -> Iterator[LiveFile]:
        """Files of every kind that survive pruning."""
        for manifest in self.manifests():
            if not pruning.manifest(manifest):
                continue
            for live in self.entries(manifest):
                is_data = live.file.content == DataFileContent.DATA
                if pruning.partition(live.file) and (not is_data or pruning.metrics(live.file)):
                    yield live

    def manifests(self) -> Iterator[ManifestFile]:
        location = self.manifest_list
        manifests = self.cache.get(
            (self.owner, location),
            lambda: tuple(manifests_of_list(location, self.storage.read(location))),
        )
        if not manifests and self.rows:
            raise NotLocal("a snapshot with rows lists no manifests")
        for manifest in manifests:
            if isinstance(manifest, ManifestFile):
                yield manifest

    def entries(self, manifest: ManifestFile) -> Iterator[LiveFile]:
        if manifest.key_metadata is not None:
            raise NotLocal("the table is encrypted")
        key = (self.owner, manifest.manifest_path, manifest.sequence_number)
        for live in self.cache.get(key, lambda: tuple(_read(manifest, self.storage))):
            if isinstance(live, LiveFile):
                yield live


def _read(manifest: ManifestFile, storage: Storage) -> Iterator[LiveFile]:
    location = manifest.manifest_path
    content = storage.read(location)
    if len(content) != manifest.manifest_length:  # cut between two blocks, it could still be read
        raise NotLocal("a manifest is not as long as it should be")
    for entry in manifest_entries(location, content):
        if entry.status == ManifestEntryStatus.DELETED:
            continue
        entry = _inherit_from_manifest(entry, manifest)
        if manifest.content == ManifestContent.DATA:  # version 1 does not say it per file
            entry.data_file[0] = DataFileContent.DATA
        yield LiveFile(entry.data_file, entry.sequence_number or 0)
