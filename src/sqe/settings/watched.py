"""Rules in files: read again when they change; a broken change does not replace what held."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Generic, TypeVar

from sqe.errors import ErrorCode, SqeError, UserError

_T = TypeVar("_T")
_LOG = logging.getLogger(__name__)
_COARSE_NS = 2_000_000_000  # two changes so close together may have the same time

Files = Mapping[str, bytes]  # by name
_Signs = tuple[tuple[str, int, int, int], ...]


class Watched(Generic[_T]):
    """``path`` is a file, or a folder of which the files that fit ``pattern`` are read. ``read``
    makes something of them; ValueError or SqeError: they are broken. Thread-safe.

    The first reading raises INVALID_SETTINGS: nothing may start without its rules.
    """

    def __init__(self, path: Path, read: Callable[[Files], _T], pattern: str = "*") -> None:
        self._path = path
        self._pattern = pattern
        self._read = read
        self._lock = threading.Lock()
        self._version = 1
        self._problem = ""
        self._read_at = 0
        self._signs: _Signs | None = None
        self._seen: Files = {}
        try:
            self._signs, self._seen = self._read_files()
            self._value = read(self._seen)
        except (OSError, ValueError, SqeError) as error:
            raise UserError(ErrorCode.INVALID_SETTINGS, f"{path}: {_words(error)}") from None

    @property
    def value(self) -> _T:
        """Of the newest files that are not broken."""
        with self._lock:
            self._refresh()
            return self._value

    @property
    def version(self) -> int:
        """Another number for every other value."""
        with self._lock:
            self._refresh()
            return self._version

    @property
    def problem(self) -> str:
        """What is wrong with the files as they are now; "": nothing, they are what holds."""
        with self._lock:
            self._refresh()
            return self._problem

    def _refresh(self) -> None:
        """Keeps what holds where the change is broken, and says so once."""
        try:
            if not self._looks_changed():
                return
            self._signs, files = self._read_files()
            if files == self._seen:
                return
            self._seen = files
            self._value = self._read(files)
        except OSError as error:
            self._signs, self._seen = None, {}
            self._report_broken(_words(error))
        except (ValueError, SqeError) as error:
            self._report_broken(_words(error))
        else:
            self._problem = ""
            self._version += 1
            _LOG.info("%s was read again", self._path)

    def _report_broken(self, problem: str) -> None:
        if problem != self._problem:
            _LOG.error("%s is broken, what it said before holds: %s", self._path, problem)
        self._problem = problem

    def _looks_changed(self) -> bool:
        signs = self._stat()
        newest = max((sign[1] for sign in signs), default=0)
        return signs != self._signs or newest > self._read_at - _COARSE_NS

    def _read_files(self) -> tuple[_Signs, Files]:
        """The signs are from before the reading: a change in between is found the next time."""
        self._read_at = time.time_ns()
        signs = self._stat()
        if not signs:
            raise ValueError("there is no such file")
        return signs, {path.name: path.read_bytes() for path in self._paths()}

    def _stat(self) -> _Signs:
        signs = []
        for path in self._paths():
            stat = path.stat()
            signs.append((path.name, stat.st_mtime_ns, stat.st_size, stat.st_ino))
        return tuple(signs)

    def _paths(self) -> list[Path]:
        if self._path.is_dir():
            return sorted(path for path in self._path.glob(self._pattern) if path.is_file())
        return [self._path]


def _words(error: Exception) -> str:
    if isinstance(error, SqeError):
        return error.message
    if isinstance(error, OSError):
        return error.strerror or type(error).__name__
    return str(error)
