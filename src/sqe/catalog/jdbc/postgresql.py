"""The layout of Iceberg's JDBC catalog in a PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqe.catalog.embedded.store import ADD_TYPE, SCHEMA, TYPE_COLUMN, Cursor
from sqe.catalog.jdbc.failures import of_database
from sqe.errors import ErrorCode, UserError
from sqe.model.identity import Secret

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

_CONNECTIONS = 8  # kept open
_CONNECT_S = 5
_ANSWER_MS = 30_000
_LOCK_MS = 10_000
# Readers go on; who writes here waits, be it SQE, Java or PyIceberg, until the pointers are moved.
_LOCK = "LOCK TABLE iceberg_tables, iceberg_namespace_properties IN SHARE ROW EXCLUSIVE MODE"
_COLUMNS = """SELECT attname FROM pg_attribute WHERE attrelid = to_regclass('iceberg_tables')
    AND to_regclass('iceberg_namespace_properties') IS NOT NULL
    AND attnum > 0 AND NOT attisdropped"""
_SNAPSHOT = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
_PREPARING = 7_318_006  # the lock of those who make the tables


class PostgreSQLStore:
    """Implements ``embedded.store.Store``. Opened at first use: a catalog that does not answer
    does not keep SQE from starting.

    Tables are made where there are none. Those of layout V0 become ones of V1 only where
    ``upgrades`` says so: it is for all programs that share them."""

    def __init__(self, name: str, url: Secret, *, upgrades: bool = False) -> None:
        self._name = name
        self.atomic = True
        self._upgrades = upgrades
        self._engine = self._make_engine(url)
        self._typed: bool | None = None

    def _make_engine(self, url: Secret) -> Engine:
        from sqlalchemy import create_engine, make_url
        from sqlalchemy.exc import SQLAlchemyError

        limits = f"-c statement_timeout={_ANSWER_MS} -c lock_timeout={_LOCK_MS}"
        try:
            address = make_url(url.reveal())
            options = " ".join(filter(None, [str(address.query.get("options", "")), limits]))
            return create_engine(
                address.update_query_dict({"options": options}),
                connect_args={"connect_timeout": _CONNECT_S},
                hide_parameters=True,
                pool_pre_ping=True,
                pool_size=_CONNECTIONS,
                max_overflow=3 * _CONNECTIONS,
            )
        except (ImportError, SQLAlchemyError, ValueError) as error:
            raise UserError(
                ErrorCode.INVALID_SETTINGS,
                f"catalogs.{self._name}.url cannot be used ({type(error).__name__}).",
                hint="Write postgresql+psycopg://user:password@host/database and install "
                "sqe[postgresql].",
            ) from None

    @property
    def has_types(self) -> bool:
        if self._typed is None:
            with self._failures():
                self._typed = self._prepare()
        return self._typed

    def _prepare(self) -> bool:
        """Whether the layout is V1, once the tables are there."""
        with self._engine.begin() as db:
            columns = _columns(db)
            if not columns or (self._upgrades and TYPE_COLUMN not in columns):
                db.exec_driver_sql("SELECT pg_advisory_xact_lock(%s)", (_PREPARING,))
                for statement in SCHEMA:
                    db.exec_driver_sql(statement)
                columns = _columns(db)
                if TYPE_COLUMN not in columns and self._upgrades:
                    db.exec_driver_sql(ADD_TYPE)
                    columns.add(TYPE_COLUMN)
            return TYPE_COLUMN in columns

    @contextmanager
    def read(self) -> Iterator[_Transaction]:
        _ = self.has_types  # the tables are there then
        with self._failures(), self._engine.connect() as connection:
            connection.execution_options(**_SNAPSHOT)
            with connection.begin():
                yield _Transaction(connection)

    @contextmanager
    def write(self) -> Iterator[_Transaction]:
        _ = self.has_types
        with self._failures(), self._engine.begin() as connection:
            connection.exec_driver_sql(_LOCK)
            yield _Transaction(connection)

    def close(self) -> None:
        self._engine.dispose()

    @contextmanager
    def _failures(self) -> Iterator[None]:
        from sqlalchemy.exc import SQLAlchemyError

        try:
            yield
        except SQLAlchemyError as error:
            raise of_database(self._name, error) from None


@dataclass(frozen=True)
class _Transaction:
    """Implements ``embedded.store.Connection``."""

    connection: Connection

    def execute(self, statement: str, values: Sequence[Any] = ()) -> Cursor:
        cursor: Cursor = self.connection.exec_driver_sql(_psycopg(statement), tuple(values))
        return cursor

    def executemany(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        for row in rows:
            self.execute(statement, row)


def _psycopg(statement: str) -> str:
    """With psycopg's marks. The statements of ``embedded.rows`` have no other question mark."""
    return statement.replace("%", "%%").replace("?", "%s")


def _columns(db: Connection) -> set[str]:
    return {name for (name,) in db.exec_driver_sql(_COLUMNS)}
