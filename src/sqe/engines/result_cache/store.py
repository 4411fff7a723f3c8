"""Answers in memory, the least recently used of them on disk. Both are bounded."""

from __future__ import annotations

import itertools
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa

from sqe.engines.local.spill import SpillFolder
from sqe.engines.result_cache.answer import Answer, FiledAnswer, read_batches, write_answer

_log = logging.getLogger(__name__)
_SMALLEST = 1024  # what an answer takes at least, with its key


@dataclass(frozen=True)
class CacheLimits:
    """In bytes, and seconds."""

    memory: int
    disk: int
    keep_s: float


class AnswerStore:
    """Thread-safe. An answer is in memory or in a file, never in both: whoever takes it out of
    its place is alone with it, so no lock is held while a file is written or read.

    Files belong to this process and are told apart by what it remembers of them. What another one
    has left, whole or not, is never read; it is removed with its folder.
    """

    def __init__(
        self, folder: Path, limits: CacheLimits, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._parent = folder
        self._limits = limits
        self._clock = clock
        self._lock = threading.Lock()
        self._folder: SpillFolder | None = None
        self._numbers = itertools.count(1)
        self._memory: OrderedDict[Hashable, Answer] = OrderedDict()
        self._files: OrderedDict[Hashable, FiledAnswer] = OrderedDict()
        self._memory_used = self._disk_used = 0
        self._generation = 0
        self._closed = False

    @property
    def generation(self) -> int:
        """Another one whenever everything was dropped."""
        return self._generation

    @property
    def used(self) -> tuple[int, int]:
        """Bytes in memory and on disk."""
        return self._memory_used, self._disk_used

    def get(self, key: Hashable) -> Answer | None:
        with self._lock:
            generation = self._generation
            answer = self._memory.get(key)
            if answer is not None and self._is_old(answer):
                self._forget(key)
                answer = None
            if answer is not None:
                self._memory.move_to_end(key)
                return answer
            filed = self._files.pop(key, None)
            if filed is None:
                return None
            self._disk_used -= filed.bytes
        answer = None if self._is_old(filed.answer) else _read(filed)
        filed.path.unlink(missing_ok=True)
        if answer is not None and not self.put(key, answer, generation):
            return None
        return answer

    def put(self, key: Hashable, answer: Answer, generation: int) -> bool:
        """False where it is not kept: everything was dropped since ``generation``."""
        with self._lock:
            if self._closed or generation != self._generation:
                return False
            self._forget(key)
            self._memory[key] = answer
            self._memory_used += _weight(answer)
            leaving = []
            while self._memory_used > self._limits.memory and self._memory:
                old_key, old = self._memory.popitem(last=False)
                self._memory_used -= _weight(old)
                leaving.append((old_key, old))
        for old_key, old in leaving:
            if not self._is_old(old):
                self._file(old_key, old, generation)
        return True

    def drop(self) -> None:
        """All of it, and what is being made."""
        with self._lock:
            self._generation += 1
            files = list(self._files.values())
            self._files.clear()
            self._memory.clear()
            self._memory_used = self._disk_used = 0
        for filed in files:
            filed.path.unlink(missing_ok=True)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            folder, self._folder = self._folder, None
        self.drop()
        if folder is not None:
            folder.close()

    def _is_old(self, answer: Answer) -> bool:
        return self._clock() - answer.made > self._limits.keep_s

    def _forget(self, key: Hashable) -> None:
        """Under the lock."""
        answer = self._memory.pop(key, None)
        if answer is not None:
            self._memory_used -= _weight(answer)

    def _file(self, key: Hashable, answer: Answer, generation: int) -> None:
        """A disk that is full costs the answer, and nothing else."""
        if answer.size > self._limits.disk:
            return
        try:
            path = self._new_path()
            if path is None:
                return
            filed = write_answer(answer, path, replace(answer, batches=()))
        except (OSError, pa.ArrowException) as error:
            _log.warning("an answer could not be kept on disk: %s", error)
            return
        gone = [] if self._take_in(key, filed, generation) else [filed]
        with self._lock:
            while self._disk_used > self._limits.disk and self._files:
                _, oldest = self._files.popitem(last=False)
                self._disk_used -= oldest.bytes
                gone.append(oldest)
        for filed in gone:
            filed.path.unlink(missing_ok=True)

    def _take_in(self, key: Hashable, filed: FiledAnswer, generation: int) -> bool:
        with self._lock:
            if self._closed or generation != self._generation or key in self._files:
                return False
            self._files[key] = filed
            self._disk_used += filed.bytes
            return True

    def _new_path(self) -> Path | None:
        with self._lock:
            if self._closed:
                return None
            if self._folder is None:
                self._folder = SpillFolder(self._parent)
            return self._folder.path / f"{next(self._numbers)}.arrow"


def _weight(answer: Answer) -> int:
    return max(answer.size, _SMALLEST)


def _read(filed: FiledAnswer) -> Answer | None:
    try:
        batches = read_batches(filed)
    except (OSError, pa.ArrowException) as error:
        _log.warning("a kept answer could not be read: %s", error)
        return None
    return replace(filed.answer, batches=tuple(batches))
