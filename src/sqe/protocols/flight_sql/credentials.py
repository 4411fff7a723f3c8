"""What a call shows of its caller: headers, cookies, its certificate, its address.

The middleware only takes a call's headers down. Who the caller is, is asked in the handler, which
alone knows the connection; a Handshake has no handler of ours, so there it is asked at once.
"""

from __future__ import annotations

from collections.abc import Callable
from http.cookies import CookieError, SimpleCookie
from typing import Any

import pyarrow.flight as flight

from sqe.auth.header import credential_in
from sqe.auth.protocol import Bearer, Certificate, Credential, Nothing, Password
from sqe.auth.refusal import credential_error
from sqe.model.hosts import is_loopback
from sqe.protocols.flight_sql.errors import flight_error, sqe_error

MIDDLEWARE = "call"
COOKIE = "arrow_flight_session_id"

Headers = dict[str, list[str]]


class CallMiddleware(flight.ServerMiddleware):  # type: ignore[misc]
    """One call: its headers, those of its answer, and what to do when it is over."""

    def __init__(self, headers: Headers) -> None:
        super().__init__()
        self.headers = headers
        self.answers: dict[str, str] = {}
        self._endings: list[Callable[[], None]] = []

    def header(self, name: str) -> str:
        """The one value, or nothing where there is none or more than one."""
        values = self.headers.get(name, [])
        return values[0] if len(values) == 1 else ""

    def at_end(self, ending: Callable[[], None]) -> None:
        self._endings.append(ending)

    def sending_headers(self) -> dict[str, str]:
        return self.answers

    def call_completed(self, exception: BaseException | None) -> None:
        endings, self._endings = self._endings, []
        for ending in endings:
            try:
                ending()
            except Exception as error:  # noqa: BLE001  a middleware must not fail
                sqe_error(error)


class Calls(flight.ServerMiddlewareFactory):  # type: ignore[misc]
    """``log_in`` takes the credential of a Handshake and answers the bearer of a session."""

    def __init__(self, log_in: Callable[[Credential], str]) -> None:
        super().__init__()
        self._log_in = log_in

    def start_call(self, info: Any, headers: dict[str, list[Any]]) -> CallMiddleware:
        text = {
            name.lower(): [value for value in values if isinstance(value, str)]
            for name, values in headers.items()
        }
        call = CallMiddleware(text)
        if info.method == flight.FlightMethod.HANDSHAKE:
            try:
                credential = read_credential(call)
                if credential is None:
                    raise credential_error()
                call.answers["authorization"] = f"Bearer {self._log_in(credential)}"
            except Exception as error:  # noqa: BLE001  whatever it is, nobody gets in
                raise flight_error(sqe_error(error)) from None
        return call


class Handshake(flight.ServerAuthHandler):  # type: ignore[misc]
    """Without a handler pyarrow refuses the Handshake; what matters has been done by ``Calls``."""

    def authenticate(self, outgoing: Any, incoming: Any) -> None:
        return None

    def is_valid(self, token: bytes) -> str:
        """The old way, a token of a handshake's payload, is not used: it says nothing."""
        return ""


def read_credential(call: CallMiddleware) -> Password | Bearer | None:
    """The credential in the ``authorization`` header. Raises for one that is not understood."""
    values = call.headers.get("authorization", [])
    if not values:
        return None
    if len(values) > 1:
        raise credential_error()
    return credential_in(values[0])


def of_connection(peer: str, certificate: str) -> Credential:
    """What a caller without a header still shows: the connection's certificate or address."""
    if certificate:
        return Certificate(certificate)
    return Nothing(loopback=from_this_machine(peer))


def from_this_machine(peer: str) -> bool:
    """gRPC's spelling of an address: ``ipv4:127.0.0.1:50123`` or ``ipv6:%5B::1%5D:50123``."""
    return peer.startswith(("ipv4:", "ipv6:")) and is_loopback(address_of(peer))


def address_of(peer: str) -> str:
    """Without the port; of what is no Internet address all there is."""
    kind, _, rest = peer.partition(":")
    if kind not in ("ipv4", "ipv6"):
        return peer
    host = rest.rpartition(":")[0].replace("%5B", "[").replace("%5D", "]")
    return host.removeprefix("[").removesuffix("]") if kind == "ipv6" else host


def cookie(call: CallMiddleware) -> str:
    """The value of our cookie, or nothing."""
    for header in call.headers.get("cookie", []):
        try:
            jar = SimpleCookie(header)
        except CookieError:
            continue
        if COOKIE in jar:
            return jar[COOKIE].value
    return ""
