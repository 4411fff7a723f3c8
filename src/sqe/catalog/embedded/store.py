"""What the catalog needs of a database, and the tables of Iceberg's JDBC catalog in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

# Layout V1. Catalogs of layout V0 have no iceberg_type, and so no views.
TYPE_COLUMN = "iceberg_type"
ADD_TYPE = f"ALTER TABLE iceberg_tables ADD COLUMN {TYPE_COLUMN} VARCHAR(5)"
SCHEMA = (
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


class Cursor(Protocol):
    def fetchone(self) -> Any: ...
    def __iter__(self) -> Iterator[Any]: ...
    @property
    def rowcount(self) -> int: ...


class Connection(Protocol):
    """Values stand for ``?`` in the statements."""

    def execute(self, statement: str, values: Sequence[Any] = ()) -> Cursor: ...
    def executemany(self, statement: str, rows: Iterable[Sequence[Any]]) -> object: ...


class Store(Protocol):
    """Safe to use from many threads. Failures are SqeErrors; CATALOG_UNAVAILABLE out of ``write``
    means that nobody knows whether the change is there."""

    @property
    def typed(self) -> bool:
        """Whether the layout is V1, which tells views from tables."""
        ...

    def read(self) -> AbstractContextManager[Connection]:
        """One consistent view of the database for as long as the block runs."""
        ...

    def write(self) -> AbstractContextManager[Connection]:
        """A transaction while nobody else has one of these; committed unless the block raises."""
        ...

    def close(self) -> None: ...
