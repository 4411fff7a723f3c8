"""A catalog of someone else's, as one user sees it."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeVar

from sqe.catalog.protocol import Catalog, Ident, Json, Loaded, Namespace, Signed
from sqe.catalog.remote.answers import (
    loaded_of,
    names_of,
    namespaces_of,
    object_of,
    texts_of,
    view_of,
)
from sqe.catalog.remote.asking import Build, ask, ask_pages, ignore_answer
from sqe.catalog.remote.caller import CatalogClient, Request
from sqe.catalog.remote.errors import Act, absent
from sqe.catalog.remote.loading import delegation, elsewhere, load_credentials, load_table
from sqe.catalog.remote.locations import new_folder
from sqe.catalog.remote.options import RestOptions
from sqe.catalog.remote.paths import COMMIT_TRANSACTION, LIST_VIEWS, LOAD_VIEW, Paths
from sqe.catalog.remote.service import Service
from sqe.catalog.remote.signing import sign
from sqe.errors import AccessError, ErrorCode, SqeError, Unanswered, UserError
from sqe.http.client import Answer
from sqe.model.identity import Identity
from sqe.model.observer import UNOBSERVED, Observer

_log = logging.getLogger(__name__)
_T = TypeVar("_T")
# What may be left out by the specification, but not for every catalog.
_WHOLE_TABLE: Json = {"stage-create": False, "properties": {}}
_WHOLE_COMMIT: Json = {"requirements": [], "updates": []}
_TABLE, _VIEW = ErrorCode.TABLE_NOT_FOUND, ErrorCode.VIEW_NOT_FOUND


class RestCatalogs:
    """Opens one catalog for anyone. ``close`` when nobody uses it any more."""

    def __init__(self, options: RestOptions, observer: Observer = UNOBSERVED) -> None:
        self._service = Service(options, observer=observer)

    @property
    def cache_looks(self) -> dict[str, tuple[int, int]]:
        return self._service.cache_looks

    def open(self, identity: Identity) -> Catalog:
        """Nothing is asked yet, so nothing can be refused."""
        return RestCatalog(CatalogClient(self._service, identity))

    def close(self) -> None:
        self._service.close()


class RestCatalog:
    """Implements ``Catalog``. Lists are kept for a while, for this login alone; whatever this
    process changes in the catalog makes them void for everyone."""

    def __init__(self, caller: CatalogClient) -> None:
        self._caller = caller

    def list_namespaces(self, parent: Namespace = ()) -> list[Namespace]:
        where = f" in {'.'.join(parent)}" if parent else ""
        act = Act(f"list the schemas{where}", parent, lists=True)

        def address(paths: Paths) -> tuple[str, Mapping[str, str]]:
            return paths.namespaces(), {"parent": paths.join(parent)} if parent else {}

        def ask_for() -> list[Namespace]:
            namespaces = ask_pages(self._caller, act, address, namespaces_of)
            return [
                path for path in namespaces if len(path) == len(parent) + 1 and path[:-1] == parent
            ]

        return list(self._list_cached("namespaces", parent, ask_for))

    def load_namespace(self, namespace: Namespace) -> dict[str, str]:
        act = Act(f"look into {'.'.join(namespace)}", namespace, lists=True)

        def ask_for() -> dict[str, str]:
            return self._ask(
                act,
                lambda paths: Request("GET", paths.namespace(namespace)),
                lambda answer: texts_of(object_of(answer).get("properties")),
            )

        return dict(self._list_cached("properties", namespace, ask_for))

    def create_namespace(self, namespace: Namespace, properties: Mapping[str, str]) -> None:
        name = ".".join(namespace)
        *parent, own = namespace  # what can be absent is the schema that it is made in
        taken = ErrorCode.SCHEMA_ALREADY_EXISTS
        act = Act(f"create {name}", tuple(parent), own, conflict=taken)
        body = {"namespace": list(namespace), "properties": dict(properties)}
        self._change(
            act, lambda paths: Request("POST", paths.namespaces(), body=body), ignore_answer
        )

    def drop_namespace(self, namespace: Namespace) -> None:
        name = ".".join(namespace)
        act = Act(f"drop {name}", namespace, conflict=ErrorCode.SCHEMA_NOT_EMPTY)
        self._change(
            act, lambda paths: Request("DELETE", paths.namespace(namespace)), ignore_answer
        )

    def update_namespace(
        self, namespace: Namespace, removals: list[str], updates: Mapping[str, str]
    ) -> Json:
        act = Act(f"change {'.'.join(namespace)}", namespace)
        body = {"removals": removals, "updates": dict(updates)}

        def request(paths: Paths) -> Request:
            return Request("POST", f"{paths.namespace(namespace)}/properties", body=body)

        return self._change(act, request, object_of)

    def list_tables(self, namespace: Namespace) -> list[str]:
        return self._names("tables", namespace, lambda paths: paths.tables(namespace))

    def load_table(self, ident: Ident) -> Loaded:
        return load_table(self._caller, ident)

    def load_credentials(self, ident: Ident) -> tuple[Json, ...]:
        return load_credentials(self._caller, ident)

    def sign(self, ident: Ident, config: Mapping[str, str], request: Json) -> Signed:
        return sign(self._caller, ident, config, request)

    def create_table(self, namespace: Namespace, request: Json) -> Loaded:
        act = _about("create", Ident(namespace, str(request.get("name", ""))))
        headers = delegation(self._caller)
        body = {**_WHOLE_TABLE, **self._with_location(namespace, request)}
        return self._change(
            act,
            lambda paths: Request("POST", paths.tables(namespace), body=body, headers=headers),
            lambda answer: elsewhere(self._caller, loaded_of(answer)),
        )

    def register_table(self, namespace: Namespace, request: Json) -> Loaded:
        act = _about("register", Ident(namespace, str(request.get("name", ""))))
        headers = delegation(self._caller)

        def make_request(paths: Paths) -> Request:
            url = f"{paths.namespace(namespace)}/register"
            return Request("POST", url, body=request, headers=headers)

        return self._change(act, make_request, loaded_of)

    def check_change(self, ident: Ident) -> None:
        """By a commit without updates, for a table that nobody has: catalogs look at the rights
        first, and then refuse it. Any other failure says nothing of the rights."""
        act = replace(_about("change", ident, _TABLE), probes=True)
        nobody = {"type": "assert-table-uuid", "uuid": str(uuid.uuid4())}
        body = {"identifier": _identifier(ident), "requirements": [nobody], "updates": []}
        try:
            self._ask(
                act, lambda paths: Request("POST", paths.table(ident), body=body), ignore_answer
            )
        except (AccessError, Unanswered):
            raise
        except SqeError as error:
            _log.debug("catalog %s was asked for nothing: %s", self._caller.name, error.code.name)

    def commit_table(self, ident: Ident, request: Json) -> Loaded:
        send = self._change if _creates(request) else self._ask
        return send(
            _about("change", ident, _TABLE),
            lambda paths: Request("POST", paths.table(ident), body={**_WHOLE_COMMIT, **request}),
            loaded_of,
        )

    def drop_table(self, ident: Ident, *, purge: bool = False) -> None:
        query = {"purgeRequested": "true" if purge else "false"}
        self._change(
            _about("drop", ident, _TABLE),
            lambda paths: Request("DELETE", paths.table(ident), query),
            ignore_answer,
        )

    def rename_table(self, source: Ident, target: Ident) -> None:
        self._rename("tables", source, target, _TABLE)

    def commit_transaction(self, request: Json) -> None:
        if not self._caller.config().has(COMMIT_TRANSACTION):
            raise UserError(
                ErrorCode.NOT_SUPPORTED,
                f"Catalog {self._caller.name} cannot commit changes of several tables at once.",
                hint="Change one table in a transaction.",
            )
        changed = [_ident(change["identifier"]) for change in request["table-changes"]]
        names = ", ".join(map(str, changed))
        act = Act(f"change {names}", name=names, absent=_TABLE)

        def make_request(paths: Paths) -> Request:
            return Request("POST", f"{paths.root}/transactions/commit", body=request)

        self._change(act, make_request, ignore_answer)

    def list_views(self, namespace: Namespace) -> list[str]:
        if not self._caller.config().has(LIST_VIEWS):
            return []
        return self._names("views", namespace, lambda paths: paths.views(namespace))

    def load_view(self, ident: Ident) -> Loaded:
        act = Act(f"load {ident}", ident.namespace, ident.name, absent=_VIEW, looks=True)
        if not self._caller.config().has(LOAD_VIEW):
            raise absent(act)
        return self._ask(act, lambda paths: Request("GET", paths.view(ident)), view_of)

    def create_view(self, namespace: Namespace, request: Json) -> Loaded:
        act = _about("create", Ident(namespace, str(request.get("name", ""))))
        body = self._with_location(namespace, request)
        return self._change(
            act, lambda paths: Request("POST", paths.views(namespace), body=body), loaded_of
        )

    def replace_view(self, ident: Ident, request: Json) -> Loaded:
        act = _about("change", ident, _VIEW)
        return self._change(
            act, lambda paths: Request("POST", paths.view(ident), body=request), loaded_of
        )

    def drop_view(self, ident: Ident) -> None:
        act = _about("drop", ident, _VIEW)
        self._change(act, lambda paths: Request("DELETE", paths.view(ident)), ignore_answer)

    def rename_view(self, source: Ident, target: Ident) -> None:
        self._rename("views", source, target, _VIEW)

    def _with_location(self, namespace: Namespace, request: Json) -> Json:
        """The request for something new, with a location where it says none."""
        if request.get("location") or not self._caller.service.options.unique_locations:
            return request
        try:
            folder = self.load_namespace(namespace).get("location", "")
        except (AccessError, UserError):  # then the catalog chooses, or says why not
            return request
        return (
            {**request, "location": new_folder(folder, str(request["name"]))} if folder else request
        )

    def _rename(self, kind: str, source: Ident, target: Ident, missing: ErrorCode) -> None:
        act = replace(_about("rename", source, missing), taken=str(target))
        body = {"source": _identifier(source), "destination": _identifier(target)}

        def make_request(paths: Paths) -> Request:
            return Request("POST", f"{paths.root}/{kind}/rename", body=body)

        self._change(act, make_request, ignore_answer)

    def _names(self, kind: str, namespace: Namespace, url: Callable[[Paths], str]) -> list[str]:
        act = Act(f"list the {kind} in {'.'.join(namespace)}", namespace, lists=True)

        def ask_for() -> list[str]:
            return ask_pages(self._caller, act, lambda paths: (url(paths), {}), names_of)

        return list(self._list_cached(kind, namespace, ask_for))

    def _list_cached(self, kind: str, namespace: Namespace, ask_for: Callable[[], _T]) -> _T:
        key = (self._caller.who, kind, namespace)
        names: _T = self._caller.service.lists.get_or_ask(key, ask_for)
        return names

    def _ask(self, act: Act, build: Build, read: Callable[[Answer], _T]) -> _T:
        return ask(self._caller, act, build, read)

    def _change(self, act: Act, build: Build, read: Callable[[Answer], _T]) -> _T:
        """A change of what is listed."""
        try:
            return self._ask(act, build, read)
        finally:  # a failure may have changed something, too
            self._caller.service.lists.clear()


def _about(verb: str, ident: Ident, absent: ErrorCode = ErrorCode.SCHEMA_NOT_FOUND) -> Act:
    taken = ErrorCode.COMMIT_CONFLICT if verb == "change" else ErrorCode.TABLE_ALREADY_EXISTS
    return Act(f"{verb} {ident}", ident.namespace, ident.name, absent=absent, conflict=taken)


def _ident(value: Json) -> Ident:
    return Ident(tuple(value["namespace"]), value["name"])


def _identifier(ident: Ident) -> Json:
    return {"namespace": list(ident.namespace), "name": ident.name}


def _creates(request: Json) -> bool:
    return any(
        requirement.get("type") == "assert-create"
        for requirement in request.get("requirements") or ()
    )
