"""The gateway's sessions behind a protocol that has none.

What a client has set travels with each of its requests, so all requests of one identity share a
session; it is another one only for other ``sqe.*`` properties, which engines read from the session.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from sqe.errors import ErrorCode, SqeError, UserError
from sqe.gateway.gateway import Gateway
from sqe.model.identity import Identity
from sqe.model.query import QueryOrigin
from sqe.sessions.session import PROPERTIES, Session
from sqe.trino.http.errors import sqe_error

_IDLE_S = 600.0  # a session that nobody uses is closed
_RENEW_S = 3600.0  # one that is older is not used for anything new, so that none grows too old
_TRINO = QueryOrigin("trino")  # the session is shared: addresses are of requests
_TIME_ZONE = "sqe.time_zone"  # not of the session here: each request has its own

# Who, by which login or key, with what set.
_Key = tuple[Identity, str, object, tuple[tuple[str, str], ...]]


@dataclass(eq=False, slots=True)
class LeasedSession:
    """A session in use, by ``users`` statements and open transactions."""

    session: Session
    born: float
    used: float
    users: int = 0


@dataclass(eq=False, slots=True)
class _Transaction:
    principal: str
    lent: LeasedSession
    used: float


@dataclass(frozen=True, slots=True)
class Wanted:
    """For whom, with what set, and in which transaction; empty: in none."""

    principal: str
    identity: Identity
    properties: Mapping[str, str] = field(default_factory=dict)
    transaction: str = ""
    origin: QueryOrigin = _TRINO


class TrinoSessions:
    """Thread-safe. Whoever borrows a session gives it back."""

    def __init__(
        self,
        gateway: Gateway,
        transaction_idle_s: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._gateway = gateway
        self._transaction_idle_s = transaction_idle_s
        self._clock = clock
        self._lock = threading.Lock()
        self._shared: dict[_Key, LeasedSession] = {}
        self._old: list[LeasedSession] = []
        self._transactions: dict[str, _Transaction] = {}

    def borrow(self, wanted: Wanted) -> LeasedSession:
        """UNKNOWN_TRANSACTION for one that does not exist or is another principal's."""
        with self._lock:
            if wanted.transaction:
                return self._of_transaction(wanted)
            properties = _own_properties(wanted.properties)
            passport = wanted.identity.passport
            login = passport.login if passport is not None else ""
            standing = wanted.identity.standing
            key = (wanted.identity, login, standing, tuple(sorted(properties.items())))
            lent = self._shared.get(key)
            now = self._clock()
            if lent is not None and (lent.session.ended or now - lent.born > _RENEW_S):
                self._old.append(self._shared.pop(key))
                lent = None
            if lent is None:
                session = self._gateway.open_session(wanted.identity, origin=_TRINO)
                lent = LeasedSession(session, now, now)
                for name, value in properties.items():
                    lent.session.set_property(name, value)
                self._shared[key] = lent
            elif lent.session.identity.passport is not None:
                lent.session.identity.passport.renew_from(passport)
            lent.users += 1
            return lent

    def give_back(self, lent: LeasedSession) -> None:
        with self._lock:
            lent.users -= 1
            lent.used = self._clock()

    def note_transaction(self, transaction: str, principal: str, lent: LeasedSession) -> None:
        """From now on requests of this principal may name the transaction."""
        with self._lock:
            lent.users += 1
            self._transactions[transaction] = _Transaction(principal, lent, self._clock())

    def end_transaction(self, transaction: str) -> None:
        with self._lock:
            self._forget(transaction)

    def abandon(self, transaction: str) -> None:
        """Its client has left it, whatever has become of it."""
        with self._lock:
            transaction_entry = self._transactions.get(transaction)
            self._forget(transaction)
        if transaction_entry is not None:
            self._roll_back(transaction, transaction_entry.lent)

    def sweep(self) -> None:
        """Rolls idle transactions back and closes sessions that are not needed any more."""
        now = self._clock()
        with self._lock:
            idle = [
                (name, transaction.lent)
                for name, transaction in self._transactions.items()
                if now - transaction.used > self._transaction_idle_s
            ]
            for name, _ in idle:
                self._forget(name)
            unused = [key for key, session in self._shared.items() if _is_idle(session, now)]
            self._old += [self._shared.pop(key) for key in unused]
            closing = [session for session in self._old if session.users <= 0]
            self._old = [session for session in self._old if session.users > 0]
        for name, lent in idle:
            self._roll_back(name, lent)
        for lent in closing:
            lent.session.close()

    def close(self) -> None:
        with self._lock:
            lents = [*self._shared.values(), *self._old]
            self._shared, self._old, self._transactions = {}, [], {}
        for lent in lents:
            lent.session.close()

    def _roll_back(self, transaction: str, lent: LeasedSession) -> None:
        try:
            self._gateway.rollback(lent.session.id, transaction)
        except SqeError:
            return  # it has ended by itself
        except Exception as error:  # noqa: BLE001  others are still to be ended
            sqe_error(error)

    def _of_transaction(self, wanted: Wanted) -> LeasedSession:
        transaction = self._transactions.get(wanted.transaction)
        mine = transaction is not None and transaction.principal == wanted.principal
        if transaction is None or not mine or transaction.lent.session.identity != wanted.identity:
            raise UserError(
                ErrorCode.TRANSACTION_NOT_FOUND,
                f"Unknown transaction ID: {wanted.transaction}. Possibly expired? Commands "
                "ignored until end of transaction block",
                subcode="UNKNOWN_TRANSACTION",
            )
        transaction.used = self._clock()
        transaction.lent.users += 1
        return transaction.lent

    def _forget(self, transaction: str) -> None:
        forgotten = self._transactions.pop(transaction, None)
        if forgotten is not None:
            forgotten.lent.users -= 1
            forgotten.lent.used = self._clock()


def _is_idle(lent: LeasedSession, now: float) -> bool:
    return lent.session.ended or (lent.users <= 0 and now - lent.used > _IDLE_S)


def _own_properties(properties: Mapping[str, str]) -> dict[str, str]:
    """Those that a session of the gateway has, checked."""
    own_properties = {
        name: value
        for name, value in ((name.lower(), value) for name, value in properties.items())
        if name in PROPERTIES and name != _TIME_ZONE
    }
    for name, value in own_properties.items():
        values = PROPERTIES[name]
        if values is not None and value.lower() not in values:
            raise UserError(
                ErrorCode.INVALID_SESSION_PROPERTY,
                f"{value!r} is not a value of {name}.",
                hint=f"It takes {', '.join(values)}.",
            )
        own_properties[name] = value if values is None else value.lower()
    return own_properties
