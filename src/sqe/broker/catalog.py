"""An Iceberg catalog that answers for the granted handles of one Spark session, and no others."""

from __future__ import annotations

import copy
import threading
from collections.abc import Mapping

from sqe.broker.commits import sign_request
from sqe.broker.handles import GrantedTable, HandleGrant
from sqe.broker.held import only_columns
from sqe.broker.storage import for_spark, without_keys
from sqe.catalog.protocol import (
    Catalog,
    Ident,
    Json,
    Loaded,
    Namespace,
    Signed,
    snapshots_of_commit,
)
from sqe.catalog.proxy import refuse
from sqe.errors import AccessError, ErrorCode, UserError
from sqe.model.spans import COMMIT
from sqe.model.tracing import NO_SPAN, Span, trace
from sqe.sql.statement import Access

_CHANGING = (Access.WRITE, Access.ALTER, Access.CREATE)


def _refusal(what: str) -> AccessError:
    return AccessError(ErrorCode.ACCESS_DENIED, f"A query may not {what} through the broker.")


class BrokeredCatalog:
    """Implements ``Catalog`` for Spark. What is not granted does not exist here."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tables: dict[str, GrantedTable] = {}

    def admit(self, grant: HandleGrant) -> None:
        with self._lock:
            self._tables.update(grant.tables)

    def withdraw(self, grant: HandleGrant) -> None:
        with self._lock:
            for namespace in grant.tables:
                self._tables.pop(namespace, None)

    def span_of(self, namespace: str) -> Span:
        """Of the query whose handle it is; none where it is no handle."""
        with self._lock:
            table = self._tables.get(namespace)
        return NO_SPAN if table is None else table.span

    def _table_of(self, ident: Ident) -> GrantedTable:
        """The table behind a handle. Iceberg also tries ``handle.table`` as a namespace."""
        with self._lock:
            table = self._tables.get(ident.namespace[0]) if len(ident.namespace) == 1 else None
        if table is None or table.name.name != ident.name:
            raise UserError(ErrorCode.TABLE_NOT_FOUND, f"Table does not exist: {ident}")
        return table

    def _table_allowing(self, ident: Ident, *accesses: Access) -> GrantedTable:
        table = self._table_of(ident)
        if not table.allows(*accesses):
            raise AccessError(ErrorCode.ACCESS_DENIED, f"This query may not change {table.name}.")
        return table

    def list_namespaces(self, parent: Namespace = ()) -> list[Namespace]:
        return []

    def load_namespace(self, namespace: Namespace) -> dict[str, str]:
        with self._lock:
            known = len(namespace) == 1 and namespace[0] in self._tables
        if not known:
            raise UserError(
                ErrorCode.SCHEMA_NOT_FOUND, f"Namespace does not exist: {'.'.join(namespace)}"
            )
        return {}

    create_namespace = refuse(Catalog.create_namespace, _refusal, "create a schema")
    drop_namespace = refuse(Catalog.drop_namespace, _refusal, "drop a schema")
    update_namespace = refuse(Catalog.update_namespace, _refusal, "change a schema")

    def list_tables(self, namespace: Namespace) -> list[str]:
        return []

    def load_table(self, ident: Ident) -> Loaded:
        table = self._table_of(ident)
        with table.note_refusals():
            if table.read_only is not None:
                return for_spark(table.read_only, ident, table.name)
            loaded = table.catalog.load_table(table.ident)
            table.commits.note_shown(loaded)
            shown = table.held.apply_to(loaded)
            shown = table.repair(shown) if table.rows_only else shown
            shown = table.folder.table_for_spark(shown) if table.brings_files else shown
            return for_spark(shown, ident, table.name)

    def load_credentials(self, ident: Ident) -> tuple[Json, ...]:
        """With the user's current token: a job may outlive both its keys and that token."""
        table = self._table_of(ident)
        with table.note_refusals():
            return table.renewals.renew(
                lambda: table.catalog.load_credentials(table.ident), table.name
            )

    def sign(self, ident: Ident, config: Mapping[str, str], request: Json) -> Signed:
        """Never: Iceberg's signer keeps what one session may in fields that all share."""
        raise AccessError(ErrorCode.ACCESS_DENIED, "Spark's requests are not signed.")

    def create_table(self, namespace: Namespace, request: Json) -> Loaded:
        table = self._table_allowing(Ident(namespace, str(request.get("name", ""))), Access.CREATE)
        named = {**request, "name": table.ident.name}
        if table.extras is not None:
            named = table.extras.add_to_create(named)
        handle = Ident(namespace, table.name.name)
        if request.get("stage-create"):  # nothing is there before its commit
            with table.note_refusals():
                staged = table.catalog.create_table(table.ident.namespace, named)
                if request.get("location") is None:
                    table.fate.staged.append(str(staged.metadata["location"]))
                return for_spark(table.folder.table_for_spark(staged), handle, table.name)
        with table.note_refusals(), table.fate.change():
            made = table.catalog.create_table(table.ident.namespace, named)
        return for_spark(made, handle, table.name)

    register_table = refuse(Catalog.register_table, _refusal, "register a table")

    def check_change(self, ident: Ident) -> None:
        self._table_allowing(ident, *_CHANGING)

    def commit_table(self, ident: Ident, request: Json) -> Loaded:
        table = self._table_allowing(ident, *_CHANGING)
        request = table.folder.remove_from(request)
        if table.evolves and only_columns(request):
            table.held.hold(request)
            return without_keys(self.load_table(ident))
        table.commits.note_attempt(request)
        whole = sign_request(table.held.add_to(request), table.query_id)
        if table.extras is not None:
            whole = table.extras.add_to(whole, lambda: table.catalog.load_table(table.ident))
        snapshots = [snapshot["snapshot-id"] for snapshot in snapshots_of_commit(request)]
        with table.note_refusals(), table.fate.change(snapshots), trace(COMMIT):
            loaded = _commit(table, _with_real_name(whole, table))
            table.commits.note_commit(snapshots)
        return without_keys(loaded)

    def drop_table(self, ident: Ident, *, purge: bool = False) -> None:
        table = self._table_allowing(ident, Access.DROP)
        with table.note_refusals(), table.fate.change():
            table.catalog.drop_table(table.ident, purge=purge)

    rename_table = refuse(Catalog.rename_table, _refusal, "rename a table")
    commit_transaction = refuse(Catalog.commit_transaction, _refusal, "commit to several tables")

    def list_views(self, namespace: Namespace) -> list[str]:
        return []

    def load_view(self, ident: Ident) -> Loaded:
        # SQE inlines views, so that Spark never has one.
        raise UserError(ErrorCode.VIEW_NOT_FOUND, f"View does not exist: {ident}")

    create_view = refuse(Catalog.create_view, _refusal, "create a view")
    replace_view = refuse(Catalog.replace_view, _refusal, "replace a view")

    def drop_view(self, ident: Ident) -> None:
        raise UserError(ErrorCode.VIEW_NOT_FOUND, f"View does not exist: {ident}")

    rename_view = refuse(Catalog.rename_view, _refusal, "rename a view")


