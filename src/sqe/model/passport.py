"""The token that stands for a user at the catalogs: always the current one."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from sqe.errors import AccessError, ErrorCode
from sqe.model.identity import Secret


@dataclass(frozen=True, slots=True)
class Token:
    """``expires_at`` in seconds since 1970; None: it does not say."""

    value: Secret
    expires_at: float | None = None

    def good(self, now: float, margin_s: float = 0.0) -> bool:
        return self.expires_at is None or now + margin_s < self.expires_at


# The token for another audience that a token is worth: RFC 8693.
Exchange = Callable[[Token, str], Token]

_MARGIN_S = 5.0  # an exchanged token that is about to expire is not used any more


class Passport:
    """Thread-safe. One for each login; whoever renews the token, every user of it has the new one.

    ``generation`` changes with the token, so that what a token was answered can be kept apart from
    what the next one would be.
    """

    def __init__(
        self,
        token: Token,
        login: str,
        exchange: Exchange | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """``login``: tokens of one login may stand in for each other; it is no secret. Tokens of
        one person may differ in what they allow, so the person alone does not say it."""
        self.login = login
        self._lock = threading.Lock()
        self._token = token
        self._exchange = exchange
        self._exchanged: dict[str, Token] = {}
        self._clock = clock
        self._ended = False
        self.generation = 0

    def __repr__(self) -> str:
        return f"Passport(generation={self.generation})"

    @property
    def expires_at(self) -> float | None:
        return self._token.expires_at

    @property
    def expired(self) -> bool:
        """Nothing can be done with it any more."""
        with self._lock:
            return self._ended or not self._token.good(self._clock())

    @property
    def ended(self) -> bool:
        """For good: no newer token makes it good again."""
        return self._ended

    def token(self, audience: str = "") -> Secret:
        """What to show now, where it goes on the wire. Raises TOKEN_EXPIRED; ACCESS_DENIED where
        it is to be narrowed to an audience and the issuer does not do that."""
        with self._lock:
            if self._ended or not self._token.good(self._clock()):
                raise login_expired()
            if not audience:
                return self._token.value
            exchange = self._exchange
            known = self._exchanged.get(audience)
            generation, token = self.generation, self._token
        if known is not None and known.good(self._clock(), _MARGIN_S):
            return known.value
        if exchange is None:
            raise AccessError(
                ErrorCode.ACCESS_DENIED,
                f"Your login cannot be exchanged for one at {audience}.",
                hint="The administrator sets which issuers exchange tokens.",
            )
        fresh = exchange(token, audience)  # outside of the lock: it asks the issuer
        with self._lock:
            if generation == self.generation and not self._ended:
                self._exchanged[audience] = fresh
        return fresh.value

    def renew(self, token: Token) -> None:
        """The same person's newer token. One that ends earlier changes nothing."""
        with self._lock:
            mine, new = self._token.expires_at, token.expires_at
            older = new is not None and (mine is None or new <= mine)
            if self._ended or older or token.value == self._token.value:
                return
            self._token = token
            self._exchanged = {}
            self.generation += 1

    def renew_from(self, other: Passport | None) -> None:
        """What another request of the same login has shown, if that is newer."""
        if other is not None and other is not self and other.login == self.login:
            self.renew(other._token)

    def end(self) -> None:
        """Logged out, or revoked at the issuer: from now on as good as expired."""
        with self._lock:
            self._ended = True
            self._exchanged = {}
            self.generation += 1


def login_expired() -> AccessError:
    return AccessError(
        ErrorCode.TOKEN_EXPIRED,
        "Your login has expired and could not be renewed.",
        hint="Log in again.",
    )
