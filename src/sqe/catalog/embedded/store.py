"""What the catalog needs of a database, and the tables of Iceberg's JDBC catalog in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

from sqe.catalog.protocol import Ident, Loaded, Namespace

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
    def atomic(self) -> bool:
        """Whether what one ``write`` does happens all at once, and nothing of others in between.
        Where it is not, each change of ``PointerRows`` by itself is."""
        ...

    def read(self) -> AbstractContextManager[Any]:
        """One view of the store for as long as the block runs."""
        ...

    def write(self) -> AbstractContextManager[Any]:
        """Where it is ``atomic``, a transaction that is committed unless the block raises."""
        ...

    def close(self) -> None: ...


class SqlStore(Store, Protocol):
    """A database. What ``read`` and ``write`` give is a ``Connection``."""

    @property
    def has_types(self) -> bool:
        """Whether the layout is V1, which tells views from tables."""
        ...


class PointerRows(Protocol):
    """Names, and where their metadata is. ``db`` is what the store's ``read`` or ``write`` has
    given. Names are compared exactly."""

    def namespace_exists(self, db: Any, namespace: Namespace) -> bool: ...
    def namespaces(self, db: Any, below: Namespace) -> list[Namespace]:
        """The direct children, sorted."""
        ...

    def properties(self, db: Any, namespace: Namespace) -> dict[str, str]: ...
    def put_properties(self, db: Any, namespace: Namespace, properties: Mapping[str, str]) -> None:
        """Also makes the namespace, where it was not there."""
        ...

    def remove_properties(self, db: Any, namespace: Namespace, keys: set[str]) -> None: ...
    def remove_namespace(self, db: Any, namespace: Namespace) -> None: ...
    def names(self, db: Any, namespace: Namespace, *, views: bool) -> list[str]: ...
    def pointer(self, db: Any, ident: Ident) -> Pointer | None: ...
    def lives_in(self, db: Any, location: str) -> bool:
        """Whether a table or view may be below the location."""
        ...

    def insert(self, db: Any, ident: Ident, new: Loaded, *, is_view: bool) -> None: ...
    def swap(self, db: Any, ident: Ident, old: str, new: Loaded, *, is_view: bool) -> bool:
        """False where the pointer is no longer the old one."""
        ...

    def rename(self, db: Any, source: Ident, target: Ident) -> None: ...
    def remove(self, db: Any, ident: Ident) -> None: ...
