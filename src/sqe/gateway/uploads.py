"""What clients send to be loaded: on disk for as long as the statement that loads it runs."""

from __future__ import annotations

import itertools
import os
import re
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from urllib.parse import quote as url_quote

from sqe.engines.local.spill import SpillFolder
from sqe.errors import ErrorCode, ResourceError

MB = 1024 * 1024
# Left free for everybody else: an upload ends before the disk is full.
_RESERVE = 256 * MB
_MOST_KEPT = 10_000  # files of one session
_ENDING = re.compile(r"(?:\.[A-Za-z0-9]{1,10}){1,2}\Z")


@dataclass(frozen=True)
class Upload:
    """The file of one request, and how large it may grow."""

    path: Path
    most: int  # bytes

    def check(self) -> None:
        """Called while the file grows. ResourceError where it may not grow further."""
        written = self.path.stat().st_size if self.path.exists() else 0
        if written > self.most:
            raise ResourceError(
                ErrorCode.DISK_FULL,
                f"The rows take more than {self.most // MB:,} MB; that is the limit of one upload.",
                hint="Send them in several parts, or raise load.upload_mb in the settings.",
            )
        if shutil.disk_usage(self.path.parent).free < _RESERVE:
            raise no_room()


@dataclass(frozen=True)
class ClientFile:
    """A file on the client's machine: its path there, and when it was changed (ns)."""

    path: str
    changed: int

    @property
    def suffix(self) -> str:
        """The end of the copy's name. It is the same for the same file of the client, so that a
        table knows what it has loaded, and ends like the file's name, which tells format and
        compression."""
        digest = blake2b(self.path.encode("utf-8", "surrogateescape"), digest_size=10).hexdigest()
        ending = _ENDING.search(os.path.basename(self.path))
        return f".{digest}{ending.group().lower() if ending else ''}"


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
        self._kept: dict[str, list[str]] = {}  # by session

    @contextmanager
    def new(self, suffix: str) -> Iterator[Upload]:
        """A name for a file that is removed when the block ends, however it ends."""
        upload = self._new_upload(suffix)
        try:
            yield upload
        finally:
            upload.path.unlink(missing_ok=True)

    def _new_upload(self, suffix: str) -> Upload:
        with self._lock:
            if self._folder is None:
                try:
                    self._folder = SpillFolder(self._parent)
                except OSError as error:
                    raise no_room(error) from error
            name = f"upload-{next(self._numbers)}{suffix}"
            return Upload(Path(os.path.realpath(self._folder.path)) / name, self._most)

    @contextmanager
    def keep(self, session_id: str, file: ClientFile) -> Iterator[Upload]:
        """A name for a file of a client as it is. Statements of its session may load it, once the
        block has ended well and until the session ends."""
        upload = self._new_upload(file.suffix)
        try:
            yield upload
            os.utime(upload.path, ns=(file.changed, file.changed))
        except BaseException:
            upload.path.unlink(missing_ok=True)
            raise
        with self._lock:
            files = self._kept.setdefault(session_id, [])
            files.append(str(upload.path))
        if len(files) > _MOST_KEPT:
            self.end_session(session_id)
            raise ResourceError(
                ErrorCode.DISK_FULL, f"A session keeps no more than {_MOST_KEPT:,} files."
            )

    def of_session(self, session_id: str) -> frozenset[str]:
        """The real paths of the files that the session keeps."""
        with self._lock:
            return frozenset(self._kept.get(session_id, ()))

    def hide_folder(self, message: str) -> str:
        """The message with ``upload://`` and the file's name in place of the folder on this
        machine."""
        with self._lock:
            folder = self._folder
        if folder is None:
            return message
        place = os.path.realpath(folder.path)
        for spelled in (f"{place}/", f"{url_quote(place)}/"):
            message = message.replace(spelled, "upload://")
        return message

    def end_session(self, session_id: str) -> None:
        with self._lock:
            files = self._kept.pop(session_id, [])
        for file in files:
            with suppress(OSError):
                os.unlink(file)

    def close(self) -> None:
        with self._lock:
            self._kept.clear()
            folder, self._folder = self._folder, None
        if folder is not None:
            folder.close()
