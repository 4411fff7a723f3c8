"""Where a warehouse keeps its files: what the catalog needs of a storage, and a folder as one.

Locations in a folder are stored as plain absolute paths: Spark's Hadoop file system, PyIceberg
and DuckDB all read them as they are, without an opinion on how many slashes follow ``file:`` or
what a percent sign means.
"""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from sqe.catalog.commit.failures import file_failures
from sqe.catalog.protocol import Json

if TYPE_CHECKING:
    from pyiceberg.io import FileIO


class Entries(NamedTuple):
    """Names of what is in a folder, sorted."""

    folders: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


class Disk(Protocol):
    """Methods take locations as they stand in metadata. Failures are OSErrors."""

    @property
    def root(self) -> str:
        """The location of the warehouse, with no slash at its end."""
        ...

    def holds(self, location: str) -> bool:
        """Whether it is of this storage, below the root, and not the root itself."""
        ...

    def config_of(self, metadata: Json) -> Mapping[str, str]:
        """How engines reach a table's files: its ``config``, as catalogs send it."""
        ...

    def reserve(self, location: str) -> str:
        """The location, or one with a suffix if need be, that nobody has used or is given too."""
        ...

    def release(self, location: str) -> None:
        """Takes a reserved location back, unless there is already something in it."""
        ...

    def reads(self, location: str) -> bool:
        """Whether it is of this storage, wherever in it."""
        ...

    def read(self, location: str) -> bytes: ...

    def write(self, location: str, content: bytes) -> None:
        """A new file, all of it durable before this returns, or no file."""
        ...

    def exists(self, location: str) -> bool: ...
    def remove(self, location: str) -> None: ...
    def remove_folder(self, location: str) -> None:
        """With all that is in it. What cannot be removed does no harm."""
        ...

    def remove_leftovers(self, location: str) -> None:
        """What is left of a table's folder when its files are gone."""
        ...

    def list_folder(self, location: str) -> Entries:
        """What is in it, hidden names as well; nothing where there is none."""
        ...

    def io(self) -> FileIO:
        """To read manifests with."""
        ...


def local_path(location: str) -> str | None:
    """The path of a local location, or None where it is on another file system."""
    if location.startswith("file:"):
        rest = location[len("file:") :]
        if rest.startswith("//"):
            host, slash, tail = rest[2:].partition("/")
            rest = slash + tail if host in ("", "localhost") else ""
        location = rest
    return location if location.startswith("/") and "\0" not in location else None


class Folder:
    """A folder of this machine."""

    def __init__(self, folder: Path) -> None:
        self._folder = os.path.abspath(folder)
        with file_failures("the warehouse folder"):
            os.makedirs(self._folder, exist_ok=True)

    @property
    def root(self) -> str:
        return self._folder

    def holds(self, location: str) -> bool:
        path = local_path(location)
        if path is None:
            return False
        root = os.path.realpath(self._folder)
        real = os.path.realpath(path)
        return real != root and os.path.commonpath((root, real)) == root

    def config_of(self, metadata: Json) -> Mapping[str, str]:
        return {}

    def reserve(self, location: str) -> str:
        """By making the folder, which only one of two can."""
        path = _path(location)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        try:
            os.mkdir(path)
        except FileExistsError:
            suffix = "-" + uuid.uuid4().hex[:8]
            os.mkdir(path + suffix)
            return location + suffix
        return location

    def release(self, location: str) -> None:
        if self.holds(location):
            path = _path(location)
            for folder in (os.path.join(path, "metadata"), path):
                try:
                    os.rmdir(folder)
                except OSError:
                    continue

    def reads(self, location: str) -> bool:
        return local_path(location) is not None

    def read(self, location: str) -> bytes:
        return Path(_path(location)).read_bytes()

    def write(self, location: str, content: bytes) -> None:
        path = _path(location)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        try:
            with open(path, "xb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            folder = os.open(os.path.dirname(path), os.O_RDONLY)
            try:
                os.fsync(folder)  # the file's name, too, must survive a power cut
            finally:
                os.close(folder)
        except BaseException:
            if os.path.exists(path):
                os.unlink(path)
            raise

    def exists(self, location: str) -> bool:
        path = local_path(location)
        return path is not None and os.path.exists(path)

    def remove(self, location: str) -> None:
        os.unlink(_path(location))

    def remove_folder(self, location: str) -> None:
        if self.holds(location):
            shutil.rmtree(_path(location), ignore_errors=True)

    def remove_leftovers(self, location: str) -> None:
        """Empty folders, and the checksum files that Hadoop leaves."""
        if not self.holds(location):
            return
        for folder, _, files in os.walk(_path(location), topdown=False):
            for name in files:
                if name.startswith(".") and name.endswith(".crc"):
                    original = os.path.join(folder, name[1:-4])
                    if not os.path.exists(original):
                        os.unlink(os.path.join(folder, name))
            try:
                os.rmdir(folder)
            except OSError:
                continue

    def list_folder(self, location: str) -> Entries:
        folders: list[str] = []
        files: list[str] = []
        try:
            with os.scandir(_path(location)) as entries:
                for entry in entries:
                    (folders if entry.is_dir() else files).append(entry.name)
        except (FileNotFoundError, NotADirectoryError):
            return Entries()
        return Entries(tuple(sorted(folders)), tuple(sorted(files)))

    def io(self) -> FileIO:
        from pyiceberg.io.pyarrow import PyArrowFileIO

        return PyArrowFileIO()


def _path(location: str) -> str:
    path = local_path(location)
    if path is None:
        raise ValueError(location)
    return path
