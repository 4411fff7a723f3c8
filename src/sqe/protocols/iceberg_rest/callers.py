"""Who sends a request, and what may be told to their engine."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.requests import Request

from sqe.auth.chain import Authenticators
from sqe.auth.header import credential_in
from sqe.auth.protocol import Bearer, Credential, Nothing
from sqe.auth.refusal import credential_error
from sqe.errors import AccessError, ErrorCode
from sqe.model.hosts import is_loopback, is_own_machine
from sqe.model.identity import Identity
from sqe.model.query import QueryOrigin
from sqe.other_engines.rights import OutsideUser
from sqe.protocols.iceberg_rest.options import IcebergOptions
from sqe.protocols.iceberg_rest.tokens import GivenTokens

PROTOCOL = "iceberg"
_CAPABILITIES = "x-iceberg-client-capabilities"
_RESTRICTIONS = "read-restrictions"
_FORWARDING = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto")
# Browsers send one of them with what a page of somebody else's makes them send.
_BROWSERS = ("origin", "sec-fetch-site", "referer")


@dataclass(frozen=True, slots=True)
class Caller:
    user: OutsideUser
    origin: QueryOrigin


class Callers:
    def __init__(
        self, authenticators: Authenticators, tokens: GivenTokens, options: IcebergOptions
    ) -> None:
        self._authenticators = authenticators
        self._tokens = tokens
        self._options = options

    def find(self, request: Request) -> Caller:
        """May take a while: passwords are checked slowly on purpose. AUTHENTICATION_FAILED."""
        values = request.headers.getlist("authorization")
        if len(values) > 1:
            raise credential_error()
        credential: Credential = Nothing(loopback=_is_own_client(request))
        if values:
            credential = credential_in(values[0])
        origin = QueryOrigin(PROTOCOL, address_of(request))
        identity = self.identify(credential, request, origin)
        told = request.headers.get(_CAPABILITIES, "")
        says = _RESTRICTIONS in (word.strip().lower() for word in told.split(","))
        local = self._options.local_files and is_local(request)
        user = OutsideUser(identity, says and self._options.believes(identity), local)
        return Caller(user, origin)

    def identify(self, credential: Credential, request: Request, origin: QueryOrigin) -> Identity:
        if not isinstance(credential, Nothing):
            self._check_wire(request)
        if isinstance(credential, Bearer):
            given = self._tokens.find(credential.token)
            if given is not None:
                return given
        return self._authenticators.identify(credential, origin)

    def _check_wire(self, request: Request) -> None:
        encrypted = request.scope["scheme"] == "https"
        if not encrypted and not is_local(request) and not self._options.plain_credentials:
            raise AccessError(
                ErrorCode.ACCESS_DENIED,
                "Passwords and tokens are not taken over plain HTTP.",
                hint="Use https, or set iceberg.allow_plain_http_credentials.",
            )


def address_of(request: Request) -> str:
    return request.client.host if request.client is not None else ""


def is_local(request: Request) -> bool:
    """It comes from this machine, and nobody has forwarded it."""
    return is_loopback(address_of(request)) and not any(
        name in request.headers for name in _FORWARDING
    )


def _is_own_client(request: Request) -> bool:
    """A page in somebody's browser can be made to send requests to this machine."""
    host = request.headers.get("host", "")
    name = host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0]
    browser = any(header in request.headers for header in _BROWSERS)
    return is_local(request) and is_own_machine(name) and not browser
