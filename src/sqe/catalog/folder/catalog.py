"""A folder of tables, as Hadoop's catalog leaves them: folders are schemas, and those with metadata
in them are tables. It is only read: nobody could tell which of two writers was first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import NoReturn

from sqe.catalog.commit.failures import corrupt
from sqe.catalog.embedded.disks import Disk
from sqe.catalog.protocol import Catalog, Ident, Json, Loaded, Namespace, Signed, credentials_of
from sqe.catalog.proxy import refuse
from sqe.catalog.storage.shared_warehouse import SharedWarehouse
from sqe.catalog.storage.warehouses import Warehouses
from sqe.errors import AccessError, ErrorCode, UpstreamError, UserError
from sqe.model.identity import Identity
from sqe.model.observer import UNOBSERVED, Observer, observe_call

_METADATA = "metadata"
_HINT = "version-hint.text"
# v3.metadata.json, 00003-0a1b….metadata.json, each also as .gz.metadata.json or .metadata.json.gz
_FILE = re.compile(r"(?:v(\d+)|(\d+)-[^/]+?)(?:\.gz)?\.metadata\.json(?:\.gz)?")


def _read_only(what: str) -> UserError:
    return UserError(
        ErrorCode.NOT_SUPPORTED,
        f"{what} is not possible: the catalog is a folder of tables, which is only read.",
        hint="Change the table where a catalog keeps track of its changes.",
    )


class FolderCatalogs:
    """One folder, for anyone."""

    def __init__(self, name: str, warehouses: Warehouses, observer: Observer) -> None:
        self.name = name
        self._warehouses = warehouses
        self._observer = observer

    def open(self, identity: Identity) -> FolderCatalog:
        return FolderCatalog(self.name, self._warehouses.open(identity), self._observer)

    def close(self) -> None:
        self._warehouses.close()


class FolderCatalog:
    """Implements ``Catalog``. Thread-safe: it keeps nothing."""

    def __init__(self, name: str, disk: Disk, observer: Observer = UNOBSERVED) -> None:
        self.name = name
        self._disk = disk
        self._warehouse = SharedWarehouse(disk)
        self._observer = observer

    def list_namespaces(self, parent: Namespace = ()) -> list[Namespace]:
        with self._observe("list_namespaces"):
            folder = self._require_namespace(parent)
            return [
                (*parent, n) for n in self._folders(folder) if not self._is_table(f"{folder}/{n}")
            ]

    def load_namespace(self, namespace: Namespace) -> dict[str, str]:
        with self._observe("load_namespace"):
            self._require_namespace(namespace)
            return {}

    def list_tables(self, namespace: Namespace) -> list[str]:
        with self._observe("list_tables"):
            folder = self._require_namespace(namespace)
            return [name for name in self._folders(folder) if self._is_table(f"{folder}/{name}")]

    def load_table(self, ident: Ident) -> Loaded:
        with self._observe("load_table"):
            folder = self._folder((*ident.namespace, ident.name))
            if not ident.namespace or folder is None or not self._is_table(folder):
                raise UserError(ErrorCode.TABLE_NOT_FOUND, f"Table does not exist: {ident}")
            file = self._newest_metadata(ident, f"{folder}/{_METADATA}")
            return self._warehouse.read(ident, "table", file)

    def load_credentials(self, ident: Ident) -> tuple[Json, ...]:
        return credentials_of(self.load_table(ident))

    def sign(self, ident: Ident, config: Mapping[str, str], request: Json) -> Signed:
        raise AccessError(ErrorCode.ACCESS_DENIED, "This catalog does not sign requests.")

    def check_change(self, ident: Ident) -> NoReturn:
        raise _read_only(f"A change of {ident}")

    def list_views(self, namespace: Namespace) -> list[str]:
        self.load_namespace(namespace)
        return []

    def load_view(self, ident: Ident) -> Loaded:
        raise UserError(ErrorCode.VIEW_NOT_FOUND, f"View does not exist: {ident}")

    create_namespace = refuse(Catalog.create_namespace, _read_only, "CREATE SCHEMA")
    drop_namespace = refuse(Catalog.drop_namespace, _read_only, "DROP SCHEMA")
    update_namespace = refuse(Catalog.update_namespace, _read_only, "ALTER SCHEMA")
    create_table = refuse(Catalog.create_table, _read_only, "CREATE TABLE")
    register_table = refuse(Catalog.register_table, _read_only, "register_table")
    commit_table = refuse(Catalog.commit_table, _read_only, "A change of a table")
    drop_table = refuse(Catalog.drop_table, _read_only, "DROP TABLE")
    rename_table = refuse(Catalog.rename_table, _read_only, "RENAME TABLE")
    commit_transaction = refuse(Catalog.commit_transaction, _read_only, "A transaction")
    create_view = refuse(Catalog.create_view, _read_only, "CREATE VIEW")
    replace_view = refuse(Catalog.replace_view, _read_only, "ALTER VIEW")
    drop_view = refuse(Catalog.drop_view, _read_only, "DROP VIEW")
    rename_view = refuse(Catalog.rename_view, _read_only, "RENAME VIEW")

    @contextmanager
    def _observe(self, operation: str) -> Iterator[None]:
        with observe_call(self._observer, self.name, operation):
            try:
                yield
            except OSError as error:
                raise UpstreamError(
                    ErrorCode.STORAGE_UNAVAILABLE,
                    f"The folder of catalog {self.name} cannot be read: {error.strerror}.",
                    hint="SQE's own account on this machine must be allowed to read it.",
                ) from None

    def _require_namespace(self, namespace: Namespace) -> str:
        folder = self._folder(namespace)
        if folder is None or (namespace and self._is_table(folder)):
            message = f"Namespace does not exist: {'.'.join(namespace)}"
            raise UserError(ErrorCode.SCHEMA_NOT_FOUND, message)
        return folder

    def _folder(self, path: Namespace) -> str | None:
        """None: there is none, or it is somewhere else."""
        folder = self._disk.root
        for part in path:
            # By the list of names: some file systems ignore case, and rules do not.
            if not _is_name(part) or part not in self._disk.list_folder(folder).folders:
                return None
            folder = f"{folder}/{part}"
            if not self._disk.holds(folder):
                return None
        return folder

    def _folders(self, folder: str) -> list[str]:
        return [name for name in self._disk.list_folder(folder).folders if _is_name(name)]

    def _is_table(self, folder: str) -> bool:
        return any(map(_FILE.fullmatch, self._disk.list_folder(f"{folder}/{_METADATA}").files))

    def _newest_metadata(self, ident: Ident, folder: str) -> str:
        """That with the highest number: the hint of Hadoop's catalog may be behind, but what it
        names must be there. Two of one number are of two writers, and nobody knows which of them
        counts."""
        numbers: dict[int, list[str]] = {}
        files = self._disk.list_folder(folder).files
        for name in files:
            match = _FILE.fullmatch(name)
            if match is not None:
                numbers.setdefault(int(match[1] or match[2]), []).append(name)
        hint = self._disk.read(f"{folder}/{_HINT}").decode().strip() if _HINT in files else ""
        newest = max(numbers)
        if len(numbers[newest]) > 1 or (hint.isdigit() and int(hint) > newest):
            raise corrupt(
                f"Which metadata file of {ident} is the current one cannot be told.",
                hint="Ask who writes the table; register the right file in another catalog.",
            )
        return f"{folder}/{numbers[newest][0]}"


def _is_name(part: str) -> bool:
    """What begins with a dot or a low line is hidden, as for Hadoop."""
    return bool(part) and part[0] not in "._" and not {"/", "\0"} & set(part)
