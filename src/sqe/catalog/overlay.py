"""A catalog as a transaction sees it: over its tables lies what the transaction has changed."""

from __future__ import annotations

from sqe.catalog.protocol import Catalog, Catalogs, Ident, Json, Loaded, Namespace
from sqe.catalog.proxy import hand_on, refuse
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


def at_once(what: str) -> UserError:
    return UserError(
        ErrorCode.NOT_SUPPORTED,
        f"{what} takes effect at once: it cannot be part of a transaction that has changed tables.",
        hint="Commit or roll back first, or turn autocommit on.",
    )


class Overlay:
    """Implements ``Catalog``. What cannot be part of the one commit at the end is refused."""

    def __init__(self, name: str, catalog: Catalog, transaction: Transaction) -> None:
        self._name = name
        self._catalog = catalog
        self._transaction = transaction

    list_namespaces = hand_on(Catalog.list_namespaces)
    load_namespace = hand_on(Catalog.load_namespace)
    create_namespace = refuse(Catalog.create_namespace, at_once, "CREATE SCHEMA")
    drop_namespace = refuse(Catalog.drop_namespace, at_once, "DROP SCHEMA")
    update_namespace = refuse(Catalog.update_namespace, at_once, "A change of a schema")

    def list_tables(self, namespace: Namespace) -> list[str]:
        made = [i.name for i in self._transaction.list_made(self._name) if i.namespace == namespace]
        return sorted({*self._catalog.list_tables(namespace), *made})

    def load_table(self, ident: Ident) -> Loaded:
        held = self._transaction.find_table(self._name, ident)
        return held.now if held is not None else self._catalog.load_table(ident)

    def load_credentials(self, ident: Ident) -> tuple[Json, ...]:
        held = self._transaction.find_table(self._name, ident)
        if held is not None and held.base is None:  # the catalog has no such table
            return held.now.storage_credentials
        return self._catalog.load_credentials(ident)

    sign = hand_on(Catalog.sign)

    def create_table(self, namespace: Namespace, request: Json) -> Loaded:
        """The catalog finds a place for the table and gives its columns their ids; that is all."""
        ident = Ident(namespace, str(request.get("name", "")))
        if self._transaction.find_table(self._name, ident) is not None:
            raise UserError(ErrorCode.TABLE_ALREADY_EXISTS, f"Table already exists: {ident}")
        staged = self._catalog.create_table(namespace, {**request, "stage-create": True})
        self._transaction.keep_staged(ident, staged)
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

    def check_change(self, ident: Ident) -> None:
        held = self._transaction.find_table(self._name, ident)
        if held is None:  # or else it was asked at the first change
            self._catalog.check_change(ident)

    def commit_table(self, ident: Ident, request: Json) -> Loaded:
        return self._transaction.change(self._name, self._catalog, ident, request)

    def forget_staged(self, location: str) -> None:
        if isinstance(self._catalog, ForgetsFiles):
            self._catalog.forget_staged(location)

    register_table = refuse(Catalog.register_table, at_once, "register_table")
    drop_table = refuse(Catalog.drop_table, at_once, "DROP TABLE")
    rename_table = refuse(Catalog.rename_table, at_once, "RENAME")
    commit_transaction = refuse(Catalog.commit_transaction, at_once, "A commit to several tables")
    list_views = hand_on(Catalog.list_views)
    load_view = hand_on(Catalog.load_view)
    create_view = refuse(Catalog.create_view, at_once, "CREATE VIEW")
    replace_view = refuse(Catalog.replace_view, at_once, "A change of a view")
    drop_view = refuse(Catalog.drop_view, at_once, "DROP VIEW")
    rename_view = refuse(Catalog.rename_view, at_once, "RENAME")


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
