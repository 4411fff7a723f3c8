"""What COPY may load from object stores, and write to them: what lies below a location of the
settings, and the store itself lets the user read or write. Engines see copies on this machine."""

from __future__ import annotations

import os
import re
import shutil
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from sqe.catalog.storage.session_policy import Scope
from sqe.engines.local.spill import SpillFolder
from sqe.engines.locations.bucket import RemoteObject, UserBucket, absent, name_taken
from sqe.engines.locations.download import Download
from sqe.engines.locations.limited_file import LimitedFile
from sqe.engines.locations.location import Location, UserKeys
from sqe.engines.locations.session_policy import scope_of_reads, scope_of_writes
from sqe.engines.locations.source import ObjectSource, object_source
from sqe.engines.protocol import Run
from sqe.errors import AccessError, ErrorCode, ResourceError, SqeError, UserError
from sqe.model.object_paths import SCHEME, ObjectPath, object_path
from sqe.model.query import Progress

MB = 1024 * 1024
_MOST_LISTED = 100_000
_ENDING = re.compile(r"(?:\.[A-Za-z0-9]{1,10}){1,2}\Z")  # tells the format and the compression


@dataclass(frozen=True)
class FetchedObject:
    """An object's copy on this machine."""

    remote: RemoteObject
    path: Path


class Locations:
    """None: nothing in object stores may be loaded. Thread-safe."""

    def __init__(
        self, locations: Sequence[Location], folder: Path, most: int, most_written: int
    ) -> None:
        """``folder`` is for copies: of what one statement reads ``most`` bytes, of what it writes
        ``most_written``."""
        self.locations = tuple(locations)
        self._parent = folder
        self._most = most
        self._most_written = most_written
        self._lock = threading.Lock()
        self._folder: SpillFolder | None = None

    def find(self, source: str, run: Run) -> list[RemoteObject]:
        """The objects that the source names. What is not allowed by the settings is refused before
        any store is asked."""
        named = object_source(source)
        location = self._location_of(named.fixed_part)
        if location is None:
            raise _outside(named.path, "loaded from")
        if named.path.folder == location.prefix:
            named = ObjectSource(location.prefix)
        bucket = _bucket_of(location, scope_of_reads(named), run)
        none_there: SqeError = absent(source)
        if not named.is_pattern and not named.is_folder:
            only = bucket.head(named.path.key)
            if isinstance(only, RemoteObject):
                return [only]
            none_there = only
        objects = _objects_of(named, bucket, run)
        if not objects:
            raise none_there
        return objects

    @contextmanager
    def fetch(self, objects: Sequence[RemoteObject], run: Run) -> Iterator[list[FetchedObject]]:
        """Copies of them, which are gone when the block ends, however it ends."""
        total = sum(remote.size for remote in objects)
        if total > self._most:
            raise ResourceError(
                ErrorCode.DISK_FULL,
                f"The files have {total // MB:,} MB, and one COPY fetches {self._most // MB:,} MB"
                " at most.",
                hint="Load them in several statements, or raise load.download_mb in the settings.",
            )
        folder = self._new_folder()
        try:
            fetched = []
            download = Download(run.cancellation)
            for number, remote in enumerate(objects):
                run.report(
                    Progress(tasks=len(objects), tasks_done=number, phase="fetching the files")
                )
                ending = _ENDING.search(remote.name.rpartition("/")[2])
                # Of one length, so that no name is the beginning of another one.
                path = folder / f"object-{number:05}{ending.group().lower() if ending else ''}"
                download.fetch(remote, path)
                fetched.append(FetchedObject(remote, path))
            yield fetched
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    @contextmanager
    def new_object(self, place: str, run: Run, *, overwrite: bool) -> Iterator[BinaryIO]:
        """A file that is an object of that name when the block has ended well, whole and at once;
        else nothing is. What is there already is replaced only with ``overwrite``."""
        path = _path_to_write(place)
        location = self._location_of(path)
        if location is None or not location.unload or path.folder == location.prefix:
            raise _outside(path, "written to")
        bucket = _bucket_of(location, scope_of_writes(path), run)
        there = bucket.head(path.key)
        if not overwrite and isinstance(there, RemoteObject):
            raise name_taken(place)
        folder = self._new_folder()
        try:
            with LimitedFile(folder / "object", self._most_written) as file:
                yield cast("BinaryIO", file)
                run.cancellation.check()
                bucket.put(path.key, file, run.cancellation.check, overwrite=overwrite)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def close(self) -> None:
        with self._lock:
            folder, self._folder = self._folder, None
        if folder is not None:
            folder.close()
        for location in self.locations:
            location.http.close()

    def _location_of(self, path: ObjectPath) -> Location | None:
        """The longest prefix wins."""
        fitting = [location for location in self.locations if path.is_below(location.prefix)]
        return max(fitting, key=lambda one: len(one.prefix.key), default=None)

    def _new_folder(self) -> Path:
        with self._lock:
            if self._folder is None:
                self._folder = SpillFolder(self._parent)
            folder = Path(os.path.realpath(self._folder.new()))
        folder.mkdir(mode=0o700)
        return folder


def _bucket_of(location: Location, scope: Scope, run: Run) -> UserBucket:
    keys = UserKeys(location, scope, run.session.identity, f"sqe-{run.query_id}"[:64])
    return UserBucket(location, location.prefix.bucket, keys)


def _path_to_write(place: str) -> ObjectPath:
    source = object_source(place)
    name = source.path.key.rpartition("/")[2]
    if source.is_pattern or not name:
        raise UserError(
            ErrorCode.INVALID_ARGUMENT,
            f"{place!r} is not the name of an object.",
            hint="Write it as s3://bucket/folder/file, without *, ? and [.",
        )
    if name.startswith((".", "_")):
        raise UserError(
            ErrorCode.INVALID_ARGUMENT, f"{name!r} is hidden: nothing would load such an object."
        )
    return source.path


def _outside(path: ObjectPath, what: str) -> AccessError:
    return AccessError(
        ErrorCode.ACCESS_DENIED,
        f"{path} does not lie below a location that may be {what}.",
        hint="[locations.NAME] in the settings names them.",
    )


def _objects_of(source: ObjectSource, bucket: UserBucket, run: Run) -> list[RemoteObject]:
    objects: list[RemoteObject] = []
    for number, remote in enumerate(bucket.list_objects(source, run.cancellation.check)):
        if number >= _MOST_LISTED:
            raise UserError(
                ErrorCode.INVALID_ARGUMENT,
                f"There are more than {_MOST_LISTED:,} objects below {source.fixed_part}.",
                hint="Name a folder further down.",
            )
        if source.matches(remote.name.removeprefix(f"{SCHEME}{source.path.bucket}/")):
            _check_name(remote.name)
            objects.append(remote)
    return objects


def _check_name(name: str) -> None:
    """A name with .. in it would be another one on its way to the store."""
    try:
        object_path(name.replace("%", "").replace("${", ""))
    except ValueError as error:
        raise UserError(ErrorCode.NOT_SUPPORTED, f"{name!r} cannot be loaded: {error}.") from None
