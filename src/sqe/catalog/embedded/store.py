"""The SQLite file behind the embedded catalog, in the layout of Iceberg's JDBC catalog V1.

Write-ahead logging lets readers of any process go on while one writer commits. A write takes
the file's lock only for the moment of the pointer swap, after the metadata file is on disk.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqe.catalog.commit.failures import of_sqlite

_IDLE_CONNECTIONS = 8

_SCHEMA = (
    """CREATE TABLE IF NOT EXISTS iceberg_tables (
        catalog_name VARCHAR(255) NOT NULL,
        table_namespace VARCHAR(255) NOT NULL,
        table_name VARCHAR(255) NOT NULL,
        metadata_location VARCHAR(1000),
        previous_metadata_location VARCHAR(1000),
        iceberg_type VARCHAR(5),
        PRIMARY KEY (catalog_name, table_namespace, table_name))""",
    """CREATE TABLE IF NOT EXISTS iceberg_namespace_properties (
        catalog_name VARCHAR(255) NOT NULL,
        namespace VARCHAR(255) NOT NULL,
        property_key VARCHAR(255),
        property_value VARCHAR(1000),
        PRIMARY KEY (catalog_name, namespace, property_key))""",
)


@dataclass(frozen=True, slots=True)
class Pointer:
    """A table's or view's row: where its current metadata file is."""

    metadata_location: str
    is_view: bool


class Store:
    """A pool of connections to one SQLite file; safe to use from many threads."""

    def __init__(self, database: Path, *, busy_seconds: float = 5.0) -> None:
        self._database = database
        self._busy_seconds = busy_seconds
        self._idle: list[sqlite3.Connection] = []
        self._lock = threading.Lock()
        self._closed = False
        self._prepare()

    def _prepare(self) -> None:
        with self._connection() as connection:
            tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master")}
            columns = {row[1] for row in connection.execute("PRAGMA table_info(iceberg_tables)")}
            if {"iceberg_tables", "iceberg_namespace_properties"} <= tables and (
                "iceberg_type" in columns
            ):
                return
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("BEGIN IMMEDIATE")
            try:
                for statement in _SCHEMA:
                    connection.execute(statement)
                columns = {
                    row[1] for row in connection.execute("PRAGMA table_info(iceberg_tables)")
                }
                if "iceberg_type" not in columns:  # made by a V0 JDBC catalog
                    connection.execute(
                        "ALTER TABLE iceberg_tables ADD COLUMN iceberg_type VARCHAR(5)"
                    )
                connection.execute("COMMIT")
            except BaseException:
                connection.execute("ROLLBACK")
                raise

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
