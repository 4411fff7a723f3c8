"""The endpoints of views. They carry no credentials and no tags."""

from __future__ import annotations

from starlette.responses import Response

from sqe.catalog.commit.view_updates import VIEW_UPDATES
from sqe.catalog.protocol import Ident, Loaded
from sqe.catalog.rest.wire import no_content
from sqe.testing.answers import table_answer
from sqe.testing.namespaces import under
from sqe.testing.places import check_location, new_location
from sqe.testing.privileges import Privilege
from sqe.testing.tables import identifiers, rename
from sqe.testing.visit import (
    Visit,
    check_name,
    check_properties,
    check_purge,
    refuse_unknown_changes,
)


def list_views(visit: Visit) -> Response:
    visit.require("LIST_VIEWS", (Privilege.VIEW_LIST, under(visit)))
    return identifiers(visit, visit.lake.catalog.list_views(visit.call.namespace))


def create_view(visit: Visit) -> Response:
    body, namespace = visit.call.body, visit.call.namespace
    check_name(body.get("name"))
    check_properties(body.get("properties"))
    visit.require("CREATE_VIEW", (Privilege.VIEW_CREATE, under(visit)))
    ident = Ident(namespace, str(body.get("name")))
    check_location(visit, ident, body.get("location"))
    body = {**body, "location": new_location(visit, ident, body.get("location"))}
    return _view_answer(visit.lake.catalog.create_view(namespace, body))


def register_view(visit: Visit) -> Response:
    body = visit.call.body
    check_name(body.get("name"))
    visit.require("REGISTER_VIEW", (Privilege.VIEW_CREATE, under(visit)))
    return _view_answer(visit.lake.catalog.register_view(visit.call.namespace, body))


def load_view(visit: Visit) -> Response:
    _require(visit, "LOAD_VIEW", Privilege.VIEW_READ_PROPERTIES)
    return _view_answer(visit.lake.catalog.load_view(visit.call.view))


def view_exists(visit: Visit) -> Response:
    _require(visit, "VIEW_EXISTS", Privilege.VIEW_LIST)
    return no_content()


def replace_view(visit: Visit) -> Response:
    changes = refuse_unknown_changes(visit.call.body, VIEW_UPDATES)
    _require(visit, "REPLACE_VIEW", Privilege.VIEW_WRITE_PROPERTIES)
    return _view_answer(visit.lake.catalog.replace_view(visit.call.view, changes))


def drop_view(visit: Visit) -> Response:
    _require(visit, "DROP_VIEW", Privilege.VIEW_DROP)
    check_purge(visit, visit.call.view)  # of its metadata, which comes with each drop of a view
    visit.lake.catalog.drop_view(visit.call.view)
    return no_content()


def rename_view(visit: Visit) -> Response:
    return rename(visit, is_view=True)


def _require(visit: Visit, operation: str, privilege: Privilege) -> None:
    visit.view(visit.call.view)
    visit.require(operation, (privilege, visit.target(visit.call.view, is_view=True)))


def _view_answer(loaded: Loaded) -> Response:
    return table_answer(loaded, tagged=False)