def _commit(table: GrantedTable, request: Json) -> Loaded:
    """What a query reads of the table it writes must still be so when it commits.

    Iceberg sees to that for the rows a DELETE, UPDATE or MERGE changes, but not for the queries in
    them, nor for INSERT, nor for a MERGE that only inserts, which Spark runs as a plain append:
    rows that others have written meanwhile would be lost or doubled.
    """
    unchecked = table.read_too or (table.merged and _appends(request))
    if not unchecked or table.fate.changed:
        return table.catalog.commit_table(table.ident, request)
    unmoved = table.commits.branch_requirements(request)
    if unmoved is None:
        raise table.fate.refuse_stale()
    pinned = {**request, "requirements": [*(request.get("requirements") or ()), *unmoved]}
    try:
        return table.catalog.commit_table(table.ident, pinned)
    except UserError as error:
        if error.code is ErrorCode.COMMIT_CONFLICT:
            raise table.fate.refuse_stale() from error
        raise


def _appends(request: Json) -> bool:
    return any(
        snapshot.get("summary", {}).get("operation") == "append"
        for snapshot in snapshots_of_commit(request)
    )


def _with_real_name(request: Json, table: GrantedTable) -> Json:
    """The commit with the real identifier where the client wrote the handle."""
    renamed = copy.copy(request)
    renamed["identifier"] = {
        "namespace": list(table.ident.namespace),
        "name": table.ident.name,
    }
    return renamed
