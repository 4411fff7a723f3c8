"""Logging in through a browser, as Trino's clients do it.

The client is refused with two addresses: one to open in a browser, one to ask for the token. Both
come from a number that only the client knows; the browser gets its digest. Who the user is, and the
token itself, is the issuer's business.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from sqe.errors import SqeError
from sqe.model.identity import Secret
from sqe.trino.http.bridge import Bell
from sqe.trino.http.errors import Refusal, bad_request

CALLBACK = "/oauth2/callback"
COOKIE = "sqe_login"
_DIGEST = re.compile("[0-9a-f]{64}")
_LOGIN_S = 900.0
_MOST = 1_000  # logins at once


class OAuth2Flow(Protocol):
    """The issuer of tokens. Both calls may take a while."""

    def authorize_uri(self, state: str, callback: str) -> str:
        """Where the browser is sent. It comes back to ``callback`` with a code and ``state``."""
        ...

    def token(self, code: str, state: str, callback: str) -> Secret:
        """What the code is worth, as the server's authenticators know it. Raises
        AUTHENTICATION_FAILED, ISSUER_UNAVAILABLE."""
        ...


@dataclass(frozen=True, slots=True)
class Sent:
    """A browser on its way to the issuer; ``nonce`` is the cookie it comes back with."""

    uri: str
    nonce: str


@dataclass(frozen=True, slots=True)
class _Outcome:
    ended: float
    token: Secret | None
    error: str = ""


class Logins:
    """Thread-safe. ``flow`` is what the settings name."""

    def __init__(self, flow: OAuth2Flow, clock: Callable[[], float] = time.monotonic) -> None:
        self.bell = Bell()
        self._flow = flow
        self._clock = clock
        self._key = secrets.token_bytes(32)
        self._lock = threading.Lock()
        self._outcomes: OrderedDict[str, _Outcome] = OrderedDict()

    def challenge(self, base: str) -> str:
        """For WWW-Authenticate: where to log in, and where to ask for the token."""
        number = secrets.token_urlsafe(32)
        return (
            f'Bearer x_redirect_server="{base}/oauth2/token/initiate/{_digest(number)}", '
            f'x_token_server="{base}/oauth2/token/{number}"'
        )

    def begin(self, digest: str, base: str) -> Sent:
        """The browser opens the first address."""
        if not _DIGEST.fullmatch(digest):
            raise Refusal(404, "There is no such login")
        nonce = secrets.token_urlsafe(32)
        state = f"{digest}.{int(self._clock() + _LOGIN_S)}"
        state += f".{self._sign(state, nonce)}"
        return Sent(self._flow.authorize_uri(state, base + CALLBACK), nonce)

    def come_back(self, state: str, nonce: str, code: str, error: str, base: str) -> str:
        """The browser comes back: what to show there. Status 400 if it is not the one sent."""
        digest = self._check_state(state, nonce)
        token: Secret | None = None
        if not error:
            try:
                token = self._flow.token(code, state, base + CALLBACK)
            except SqeError as refused:
                error = refused.message
        with self._lock:
            self._outcomes[digest] = _Outcome(self._clock(), token, error)
            while len(self._outcomes) > _MOST:
                self._outcomes.popitem(last=False)
        self.bell.ring()
        return "Login failed." if token is None else "Login succeeded. You may close this page."

    def has_ended(self, number: str) -> bool:
        return self._outcome(number) is not None

    def token_answer(self, number: str, base: str) -> dict[str, str]:
        """The answer to a client that asks for its token."""
        outcome = self._outcome(number)
        if outcome is None:
            return {"nextUri": f"{base}/oauth2/token/{number}"}
        if outcome.token is None:
            return {"error": outcome.error or "The login failed."}
        return {"token": outcome.token.reveal()}

    def forget(self, number: str) -> None:
        with self._lock:
            self._outcomes.pop(_digest(number), None)

    def _outcome(self, number: str) -> _Outcome | None:
        with self._lock:
            outcome = self._outcomes.get(_digest(number))
        if outcome is not None and self._clock() - outcome.ended > _LOGIN_S:
            self.forget(number)
            return None
        return outcome

    def _check_state(self, state: str, nonce: str) -> str:
        text, _, signature = state.rpartition(".")
        digest, _, until = text.partition(".")
        expected = self._sign(text, nonce)
        if not hmac.compare_digest(signature.encode(), expected.encode()):
            raise bad_request("The login was not begun in this browser")
        if self._clock() > float(until):
            raise Refusal(400, "The login took too long")
        return digest

    def _sign(self, text: str, nonce: str) -> str:
        return hmac.new(self._key, f"{nonce}/{text}".encode(), hashlib.sha256).hexdigest()


def _digest(number: str) -> str:
    return hashlib.sha256(number.encode()).hexdigest()
