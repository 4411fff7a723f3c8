"""A catalog as a transaction sees it: over its tables lies what the transaction has changed."""

from __future__ import annotations

from collections.abc import Mapping

from sqe.catalog.protocol import Catalog, Catalogs, Ident, Json, Loaded, Namespace, Signed
from sqe.catalog.transaction import ForgetsFiles, Transaction, current
from sqe.errors import ErrorCode, UserError
from sqe.model.identity import Identity


class TransactionalCatalogs:
    """Opens catalogs for everyone: inside of a transaction, as it sees them. Nothing of what a
    statement does can pass by its transaction."""

    def __init__(self, catalogs: Catalogs) -> None:
        self._catalogs = catalogs

    def names(self, identity: Identity | None = None) -> list[str]:
        return self._catalogs.names(identity)

    def open(self, name: str, identity: Identity) -> Catalog:
        catalog = self._catalogs.open(name, identity)
        transaction = current()
        return catalog if transaction is None else Overlay(name, catalog, transaction)


class Overlay:
    """Implements ``Catalog``. What cannot be part of the one commit at the end is refused."""

    def __init__(self, name: str, catalog: Catalog, transaction: Transaction) -> None:
        self._name = name
        self._catalog = catalog
        self._transaction = transaction

    def list_namespaces(self, parent: Namespace = ()) -> list[Namespace]:
        return self._catalog.list_namespaces(parent)

    def load_namespace(self, namespace: Namespace) -> dict[str, str]:
        return self._catalog.load_namespace(namespace)

    def create_namespace(self, namespace: Namespace, properties: Mapping[str, str]) -> None:
        raise refused("CREATE SCHEMA")

    def drop_namespace(self, namespace: Namespace) -> None:
        raise refused("DROP SCHEMA")

    def update_namespace(
        self, namespace: Namespace, removals: list[str], updates: Mapping[str, str]
    ) -> Json:
        raise refused("A change of a schema")

    def list_tables(self, namespace: Namespace) -> list[str]:
        made = [i.name for i in self._transaction.made(self._name) if i.namespace == namespace]
        return sorted({*self._catalog.list_tables(namespace), *made})

    def load_table(self, ident: Ident) -> Loaded:
        held = self._transaction.held(self._name, ident)
        return held.now if held is not None else self._catalog.load_table(ident)

    def load_credentials(self, ident: Ident) -> tuple[Json, ...]:
        held = self._transaction.held(self._name, ident)
        if held is not None and held.now.metadata_location is None:  # the catalog has no such table
            return held.now.storage_credentials
        return self._catalog.load_credentials(ident)

    def sign(self, ident: Ident, config: Mapping[str, str], request: Json) -> Signed:
        return self._catalog.sign(ident, config, request)

    def create_table(self, namespace: Namespace, request: Json) -> Loaded:
        """The catalog finds a place for the table and gives its columns their ids; that is all."""
        ident = Ident(namespace, str(request.get("name", "")))
        if self._transaction.held(self._name, ident) is not None:
            raise UserError(ErrorCode.TABLE_ALREADY_EXISTS, f"Table already exists: {ident}")
        staged = self._catalog.create_table(namespace, {**request, "stage-create": True})
        if request.get("stage-create"):
            return staged
        commit = {
            "requirements": [{"type": "assert-create"}],
            "updates": _creation(staged.metadata),
        }
        try:
            return self.commit_table(ident, commit)
        except BaseException:
            self.forget_staged(str(staged.metadata["location"]))
            raise

    def commit_table(self, ident: Ident, request: Json) -> Loaded:
        return self._transaction.change(self._name, self._catalog, ident, request)

    def forget_staged(self, location: str) -> None:
        if isinstance(self._catalog, ForgetsFiles):
            self._catalog.forget_staged(location)

    def register_table(self, namespace: Namespace, request: Json) -> Loaded:
        raise refused("register_table")

    def drop_table(self, ident: Ident, *, purge: bool = False) -> None:
        raise refused("DROP TABLE")

    def rename_table(self, source: Ident, target: Ident) -> None:
        raise refused("RENAME")

    def commit_transaction(self, request: Json) -> None:
        raise refused("A commit to several tables")

    def list_views(self, namespace: Namespace) -> list[str]:
        return self._catalog.list_views(namespace)

    def load_view(self, ident: Ident) -> Loaded:
        return self._catalog.load_view(ident)

    def create_view(self, namespace: Namespace, request: Json) -> Loaded:
        raise refused("CREATE VIEW")

    def replace_view(self, ident: Ident, request: Json) -> Loaded:
        raise refused("A change of a view")

    def drop_view(self, ident: Ident) -> None:
        raise refused("DROP VIEW")

    def rename_view(self, source: Ident, target: Ident) -> None:
        raise refused("RENAME")


def refused(what: str) -> UserError:
    return UserError(
        ErrorCode.NOT_SUPPORTED,
        f"{what} takes effect at once: it cannot be part of a transaction that has changed tables.",
        hint="Commit or roll back first, or turn autocommit on.",
    )


def _creation(staged: Json) -> list[Json]:
    """The updates that make a table of this metadata, which has no snapshot yet."""
    [schema], [spec], [order] = (
        staged["schemas"],
        staged["partition-specs"],
        staged["sort-orders"],
    )
    return [
        {"action": "assign-uuid", "uuid": staged["table-uuid"]},
        {"action": "upgrade-format-version", "format-version": staged["format-version"]},
        {"action": "add-schema", "schema": schema, "last-column-id": staged["last-column-id"]},
        {"action": "set-current-schema", "schema-id": -1},
        {"action": "add-spec", "spec": spec},
        {"action": "set-default-spec", "spec-id": -1},
        {"action": "add-sort-order", "sort-order": order},
        {"action": "set-default-sort-order", "sort-order-id": -1},
        {"action": "set-location", "location": staged["location"]},
        {"action": "set-properties", "updates": staged.get("properties") or {}},
    ]
