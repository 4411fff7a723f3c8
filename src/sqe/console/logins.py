"""How people get in: by themselves on a machine of their own, by password, or at the issuer."""

from __future__ import annotations

import hmac
import secrets
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from sqe.auth.flows.code import CodeFlow
from sqe.auth.oidc.provider import Client, Granted, Provider, ProviderOptions
from sqe.client.connection import open_transport
from sqe.client.flight.logins import LoginIssuer, issuers_of
from sqe.client.flight.options import FlightOptions
from sqe.client.transport import Transport
from sqe.console.browser_sessions import BrowserSession
from sqe.console.runs import Limits
from sqe.errors import AccessError, ErrorCode, SqeError, UserError
from sqe.model.identity import Secret

_RENEW_BEFORE_S = 30.0
_LOGIN_S = 300.0  # between leaving for the issuer and coming back
_MOST_LOGINS = 1_000


class Logins:
    """Opens sessions at one server as whoever shows a credential. Thread-safe."""

    def __init__(self, server: str, tls: dict[str, Any], limits: Limits) -> None:
        self.server = server
        self._tls = tls
        self._limits = limits
        self._flows: dict[str, tuple[Provider, CodeFlow]] = {}
        self._states: dict[str, tuple[str, str, float]] = {}  # state: issuer, callback, until
        self._lock = threading.Lock()

    def issuers(self) -> list[LoginIssuer]:
        return issuers_of(FlightOptions.of(self.server, self._tls))

    def takes_anybody(self) -> bool:
        """Whether the server lets people in without a credential, as on their own machine."""
        try:
            open_transport(self.server, "sqe-console", dict(self._tls)).close()
        except AccessError:
            return False
        return True

    def log_in(self, user: str = "", password: str = "") -> BrowserSession:
        """AUTHENTICATION_FAILED, SERVER_UNAVAILABLE, …: as the server says."""
        options = dict(self._tls)
        if user:
            options |= {"user": user, "password": Secret(password)}
        return BrowserSession(self._opener(options), self._limits)

    def begin_code(self, issuer: str, callback: str) -> tuple[str, str]:
        """Where the browser goes, and the state that must come back with it."""
        flow = self._flow(issuer)[1]
        state = secrets.token_urlsafe(32)
        now = time.monotonic()
        with self._lock:
            self._states = {s: kept for s, kept in self._states.items() if kept[2] > now}
            if len(self._states) >= _MOST_LOGINS:
                raise UserError(ErrorCode.INVALID_ARGUMENT, "Too many logins are under way.")
            self._states[state] = (issuer, callback, now + _LOGIN_S)
        return flow.authorize_uri(state, callback), state

    def finish_code(self, code: str, state: str, browser_state: str) -> BrowserSession:
        """``browser_state`` is what this browser was given when it left: another one's login is
        none of its business."""
        with self._lock:
            issuer, callback, until = self._states.pop(state, ("", "", 0.0))
        ours = hmac.compare_digest(state.encode(), browser_state.encode())
        if not issuer or not ours or time.monotonic() > until:
            raise AccessError(
                ErrorCode.AUTHENTICATION_FAILED,
                "This login was not begun here, or took too long.",
                hint="Log in again.",
            )
        provider, flow = self._flow(issuer)
        token = RenewedToken(provider, flow.redeem(code, state, callback))
        try:
            return BrowserSession(
                self._opener({**self._tls, "token": token}), self._limits, token.forget
            )
        except SqeError:
            token.forget()
            raise

    def close(self) -> None:
        with self._lock:
            flows, self._flows = list(self._flows.values()), {}
        for provider, _ in flows:
            provider.close()

    def _flow(self, issuer: str) -> tuple[Provider, CodeFlow]:
        with self._lock:
            known = self._flows.get(issuer)
        if known is not None:
            return known
        chosen = next((login for login in self.issuers() if login.issuer == issuer), None)
        if chosen is None:
            raise UserError(
                ErrorCode.INVALID_ARGUMENT, "The server knows no such identity provider."
            )
        provider = Provider(ProviderOptions(issuer, Client(chosen.client_id), chosen.scopes))
        with self._lock:
            return self._flows.setdefault(issuer, (provider, CodeFlow(provider)))

    def _opener(self, options: dict[str, Any]) -> Callable[[str], Transport]:
        return lambda source: open_transport(self.server, source, dict(options))


class RenewedToken:
    """The token of a login, renewed before it ends. Called for every request; thread-safe."""

    def __init__(self, provider: Provider, granted: Granted) -> None:
        self._provider = provider
        self._granted = granted
        self._lock = threading.Lock()

    def __call__(self) -> Secret:
        with self._lock:
            refresh = self._granted.refresh
            if refresh is not None and not self._granted.access.good(time.time(), _RENEW_BEFORE_S):
                with suppress(SqeError):  # the old one is shown: the server says what is wrong
                    self._granted = self._provider.refresh(refresh)
            return self._granted.access.value

    def forget(self) -> None:
        """Ends the login at the issuer."""
        refresh = self._granted.refresh
        if refresh is not None:
            self._provider.revoke(refresh)
