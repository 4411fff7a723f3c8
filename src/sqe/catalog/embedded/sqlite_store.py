"""The layout of Iceberg's JDBC catalog in a SQLite file.

Write-ahead logging lets readers of any process go on while one writer commits. A write takes
the file's lock only for the moment of the pointer swap, after the metadata file is on disk.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqe.catalog.commit.failures import of_sqlite
from sqe.catalog.embedded.store import ADD_TYPE, SCHEMA, TYPE_COLUMN

_IDLE_CONNECTIONS = 8


class SqliteStore:
    """A pool of connections to one SQLite file; safe to use from many threads.

    A file of layout V0 becomes one of V1, unless ``upgrades`` says no."""

    def __init__(self, database: Path, *, busy_seconds: float = 5.0, upgrades: bool = True) -> None:
        self.has_types = True
        self.atomic = True
        self._upgrades = upgrades
        self._database = database
        self._busy_seconds = busy_seconds
        self._idle: list[sqlite3.Connection] = []
        self._lock = threading.Lock()
        self._closed = False
        self._prepare()

    def _prepare(self) -> None:
        with self._connection() as connection:
            if self._is_prepared(connection):
                return
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("BEGIN IMMEDIATE")
            try:
                for statement in SCHEMA:
                    connection.execute(statement)
                if not self._stores_types(connection):  # made by a V0 JDBC catalog
                    connection.execute(ADD_TYPE)
                connection.execute("COMMIT")
            except BaseException:
                connection.execute("ROLLBACK")
                raise

    def _is_prepared(self, connection: sqlite3.Connection) -> bool:
        tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master")}
        if not {"iceberg_tables", "iceberg_namespace_properties"} <= tables:
            return False
        self.has_types = self._stores_types(connection) or self._upgrades
        return self._stores_types(connection) is self.has_types

    def _stores_types(self, connection: sqlite3.Connection) -> bool:
        columns = connection.execute("PRAGMA table_info(iceberg_tables)")
        return TYPE_COLUMN in {row[1] for row in columns}

    def _open(self) -> sqlite3.Connection:
        # isolation_level None: transactions begin and end where this file says so.
        connection = sqlite3.connect(
            self._database,
            timeout=self._busy_seconds,
            isolation_level=None,
            check_same_thread=False,
        )
        connection.execute("PRAGMA synchronous = FULL")
        return connection

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        connection: sqlite3.Connection | None = None
        try:
            with self._lock:
                connection = self._idle.pop() if self._idle else None
            if connection is None:
                connection = self._open()
            yield connection
        except sqlite3.Error as error:
            raise of_sqlite(error, str(self._database)) from error
        finally:
            if connection is not None:
                self._give_back(connection)

    def _give_back(self, connection: sqlite3.Connection) -> None:
        with self._lock:
            keep = not self._closed and len(self._idle) < _IDLE_CONNECTIONS
            if keep and not connection.in_transaction:
                self._idle.append(connection)
                return
        connection.close()

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """One consistent view of the file for as long as the block runs."""
        with self._connection() as connection:
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """A transaction that holds the write lock; committed unless the block raises."""
        with self._connection() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    def close(self) -> None:
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()
