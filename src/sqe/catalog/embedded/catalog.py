"""An Iceberg catalog over one database and one warehouse: a folder, or a place in S3."""

from __future__ import annotations

from collections.abc import Mapping
from functools import wraps
from pathlib import Path
from typing import ParamSpec, TypeVar, cast

from sqe.catalog.commit.failures import file_failures
from sqe.catalog.embedded.commits import Commits
from sqe.catalog.embedded.disks import Disk, Folder
from sqe.catalog.embedded.files import Warehouse
from sqe.catalog.embedded.namespaces import Namespaces
from sqe.catalog.embedded.rows import Rows
from sqe.catalog.embedded.sqlite_store import SqliteStore
from sqe.catalog.embedded.store import Pointer, PointerRows, SqlStore, Store
from sqe.catalog.embedded.tables import Tables
from sqe.catalog.embedded.views import Views
from sqe.catalog.protocol import Ident, Json, Signed, credentials_of
from sqe.catalog.proxy import Method, hand_to
from sqe.errors import AccessError, ErrorCode
from sqe.model.identity import Identity
from sqe.model.observer import UNOBSERVED, Observer, observe_call

_P = ParamSpec("_P")
_T = TypeVar("_T")


def _observe_calls(part: str, method: Method[_P, _T]) -> Method[_P, _T]:
    """The part's method, as a call that is observed."""
    inner = hand_to(part, method)

    @wraps(method)
    def call(self: EmbeddedCatalog, /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        with observe_call(self._observer, self.name, method.__name__):
            return inner(self, *args, **kwargs)

    return call


def _store_of(database: Path | str | Store) -> Store:
    if not isinstance(database, Path | str):
        return database
    with file_failures("the folder of the catalog file"):
        Path(database).parent.mkdir(parents=True, exist_ok=True)
    return SqliteStore(Path(database))


def _warehouse_of(warehouse: Path | str | Disk | Warehouse) -> Warehouse:
    if isinstance(warehouse, Warehouse):
        return warehouse
    return Warehouse(Folder(Path(warehouse)) if isinstance(warehouse, Path | str) else warehouse)


class EmbeddedCatalog:
    """Implements ``sqe.catalog.protocol.Catalog``. Several processes may open the same database.

    PyIceberg's SqlCatalog and Java's JdbcCatalog (``jdbc.schema-version=V1``) see the same
    tables under the same catalog name. ``rows``: under another one, or of a store that is no
    database.
    """

    def __init__(
        self,
        database: Path | str | Store,
        warehouse: Path | str | Disk | Warehouse,
        name: str = "lake",
        *,
        rows: PointerRows | None = None,
        observer: Observer = UNOBSERVED,
    ) -> None:
        self.name = name
        self._observer = observer
        store = self._store = _store_of(database)
        rows = rows or Rows(name, cast("SqlStore", store))
        folder = self._warehouse = _warehouse_of(warehouse)
        commits = Commits(self._store, rows, folder)
        self._namespaces = Namespaces(self._store, rows, folder, commits)
        self._tables = Tables(self._store, rows, folder, commits)
        self._views = Views(self._store, rows, folder, commits)

    def open(self, identity: Identity) -> EmbeddedCatalog:
        """It has one owner, so that everybody gets the same."""
        return self

    def close(self) -> None:
        self._store.close()

    list_namespaces = _observe_calls("_namespaces", Namespaces.children)
    load_namespace = _observe_calls("_namespaces", Namespaces.load)
    create_namespace = _observe_calls("_namespaces", Namespaces.create)
    drop_namespace = _observe_calls("_namespaces", Namespaces.drop)
    update_namespace = _observe_calls("_namespaces", Namespaces.update)
    list_tables = _observe_calls("_tables", Tables.names)
    load_table = _observe_calls("_tables", Tables.load)

    def load_credentials(self, ident: Ident) -> tuple[Json, ...]:
        return credentials_of(self._tables.load(ident))

    def sign(self, ident: Ident, config: Mapping[str, str], request: Json) -> Signed:
        raise AccessError(ErrorCode.ACCESS_DENIED, "This catalog does not sign requests.")

    def find(self, ident: Ident) -> Pointer | None:
        """What has this name: a table or a view, and where its metadata file is."""
        return self._tables.find(ident)

    def holds(self, location: str) -> bool:
        """Whether the location is inside the warehouse."""
        return self._warehouse.disk.holds(location)

    def check_change(self, ident: Ident) -> None:
        """It has one owner, who may."""

    create_table = _observe_calls("_tables", Tables.create)

    def forget_staged(self, location: str) -> None:
        """Removes what was written for a staged table that was never committed."""
        self._tables.forget_staged(location)

    def forget_snapshots(self, snapshots: list[Json]) -> None:
        """Removes what was written for snapshots that were never committed to a table."""
        self._tables.forget_snapshots(snapshots)

    register_table = _observe_calls("_tables", Tables.register)
    commit_table = _observe_calls("_tables", Tables.commit)
    drop_table = _observe_calls("_tables", Tables.drop)
    rename_table = _observe_calls("_tables", Tables.rename)
    commit_transaction = _observe_calls("_tables", Tables.commit_all)
    list_views = _observe_calls("_views", Views.names)
    load_view = _observe_calls("_views", Views.load)
    create_view = _observe_calls("_views", Views.create)
    replace_view = _observe_calls("_views", Views.replace)
    drop_view = _observe_calls("_views", Views.drop)
    rename_view = _observe_calls("_views", Views.rename)
    register_view = _observe_calls("_views", Views.register)
