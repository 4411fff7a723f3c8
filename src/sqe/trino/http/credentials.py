"""Who sends a request, and as whom its statement runs."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from starlette.requests import Request

from sqe.auth.attempts import TooManyLogins
from sqe.auth.chain import Authenticators
from sqe.auth.header import credential_in
from sqe.auth.protocol import Bearer, Certificate, Credential, Nothing, Password
from sqe.auth.refusal import credential_error
from sqe.errors import AccessError, UpstreamError
from sqe.model.hosts import is_loopback, is_own_machine
from sqe.model.identity import Identity
from sqe.model.query import QueryOrigin
from sqe.trino.http.errors import Refusal, bad_request
from sqe.trino.http.options import TrinoOptions

CERTIFICATE = "certificate"  # where the listener leaves a client's certificate
_HOST = re.compile(r"[A-Za-z0-9._-]+(:\d{1,5})?|\[[0-9A-Fa-f:.]+\](:\d{1,5})?")
_ADDRESS = 100  # characters
_FORWARDING = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto")


@dataclass(frozen=True, slots=True)
class TrinoCaller:
    """``principal`` has shown who it is; ``identity`` is whom its statements run as."""

    principal: str
    identity: Identity
    origin: QueryOrigin = QueryOrigin("trino")  # noqa: RUF009  frozen


@dataclass(frozen=True, slots=True)
class Origin:
    """What is known of a request before anyone is asked who sends it."""

    base: str  # the server's address as this client writes it, e.g. https://sqe:8990
    encrypted: bool
    local: bool  # it comes from this machine, and nobody has forwarded it
    address: str = ""  # the client's


def origin_of(request: Request, options: TrinoOptions) -> Origin:
    """Refuses requests that are not clear, or too large to look at."""
    headers = request.headers
    if sum(len(name) + len(value) for name, value in headers.raw) > options.header_bytes:
        raise Refusal(431, "The headers of the request are too large")
    host = headers.get("host", "")
    scheme = str(request.scope["scheme"])
    if options.forwarded:
        host = _first_of_list(headers.get("x-forwarded-host", "")) or host
        scheme = _first_of_list(headers.get("x-forwarded-proto", "")) or scheme
    if not _HOST.fullmatch(host) or scheme not in ("http", "https"):
        raise bad_request("The Host header is missing or not clear")
    peer = request.client.host if request.client is not None else ""
    local = is_loopback(peer) and not any(name in headers for name in _FORWARDING)
    # The proxy adds at the end what it sees; what stands before it a client may have written.
    forwarded_for = headers.get("x-forwarded-for", "") if options.forwarded else ""
    address = forwarded_for.rpartition(",")[2].strip()[:_ADDRESS] or peer
    return Origin(f"{scheme}://{host}", scheme == "https", local, address)


class Callers:
    """``challenge`` makes what a client is told that has to log in. ``may_act_as``: by the policy;
    the rules of the settings are asked besides."""

    def __init__(
        self,
        authenticators: Authenticators,
        options: TrinoOptions,
        challenge: Callable[[Origin], Mapping[str, str]],
        may_act_as: Callable[[Identity, str], bool],
    ) -> None:
        self._authenticators = authenticators
        self._options = options
        self._challenge = challenge
        self._may_act_as = may_act_as

    def identify(self, request: Request, origin: Origin) -> TrinoCaller:
        """May take a while: passwords are checked slowly on purpose."""
        try:
            credential = self._credential_of(request, origin)
            identity = self._authenticators.identify(
                credential, QueryOrigin("trino", origin.address)
            )
        except AccessError as error:
            headers = self._challenge(origin)
            raise Refusal(401, error.message, headers) from None
        except TooManyLogins as error:
            raise Refusal(429, str(error), {"Retry-After": str(error.seconds)}) from None
        except UpstreamError as error:  # who says it cannot be reached; clients try again
            raise Refusal(503, str(error)) from None
        acting = QueryOrigin("trino", origin.address, identity.user)
        try:
            caller = self._caller_to_act_as(identity, isinstance(credential, Nothing), request)
        except _NotAllowed as refused:
            self._authenticators.note_impersonation(refused.user, acting, allowed=False)
            raise
        if caller.identity.user == caller.principal:
            return replace(caller, origin=replace(acting, principal=""))
        self._authenticators.note_impersonation(caller.identity.user, acting, allowed=True)
        return replace(caller, origin=acting)

    def _credential_of(self, request: Request, origin: Origin) -> Credential:
        values = request.headers.getlist("authorization")
        if len(values) > 1:
            raise credential_error()
        if values:
            return self._over_the_wire(credential_in(values[0]), origin)
        certificate = getattr(request.state, CERTIFICATE, "")
        if certificate:
            return Certificate(certificate)
        # A page in somebody's browser can be made to send requests to this machine; those name
        # another host, or cannot set this header.
        own = _is_this_machine(origin.base) and "x-trino-user" in request.headers
        return Nothing(loopback=origin.local and own)

    def _over_the_wire(self, credential: Password | Bearer, origin: Origin) -> Password | Bearer:
        if not origin.encrypted and not self._options.plain_credentials:
            raise Refusal(
                403,
                "Authentication over HTTP is not enabled: use https, or set "
                "trino.allow_plain_http_credentials",
            )
        return credential

    def _caller_to_act_as(
        self, identity: Identity, anonymous: bool, request: Request
    ) -> TrinoCaller:
        """A name that nobody has shown anything for counts only where a rule says so. Of anonymous
        clients, which have to name a user, it is left out; others are told."""
        principal = identity.user
        user = request.headers.get("x-trino-user", "").strip() or principal
        original = request.headers.get("x-trino-original-user", "").strip() or principal
        for name in (original, user):
            if name == principal or self._options.impersonation.allows(principal, name):
                continue
            if not anonymous and self._may_act_as(identity, name):
                continue
            if anonymous:
                return TrinoCaller(principal, identity)
            raise _NotAllowed(principal, name)
        if user != principal:
            other = self._options.impersonation.identity(user)
            identity = replace(other, scopes=identity.scopes, standing=identity.standing)
        return TrinoCaller(principal, identity)


class _NotAllowed(Refusal):
    def __init__(self, principal: str, user: str) -> None:
        super().__init__(403, f"Access Denied: User {principal} cannot impersonate user {user}")
        self.user = user


def _first_of_list(value: str) -> str:
    """Of a list that proxies have added to, what the client itself has asked for."""
    return value.partition(",")[0].strip()


def _is_this_machine(base: str) -> bool:
    host = base.partition("://")[2]
    name = host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0]
    return is_own_machine(name)
