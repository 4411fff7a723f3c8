"""DuckDB databases, one per query: prepared ahead, locked to the query's files, used once."""

from __future__ import annotations

import importlib
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from sqe.catalog.s3_place import S3Credentials
from sqe.engines.local.budget import MemoryBudget
from sqe.engines.local.failures import LocalFailed
from sqe.engines.local.keys import secrets_sql, text
from sqe.engines.local.options import MB, LocalOptions
from sqe.engines.local.plan import NotLocal
from sqe.engines.local.scan_types import identifier
from sqe.engines.local.spill import SpillFolder
from sqe.results.cancellation import Cancellation

if TYPE_CHECKING:
    import duckdb

_PREPARED = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "allow_unsigned_extensions": "false",
    "allow_persistent_secrets": "false",
}
# Spark's order of NULLs. Rows come in any order without ORDER BY, which lets results stream. The
# compiler writes out what a session's time zone means, so DuckDB's own stays the same.
_SESSION = """
SET python_enable_replacements = false;
SET default_null_order = 'nulls_first_on_asc_last_on_desc';
SET preserve_insertion_order = false;
SET enable_progress_bar = false;
SET TimeZone = 'UTC';
SET parquet_metadata_cache = true;
"""
_IDLE_S = 0.02
_BUSY_S = 1.0  # who works longer than that does not mind
_STARTING_S = 0.005  # a query that has got its database is at work in DuckDB by then
_IDLE_THREADS = 8  # a prepared database has no more of them, which have nothing to do yet
_LOCK_FILES = "SET enable_external_access = false;\n"
_LOCK = "SET lock_configuration = true;\n"


@dataclass(frozen=True)
class Need:
    """What one query's database must have."""

    files: Sequence[str]
    keys: Sequence[S3Credentials] = ()
    memory: int = 0  # wanted, in bytes
    in_order: bool = False  # a table gives its rows in the order it got them


@dataclass(frozen=True, slots=True)
class LocalFigures:
    """Sizes in bytes; queries that run, and that wait for memory; databases prepared ahead."""

    memory_used: int = 0
    memory_limit: int = 0
    waiting: int = 0
    running: int = 0
    ready: int = 0
    spilled: int = 0


class Instance:
    """A database for one query. ``execute`` and ``close`` may meet from two threads."""

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, owner: Instances, memory: int
    ) -> None:
        self.connection = connection
        self._owner = owner
        self._memory = memory
        self.busy = threading.Lock()  # held while DuckDB works
        self._closed = threading.Event()
        self._at_end: Callable[[], None] | None = None

    def at_end(self, call: Callable[[], None]) -> None:
        """Called when it is closed."""
        self._at_end = call

    @property
    def closed(self) -> bool:
        return self._closed.is_set()

    def execute(
        self, sql: str, values: Mapping[str, object] | None = None
    ) -> duckdb.DuckDBPyConnection:
        return self.connection.execute(sql, values or None)

    def keep(self, name: str, table: pa.Table) -> None:
        """Copies a table into the database."""
        self.connection.register("arriving", table)
        self.connection.execute(f"CREATE TEMP TABLE {identifier(name)} AS FROM arriving")
        self.connection.unregister("arriving")

    def lock(self, views: str = "") -> None:
        """Makes the query's relations; from then on nothing can be set any more."""
        self.connection.execute(views + _LOCK)

    def rest(self) -> None:
        """Its work is done: the next query gets the threads, even before this one is closed."""
        self._owner.note_rest(self)

    def interrupt(self) -> None:
        """Again and again until the database is closed: an interrupt that comes just before DuckDB
        starts to work is lost."""
        thread = threading.Thread(
            target=self._keep_interrupting, name="local-interrupt", daemon=True
        )
        thread.start()

    def _keep_interrupting(self) -> None:
        while not self._closed.is_set():
            self._interrupt_once()
            self._closed.wait(0.02)

    def _interrupt_once(self) -> None:
        with suppress(Exception):  # closed in this moment
            self.connection.interrupt()

    def close(self) -> None:
        """Stops the work, if any, and frees everything. May be called twice, and by anyone."""
        while not self.busy.acquire(timeout=0.02):
            if self._closed.is_set():
                return
            self._interrupt_once()
        try:
            if self._closed.is_set():
                return
            self._closed.set()
            self.connection.close()
        finally:
            self.busy.release()
            if self._at_end is not None:
                self._at_end()
        self._owner.give_back(self, self._memory)


