"""Private folders for what does not fit in memory. A process that died leaves none for long."""

from __future__ import annotations

import fcntl
import itertools
import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

_LOCK = "lock"


class SpillFolder:
    """One folder per process, held by a lock that the system gives back when the process ends."""

    def __init__(self, parent: Path) -> None:
        parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        _remove_left_behind(parent)
        self.path = Path(tempfile.mkdtemp(prefix="process-", dir=parent))
        self._lock = os.open(self.path / _LOCK, os.O_CREAT | os.O_RDWR, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        self._numbers = itertools.count(1)

    def new(self) -> Path:
        """A folder for one query. DuckDB makes it when it needs it."""
        return self.path / f"query-{next(self._numbers)}"

    def close(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
        with suppress(OSError):
            os.close(self._lock)


def _remove_left_behind(parent: Path) -> None:
    for folder in parent.glob("process-*"):
        try:
            lock = os.open(folder / _LOCK, os.O_RDWR)
        except OSError:
            continue  # being made at this moment, or gone
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            continue  # its process lives
        else:
            shutil.rmtree(folder, ignore_errors=True)
        finally:
            os.close(lock)
