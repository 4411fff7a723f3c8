"""Private folders for what does not fit in memory. A process that died leaves none for long."""

from __future__ import annotations

import fcntl
import itertools
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_LOCK = "lock"
_OURS = "process-"


class SpillFolder:
    """One folder per process, held by a lock that the system gives back when the process ends."""

    def __init__(self, parent: Path) -> None:
        parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with _alone(parent):
            _remove_dead(parent)
            self.path = Path(tempfile.mkdtemp(prefix=_OURS, dir=parent))
            self._lock = os.open(self.path / _LOCK, os.O_CREAT | os.O_RDWR, 0o600)
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        self._numbers = itertools.count(1)

    def new(self) -> Path:
        """A folder for one query. DuckDB makes it when it needs it."""
        return self.path / f"query-{next(self._numbers)}"

    @property
    def size(self) -> int:
        """Bytes of the files in it; of those that are just removed, what is still there."""
        size = 0
        for folder, _, files in os.walk(self.path):
            for file in files:
                with suppress(OSError):
                    size += os.stat(os.path.join(folder, file)).st_size
        return size

    def close(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
        with suppress(OSError):
            os.close(self._lock)


def remove_left_behind(parent: Path) -> None:
    """What processes that died have left; cheap, and for those too that never spill themselves."""
    if any(parent.glob(f"{_OURS}*")):
        with _alone(parent):
            _remove_dead(parent)


@contextmanager
def _alone(parent: Path) -> Iterator[None]:
    """Nobody makes or removes folders meanwhile, so one without a lock is one whose maker died."""
    handle = os.open(parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _remove_dead(parent: Path) -> None:
    for folder in parent.glob(f"{_OURS}*"):
        if not _is_locked(folder / _LOCK):
            shutil.rmtree(folder, ignore_errors=True)


def _is_locked(path: Path) -> bool:
    try:
        lock = os.open(path, os.O_RDWR)
    except FileNotFoundError:
        return False
    except OSError:
        return True  # not ours to judge
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(lock)
    return False
