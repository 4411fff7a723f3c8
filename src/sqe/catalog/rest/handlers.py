"""One function for each endpoint of the Iceberg REST specification."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

from starlette.responses import Response

from sqe.catalog.protocol import Catalog, Ident, Json, Loaded, Namespace
from sqe.catalog.rest.wire import (
    SEPARATOR,
    RestCall,
    answer_of_loaded,
    ident_of,
    json_answer,
    no_content,
    page,
    request_error,
)
from sqe.errors import ErrorCode, UserError

Handler = Callable[[Catalog, RestCall], Response]


@runtime_checkable
class RegistersViews(Protocol):
    """A catalog that can also take over a view's metadata file; not every one can."""

    def register_view(self, namespace: Namespace, request: Json) -> Loaded: ...


def list_namespaces(catalog: Catalog, call: RestCall) -> Response:
    parent = call.query.get("parent") or ""
    namespaces = catalog.list_namespaces(tuple(parent.split(SEPARATOR)) if parent else ())
    shown, token = page(call, namespaces)
    return json_answer(_with_token({"namespaces": [list(n) for n in shown]}, token))


def create_namespace(catalog: Catalog, call: RestCall) -> Response:
    levels = call.body.get("namespace")
    if not isinstance(levels, list) or not levels:
        raise request_error("no namespace.")
    namespace = tuple(str(level) for level in levels)
    catalog.create_namespace(namespace, texts_of(call.body.get("properties"), "properties"))
    properties = catalog.load_namespace(namespace)
    return json_answer({"namespace": list(namespace), "properties": properties})


def load_namespace(catalog: Catalog, call: RestCall) -> Response:
    properties = catalog.load_namespace(call.namespace)
    return json_answer({"namespace": list(call.namespace), "properties": properties})


def update_namespace(catalog: Catalog, call: RestCall) -> Response:
    removals = call.body.get("removals") or []
    updates = texts_of(call.body.get("updates"), "updates")
    return json_answer(catalog.update_namespace(call.namespace, list(removals), updates))


def list_tables(catalog: Catalog, call: RestCall) -> Response:
    return _identifiers(call, catalog.list_tables(call.namespace))


def load_table(catalog: Catalog, call: RestCall) -> Response:
    if call.query.get("snapshots", "all") not in ("all", "refs"):
        raise request_error("snapshots must be all or refs.")
    return answer_of_loaded(call, catalog.load_table(call.table))


def load_credentials(catalog: Catalog, call: RestCall) -> Response:
    """``prefix`` picks one of several: Iceberg's S3 client takes no answer with two."""
    wanted = call.query.get("prefix")
    credentials = catalog.load_credentials(call.table)
    shown = [
        credential
        for credential in credentials
        if wanted is None or credential.get("prefix") == wanted
    ]
    return json_answer({"storage-credentials": shown})


def commit_transaction(catalog: Catalog, call: RestCall) -> Response:
    body = call.body
    for change in body.get("table-changes") or ():
        ident_of(change.get("identifier") if isinstance(change, dict) else None)
        changes_of(change)
    catalog.commit_transaction(body)
    return no_content()


def list_views(catalog: Catalog, call: RestCall) -> Response:
    return _identifiers(call, catalog.list_views(call.namespace))


def register_view(catalog: Catalog, call: RestCall) -> Response:
    if not isinstance(catalog, RegistersViews):
        raise UserError(ErrorCode.NOT_SUPPORTED, "This catalog does not register views.")
    return answer_of_loaded(call, catalog.register_view(call.namespace, call.body))


def _loads(load: Callable[[Catalog, RestCall], Loaded]) -> Handler:
    return lambda catalog, call: answer_of_loaded(call, load(catalog, call))


def _does(act: Callable[[Catalog, RestCall], object]) -> Handler:
    def handler(catalog: Catalog, call: RestCall) -> Response:
        act(catalog, call)
        return no_content()

    return handler


namespace_exists = _does(lambda catalog, call: catalog.load_namespace(call.namespace))
drop_namespace = _does(lambda catalog, call: catalog.drop_namespace(call.namespace))

create_table = _loads(lambda catalog, call: catalog.create_table(call.namespace, call.body))
register_table = _loads(lambda catalog, call: catalog.register_table(call.namespace, call.body))
table_exists = _does(lambda catalog, call: catalog.load_table(call.table))
commit_table = _loads(lambda catalog, call: catalog.commit_table(call.table, changes_of(call.body)))
drop_table = _does(
    lambda catalog, call: catalog.drop_table(call.table, purge=call.flag("purgeRequested"))
)
rename_table = _does(lambda catalog, call: catalog.rename_table(*_read_rename(call)))
report_metrics = _does(lambda catalog, call: None)  # SQE measures queries itself

create_view = _loads(lambda catalog, call: catalog.create_view(call.namespace, call.body))
load_view = _loads(lambda catalog, call: catalog.load_view(call.view))
view_exists = _does(lambda catalog, call: catalog.load_view(call.view))
replace_view = _loads(lambda catalog, call: catalog.replace_view(call.view, changes_of(call.body)))
drop_view = _does(lambda catalog, call: catalog.drop_view(call.view))
rename_view = _does(lambda catalog, call: catalog.rename_view(*_read_rename(call)))


def _read_rename(call: RestCall) -> tuple[Ident, Ident]:
    return ident_of(call.body.get("source")), ident_of(call.body.get("destination"))


def _identifiers(call: RestCall, names: list[str]) -> Response:
    shown, token = page(call, names)
    namespace = list(call.namespace)
    identifiers = [{"namespace": namespace, "name": name} for name in shown]
    return json_answer(_with_token({"identifiers": identifiers}, token))


def _with_token(body: Json, token: str | None) -> Json:
    return {**body, "next-page-token": token} if token else body


def texts_of(value: Any, what: str) -> dict[str, str]:
    if value is None:
        return {}
    if not isinstance(value, dict) or not all(isinstance(v, str) for v in value.values()):
        raise request_error(f"{what} must be an object of texts.")
    return value


def changes_of(body: Json) -> Json:
    """A commit, once its shape is known: objects in two lists."""
    for key in ("requirements", "updates"):
        entries = body.get(key) or []
        if not isinstance(entries, list) or not all(isinstance(e, dict) for e in entries):
            raise request_error(f"{key} must be a list of objects.")
    return body
