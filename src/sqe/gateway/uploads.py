"""What clients send to be loaded: on disk for as long as the statement that loads it runs."""

from __future__ import annotations

import itertools
import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from sqe.engines.local.spill import SpillFolder
from sqe.errors import ErrorCode, ResourceError

MB = 1024 * 1024
# Left free for everybody else: an upload ends before the disk is full.
_RESERVE = 256 * MB


@dataclass(frozen=True)
class Upload:
    """A file of one request, and how large it may get."""

    path: Path
    most: int  # bytes

    def check(self) -> None:
        """Called while the file grows. A ResourceError where it must not grow any further."""
        written = self.path.stat().st_size if self.path.exists() else 0
        if written > self.most:
            raise ResourceError(
                ErrorCode.DISK_FULL,
                f"The rows take more than {self.most // MB:,} MB; that is the limit of one upload.",
                hint="Send them in several parts, or raise load.upload_mb in the settings.",
            )
        if shutil.disk_usage(self.path.parent).free < _RESERVE:
            raise no_room()


def no_room(error: OSError | None = None) -> ResourceError:
    why = (error.strerror if error is not None else "") or "no room is left"
    return ResourceError(
        ErrorCode.DISK_FULL,
        f"The rows cannot be written to the disk of the server: {why}.",
        hint="Nothing was loaded. Send fewer rows, or free some space.",
    )


class Uploads:
    """Private files in a folder of this process, which takes nothing until the first upload."""

    def __init__(self, folder: Path, most: int) -> None:
        self._parent = folder
        self._most = most
        self._lock = threading.Lock()
        self._folder: SpillFolder | None = None
        self._numbers = itertools.count(1)

    @contextmanager
    def new(self, suffix: str) -> Iterator[Upload]:
        """A name for a file that is gone when the block ends, however it ends."""
        with self._lock:
            if self._folder is None:
                try:
                    self._folder = SpillFolder(self._parent)
                except OSError as error:
                    raise no_room(error) from error
            name = f"upload-{next(self._numbers)}{suffix}"
        path = Path(os.path.realpath(self._folder.path)) / name
        try:
            yield Upload(path, self._most)
        finally:
            with suppress(FileNotFoundError):
                path.unlink()

    def close(self) -> None:
        with self._lock:
            folder, self._folder = self._folder, None
        if folder is not None:
            folder.close()
