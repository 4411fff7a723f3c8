"""Every address of the catalog, in the order in which Polaris lists them."""

from __future__ import annotations

from collections.abc import Callable

from starlette.responses import Response

from sqe.testing import namespaces, signing, tables, views
from sqe.testing.visit import Visit

Handler = Callable[[Visit], Response]

_NAMESPACE = "v1/{prefix}/namespaces/{namespace}"
_TABLE = f"{_NAMESPACE}/tables/{{table}}"
_VIEW = f"{_NAMESPACE}/views/{{view}}"

ADVERTISED: dict[tuple[str, str], Handler] = {
    ("GET", _NAMESPACE): namespaces.load_namespace,
    ("HEAD", _NAMESPACE): namespaces.namespace_exists,
    ("DELETE", _NAMESPACE): namespaces.drop_namespace,
    ("GET", "v1/{prefix}/namespaces"): namespaces.list_namespaces,
    ("POST", "v1/{prefix}/namespaces"): namespaces.create_namespace,
    ("POST", f"{_NAMESPACE}/properties"): namespaces.update_namespace,
    ("GET", f"{_NAMESPACE}/tables"): tables.list_tables,
    ("POST", f"{_NAMESPACE}/tables"): tables.create_table,
    ("GET", _TABLE): tables.load_table,
    ("HEAD", _TABLE): tables.table_exists,
    ("POST", _TABLE): tables.update_table,
    ("DELETE", _TABLE): tables.drop_table,
    ("POST", "v1/{prefix}/tables/rename"): tables.rename_table,
    ("POST", f"{_NAMESPACE}/register"): tables.register_table,
    ("POST", f"{_TABLE}/metrics"): tables.report_metrics,
    ("POST", "v1/{prefix}/transactions/commit"): tables.commit_transaction,
    ("GET", f"{_NAMESPACE}/views"): views.list_views,
    ("POST", f"{_NAMESPACE}/views"): views.create_view,
    ("GET", _VIEW): views.load_view,
    ("HEAD", _VIEW): views.view_exists,
    ("POST", _VIEW): views.replace_view,
    ("DELETE", _VIEW): views.drop_view,
    ("POST", "v1/{prefix}/views/rename"): views.rename_view,
    ("POST", f"{_NAMESPACE}/register-view"): views.register_view,
}
# Polaris answers the first and does not say so. It has no second.
SILENT: dict[tuple[str, str], Handler] = {
    ("GET", f"{_TABLE}/credentials"): tables.load_credentials,
    ("POST", f"{_TABLE}/sign"): signing.sign_request,
}
ENDPOINTS = ADVERTISED | SILENT
