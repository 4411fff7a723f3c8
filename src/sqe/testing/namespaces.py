"""The endpoints of namespaces: found first, then allowed, then done."""

from __future__ import annotations

from starlette.responses import Response

from sqe.catalog.protocol import Json, Namespace
from sqe.catalog.rest.handlers import texts_of
from sqe.catalog.rest.wire import SEPARATOR, json_answer, no_content, request_error
from sqe.errors import ErrorCode, UserError
from sqe.testing.access import Target
from sqe.testing.answers import PolarisError, bad_request
from sqe.testing.privileges import Privilege
from sqe.testing.visit import Visit, check_name, check_properties


def list_namespaces(visit: Visit) -> Response:
    text = visit.call.query.get("parent") or ""
    parent = tuple(text.split(SEPARATOR)) if text else ()
    target = visit.namespace(parent)
    visit.require("LIST_NAMESPACES", (Privilege.NAMESPACE_LIST, target))
    shown, token = visit.page(visit.lake.catalog.list_namespaces(parent))
    body: Json = {"namespaces": [list(namespace) for namespace in shown]}
    return json_answer({**body, "next-page-token": token})


def create_namespace(visit: Visit) -> Response:
    body = visit.call.body
    levels = body.get("namespace")
    if not isinstance(levels, list):
        raise request_error("no namespace.")
    if not levels:
        message = "Cannot create root namespace, as it already exists implicitly."
        raise PolarisError(409, "AlreadyExistsException", message)
    namespace = tuple(str(level) for level in levels)
    properties = texts_of(body.get("properties"), "properties")
    check_name(namespace[-1])
    check_properties(properties)
    parent = visit.namespace(namespace[:-1])
    visit.require("CREATE_NAMESPACE", (Privilege.NAMESPACE_CREATE, parent))
    _check_location(visit, namespace, properties)
    try:
        visit.lake.catalog.create_namespace(namespace, properties)
    except UserError as error:
        if error.code is not ErrorCode.SCHEMA_ALREADY_EXISTS:
            raise
        message = f"Cannot create namespace {'.'.join(namespace)}. Namespace already exists"
        raise PolarisError(409, "AlreadyExistsException", message) from None
    return _namespace_answer(visit, namespace)


def load_namespace(visit: Visit) -> Response:
    target = visit.namespace(visit.call.namespace)
    visit.require("LOAD_NAMESPACE_METADATA", (Privilege.NAMESPACE_READ_PROPERTIES, target))
    return _namespace_answer(visit, visit.call.namespace)


def namespace_exists(visit: Visit) -> Response:
    target = visit.namespace(visit.call.namespace)
    visit.require("NAMESPACE_EXISTS", (Privilege.NAMESPACE_LIST, target))
    return no_content()


def drop_namespace(visit: Visit) -> Response:
    target = visit.namespace(visit.call.namespace)
    visit.require("DROP_NAMESPACE", (Privilege.NAMESPACE_DROP, target))
    visit.lake.catalog.drop_namespace(visit.call.namespace)
    return no_content()


def update_namespace(visit: Visit) -> Response:
    body, namespace = visit.call.body, visit.call.namespace
    updates = texts_of(body.get("updates"), "updates")
    check_properties(updates)
    target = visit.namespace(namespace)
    visit.require("UPDATE_NAMESPACE_PROPERTIES", (Privilege.NAMESPACE_WRITE_PROPERTIES, target))
    _check_location(visit, namespace, updates)
    removals = list(body.get("removals") or [])
    if updates and removals:
        message = f"Concurrent modification of namespace: {'.'.join(namespace)}"
        raise PolarisError(409, "CommitConflictException", message)
    return json_answer(visit.lake.catalog.update_namespace(namespace, removals, updates))


def _namespace_answer(visit: Visit, namespace: Namespace) -> Response:
    properties = {
        "location": visit.lake.namespace_location(namespace),
        **visit.lake.catalog.load_namespace(namespace),
    }
    return json_answer({"namespace": list(namespace), "properties": properties})


def _check_location(visit: Visit, namespace: Namespace, properties: dict[str, str]) -> None:
    expected = visit.lake.namespace_location(namespace)
    location = properties.pop("location", expected)
    if location.rstrip("/") != expected.rstrip("/"):
        raise bad_request(
            f"Namespace {'.'.join(namespace)} has a custom location, which is not enabled."
            f" Expected {expected}"
        )


def under(visit: Visit) -> Target:
    """The namespace that the address names: 404 where it is not there."""
    return visit.namespace(visit.call.namespace)
