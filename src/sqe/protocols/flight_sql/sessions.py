"""Which session a call belongs to.

A client that logged in shows the bearer it got then; one that keeps cookies shows ours; of any
other, the connection and the login together are the session. A newer token of the same login goes
on with the session, and is what catalogs are shown from then on.
"""

from __future__ import annotations

import hashlib
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from sqe.auth.chain import Authenticators
from sqe.auth.protocol import Bearer, Certificate, Credential, Nothing, Password
from sqe.gateway.gateway import Gateway
from sqe.model.identity import Identity
from sqe.model.query import QueryOrigin
from sqe.protocols.flight_sql.credentials import (
    COOKIE,
    CallMiddleware,
    address_of,
    cookie,
    of_connection,
    read_credential,
)
from sqe.sessions.session import Session

_PEPPER = secrets.token_bytes(32)  # digests of secrets are worth nothing outside this process
_SWEEP_S = 60.0
_TELL_S = 86_400.0
_NOT_CALLED = QueryOrigin("flight")  # a Handshake does not tell where it comes from
_Key = tuple[str, bytes]
_K = TypeVar("_K")


@dataclass(frozen=True, slots=True)
class Peer:
    """The other end of a connection, as gRPC knows it."""

    address: str
    certificate: str = ""

    @property
    def origin(self) -> QueryOrigin:
        return QueryOrigin("flight", address_of(self.address))


class FlightSessions:
    """Thread-safe. Secrets that name a session are kept as digests only."""

    def __init__(self, gateway: Gateway, authenticators: Authenticators) -> None:
        self._gateway = gateway
        self._authenticators = authenticators
        self._lock = threading.Lock()
        self._bearers: dict[bytes, Session] = {}
        self._cookies: dict[bytes, Session] = {}
        self._peers: dict[_Key, Session] = {}
        self._swept = time.monotonic()

    def log_in(self, credential: Credential) -> str:
        """A new session for who shows this, and the bearer that stands for it from now on."""
        session = self._find_by_token(credential)
        if session is None:
            identity = self._authenticators.identify(credential, _NOT_CALLED)
            session = self._gateway.open_session(identity, origin=_NOT_CALLED)
            self._sweep()
        return self._issue(session)

    def of(self, call: CallMiddleware, peer: Peer, answer: Callable[[str, str], None]) -> Session:
        """``answer`` adds a header to the call's answer, before its first message."""
        credential: Credential = read_credential(call) or of_connection(
            peer.address, peer.certificate
        )
        session = self._find_by_token(credential)
        if session is not None:
            return session
        identity = self._authenticators.identify(credential, peer.origin)
        session = self._by_cookie(cookie(call), identity)
        if session is not None:
            return session
        key = (peer.address, _digest_of(credential, identity))
        return self._by_peer(key, credential, identity, answer)

    def _find_by_token(self, credential: Credential) -> Session | None:
        if not isinstance(credential, Bearer):
            return None
        with self._lock:
            session = self._bearers.get(_digest(credential.token.reveal()))
        if session is not None:
            session.check()
        return session

    def _by_cookie(self, value: str, identity: Identity) -> Session | None:
        if not value:
            return None
        key = _digest(value)
        with self._lock:
            session = self._cookies.get(key)
            if session is None or not _same_login(session.identity, identity):
                return None  # a cookie is no credential: who shows another's gets an own session
            return _live_session(self._cookies, key, session, identity)

    def _by_peer(
        self,
        key: _Key,
        credential: Credential,
        identity: Identity,
        answer: Callable[[str, str], None],
    ) -> Session:
        with self._lock:
            session = self._peers.get(key)
            if session is not None and _same_login(session.identity, identity):
                session = _live_session(self._peers, key, session, identity)
                if session is not None:
                    return session
            session = self._gateway.open_session(identity, origin=Peer(key[0]).origin)
            self._peers[key] = session
        self._sweep()
        if isinstance(credential, Password):
            answer("authorization", f"Bearer {self._issue(session)}")
        answer("set-cookie", f"{COOKIE}={self._bake(session)}; Path=/; HttpOnly; SameSite=Strict")
        return session

    def _issue(self, session: Session) -> str:
        bearer = secrets.token_urlsafe(32)
        with self._lock:
            self._bearers[_digest(bearer)] = session
        return bearer

    def _bake(self, session: Session) -> str:
        value = secrets.token_urlsafe(32)
        with self._lock:
            self._cookies[_digest(value)] = session
        return value

    def _sweep(self) -> None:
        """Sessions end by themselves; now and then what named them is thrown away."""
        now = time.monotonic()
        with self._lock:
            if now - self._swept < _SWEEP_S:
                return
            self._swept = now
            self._bearers = {k: s for k, s in self._bearers.items() if not _may_forget(s)}
            self._cookies = {k: s for k, s in self._cookies.items() if not _may_forget(s)}
            self._peers = {k: s for k, s in self._peers.items() if not _may_forget(s)}


def _may_forget(session: Session) -> bool:
    """One that expired is kept a while, for its client to be told."""
    return session.ended and (session.expiry is None or session.idle > _TELL_S)


def _same_login(mine: Identity, shown: Identity) -> bool:
    """The same user by the same login or key: another of theirs may allow less, or end sooner."""
    same_login = _login(mine) == _login(shown) and mine.standing == shown.standing
    return mine == shown and same_login


def _login(identity: Identity) -> str:
    return identity.passport.login if identity.passport is not None else ""


def _live_session(
    known: dict[_K, Session], key: _K, session: Session, shown: Identity
) -> Session | None:
    """The session, or None if it was closed. One that expired is told of, once: what was set in it
    must not be lost in silence."""
    if session.identity.passport is not None:
        session.identity.passport.renew_from(shown.passport)
    if session.ended:
        del known[key]
        if session.expiry is not None:
            raise session.expiry
        return None
    return session


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), key=_PEPPER).digest()


def _digest_of(credential: Credential, identity: Identity) -> bytes:
    """Tells users of one connection apart, which may be shared by a proxy: by their login or, where
    there is none, by what they show."""
    if identity.passport is not None:
        return _digest(f"login\0{identity.passport.login}")
    match credential:
        case Password(user, password):
            return _digest(f"password\0{user}\0{password.reveal()}")
        case Bearer(token):
            return _digest(f"bearer\0{token.reveal()}")
        case Certificate(subject):
            return _digest(f"certificate\0{subject}")
        case Nothing():
            return _digest("nothing")
