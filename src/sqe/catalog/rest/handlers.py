"""One function for each endpoint of the Iceberg REST specification."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from starlette.responses import Response

from sqe.catalog.protocol import Catalog, Json, Loaded, Namespace
from sqe.catalog.rest.wire import (
    SEPARATOR,
    RestCall,
    ident_of,
    json_answer,
    loaded_answer,
    malformed,
    no_content,
    page,
)
from sqe.errors import ErrorCode, UserError


@runtime_checkable
class RegistersViews(Protocol):
    """A catalog that can also take over a view's metadata file; not every one can."""

    def register_view(self, namespace: Namespace, request: Json) -> Loaded: ...


def list_namespaces(catalog: Catalog, call: RestCall) -> Response:
    parent = call.query.get("parent") or ""
    found = catalog.list_namespaces(tuple(parent.split(SEPARATOR)) if parent else ())
    shown, token = page(call, found)
    return json_answer(_with_token({"namespaces": [list(n) for n in shown]}, token))


def create_namespace(catalog: Catalog, call: RestCall) -> Response:
    levels = call.body.get("namespace")
    if not isinstance(levels, list) or not levels:
        raise malformed("no namespace.")
    namespace = tuple(str(level) for level in levels)
    catalog.create_namespace(namespace, texts_of(call.body.get("properties"), "properties"))
    properties = catalog.load_namespace(namespace)
    return json_answer({"namespace": list(namespace), "properties": properties})


def load_namespace(catalog: Catalog, call: RestCall) -> Response:
    properties = catalog.load_namespace(call.namespace)
    return json_answer({"namespace": list(call.namespace), "properties": properties})


def namespace_exists(catalog: Catalog, call: RestCall) -> Response:
    catalog.load_namespace(call.namespace)
    return no_content()


def drop_namespace(catalog: Catalog, call: RestCall) -> Response:
    catalog.drop_namespace(call.namespace)
    return no_content()


def update_namespace(catalog: Catalog, call: RestCall) -> Response:
    removals = call.body.get("removals") or []
    updates = texts_of(call.body.get("updates"), "updates")
    return json_answer(catalog.update_namespace(call.namespace, list(removals), updates))


def list_tables(catalog: Catalog, call: RestCall) -> Response:
    return _identifiers(call, catalog.list_tables(call.namespace))


def create_table(catalog: Catalog, call: RestCall) -> Response:
    return loaded_answer(call, catalog.create_table(call.namespace, call.body))


def register_table(catalog: Catalog, call: RestCall) -> Response:
    return loaded_answer(call, catalog.register_table(call.namespace, call.body))


def load_table(catalog: Catalog, call: RestCall) -> Response:
    if call.query.get("snapshots", "all") not in ("all", "refs"):
        raise malformed("snapshots must be all or refs.")
    return loaded_answer(call, catalog.load_table(call.table))


def load_credentials(catalog: Catalog, call: RestCall) -> Response:
    """``prefix`` picks one of several: Iceberg's S3 client takes no answer with two."""
    wanted = call.query.get("prefix")
    found = catalog.load_credentials(call.table)
    shown = [one for one in found if wanted is None or one.get("prefix") == wanted]
    return json_answer({"storage-credentials": shown})


def table_exists(catalog: Catalog, call: RestCall) -> Response:
    catalog.load_table(call.table)
    return no_content()


def commit_table(catalog: Catalog, call: RestCall) -> Response:
    return loaded_answer(call, catalog.commit_table(call.table, changes_of(call.body)))


def drop_table(catalog: Catalog, call: RestCall) -> Response:
    catalog.drop_table(call.table, purge=call.flag("purgeRequested"))
    return no_content()


def rename_table(catalog: Catalog, call: RestCall) -> Response:
    body = call.body
    catalog.rename_table(ident_of(body.get("source")), ident_of(body.get("destination")))
    return no_content()


def report_metrics(catalog: Catalog, call: RestCall) -> Response:
    """Taken and forgotten: SQE measures queries itself."""
    return no_content()


def commit_transaction(catalog: Catalog, call: RestCall) -> Response:
    body = call.body
    for change in body.get("table-changes") or ():
        ident_of(change.get("identifier") if isinstance(change, dict) else None)
        changes_of(change)
    catalog.commit_transaction(body)
    return no_content()


def list_views(catalog: Catalog, call: RestCall) -> Response:
    return _identifiers(call, catalog.list_views(call.namespace))


def create_view(catalog: Catalog, call: RestCall) -> Response:
    return loaded_answer(call, catalog.create_view(call.namespace, call.body))


def load_view(catalog: Catalog, call: RestCall) -> Response:
    return loaded_answer(call, catalog.load_view(call.view))


def view_exists(catalog: Catalog, call: RestCall) -> Response:
    catalog.load_view(call.view)
    return no_content()


def replace_view(catalog: Catalog, call: RestCall) -> Response:
    return loaded_answer(call, catalog.replace_view(call.view, changes_of(call.body)))


def drop_view(catalog: Catalog, call: RestCall) -> Response:
    catalog.drop_view(call.view)
    return no_content()


def rename_view(catalog: Catalog, call: RestCall) -> Response:
    body = call.body
    catalog.rename_view(ident_of(body.get("source")), ident_of(body.get("destination")))
    return no_content()


def register_view(catalog: Catalog, call: RestCall) -> Response:
    if not isinstance(catalog, RegistersViews):
        raise UserError(ErrorCode.NOT_SUPPORTED, "This catalog does not register views.")
    return loaded_answer(call, catalog.register_view(call.namespace, call.body))


def _identifiers(call: RestCall, names: list[str]) -> Response:
    shown, token = page(call, names)
    namespace = list(call.namespace)
    found = [{"namespace": namespace, "name": name} for name in shown]
    return json_answer(_with_token({"identifiers": found}, token))


def _with_token(body: Json, token: str | None) -> Json:
    return {**body, "next-page-token": token} if token else body


def texts_of(value: Any, what: str) -> dict[str, str]:
    if value is None:
        return {}
    if not isinstance(value, dict) or not all(isinstance(v, str) for v in value.values()):
        raise malformed(f"{what} must be an object of texts.")
    return value


def changes_of(body: Json) -> Json:
    """A commit, once its shape is known: objects in two lists."""
    for key in ("requirements", "updates"):
        entries = body.get(key) or []
        if not isinstance(entries, list) or not all(isinstance(e, dict) for e in entries):
            raise malformed(f"{key} must be a list of objects.")
    return body
