"""The pool of DuckDB databases: prepared ahead, locked to a query's files, kept for the next one of
the same session over the same files."""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqe.engines.local.budget import MemoryBudget
from sqe.engines.local.failures import LocalFailed
from sqe.engines.local.idle import IdleInstances
from sqe.engines.local.instance import Instance, Need, Size, open_instance, prepare_database
from sqe.engines.local.lease import Lease
from sqe.engines.local.options import LocalOptions
from sqe.engines.local.spill import SpillFolder
from sqe.results.cancellation import Cancellation
from sqe.sessions.session import Session

_IDLE_S = 0.02
_BUSY_S = 1.0  # who works longer than that does not mind
_STARTING_S = 0.005  # a query that has got its database is at work in DuckDB by then


@dataclass(frozen=True, slots=True)
class LocalFigures:
    """Sizes in bytes: memory of queries that run, and of databases that wait for one. ``ready``:
    databases prepared ahead; ``reused``: how many queries have had one that waited."""

    memory_used: int = 0
    memory_idle: int = 0
    memory_limit: int = 0
    waiting: int = 0
    running: int = 0
    ready: int = 0
    idle: int = 0
    reused: int = 0
    spilled: int = 0


class Instances:
    """A thread prepares databases while queries run, and closes those that nobody has needed."""

    def __init__(self, options: LocalOptions) -> None:
        self._options = options
        self._budget = MemoryBudget(options.memory, lambda: self._idle.close_oldest())
        self._idle = IdleInstances(self._budget, options)
        self._spill = SpillFolder(options.folder)
        self._changed = threading.Condition()
        self._ready: dict[bool, deque[Any]] = {False: deque(), True: deque()}
        self._wanted = {False: 0, True: 0}  # none for a process that asks one thing and ends
        self._running: set[Lease] = set()
        self._working: set[Lease] = set()  # those of them whose threads have something to do
        self._taken = 0
        self._reused = 0
        self._last_used = 0.0
        self._closed = False
        self._keeper = threading.Thread(target=self._tend, name="local-instances", daemon=True)
        self._keeper.start()

    @property
    def running_count(self) -> int:
        return len(self._running)

    @property
    def memory_used(self) -> int:
        """By queries that run."""
        return self._budget.used_memory - self._idle.held

    @property
    def figures(self) -> LocalFigures:
        """What it holds at the moment."""
        return LocalFigures(
            memory_used=self.memory_used,
            memory_idle=self._idle.held,
            memory_limit=self._options.memory,
            waiting=self._budget.waiting_count,
            running=len(self._running),
            ready=sum(len(ready) for ready in self._ready.values()),
            idle=self._idle.count,
            reused=self._reused,
            spilled=self._spill.size,
        )

    def warm(self) -> None:
        """Prepares databases before anyone asks."""
        self._want(False)

    def scratch(self) -> Path:
        """A new private folder, which the caller removes; one left behind goes with the process."""
        folder = Path(os.path.realpath(self._spill.new()))
        folder.mkdir(mode=0o700)
        return folder

    def take(self, need: Need, cancellation: Cancellation, *, fresh: bool = False) -> Lease:
        """An instance that can open the need's files and nothing else. ``fresh``: one in which no
        query has been."""
        wanted = self._memory_for(need)
        instance = None if fresh else self._take_idle(need, wanted)
        reused = instance is not None
        if instance is None:
            instance = self._open(need, wanted, cancellation)
        try:
            lease = Lease(instance, self, reused=reused)
        except Exception as error:  # the process is short of something
            self._drop(instance)
            raise LocalFailed(f"DuckDB gave no connection ({type(error).__name__})") from error
        with self._changed:
            self._running.add(lease)
            self._working.add(lease)
            self._reused += reused
            self._last_used = time.monotonic()
        return lease

    def note_rest(self, lease: Lease) -> None:
        with self._changed:
            self._working.discard(lease)
            self._last_used = time.monotonic()
            self._wake()

    def give_back(self, lease: Lease) -> None:
        """What failed or was stopped is not used again, nor is what spilled."""
        self.note_rest(lease)
        with self._changed:
            self._running.discard(lease)
            keep = self._options.reuse_s > 0 and not self._closed
        instance = lease.instance
        if keep and lease.went_well and instance.lasting:
            self._idle.keep(instance)
        else:
            self._drop(instance)

    def _drop(self, instance: Instance) -> None:
        instance.close()
        self._budget.give_back(instance.memory)

    def end_session(self, session: Session) -> None:
        """Its queries are cancelled already."""
        self._idle.close_session(session)

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()
            running = list(self._running)
        self._keeper.join()
        for lease in running:
            lease.close()
        self._idle.close()
        for ready in self._ready.values():
            while ready:
                ready.popleft().close()
        self._spill.close()

    def _memory_for(self, need: Need) -> int:
        """One of a few sizes, so that queries of one kind find each other's instances."""
        options = self._options
        size = options.memory_floor
        while size < need.memory:
            size *= 2
        # More than half is all, which is what a prepared database has.
        return options.memory_per_query if size > options.memory_per_query // 2 else size

    def _take_idle(self, need: Need, wanted: int) -> Instance | None:
        """One that is no worse than a new one would be now, and takes not much more from others."""
        if need.key is None or self._options.reuse_s <= 0:
            return None
        least, threads = self._budget.share(self._options.memory_floor, wanted), self._threads()
        instance = self._idle.take(
            need.key,
            lambda idle: least <= idle.memory <= 2 * wanted and idle.size.threads >= threads,
        )
        if instance is None:
            return None
        if instance.lasting and self._budget.try_take(instance.memory - instance.held):
            return instance
        instance.close()
        self._budget.give_back(instance.held)
        return None

    def _open(self, need: Need, wanted: int, cancellation: Cancellation) -> Instance:
        options = self._options
        memory = self._budget.take(options.memory_floor, wanted, options.wait_s, cancellation)
        if not memory:
            raise LocalFailed("no memory was free for another local query")
        try:
            database = self._database(bool(need.keys))
            spill = self._spill.new() if options.spill else None
            size = Size(memory, self._threads(), spill)
            return open_instance(database, need, size, options)
        except BaseException:
            self._budget.give_back(memory)
            raise

    def _threads(self) -> int:
        """For one query more."""
        with self._changed:
            return max(1, self._options.threads // (len(self._working) + 1))

    def _database(self, remote: bool) -> Any:
        with self._changed:
            if self._closed:
                raise LocalFailed("the local engine is being closed")
            self._taken += 1
            self._last_used = time.monotonic()
            ready = self._ready[remote].popleft() if self._ready[remote] else None
        self._want(remote)
        return ready or prepare_database(remote, self._options)

    def _want(self, remote: bool) -> None:
        """From the first time on, databases of the kind are kept ready."""
        with self._changed:
            self._wanted[remote] = self._options.pool
            self._wake()

    def _wake(self) -> None:
        """Nobody else needs the processor for the keeper's look around."""
        if self._next_to_prepare() is not None:
            self._changed.notify_all()

    def _tend(self) -> None:
        look_s = self._options.reuse_s / 4 or None
        while True:
            with self._changed:
                self._changed.wait_for(
                    lambda: self._closed or self._next_to_prepare() is not None, look_s
                )
                while not self._closed and (pause := self._pause()) > 0:
                    self._changed.wait(pause)
                if self._closed:
                    return
                remote = self._next_to_prepare()
            self._idle.close_expired()
            if remote is not None:
                self._prepare_next(remote)

    def _prepare_next(self, remote: bool) -> None:
        try:
            database = prepare_database(remote, self._options)
        except Exception:  # noqa: BLE001  whoever needs one next meets the same, and tells it
            with self._changed:
                self._wanted[remote] = 0
            return
        with self._changed:
            self._ready[remote].append(database)

    def _pause(self) -> float:
        """How long to wait before making a database, which holds Python's lock for some
        milliseconds. Best when nobody works; but if none is ready and queries follow each other,
        while DuckDB does. Who finds none ready makes one for himself."""
        kind = self._next_to_prepare()
        if kind is None:
            return 0.0
        if not self._ready[kind] and self._taken > 1:
            quiet = _STARTING_S
        else:
            quiet = _BUSY_S if self._working else _IDLE_S
        return self._last_used + quiet - time.monotonic()

    def _next_to_prepare(self) -> bool | None:
        for remote, ready in self._ready.items():
            if len(ready) < self._wanted[remote]:
                return remote
        return None
