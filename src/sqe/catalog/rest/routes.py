"""The Iceberg REST endpoints over any Catalog, as a Starlette application.

The one place where this server crosses from async to the synchronous core: bodies are read here,
everything else runs on worker threads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import perf_counter
from typing import Protocol, TypeVar, runtime_checkable

from anyio import CapacityLimiter, to_thread
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from sqe.catalog.protocol import Catalog, Json
from sqe.catalog.rest import handlers
from sqe.catalog.rest.errors import answer_to, error_answer
from sqe.catalog.rest.wire import RestCall, json_answer, segments
from sqe.model.observer import UNOBSERVED, Observer, outcome_of_status
from sqe.model.spans import BROKER
from sqe.model.tracing import NO_SPAN, Span, trace

OpenCatalog = Callable[[str | None], Catalog]
Found = TypeVar("Found")

_NAMESPACE = "v1/{prefix}/namespaces/{namespace}"
ENDPOINTS: dict[tuple[str, str], handlers.Handler] = {
    ("GET", "v1/{prefix}/namespaces"): handlers.list_namespaces,
    ("POST", "v1/{prefix}/namespaces"): handlers.create_namespace,
    ("GET", _NAMESPACE): handlers.load_namespace,
    ("HEAD", _NAMESPACE): handlers.namespace_exists,
    ("DELETE", _NAMESPACE): handlers.drop_namespace,
    ("POST", f"{_NAMESPACE}/properties"): handlers.update_namespace,
    ("GET", f"{_NAMESPACE}/tables"): handlers.list_tables,
    ("POST", f"{_NAMESPACE}/tables"): handlers.create_table,
    ("POST", f"{_NAMESPACE}/register"): handlers.register_table,
    ("GET", f"{_NAMESPACE}/tables/{{table}}"): handlers.load_table,
    ("HEAD", f"{_NAMESPACE}/tables/{{table}}"): handlers.table_exists,
    ("POST", f"{_NAMESPACE}/tables/{{table}}"): handlers.commit_table,
    ("DELETE", f"{_NAMESPACE}/tables/{{table}}"): handlers.drop_table,
    ("POST", f"{_NAMESPACE}/tables/{{table}}/metrics"): handlers.report_metrics,
    ("GET", f"{_NAMESPACE}/tables/{{table}}/credentials"): handlers.load_credentials,
    ("POST", "v1/{prefix}/tables/rename"): handlers.rename_table,
    ("POST", "v1/{prefix}/transactions/commit"): handlers.commit_transaction,
    ("GET", f"{_NAMESPACE}/views"): handlers.list_views,
    ("POST", f"{_NAMESPACE}/views"): handlers.create_view,
    ("POST", f"{_NAMESPACE}/register-view"): handlers.register_view,
    ("GET", f"{_NAMESPACE}/views/{{view}}"): handlers.load_view,
    ("HEAD", f"{_NAMESPACE}/views/{{view}}"): handlers.view_exists,
    ("POST", f"{_NAMESPACE}/views/{{view}}"): handlers.replace_view,
    ("DELETE", f"{_NAMESPACE}/views/{{view}}"): handlers.drop_view,
    ("POST", "v1/{prefix}/views/rename"): handlers.rename_view,
}
# Most handlers are made by others, and are called what these call theirs.
_OPERATIONS = {
    handler: name for name, handler in vars(handlers).items() if handler in ENDPOINTS.values()
}
_MAX_BODY_BYTES = 64 * 1024 * 1024
_METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE"]


@runtime_checkable
class WorksForQueries(Protocol):
    """A catalog whose requests are parts of queries."""

    def span_of(self, namespace: str) -> Span: ...


def catalog_app(
    open_catalog: OpenCatalog,
    *,
    prefix: str = "",
    overrides: dict[str, str] | None = None,
    workers: int = 16,
    observer: Observer = UNOBSERVED,
) -> Starlette:
    """Serves the catalog that ``open_catalog`` gives for a request's bearer token (or None).

    ``prefix`` is the path segment after ``/v1``; clients learn it from ``/v1/config``, with
    ``overrides`` of their own settings. ``observer`` is told of each request.
    """
    settings: Json = {
        "defaults": {},
        "overrides": {**(overrides or {}), **({"prefix": prefix} if prefix else {})},
        "endpoints": [f"{method} /{path}" for method, path in ENDPOINTS],
    }
    root = ["v1", prefix] if prefix else ["v1"]

    def handler_of(request: Request) -> tuple[handlers.Handler, dict[str, str]] | None:
        parts = segments(request.scope["raw_path"])
        if request.method == "GET" and parts == ["v1", "config"]:
            return config, {}
        if parts[: len(root)] != root:
            return None
        return endpoint_of(ENDPOINTS, request.method, parts[len(root) :])

    def no_such_endpoint(catalog: Catalog, call: RestCall) -> Response:
        return error_answer(404, "NoSuchEndpointException", "No such endpoint.")

    def config(catalog: Catalog, call: RestCall) -> Response:
        return json_answer(settings)

    def respond(request: Request, content: bytes) -> Response:
        started, operation = perf_counter(), "unknown"
        try:
            catalog = open_catalog(bearer_of(request))
            handler, path = handler_of(request) or (no_such_endpoint, {})
            operation = _OPERATIONS.get(handler, handler.__name__)
            call = RestCall(request.method, path, request.query_params, request.headers, content)
            with trace(BROKER, _work_of(catalog, path), operation=operation) as span:
                answer = handler(catalog, call)
                span.note(status=answer.status_code)
        except Exception as error:  # noqa: BLE001  # one map turns every failure into an answer
            answer = answer_to(error, request.method)
        outcome = outcome_of_status(answer.status_code)
        observer.note_broker_call(operation, outcome, perf_counter() - started)
        return answer

    return make_threaded_app(respond, workers=workers)


def make_threaded_app(
    respond: Callable[[Request, bytes], Response], *, workers: int = 16
) -> Starlette:
    """Every request, with its body, answered by ``respond`` on a thread."""
    limiters: list[CapacityLimiter] = []

    async def endpoint(request: Request) -> Response:
        if not limiters:
            limiters.append(CapacityLimiter(workers))
        try:
            content = await _content(request, _MAX_BODY_BYTES)
        except ClientDisconnect:
            return Response(status_code=400)
        if content is None:
            return error_answer(413, "RequestTooLargeException", "The request is too large.")
        return await to_thread.run_sync(respond, request, content, limiter=limiters[0])

    return Starlette(routes=[Route("/{path:path}", endpoint, methods=_METHODS)])


async def _content(request: Request, limit: int) -> bytes | None:
    """The body, or None where it is longer than the limit."""
    content = bytearray()
    async for chunk in request.stream():
        content += chunk
        if len(content) > limit:
            return None
    return bytes(content)


def _work_of(catalog: Catalog, path: Mapping[str, str]) -> Span:
    if not isinstance(catalog, WorksForQueries):
        return NO_SPAN
    return catalog.span_of(path.get("namespace", ""))


def bearer_of(request: Request) -> str | None:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" and token.strip() else None


def endpoint_of(
    endpoints: Mapping[tuple[str, str], Found], method: str, rest: list[str]
) -> tuple[Found, dict[str, str]] | None:
    """What a path means after ``v1`` and the prefix, and the names in it."""
    for (wanted, template), endpoint in endpoints.items():
        pattern = template.split("/")[2:]
        if wanted == method and len(pattern) == len(rest):
            pairs = list(zip(pattern, rest, strict=True))
            if all(p.startswith("{") or p == r for p, r in pairs):
                return endpoint, {p[1:-1]: r for p, r in pairs if p.startswith("{")}
    return None
