"""The database: opened at first use, its tables brought up to date then."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqe.errors import (
    ErrorCode,
    SqeError,
    UpstreamError,
    UserError,
    disk_full,
    is_disk_full,
)
from sqe.model.identity import Secret
from sqe.store.versions import VERSIONS

if TYPE_CHECKING:  # takes a tenth of a second, which no command pays that needs no store
    from sqlalchemy import Connection, Engine

STORE_FILE = "sqe.db"
_CONNECT_S = 5  # how long a PostgreSQL may take to let us in
_BUSY_S = 10.0  # how long another process may write
_LOCK = 7_318_005  # PostgreSQL's name for the lock that a change of the tables takes

_RULES = "sqe.rules"  # marks a connection


def changes_rules(connection: Connection) -> None:
    """Said of a transaction: it is counted in ``Database.rule_changes``."""
    connection.info[_RULES] = True


class Database:
    """Thread-safe, and processes may share it. Nothing is opened or made before the first use."""

    def __init__(self, home: Path, url: Secret | None = None) -> None:
        """``url`` as SQLAlchemy writes it; None: a file in ``home``."""
        self._home = home
        self._url = url
        self._lock = threading.Lock()
        self._engine: Engine | None = None
        self.rule_changes = 0  # how many this process has made, counted once they are there

    @contextmanager
    def begin(self) -> Iterator[Connection]:
        """A transaction: committed at the end, or undone by an error. Raises STORE_UNAVAILABLE."""
        from sqlalchemy.exc import SQLAlchemyError

        try:
            with self._open_engine().begin() as connection:
                connection.info.pop(_RULES, None)
                yield connection
                changed = connection.info.pop(_RULES, False)
        except SQLAlchemyError as error:
            raise _unavailable(error) from None
        if changed:
            with self._lock:
                self.rule_changes += 1

    @property
    def exists(self) -> bool:
        """Whether something may have been kept in it; asked without making it."""
        return self._url is not None or (self._home / STORE_FILE).exists()

    def check(self) -> None:
        """STORE_UNAVAILABLE if it is in use and does not answer."""
        if self._engine is not None:
            with self.begin() as connection:
                connection.exec_driver_sql("SELECT 1")

    def close(self) -> None:
        with self._lock:
            engine, self._engine = self._engine, None
        if engine is not None:
            engine.dispose()

    def _open_engine(self) -> Engine:
        with self._lock:
            if self._engine is None:
                engine = self._make_engine()
                try:
                    _bring_up_to_date(engine)
                except BaseException:
                    engine.dispose()
                    raise
                self._engine = engine
            return self._engine

    def _make_engine(self) -> Engine:
        from sqlalchemy import URL, create_engine, make_url
        from sqlalchemy.exc import ArgumentError, NoSuchModuleError

        if self._url is None:
            path = self._home / STORE_FILE
            _make_private(path)
            return _sqlite(create_engine(URL.create("sqlite", database=str(path)), **_OPTIONS))
        try:
            url = make_url(self._url.reveal())
            patience = {"connect_timeout": _CONNECT_S} if url.drivername != "sqlite" else {}
            engine = create_engine(url, connect_args=patience, **_OPTIONS)
        except (ArgumentError, NoSuchModuleError, ImportError):
            engine = None
        if engine is None or engine.dialect.name not in ("postgresql", "sqlite"):
            raise UserError(
                ErrorCode.INVALID_SETTINGS,
                "store.url is not the address of a database that SQE can use.",
                hint="Write postgresql+psycopg://user:password@host/database and install "
                "sqe[postgresql].",
            )
        return _sqlite(engine) if engine.dialect.name == "sqlite" else engine


# Errors of SQLAlchemy quote statements with their values, of which some are hashes.
_OPTIONS: dict[str, Any] = {"hide_parameters": True, "pool_pre_ping": True}


def _make_private(path: Path) -> None:
    """SQLite would make it readable for everybody."""
    with suppress(FileExistsError):
        path.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def _sqlite(engine: Engine) -> Engine:
    """Transactions as SQLite means them: Python's own leave changes of tables out."""
    from sqlalchemy import event

    def configure_connection(connection: Any, record: object) -> None:
        connection.isolation_level = None
        cursor = connection.cursor()
        cursor.execute(f"PRAGMA busy_timeout = {int(_BUSY_S * 1000)}")
        cursor.execute("PRAGMA journal_mode = WAL")  # readers do not wait for a writer
        cursor.close()

    def begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN")

    event.listen(engine, "connect", configure_connection)
    event.listen(engine, "begin", begin)
    return engine


def _bring_up_to_date(engine: Engine) -> None:
    """In one transaction, and by one process at a time."""
    from sqlalchemy import text

    with engine.begin() as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
        else:
            connection.exec_driver_sql("ROLLBACK")
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        connection.execute(text("CREATE TABLE IF NOT EXISTS sqe_version (version INTEGER)"))
        version = connection.execute(text("SELECT max(version) FROM sqe_version")).scalar() or 0
        if version > len(VERSIONS):
            raise UserError(
                ErrorCode.INVALID_SETTINGS,
                "SQE's database was made by a newer SQE.",
                hint="Use that version, or a database of its own (store.url).",
            )
        for number, statements in enumerate(VERSIONS[version:], version + 1):
            for statement in statements:
                connection.execute(text(statement))
            connection.execute(text("INSERT INTO sqe_version VALUES (:n)"), {"n": number})


def _unavailable(error: Exception) -> SqeError:
    """The kind of error, not its text: that may quote the address."""
    if is_disk_full(getattr(error, "orig", None) or error):
        return disk_full("SQE's own database")
    kind = type(getattr(error, "orig", None) or error).__name__
    return UpstreamError(
        ErrorCode.STORE_UNAVAILABLE,
        f"SQE's own database cannot be used ({kind}).",
        hint="Is the disk full, or the database of store.url down?",
    )
