"""The checks that every request goes through, in Polaris's order.

Request id, realm, route, token, idempotency key, then the handler: existence, privilege, work.
"""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response

from sqe.catalog.rest.routes import bearer_of, endpoint_of, make_threaded_app
from sqe.catalog.rest.wire import RestCall, json_answer, segments
from sqe.errors import AccessError
from sqe.model.identity import Identity
from sqe.testing.access import Access, CatalogCaller
from sqe.testing.answers import (
    PolarisError,
    Truncated,
    Unauthenticated,
    bad_request,
    error_answer,
)
from sqe.testing.endpoints import ADVERTISED, ENDPOINTS, Handler
from sqe.testing.faults import Calls, Fault, FaultKind, Faults
from sqe.testing.lake import Lake
from sqe.testing.options import Switches
from sqe.testing.visit import Visit, check_idempotency_key, no_such_table, no_such_view

Authenticate = Callable[[str], Identity]

_BASE = ["api", "catalog", "v1"]
_REALM = "polaris-realm"
_REQUEST_ID = "x-request-id"
_METHODS = ("GET", "HEAD", "POST", "DELETE")
_JSON, _FORM, _ANY = "application/json", "application/x-www-form-urlencoded", "*/*"
_LONGEST_HANG_S = 600.0


@dataclass(frozen=True, slots=True)
class Gate:
    """What the requests share. ``authenticate`` raises an AccessError for a bad token."""

    authenticate: Authenticate
    access: Access
    switches: Switches
    faults: Faults
    calls: Calls
    lakes: dict[str, Lake] = field(default_factory=dict)
    _numbers: itertools.count[int] = field(default_factory=lambda: itertools.count(1))

    def app(self) -> Starlette:
        # Requests that hang each hold a thread.
        return make_threaded_app(self.respond, workers=128)

    def respond(self, request: Request, content: bytes) -> Response:
        try:
            answer = self._answer(request, content)
        except Exception as error:  # noqa: BLE001  # one map turns every failure into an answer
            answer = error_answer(error)
        sent = request.headers.get(_REQUEST_ID)
        answer.headers[_REQUEST_ID] = sent or f"{uuid.uuid4()}_{next(self._numbers):019d}"
        return answer

    def _answer(self, request: Request, content: bytes) -> Response:
        options = self.switches.now
        if request.headers.get(_REALM, options.realm) != options.realm:
            raise PolarisError(404, "MissingOrInvalidRealm", "Missing or invalid realm")
        parts = segments(request.scope["raw_path"])
        _check_media(request, content)
        if parts == [*_BASE, "oauth", "tokens"]:
            return Response(status_code=501)  # as where only an identity provider gives tokens
        name, handler, path = _find_handler(request.method, parts)
        caller = self._caller(bearer_of(request))
        self.calls.count(name, caller.name)
        struck = self.faults.list_striking(name, caller.name)
        _before(struck)
        call = RestCall(request.method, path, request.query_params, request.headers, content)
        check_idempotency_key(call, options)
        if handler is None:
            answer = self._config(call)
        else:
            lake = self.lakes.get(path["prefix"])
            if lake is None:
                raise _no_catalog(call)
            answer = handler(Visit(call, caller, lake, self.access, options))
        return _after(struck, answer)

    def _caller(self, token: str | None) -> CatalogCaller:
        if token is None:
            raise Unauthenticated("no token")
        try:
            identity = self.authenticate(token)
        except AccessError as error:
            raise Unauthenticated(error.code.name) from None
        return self.access.activate(identity)

    def _config(self, call: RestCall) -> Response:
        """For everybody with a good token: no privilege is needed."""
        name = call.query.get("warehouse")
        if not name:
            raise bad_request("Please specify a warehouse", "BadRequestException")
        lake = self.lakes.get(name)
        if lake is None:
            raise PolarisError(404, "NotFoundException", f"Unable to find warehouse {name}")
        settings = {
            "defaults": lake.properties,
            "overrides": {"prefix": name, "namespace-separator": "%1F"},
            "endpoints": [f"{method} /{path}" for method, path in ADVERTISED],
        }
        if self.switches.now.idempotency:
            settings["idempotency-key-lifetime"] = "PT5M"
        return json_answer(settings)


def _find_handler(method: str, parts: list[str]) -> tuple[str, Handler | None, dict[str, str]]:
    """The endpoint's name, its handler (None: the configuration) and the names in the path."""
    if parts[:3] == _BASE:
        if method == "GET" and parts[3:] == ["config"]:
            return "config", None, {}
        endpoint = endpoint_of(ENDPOINTS, method, parts[4:])
        if endpoint is not None:
            handler, path = endpoint
            return handler.__name__, handler, {**path, "prefix": parts[3]}
        if any(endpoint_of(ENDPOINTS, other, parts[4:]) for other in _METHODS):
            raise PolarisError(405, "NotAllowedException", "HTTP 405 Method Not Allowed")
    raise PolarisError(404, "NotFoundException", "Unable to find matching target resource method")


def _check_media(request: Request, content: bytes) -> None:
    """JSON in, JSON out."""
    sent = request.headers.get("content-type", _JSON)
    if content and not sent.startswith((_JSON, _FORM)):
        raise PolarisError(415, "NotSupportedException", "HTTP 415 Unsupported Media Type")
    accepted = request.headers.get("accept", _ANY)
    if not any(kind in accepted for kind in (_JSON, _ANY, "application/*")):
        raise PolarisError(406, "NotAcceptableException", "HTTP 406 Not Acceptable")


def _no_catalog(call: RestCall) -> PolarisError:
    """In the words for whatever was asked of a catalog that there is not."""
    if "table" in call.path:
        if call.method == "POST":
            return PolarisError(500, "IllegalStateException", "resolver_must_be_successful")
        return no_such_table(call.table)
    if "view" in call.path:
        return no_such_view(call.view)
    name = ".".join(call.namespace) if "namespace" in call.path else "''"
    return PolarisError(404, "NoSuchNamespaceException", f"Namespace does not exist: {name}")


def _before(struck: list[Fault]) -> None:
    for fault in struck:
        match fault.kind:
            case FaultKind.LATENCY:
                fault.healed.wait(fault.seconds)
            case FaultKind.HANG:
                fault.healed.wait(fault.seconds or _LONGEST_HANG_S)
            case FaultKind.STATUS:
                raise _fault_error(fault)
            case FaultKind.UNAUTHENTICATED:
                raise Unauthenticated("a fault was injected")


def _after(struck: list[Fault], answer: Response) -> Response:
    for fault in struck:
        if fault.kind is FaultKind.LOST_ANSWER:
            raise _fault_error(fault)
        if fault.kind is FaultKind.TRUNCATED:
            answer = Truncated.of(answer)
    return answer


def _fault_error(fault: Fault) -> PolarisError:
    return PolarisError(fault.status, "InjectedFault", "The test catalog was told to fail.")
