"""A home made of a backup: checked to the last byte before anything of it has its name."""

from __future__ import annotations

import hashlib
import os
import shutil
import tarfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from sqe.backup.archive import make_private_folders, open_private
from sqe.backup.manifest import (
    NAME,
    BackedUpFile,
    Contents,
    damage_of,
    is_safe,
    newer,
    read_contents,
)
from sqe.backup.warehouse import roots_of
from sqe.catalog.embedded.entry import CATALOG_FILE, WAREHOUSE
from sqe.catalog.embedded.relocation.move import Move, MovedFolder
from sqe.catalog.embedded.relocation.relocate import relocate_catalog
from sqe.errors import ErrorCode, UserError
from sqe.store.database import STORE_FILE
from sqe.store.versions import VERSIONS

_UNFINISHED = ".restoring"
_CHUNK = 1 << 20
_LOST_AND_FOUND = "lost+found"  # of a disk of its own
Progress = Callable[[int, int], None]  # files, bytes


def restore(source: Path, home: Path, progress: Progress) -> Contents:
    """Into a home that is empty or not there. What names the old home by its path is changed in
    the warehouse; whoever wrote settings has to see to them."""
    home = home.absolute()
    _check_empty(home)
    with _new_home(home) as staging:
        contents = unpack(source, staging, progress)
        (root, *_) = roots_of(home)
        if set(contents.warehouse) != {root} and (staging / CATALOG_FILE).exists():
            move = Move(contents.warehouse, root)
            try:
                relocate_catalog(staging / CATALOG_FILE, MovedFolder(staging / WAREHOUSE, move))
            except (ValueError, EOFError, KeyError, FileNotFoundError) as error:
                raise UserError(
                    ErrorCode.NOT_SUPPORTED,
                    f"The warehouse cannot be moved to {root}: {error}.",
                    hint=f"Restore it to where it was: --home {contents.home}",
                ) from error
        os.sync()
        for entry in sorted(staging.iterdir(), key=_last_of_all):
            entry.rename(home / entry.name)
    return contents


def unpack(source: Path, into: Path | None, progress: Progress) -> Contents:
    """Reads and checks all of it; without ``into`` nothing is written."""
    if not source.exists():
        raise UserError(ErrorCode.INVALID_ARGUMENT, f"There is no backup {source}.")
    files = _TarSource(source) if source.is_file() else _FolderSource(source)
    read: dict[str, BackedUpFile] = {}
    size = 0
    try:
        for path, content in files.read():
            read[path] = _copy(path, content, into)
            size += read[path].size
            progress(len(read), size)
    except (tarfile.TarError, EOFError) as error:
        raise damage_of("the file is cut, or no backup") from error
    contents = files.contents()
    if contents.store_version > len(VERSIONS):
        raise newer(f"SQE {contents.sqe}")
    for file in contents.files:
        if read.get(file.path) != file:
            why = "is missing" if file.path not in read else "is not as it was"
            raise damage_of(f"{file.path} {why}")
    for path in read.keys() - {file.path for file in contents.files}:
        if into is not None:
            (into / path).unlink()
    return contents


class _FolderSource:
    def __init__(self, source: Path) -> None:
        self._source = source

    def contents(self) -> Contents:
        try:
            return read_contents((self._source / NAME).read_bytes())
        except FileNotFoundError:
            raise _error_of_no_list() from None

    def read(self) -> Iterator[tuple[str, IO[bytes]]]:
        for file in self.contents().files:
            path = self._source / file.path
            if not path.resolve().is_relative_to(self._source.resolve()):
                raise damage_of(f"{file.path} leads out of it")
            if path.is_file():
                with path.open("rb") as content:
                    yield file.path, content


class _TarSource:
    """Its list of files is its last member."""

    def __init__(self, source: Path) -> None:
        self._source = source
        self._manifest: bytes | None = None

    def contents(self) -> Contents:
        if self._manifest is None:
            raise _error_of_no_list()
        return read_contents(self._manifest)

    def read(self) -> Iterator[tuple[str, IO[bytes]]]:
        with tarfile.open(self._source, "r:") as tar:
            for member in tar:
                content = tar.extractfile(member) if member.isreg() else None
                if content is None or not is_safe(member.name) or self._manifest is not None:
                    raise damage_of("it has members that no backup has")
                if member.name == NAME:
                    self._manifest = content.read()
                else:
                    yield member.name, content


def _copy(path: str, content: IO[bytes], into: Path | None) -> BackedUpFile:
    digest, size = hashlib.sha256(), 0
    target = None
    if into is not None:
        make_private_folders((into / path).parent, into)
        (into / path).unlink(missing_ok=True)  # a tar file may have two of a name: the last holds
        target = open_private(into / path)
    try:
        while chunk := content.read(_CHUNK):
            digest.update(chunk)
            size += len(chunk)
            if target is not None:
                target.write(chunk)
    finally:
        if target is not None:
            target.close()
    return BackedUpFile(path, size, digest.hexdigest())


@contextmanager
def _new_home(home: Path) -> Iterator[Path]:
    """A folder in it for what is unfinished. After an error nothing is left."""
    made = not home.exists()
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    home.chmod(0o700)
    staging = home / _UNFINISHED
    staging.mkdir(mode=0o700)
    try:
        yield staging
        staging.rmdir()
    except BaseException:
        shutil.rmtree(staging, ignore_errors=True)
        if made:
            shutil.rmtree(home, ignore_errors=True)
        raise


def _check_empty(home: Path) -> None:
    if home.is_dir() and all(entry.name == _LOST_AND_FOUND for entry in home.iterdir()):
        return
    if home.exists() or home.is_symlink():
        hint = "Choose another with --home, or move this one away."
        if (home / _UNFINISHED).exists():
            hint = "A restore to it was interrupted: remove the folder and begin anew."
        raise UserError(ErrorCode.INVALID_ARGUMENT, f"The home {home} is not empty.", hint=hint)


def _last_of_all(entry: Path) -> int:
    """The databases: a home without them has nothing to lose."""
    databases = (CATALOG_FILE, STORE_FILE)
    return databases.index(entry.name) if entry.name in databases else -1


def _error_of_no_list() -> Exception:
    return damage_of(f"it has no list of files, {NAME}: it is no backup, or was interrupted")
