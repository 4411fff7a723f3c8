"""Calls to an issuer: its keys, its tokens. Knows the wire, and nothing of who may get in."""

from __future__ import annotations

import base64
import re
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote_plus

from sqe.auth.oidc.discovery import PATH, Endpoints, endpoints_in, issuer_error, json_object
from sqe.auth.refusal import credential_error
from sqe.errors import AccessError, ErrorCode, UpstreamError
from sqe.http.client import Answer, Http, HttpOptions
from sqe.model.identity import Secret
from sqe.model.passport import Token
from sqe.model.spans import TOKEN
from sqe.model.tracing import trace

_ENDPOINTS_S = 3600.0  # how long what an issuer says of itself is good for
_AGAIN_S = 60.0  # if it could not be asked
_MOST_BYTES = 1024 * 1024
_REASON = re.compile("[a-z_]{1,64}")
_LONGEST_LIFE_S = 10 * 365 * 86_400.0
_ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token"  # noqa: S105
_GRANTS = ("password", "client_credentials", "refresh_token", "token-exchange")
_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"


class GrantRefused(AccessError):
    """The issuer gives no token. ``reason`` is OAuth's word for why, e.g. ``invalid_grant``."""

    def __init__(self, reason: str) -> None:
        no = credential_error()
        super().__init__(ErrorCode.AUTHENTICATION_FAILED, no.message, hint=no.hint)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Client:
    """Who asks: SQE itself or, where a program logs in, that. ``secret`` None: a public one."""

    id: str
    secret: Secret | None = None
    auth: Literal["basic", "post"] = "basic"


@dataclass(frozen=True, slots=True)
class ProviderOptions:
    issuer: str
    client: Client = Client("")
    scopes: tuple[str, ...] = ("openid",)
    timeout_s: float = 5.0
    authorities: Path | None = None


@dataclass(frozen=True, slots=True)
class Granted:
    """What a login is worth. ``refresh`` None: it cannot be renewed."""

    access: Token
    refresh: Secret | None = None
    id_token: Secret | None = field(default=None, repr=False)


