"""A catalog for an engine of somebody's own: what the policy allows, and a record of each call.

Nothing here runs a query. A call is decided on, recorded with what it touches, and handed to the
catalog as the user.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from sqe.broker.commits import sign_request
from sqe.broker.storage import keys_for_client, without_keys
from sqe.catalog.commit.requirements import is_create
from sqe.catalog.protocol import (
    Catalog,
    Ident,
    Json,
    Loaded,
    Namespace,
    Signed,
)
from sqe.catalog.proxy import refuse
from sqe.catalog.transaction import ForgetsFiles
from sqe.errors import AccessError, ErrorCode, UserError
from sqe.model.names import RelationName
from sqe.model.rules import Privilege
from sqe.other_engines.calls import Recorded, ServedCalls
from sqe.other_engines.commit_paths import check_commit, check_new_properties
from sqe.other_engines.rights import accesses_of
from sqe.sql.statement import Access

_T = TypeVar("_T")
_READS = ("GET", "HEAD")


def _not_from_outside(what: str) -> UserError:
    return UserError(ErrorCode.NOT_SUPPORTED, f"SQE does not let engines {what}.")


class ServedCatalog(ServedCalls):
    """Implements ``Catalog`` for one user."""

    # Lists and schemas

    def list_namespaces(self, parent: Namespace = ()) -> list[Namespace]:
        within = f" IN {self._schema(parent)}" if parent else f" IN {self._name}"
        return self._look("LIST SCHEMAS", within, lambda: self._visible.list_namespaces(parent))

    def load_namespace(self, namespace: Namespace) -> dict[str, str]:
        schema = f" {self._schema(namespace)}"
        return self._look("LOAD SCHEMA", schema, lambda: self._visible.load_namespace(namespace))

    def list_tables(self, namespace: Namespace) -> list[str]:
        return self._list("LIST TABLES", namespace, lambda: self._visible.list_tables(namespace))

    def list_views(self, namespace: Namespace) -> list[str]:
        return self._list("LIST VIEWS", namespace, lambda: self._visible.list_views(namespace))

    def create_namespace(self, namespace: Namespace, properties: Mapping[str, str]) -> None:
        check_new_properties(dict(properties))
        self._change_schema(
            "CREATE SCHEMA",
            namespace,
            Privilege.CREATE,
            lambda: self._whole.create_namespace(namespace, properties),
        )

    def drop_namespace(self, namespace: Namespace) -> None:
        self._change_schema(
            "DROP SCHEMA", namespace, Privilege.DROP, lambda: self._whole.drop_namespace(namespace)
        )

    def update_namespace(
        self, namespace: Namespace, removals: list[str], updates: Mapping[str, str]
    ) -> Json:
        check_new_properties({**dict.fromkeys(removals, ""), **updates})
        return self._change_schema(
            "ALTER SCHEMA",
            namespace,
            Privilege.ALTER,
            lambda: self._whole.update_namespace(namespace, removals, updates),
        )

    # Tables

    def load_table(self, ident: Ident) -> Loaded:
        name = self._relation(ident)

        def load(query: Recorded) -> Loaded:
            return self._show(ident, self._rights.read_table(self._user, name))

        return self._do("LOAD TABLE", [(name, Access.READ)], load)

    def load_credentials(self, ident: Ident) -> tuple[Json, ...]:
        name = self._relation(ident)

        def load(query: Recorded) -> tuple[Json, ...]:
            self._show(ident, self._rights.read_table(self._user, name))
            return keys_for_client(self._whole.load_credentials(ident), name)

        return self._do("LOAD CREDENTIALS", [(name, Access.READ)], load)

    def sign(self, ident: Ident, config: Mapping[str, str], request: Json) -> Signed:
        """Not recorded: there is one for each part of a file. ``config``: not the client's word."""
        name = self._relation(ident)
        writes = str(request.get("method", "")).upper() not in _READS
        self._rights.check_may_use(self._user, "sign requests", writes=writes)
        loaded = self._rights.read_table(self._user, name)
        if writes:
            self._rights.check_change(self._user, name, Access.WRITE)
        return self._whole.sign(ident, loaded.config, request)

    def create_table(self, namespace: Namespace, request: Json) -> Loaded:
        ident = Ident(namespace, str(request.get("name", "")))
        name = self._relation(ident)

        def create(query: Recorded) -> Loaded:
            self._rights.check_create(self._user, name)
            if request.get("location") is not None:
                raise _location_error("table")
            check_new_properties(request.get("properties"))
            if request.get("stage-create") or not self._user.local_files:
                staged = self._stage(ident, name, request)
                if request.get("stage-create"):
                    return staged
            made = self._whole.create_table(namespace, request)
            self._note_made(name)
            return self._show(ident, made)

        return self._change("CREATE TABLE", [(name, Access.CREATE)], create)

    def _stage(self, ident: Ident, name: RelationName, request: Json) -> Loaded:
        """Where the table would be: before there is one that nobody is served."""
        whole = self._whole
        staged = whole.create_table(ident.namespace, {**request, "stage-create": True})
        location = str(staged.metadata["location"])
        try:
            shown = self._show(ident, staged)
        except BaseException:
            if isinstance(whole, ForgetsFiles):
                whole.forget_staged(location)
            raise
        if request.get("stage-create"):
            self._recording.staged.keep(self._user.identity.user, name, location)
        elif isinstance(whole, ForgetsFiles):
            whole.forget_staged(location)
        return shown

    register_table = refuse(Catalog.register_table, _not_from_outside, "register tables")

    def check_change(self, ident: Ident) -> None:
        self._rights.check_change(self._user, self._relation(ident), Access.WRITE)
        self._whole.check_change(ident)

    def commit_table(self, ident: Ident, request: Json) -> Loaded:
        name = self._relation(ident)

        def commit(query: Recorded) -> Loaded:
            self._check_commit(name, request)
            whole = sign_request(request, query.record.query_id)
            loaded = self._whole.commit_table(ident, whole)
            self._note_commit(query, [(name, whole)])
            return without_keys(loaded)

        return self._change("COMMIT TABLE", _uses_of(name, request), commit)

    def commit_transaction(self, request: Json) -> None:
        changes = list(map(self._change_of, request.get("table-changes") or ()))
        uses = [use for name, change in changes for use in _uses_of(name, change)]

        def commit(query: Recorded) -> None:
            for name, change in changes:
                self._check_commit(name, change)
            signed = [(n, sign_request(c, query.record.query_id)) for n, c in changes]
            self._whole.commit_transaction({**request, "table-changes": [c for _, c in signed]})
            self._note_commit(query, signed)

        self._change("COMMIT TABLES", uses, commit)

    def _change_of(self, change: Json) -> tuple[RelationName, Json]:
        wanted = change["identifier"]
        return self._relation(Ident(tuple(wanted["namespace"]), wanted["name"])), change

    def _check_commit(self, name: RelationName, request: Json) -> None:
        if is_create(request.get("requirements") or []):
            self._rights.check_create(self._user, name)
            location = self._recording.staged.find(self._user.identity.user, name)
            if location is None:
                raise _location_error("table")
            check_commit(location, request, None)
            return
        base = self._rights.check_change(self._user, name, *accesses_of(request))
        self._check_place(name, base)
        check_commit(str(base.metadata["location"]), request, base)

    def drop_table(self, ident: Ident, *, purge: bool = False) -> None:
        name = self._relation(ident)

        def drop(query: Recorded) -> None:
            self._rights.check_change(self._user, name, Access.DROP)
            self._whole.drop_table(ident, purge=purge)
            self._note_dropped(name)

        self._change("DROP TABLE", [(name, Access.DROP)], drop)

    def rename_table(self, source: Ident, target: Ident) -> None:
        self._rename("ALTER TABLE", source, target, lambda: self._whole.rename_table, view=False)

    # Views

    def load_view(self, ident: Ident) -> Loaded:
        name = self._relation(ident)

        def load(query: Recorded) -> Loaded:
            return without_keys(self._rights.read_view(self._user, name))

        return self._do("LOAD VIEW", [(name, Access.READ)], load)

    def create_view(self, namespace: Namespace, request: Json) -> Loaded:
        ident = Ident(namespace, str(request.get("name", "")))
        name = self._relation(ident)

        def create(query: Recorded) -> Loaded:
            self._rights.check_create(self._user, name)
            if request.get("location") is not None:
                raise _location_error("view")
            check_new_properties(request.get("properties"))
            made = self._whole.create_view(namespace, request)
            self._note_made(name, view=True)
            return without_keys(made)

        return self._change("CREATE VIEW", [(name, Access.CREATE)], create)

    def replace_view(self, ident: Ident, request: Json) -> Loaded:
        name = self._relation(ident)

        def commit(query: Recorded) -> Loaded:
            base = self._rights.check_change(self._user, name, Access.ALTER, view=True)
            for update in request.get("updates") or ():
                if update.get("action") == "set-location":
                    raise _location_error("view")
            check_commit(str(base.metadata["location"]), request, None)
            return without_keys(self._whole.replace_view(ident, request))

        return self._change("ALTER VIEW", [(name, Access.ALTER)], commit)

    def drop_view(self, ident: Ident) -> None:
        name = self._relation(ident)

        def drop(query: Recorded) -> None:
            self._rights.check_change(self._user, name, Access.DROP, view=True)
            self._whole.drop_view(ident)
            self._note_dropped(name)

        self._change("DROP VIEW", [(name, Access.DROP)], drop)

    def rename_view(self, source: Ident, target: Ident) -> None:
        self._rename("ALTER VIEW", source, target, lambda: self._whole.rename_view, view=True)


def _uses_of(name: RelationName, request: Json) -> list[tuple[RelationName, Access]]:
    if is_create(request.get("requirements") or []):
        return [(name, Access.CREATE)]
    return [(name, access) for access in accesses_of(request) or [Access.READ]]


def _location_error(what: str) -> AccessError:
    return AccessError(
        ErrorCode.ACCESS_DENIED,
        f"The location of a {what} is chosen by the catalog.",
        hint="Leave it out, and begin once more.",
    )
