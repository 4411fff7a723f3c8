"""Where a backup goes: a folder, or one tar file. It has its name only when it is whole."""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import tarfile
from abc import ABC, abstractmethod
from pathlib import Path
from types import TracebackType
from typing import IO

from sqe.backup.manifest import NAME, BackedUpFile, Contents
from sqe.errors import ErrorCode, UpstreamError, UserError

TAR = ".tar"
_PARTIAL = ".partial"
_CHUNK = 1 << 20


class Archive(ABC):
    """A context: left by an error, nothing stays. ``finish`` gives it its name."""

    def __init__(self, target: Path) -> None:
        self._target = target
        self._partial = target.with_name(target.name + _PARTIAL)
        self._finished = False

    def __enter__(self) -> Archive:
        _check_target(self._target)
        self._target.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._begin()
        except FileExistsError:
            raise UserError(
                ErrorCode.INVALID_ARGUMENT,
                f"{self._partial} is there: another backup is being made, or was killed.",
                hint="Remove it if no backup is running.",
            ) from None
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        if not self._finished:
            self._discard()

    def finish(self, contents: Contents) -> None:
        """Everything is on the disk before the list of it is, and that before it has its name."""
        self._close(contents.to_bytes())
        self._partial.rename(self._target)
        _sync(self._target.parent)
        self._finished = True

    @abstractmethod
    def add(self, path: str, source: IO[bytes], size: int) -> BackedUpFile:
        """The first ``size`` bytes: what grows meanwhile is copied as it was."""

    @abstractmethod
    def forget(self, path: str) -> None:
        """A file that was added and is of no use now. A tar file keeps it, and who restores leaves
        out what its list does not name."""

    @abstractmethod
    def _begin(self) -> None: ...
    @abstractmethod
    def _close(self, manifest: bytes) -> None: ...
    @abstractmethod
    def _discard(self) -> None: ...


def open_archive(target: Path) -> Archive:
    return TarArchive(target) if target.name.endswith(TAR) else FolderArchive(target)


class FolderArchive(Archive):
    def add(self, path: str, source: IO[bytes], size: int) -> BackedUpFile:
        place = self._partial / path
        make_private_folders(place.parent, self._partial)
        reader = CountedReader(source, size)
        with open_private(place) as file:
            shutil.copyfileobj(reader, file, _CHUNK)
        return reader.result(path)

    def forget(self, path: str) -> None:
        (self._partial / path).unlink()

    def _begin(self) -> None:
        self._partial.mkdir(mode=0o700)

    def _close(self, manifest: bytes) -> None:
        os.sync()
        with open_private(self._partial / NAME) as file:
            file.write(manifest)
            file.flush()
            os.fsync(file.fileno())
        _sync(self._partial)

    def _discard(self) -> None:
        shutil.rmtree(self._partial, ignore_errors=True)


class TarArchive(Archive):
    """Not compressed: data files are."""

    def add(self, path: str, source: IO[bytes], size: int) -> BackedUpFile:
        reader = CountedReader(source, size)
        self._tar.addfile(_member(path, size), reader)
        return reader.result(path)

    def forget(self, path: str) -> None:
        return None

    def _begin(self) -> None:
        self._file = open_private(self._partial)
        self._tar = tarfile.TarFile(fileobj=self._file, mode="w", format=tarfile.PAX_FORMAT)

    def _close(self, manifest: bytes) -> None:
        self._tar.addfile(_member(NAME, len(manifest)), io.BytesIO(manifest))
        self._tar.close()
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()

    def _discard(self) -> None:
        self._file.close()
        self._partial.unlink(missing_ok=True)


class CountedReader(io.RawIOBase):
    """The beginning of a file, digested as it is read."""

    def __init__(self, source: IO[bytes], size: int) -> None:
        self._source = source
        self._size = self._left = size
        self._digest = hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        chunk = self._source.read(self._left if size < 0 else min(size, self._left))
        if not chunk and self._left and size:
            raise UpstreamError(
                ErrorCode.CORRUPT_DATA,
                "A file of the home became shorter while it was copied.",
                hint="Try again, and let SQE alone change what is in its home.",
            )
        self._left -= len(chunk)
        self._digest.update(chunk)
        return chunk

    def result(self, path: str) -> BackedUpFile:
        return BackedUpFile(path, self._size, self._digest.hexdigest())


def open_private(path: Path) -> IO[bytes]:
    """A new file that its owner alone may read. FileExistsError."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")


def make_private_folders(folder: Path, inside: Path) -> None:
    missing = []
    while folder != inside and not folder.exists():
        missing.append(folder)
        folder = folder.parent
    for new in reversed(missing):
        new.mkdir(mode=0o700)


def _member(path: str, size: int) -> tarfile.TarInfo:
    member = tarfile.TarInfo(path)
    member.size, member.mode = size, 0o600
    return member


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _check_target(target: Path) -> None:
    if target.exists() or target.is_symlink():
        raise UserError(
            ErrorCode.INVALID_ARGUMENT,
            f"{target} is there already.",
            hint="A backup is never overwritten: choose another name.",
        )