class Provider:
    """One issuer. Thread-safe; every call ends within the timeout, with ISSUER_UNAVAILABLE if the
    issuer does not answer as issuers do."""

    def __init__(self, options: ProviderOptions, clock: Callable[[], float] = time.time) -> None:
        self.issuer = options.issuer
        self.client = options.client
        self.scope = " ".join(options.scopes)
        self._clock = clock
        self._http = Http(
            HttpOptions(
                "The identity provider",
                ErrorCode.ISSUER_UNAVAILABLE,
                connect_s=options.timeout_s,
                total_s=options.timeout_s,
                authorities=options.authorities,
                most_bytes=_MOST_BYTES,
            )
        )
        self._lock = threading.Lock()
        self._endpoints: tuple[float, Endpoints] | None = None

    def close(self) -> None:
        self._http.close()

    def endpoints(self) -> Endpoints:
        """Discovered, and remembered for an hour; the old ones while the issuer is down."""
        with self._lock:
            known = self._endpoints
        if known is not None and self._clock() - known[0] < _ENDPOINTS_S:
            return known[1]
        try:
            answer = self._http.call("GET", self.issuer.rstrip("/") + PATH)
            endpoints = endpoints_in(answer, self.issuer)
            since = self._clock()
        except UpstreamError:
            if known is None:
                raise
            endpoints, since = known[1], self._clock() - _ENDPOINTS_S + _AGAIN_S
        with self._lock:
            self._endpoints = (since, endpoints)
        return endpoints

    def jwks(self) -> Mapping[str, Any]:
        """The issuer's keys, as it publishes them."""
        return json_object(self._http.call("GET", self.endpoints().jwks), self.issuer)

    def grant(self, fields: Mapping[str, str], client: Client | None = None) -> Granted:
        """A token, by whatever grant the fields are of. Raises GrantRefused."""
        asked = self._clock()
        answer = self._post(self._endpoint("token"), fields, client or self.client)
        if 400 <= answer.status < 500 and answer.status != 429:
            raise GrantRefused(_reason(answer))
        return self._read_grant(json_object(answer, self.issuer), asked)

    def log_in(self, user: str, password: Secret) -> Granted:
        return self.grant(
            {
                "grant_type": "password",
                "username": user,
                "password": password.reveal(),
                "scope": self.scope,
            }
        )

    def log_in_program(self, client: Client) -> Granted:
        return self.grant({"grant_type": "client_credentials", "scope": self.scope}, client)

    def refresh(self, token: Secret) -> Granted:
        """The answer's refresh token is the one to use from now on."""
        fields = {"grant_type": "refresh_token", "refresh_token": token.reveal()}
        granted = self.grant(fields)
        return Granted(granted.access, granted.refresh or token, granted.id_token)

    def exchange(self, token: Secret, audience: str) -> Token:
        """The token for another audience that this one is worth: RFC 8693."""
        return self.grant(
            {
                "grant_type": _EXCHANGE,
                "subject_token": token.reveal(),
                "subject_token_type": _ACCESS_TOKEN,
                "requested_token_type": _ACCESS_TOKEN,
                "audience": audience,
            }
        ).access

    def begin_device(self, fields: Mapping[str, str]) -> Mapping[str, Any]:
        """What the issuer says to a login on another device, RFC 8628, 3.2."""
        asked = {**fields, "scope": self.scope}
        answer = self._post(self._endpoint("device"), asked, self.client)
        return json_object(answer, self.issuer)

    def introspect(self, token: Secret) -> Mapping[str, Any]:
        """What the issuer says of a token, RFC 7662; without ``active`` it is good for nothing."""
        fields = {"token": token.reveal(), "token_type_hint": "access_token"}
        answer = self._post(self._endpoint("introspection"), fields, self.client)
        return json_object(answer, self.issuer)

    def revoke(self, refresh: Secret) -> None:
        """Ends the login at the issuer, RFC 7009, if it has a place for that."""
        address = self.endpoints().revocation
        if address:
            fields = {"token": refresh.reveal(), "token_type_hint": "refresh_token"}
            self._post(address, fields, self.client)

    def _endpoint(self, name: Literal["token", "introspection", "device"]) -> str:
        address: str = getattr(self.endpoints(), name)
        if not address:
            raise issuer_error(self.issuer, f"has no {name} endpoint")
        return address

    def _post(self, address: str, fields: Mapping[str, str], client: Client) -> Answer:
        grant = fields.get("grant_type", "").rpartition(":")[2]
        with trace(TOKEN, grant=grant if grant in _GRANTS else "other") as span:
            answer = self._http.form(address, *_show_client(client, fields))
            span.note(status=answer.status)
        return answer

    def _read_grant(self, document: Mapping[str, Any], asked: float) -> Granted:
        kind = document.get("token_type", "")
        access = _secret(document, "access_token")
        if access is None or not isinstance(kind, str) or kind.lower() not in ("bearer", "n_a"):
            raise issuer_error(self.issuer, "answered without a bearer token")
        seconds = document.get("expires_in")
        known = isinstance(seconds, int | float) and 0 <= seconds <= _LONGEST_LIFE_S
        expires = asked + float(seconds) if known else None  # type: ignore[arg-type]
        refresh = _secret(document, "refresh_token")
        return Granted(Token(access, expires), refresh, _secret(document, "id_token"))


def _show_client(
    client: Client, fields: Mapping[str, str]
) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """The form and the headers by which the issuer knows who asks."""
    secret = client.secret.reveal() if client.secret is not None else ""
    if not secret:
        return {**fields, "client_id": client.id}, {}
    if client.auth == "post":
        return {**fields, "client_id": client.id, "client_secret": secret}, {}
    pair = f"{quote_plus(client.id)}:{quote_plus(secret)}".encode()
    return fields, {"authorization": f"Basic {base64.b64encode(pair).decode()}"}


def _secret(document: Mapping[str, Any], name: str) -> Secret | None:
    value = document.get(name)
    return Secret(value) if isinstance(value, str) and value else None


def _reason(answer: Answer) -> str:
    """OAuth's code; never the description, which may say more than anyone should hear."""
    try:
        document = answer.json()
    except (ValueError, RecursionError):
        return ""
    reason = document.get("error") if isinstance(document, dict) else None
    return reason if isinstance(reason, str) and _REASON.fullmatch(reason) else ""
