"""A DuckDB database that is locked to what it may open. It lives on for who is the same."""

from __future__ import annotations

import importlib
import time
from collections.abc import Hashable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqe.catalog.s3_place import S3Credentials
from sqe.engines.local.failures import LocalFailed
from sqe.engines.local.keys import secrets_sql
from sqe.engines.local.options import MB, LocalOptions
from sqe.engines.local.plan import NotLocal
from sqe.model.identity import Identity
from sqe.model.names import quote_text
from sqe.sessions.session import Session

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
# compiler writes out what a session's time zone means, so DuckDB's own stays the same. They are
# global, as each query has a connection of its own and can set nothing; one shows nothing there.
_SETTINGS = """
SET GLOBAL python_enable_replacements = false;
SET GLOBAL default_null_order = 'nulls_first_on_asc_last_on_desc';
SET GLOBAL preserve_insertion_order = false;
SET enable_progress_bar = false;
SET GLOBAL TimeZone = 'UTC';
SET GLOBAL parquet_metadata_cache = true;
"""
_IDLE_THREADS = 8  # a prepared database has no more of them, which have nothing to do yet
_LOCK = "SET enable_external_access = false;\nSET lock_configuration = true;\n"
_OVERHEAD = 4 * MB  # of a database without anything in it; measured: less than 3
_TRUE_SIZE = 2  # footers take more than twice what DuckDB counts of them


@dataclass(frozen=True)
class InstanceKey:
    """For whom an instance lives on: whoever is equal in all of this.

    What the policy has decided is in the queries' text and in no instance; it is in the key all the
    same, so that nothing of before a change of the policy is used after it.
    """

    session: Session
    identity: Identity
    login: Hashable  # by which login, with which of its tokens
    decided: Hashable
    files: Hashable  # with what tells files of one name apart
    keys: frozenset[S3Credentials] = frozenset()
    in_order: bool = False

    @property
    def keys_end(self) -> float:
        """In seconds since 1970."""
        ends = [key.expires_at for key in self.keys if key.expires_at is not None]
        return min(ends, default=float("inf"))


@dataclass(frozen=True)
class Need:
    """What one query's database must have. Without a ``key`` it is closed with the query."""

    files: Sequence[str]
    keys: Sequence[S3Credentials] = ()
    memory: int = 0  # wanted, in bytes
    in_order: bool = False  # a table gives its rows in the order it got them
    key: InstanceKey | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Size:
    """What an instance may take of the machine. ``spill``: the folder for what does not fit."""

    memory: int
    threads: int
    spill: Path | None = None


class Instance:
    """What it can open and how it works never changes. A query gets a connection of its own, and
    what is temporary in DuckDB is a connection's: views, tables, statements, the random seed."""

    def __init__(self, database: Any, key: InstanceKey | None, size: Size) -> None:
        self.key = key
        self.size = size
        self._database = database
        self.held = 0  # bytes of its memory, while no query uses it
        self._uses = 0

    @property
    def memory(self) -> int:
        return self.size.memory

    def connect(self) -> duckdb.DuckDBPyConnection:
        self._uses += 1
        connection: duckdb.DuckDBPyConnection = self._database.cursor()
        return connection

    @property
    def lasting(self) -> bool:
        """Whether it may wait for another query. What has spilled would keep the disk."""
        if self.key is None or self.key.session.ended or time.time() >= self.key.keys_end:
            return False
        return self.size.spill is None or not self.size.spill.exists()

    def measure(self) -> None:
        """Sets ``held``. Asking costs a quarter of a millisecond, and what is kept of files on this
        machine, their footers, soon grows no more: so it is asked ever less often there."""
        remote = self.key is not None and self.key.keys
        if remote or self._uses & (self._uses - 1) == 0:
            asked = "SELECT coalesce(sum(memory_usage_bytes), 0) FROM duckdb_memory()"
            counted = int(self._database.execute(asked).fetchall()[0][0])
            self.held = min(_OVERHEAD + _TRUE_SIZE * counted, self.memory)

    def close(self) -> None:
        with suppress(Exception):  # nobody can do anything about it
            self._database.close()


def open_instance(database: Any, need: Need, size: Size, options: LocalOptions) -> Instance:
    """Of a prepared database, which can open the need's files and nothing else, for ever."""
    try:
        database.execute("".join(_configuration(need, size, options)))
    except BaseException as error:
        database.close()
        if isinstance(error, Exception):
            # Not chained: the statement has keys in it, and DuckDB quotes statements.
            raise LocalFailed("DuckDB could not be configured for the query") from None
        raise
    return Instance(database, need.key, size)


def _configuration(need: Need, size: Size, options: LocalOptions) -> Iterable[str]:
    """Memory and threads are left alone where they are right: whenever they are set, DuckDB
    gives the memory that the process has free back to the system, for all databases."""
    if size.memory != options.memory_per_query:
        yield f"SET memory_limit = '{size.memory // MB}MiB';\n"
    if size.threads != _threads(options):
        yield f"SET threads = {size.threads};\n"
    yield f"SET temp_directory = {quote_text(str(size.spill or ''))};\n"
    if size.spill is not None:
        yield f"SET max_temp_directory_size = '{options.spill // MB}MiB';\n"
    if need.in_order:
        yield "SET GLOBAL preserve_insertion_order = true;\n"
    yield secrets_sql(need.keys)
    yield f"SET allowed_paths = [{', '.join(quote_text(file) for file in need.files)}];\n"
    yield _LOCK


def _threads(options: LocalOptions) -> int:
    """Of a prepared database."""
    return options.threads if options.threads <= _IDLE_THREADS else 1


def prepare_database(remote: bool, options: LocalOptions) -> duckdb.DuckDBPyConnection:
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
        connection.execute(_SETTINGS)
        if remote:
            connection.execute(f"LOAD {quote_text(str(_extension('httpfs')))}")
            connection.execute(
                f"SET GLOBAL http_timeout = {int(options.remote_timeout_s)};"
                " SET GLOBAL http_retries = 1"
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