class Instances:
    """The pool. A thread prepares new instances while queries run."""

    def __init__(self, options: LocalOptions) -> None:
        self._options = options
        self._budget = MemoryBudget(options.memory)
        self._spill = SpillFolder(options.folder)
        self._changed = threading.Condition()
        self._ready: dict[bool, deque[Any]] = {False: deque(), True: deque()}
        self._wanted = {False: 0, True: 0}  # none for a process that asks one thing and ends
        self._running: set[Instance] = set()
        self._working: set[Instance] = set()  # those of them whose threads have something to do
        self._taken = 0
        self._last_used = 0.0
        self._closed = False
        self._filler = threading.Thread(target=self._fill, name="local-instances", daemon=True)
        self._filler.start()

    @property
    def running_count(self) -> int:
        return len(self._running)

    @property
    def memory_used(self) -> int:
        return self._budget.used_memory

    @property
    def figures(self) -> LocalFigures:
        """What it holds at the moment."""
        return LocalFigures(
            memory_used=self._budget.used_memory,
            memory_limit=self._options.memory,
            waiting=self._budget.waiting_count,
            running=len(self._running),
            ready=sum(len(ready) for ready in self._ready.values()),
            spilled=self._spill.size,
        )

    def warm(self) -> None:
        """Prepares instances before anyone asks."""
        self._want(False)

    def scratch(self) -> Path:
        """A new private folder, which the caller removes; one left behind goes with the process."""
        folder = Path(os.path.realpath(self._spill.new()))
        folder.mkdir(mode=0o700)
        return folder

    def take(self, need: Need, cancellation: Cancellation) -> Instance:
        """An instance that can open the query's files and nothing else. Its configuration is not
        locked yet: ``Instance.lock`` does that, before anything of the user's runs."""
        options = self._options
        wanted = min(max(need.memory, options.memory_floor), options.memory_per_query)
        if wanted > options.memory_per_query // 2:
            wanted = options.memory_per_query  # which is what a prepared database has
        memory = self._budget.take(options.memory_floor, wanted, options.wait_s, cancellation)
        if not memory:
            raise LocalFailed("no memory was free for another local query")
        try:
            connection = self._connection(bool(need.keys))
        except BaseException:
            self._budget.give_back(memory)
            raise
        instance = Instance(connection, self, memory)
        with self._changed:
            self._running.add(instance)
            self._working.add(instance)
            self._taken += 1
            self._last_used = time.monotonic()
            threads = max(1, options.threads // len(self._working))
        try:
            instance.execute(self._configuration(need, memory, threads))
        except BaseException as error:
            instance.close()
            if isinstance(error, Exception):
                # Not chained: the statement has keys in it, and DuckDB quotes statements.
                raise LocalFailed("DuckDB could not be configured for the query") from None
            raise
        return instance

    def note_rest(self, instance: Instance) -> None:
        with self._changed:
            self._working.discard(instance)
            self._last_used = time.monotonic()
            self._changed.notify_all()

    def give_back(self, instance: Instance, memory: int) -> None:
        self.note_rest(instance)
        with self._changed:
            self._running.discard(instance)
        self._budget.give_back(memory)

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()
            running = list(self._running)
        self._filler.join()
        for instance in running:
            instance.close()
        for ready in self._ready.values():
            while ready:
                ready.popleft().close()
        self._spill.close()

    def _configuration(self, need: Need, memory: int, threads: int) -> str:
        """Memory and threads are left alone where they are right: whenever they are set, DuckDB
        gives the memory that the process has free back to the system, for all databases."""
        options, spill = self._options, self._options.spill
        as_it_is = memory == options.memory_per_query
        return "".join(
            [
                "" if as_it_is else f"SET memory_limit = '{memory // MB}MiB';\n",
                "" if threads == _threads(options) else f"SET threads = {threads};\n",
                f"SET temp_directory = {text(str(self._spill.new()) if spill else '')};\n",
                f"SET max_temp_directory_size = '{spill // MB}MiB';\n" if spill else "",
                "SET preserve_insertion_order = true;\n" if need.in_order else "",
                secrets_sql(need.keys),
                f"SET allowed_paths = [{', '.join(text(file) for file in need.files)}];\n",
                _LOCK_FILES,
            ]
        )

    def _connection(self, remote: bool) -> Any:
        with self._changed:
            if self._closed:
                raise LocalFailed("the local engine is being closed")
            ready = self._ready[remote].popleft() if self._ready[remote] else None
        self._want(remote)
        return ready or _prepare(remote, self._options)

    def _want(self, remote: bool) -> None:
        """From the first time on, instances of the kind are kept ready."""
        with self._changed:
            self._wanted[remote] = self._options.pool
            self._changed.notify_all()

    def _fill(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._closed or self._next_to_prepare() is not None)
                while not self._closed and (pause := self._pause()) > 0:
                    self._changed.wait(pause)
                if self._closed:
                    return
                remote = self._next_to_prepare()
            try:
                connection = _prepare(bool(remote), self._options)
            except Exception:  # noqa: BLE001  whoever needs one next meets the same, and tells it
                with self._changed:
                    self._wanted[bool(remote)] = 0
                continue
            with self._changed:
                self._ready[bool(remote)].append(connection)

    def _pause(self) -> float:
        """How long to wait before making a database, which holds Python's lock for some
        milliseconds. Best when nobody works; but if none is ready and queries follow each other,
        while DuckDB does. Who finds none ready makes one for himself."""
        none_ready = not self._ready[bool(self._next_to_prepare())]
        if none_ready and self._taken > 1:
            quiet = _STARTING_S
        else:
            quiet = _BUSY_S if self._working else _IDLE_S
        return self._last_used + quiet - time.monotonic()

    def _next_to_prepare(self) -> bool | None:
        for remote, ready in self._ready.items():
            if len(ready) < self._wanted[remote]:
                return remote
        return None


def _threads(options: LocalOptions) -> int:
    """Of a prepared database."""
    return options.threads if options.threads <= _IDLE_THREADS else 1


def _prepare(remote: bool, options: LocalOptions) -> duckdb.DuckDBPyConnection:
    """As far as it is the same for all queries."""
    import duckdb

    config: dict[str, Any] = {
        **_PREPARED,
        "threads": str(_threads(options)),
        "memory_limit": f"{options.memory_per_query // MB}MiB",
        # What is read from this machine's files would be kept in memory for a second look.
        "enable_external_file_cache": "true" if remote else "false",
    }
    connection = duckdb.connect(":memory:", config=config)
    try:
        connection.execute(_SESSION)
        if remote:
            connection.execute(f"LOAD {text(str(_extension('httpfs')))}")
            connection.execute(
                f"SET http_timeout = {int(options.remote_timeout_s)}; SET http_retries = 1"
            )
    except BaseException:
        connection.close()
        raise
    return connection


def _extension(name: str) -> Path:
    """The file of a DuckDB extension that came as a Python package."""
    import duckdb

    try:
        package = importlib.import_module(f"duckdb_extension_{name}")
    except ImportError as error:
        raise NotLocal(f"the package duckdb-extension-{name} is not installed") from error
    folder = Path(str(package.__file__)).parent / "extensions" / f"v{duckdb.__version__}"
    return folder / f"{name}.duckdb_extension"
