"""The endpoint's requests: login, configuration, and the operations of Iceberg's specification."""

from __future__ import annotations

import json
from dataclasses import replace
from urllib.parse import parse_qs, quote

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response

from sqe.auth.header import credential_in
from sqe.auth.protocol import Bearer, Credential, Password
from sqe.auth.refusal import credential_error
from sqe.catalog.configured import no_such_catalog
from sqe.catalog.protocol import Catalog, Json
from sqe.catalog.rest import handlers
from sqe.catalog.rest.errors import answer_to, error_answer
from sqe.catalog.rest.routes import ENDPOINTS, endpoint_of, make_threaded_app
from sqe.catalog.rest.wire import (
    RestCall,
    answer_of_loaded,
    json_answer,
    request_error,
    segments,
)
from sqe.errors import AccessError
from sqe.gateway.gateway import Gateway
from sqe.model.identity import Secret
from sqe.model.query import QueryOrigin
from sqe.protocols.iceberg_rest.callers import PROTOCOL, Caller, Callers, address_of
from sqe.protocols.iceberg_rest.options import IcebergOptions
from sqe.protocols.iceberg_rest.tokens import GivenTokens

ROOT = "iceberg"
_WORKERS = 32
_TABLE = "v1/{prefix}/namespaces/{namespace}/tables/{table}"
_UNSERVED = (handlers.register_table, handlers.register_view)
_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"


def load_table(catalog: Catalog, call: RestCall) -> Response:
    """Never "not modified": keys end, and what an engine has to carry out changes, while the
    metadata stays."""
    loaded = catalog.load_table(call.table)
    return answer_of_loaded(replace(call, headers={}), loaded, loaded.restrictions)


def sign(catalog: Catalog, call: RestCall) -> Response:
    signed = catalog.sign(call.table, {}, call.body)
    headers = {name: [value] for name, value in signed.headers.items()}
    answer = json_answer({"uri": signed.uri, "headers": headers})
    answer.headers["Cache-Control"] = "private" if signed.reusable else "no-cache"
    return answer


SERVED: dict[tuple[str, str], handlers.Handler] = {
    **{at: handler for at, handler in ENDPOINTS.items() if handler not in _UNSERVED},
    ("GET", _TABLE): load_table,
    ("POST", f"{_TABLE}/sign"): sign,
}


class Routes:
    def __init__(
        self, gateway: Gateway, callers: Callers, tokens: GivenTokens, options: IcebergOptions
    ) -> None:
        self._gateway = gateway
        self._callers = callers
        self._tokens = tokens
        self._options = options

    def app(self) -> Starlette:
        return make_threaded_app(self.respond, workers=_WORKERS)

    def respond(self, request: Request, content: bytes) -> Response:
        try:
            parts = segments(request.scope["raw_path"])
            if parts[:2] != [ROOT, "v1"] or len(parts) < 3:
                return _no_endpoint()
            if parts[2:] == ["oauth", "tokens"] and request.method == "POST":
                return self._log_in(request, content)
            caller = self._callers.find(request)
            if parts[2:] == ["config"] and request.method == "GET":
                return self._configure(request, caller)
            return self._serve(request, caller, parts[2], parts[3:], content)
        except Exception as error:  # noqa: BLE001  # one map turns every failure into an answer
            return answer_to(error, request.method)

    def _serve(
        self, request: Request, caller: Caller, name: str, rest: list[str], content: bytes
    ) -> Response:
        endpoint = endpoint_of(SERVED, request.method, rest)
        if endpoint is None:
            return _no_endpoint()
        handler, path = endpoint
        call = RestCall(request.method, path, request.query_params, request.headers, content)
        return handler(self._open(caller, name), call)

    def _open(self, caller: Caller, name: str) -> Catalog:
        catalog = self._gateway.serve_catalog(name, caller.user, caller.origin)
        if not self._options.serves(name):
            raise no_such_catalog(name, [])
        return catalog

    def _configure(self, request: Request, caller: Caller) -> Response:
        """What a client is told first: which path is its catalog's."""
        name = request.query_params.get("warehouse") or self._options.default_catalog
        self._open(caller, name)
        endpoints = [f"{method} /{path}" for method, path in SERVED]
        overrides = {"prefix": quote(name, safe="")}
        return json_answer({"defaults": {}, "overrides": overrides, "endpoints": endpoints})

    def _log_in(self, request: Request, content: bytes) -> Response:
        try:
            form = parse_qs(content.decode(), strict_parsing=True, max_num_fields=20)
        except ValueError:
            raise request_error("no form of OAuth.") from None
        fields = {name: values[0] for name, values in form.items() if len(values) == 1}
        grant = fields.get("grant_type", "")
        if grant not in ("client_credentials", _EXCHANGE):
            return _oauth_error(400, "unsupported_grant_type")
        origin = QueryOrigin(PROTOCOL, address_of(request))
        try:
            for credential in _credentials(request, fields, grant):
                identity = self._callers.identify(credential, request, origin)
                if isinstance(credential, Bearer):
                    return _token_answer(credential.token, None)
                return _token_answer(self._tokens.give(identity), self._tokens.life_s)
        except AccessError:
            return _oauth_error(401, "invalid_client")
        return _oauth_error(400, "invalid_request")


def _credentials(request: Request, fields: dict[str, str], grant: str) -> list[Credential]:
    """What the client has shown: a user and a password, or a secret that is a token by itself. A
    token that is exchanged for another one is its own newer one."""
    if grant == _EXCHANGE:
        token = fields.get("subject_token")
        return [Bearer(Secret(token))] if token else []
    header = request.headers.get("authorization")
    if header is not None:
        shown = credential_in(header)
        if not isinstance(shown, Password):
            raise credential_error()
        user, secret = shown.user, shown.password
    else:
        user, secret = fields.get("client_id", ""), Secret(fields.get("client_secret", ""))
    if not secret.reveal():
        return []
    return [Password(user, secret) if user else Bearer(secret)]


def _token_answer(token: Secret, life_s: float | None) -> Response:
    body: Json = {
        "access_token": token.reveal(),
        "token_type": "bearer",
        "issued_token_type": "urn:ietf:params:oauth:token-type:access_token",
    }
    if life_s is not None:
        body["expires_in"] = int(life_s)
    answer = json_answer(body)
    answer.headers["Cache-Control"] = "no-store"
    return answer


def _oauth_error(status: int, kind: str) -> Response:
    return Response(json.dumps({"error": kind}), status, media_type="application/json")


def _no_endpoint() -> Response:
    return error_answer(404, "NoSuchEndpointException", "No such endpoint.")
