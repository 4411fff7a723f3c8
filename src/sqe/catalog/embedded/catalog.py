"""An Iceberg catalog over one SQLite file and one warehouse: a folder, or a place in S3."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sqe.catalog.commit.failures import file_failures
from sqe.catalog.embedded.commits import Commits
from sqe.catalog.embedded.disks import Disk, Folder
from sqe.catalog.embedded.files import Warehouse
from sqe.catalog.embedded.namespaces import Namespaces
from sqe.catalog.embedded.rows import Rows
from sqe.catalog.embedded.store import Pointer, Store
from sqe.catalog.embedded.tables import Tables
from sqe.catalog.embedded.views import Views
from sqe.catalog.protocol import Ident, Json, Loaded, Namespace, Signed
from sqe.errors import AccessError, ErrorCode


class EmbeddedCatalog:
    """Implements ``sqe.catalog.protocol.Catalog``. Several processes may open the same file.

    PyIceberg's SqlCatalog and Java's JdbcCatalog (``jdbc.schema-version=V1``) see the same
    tables under the same catalog name.
    """

    def __init__(
        self,
        database: Path | str,
        warehouse: Path | str | Disk,
        name: str = "lake",
        *,
        busy_seconds: float = 5.0,
    ) -> None:
        self.name = name
        with file_failures("the folder of the catalog file"):
            Path(database).parent.mkdir(parents=True, exist_ok=True)
        self._store = Store(Path(database), busy_seconds=busy_seconds)
        rows = Rows(name)
        disk = Folder(Path(warehouse)) if isinstance(warehouse, Path | str) else warehouse
        folder = self._warehouse = Warehouse(disk)
        commits = Commits(self._store, rows, folder)
        self._namespaces = Namespaces(self._store, rows, folder, commits)
        self._tables = Tables(self._store, rows, folder, commits)
        self._views = Views(self._store, rows, folder, commits)

    def close(self) -> None:
        self._store.close()

    def list_namespaces(self, parent: Namespace = ()) -> list[Namespace]:
        return self._namespaces.children(parent)

    def load_namespace(self, namespace: Namespace) -> dict[str, str]:
        return self._namespaces.load(namespace)

    def create_namespace(self, namespace: Namespace, properties: Mapping[str, str]) -> None:
        self._namespaces.create(namespace, properties)

    def drop_namespace(self, namespace: Namespace) -> None:
        self._namespaces.drop(namespace)

    def update_namespace(
        self, namespace: Namespace, removals: list[str], updates: Mapping[str, str]
    ) -> Json:
        return self._namespaces.update(namespace, removals, updates)

    def list_tables(self, namespace: Namespace) -> list[str]:
        return self._tables.names(namespace)

    def load_table(self, ident: Ident) -> Loaded:
        return self._tables.load(ident)

    def load_credentials(self, ident: Ident) -> tuple[Json, ...]:
        return self._tables.load(ident).storage_credentials

    def sign(self, ident: Ident, config: Mapping[str, str], request: Json) -> Signed:
        raise AccessError(ErrorCode.ACCESS_DENIED, "This catalog does not sign requests.")

    def find(self, ident: Ident) -> Pointer | None:
        """What has this name: a table or a view, and where its metadata file is."""
        return self._tables.find(ident)

    def holds(self, location: str) -> bool:
        """Whether the location is inside the warehouse."""
        return self._warehouse.disk.holds(location)

    def create_table(self, namespace: Namespace, request: Json) -> Loaded:
        return self._tables.create(namespace, request)

    def forget_staged(self, location: str) -> None:
        """Removes what was written for a staged table that was never committed."""
        self._tables.forget_staged(location)

    def forget_snapshots(self, snapshots: list[Json]) -> None:
        """Removes what was written for snapshots that were never committed to a table."""
        self._tables.forget_snapshots(snapshots)

    def register_table(self, namespace: Namespace, request: Json) -> Loaded:
        return self._tables.register(namespace, request)

    def commit_table(self, ident: Ident, request: Json) -> Loaded:
        return self._tables.commit(ident, request)

    def drop_table(self, ident: Ident, *, purge: bool = False) -> None:
        self._tables.drop(ident, purge=purge)

    def rename_table(self, source: Ident, target: Ident) -> None:
        self._tables.rename(source, target)

    def commit_transaction(self, request: Json) -> None:
        self._tables.commit_all(request)

    def list_views(self, namespace: Namespace) -> list[str]:
        return self._views.names(namespace)

    def load_view(self, ident: Ident) -> Loaded:
        return self._views.load(ident)

    def create_view(self, namespace: Namespace, request: Json) -> Loaded:
        return self._views.create(namespace, request)

    def replace_view(self, ident: Ident, request: Json) -> Loaded:
        return self._views.replace(ident, request)

    def drop_view(self, ident: Ident) -> None:
        self._views.drop(ident)

    def rename_view(self, source: Ident, target: Ident) -> None:
        self._views.rename(source, target)

    def register_view(self, namespace: Namespace, request: Json) -> Loaded:
        return self._views.register(namespace, request)
