"""Renews held logins before they expire, ends those that nobody uses, and asks after the others."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence

from sqe.auth.oidc.held import Held, is_final
from sqe.auth.oidc.issuer import Issuer
from sqe.auth.oidc.provider import Client, Granted, Provider
from sqe.errors import AccessError, SqeError, UpstreamError
from sqe.model.identity import Secret

_log = logging.getLogger(__name__)
_LOOK_S = 1.0
_SHORTEST_S = 0.05
_PAUSE_S = 2.0  # an issuer that is down is left alone for so long
_UNUSED_S = 5.0  # until whoever asked for a login uses it
_CLOSE_S = 5.0


class Renewals:
    """Thread-safe. One thread, which begins with the first login or with ``watch``."""

    def __init__(self, clock: Callable[[], float] = time.time, *, by_itself: bool = True) -> None:
        """``by_itself`` off: who made it calls ``look``."""
        self._clock = clock
        self._by_itself = by_itself
        self._watched: dict[Issuer, float] = {}
        self._lock = threading.Lock()
        self._held: set[Held] = set()
        self._down: dict[str, float] = {}
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def hold(self, issuer: Issuer, granted: Granted, program: Client | None = None) -> Held:
        """A login that was just granted. AUTHENTICATION_FAILED if its token is not good here."""
        try:
            verified = issuer.verify(granted.access.value)
        except AccessError:
            revoke(issuer.provider, granted.refresh)
            raise
        held = Held(verified, granted.refresh, program, self._clock)
        held.keep(_UNUSED_S)
        with self._lock:
            self._held.add(held)
            self._begin()
        return held

    def watch(self, issuers: Sequence[Issuer]) -> None:
        """Issuers that withdraw tokens before these expire: asked about those in use."""
        with self._lock:
            self._watched = dict.fromkeys(issuers, 0.0)
            if issuers:
                self._begin()

    def drop(self, held: Held) -> None:
        """Nobody needs it: it ends here and, if the issuer can be reached, there."""
        with self._lock:
            self._held.discard(held)
        revoke(held.issuer.provider, held.end())

    def end_logins(self, issuers: Sequence[Issuer]) -> None:
        """Of issuers that SQE does not know any more."""
        with self._lock:
            held = [login for login in self._held if login.issuer in issuers]
        for login in held:
            self.drop(login)

    def look(self) -> None:
        """Renews what is due, drops what is not wanted."""
        with self._lock:
            held = list(self._held)
        for login in held:
            if not login.is_wanted():
                self.drop(login)
            elif login.renewal_time <= self._clock() and self._up(login.issuer):
                self._renew(login)
        for issuer, due in list(self._watched.items()):
            if due <= self._clock() and self._up(issuer):
                self._watched[issuer] = self._clock() + max(_LOOK_S, issuer.options.introspect_s)
                self._ask(issuer)

    def close(self) -> None:
        """What nobody uses any more is ended at the issuers; not for long."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(_CLOSE_S)
        with self._lock:
            held, self._held = list(self._held), set()
        deadline = time.monotonic() + _CLOSE_S
        for login in held:
            refresh = login.end()
            if time.monotonic() < deadline:
                revoke(login.issuer.provider, refresh)

    def _begin(self) -> None:
        if self._thread is None and self._by_itself and not self._stop.is_set():
            self._thread = threading.Thread(target=self._run, name="logins", daemon=True)
            self._thread.start()

    def _ask(self, issuer: Issuer) -> None:
        try:
            issuer.look()
        except UpstreamError as error:
            self._down[issuer.name] = self._clock() + _PAUSE_S
            _log.warning("logins in use could not be asked about: %s", error.message)

    def _run(self) -> None:
        while not self._stop.wait(self._until_next()):
            try:
                self.look()
            except Exception:  # noqa: BLE001  the others must still be renewed
                _log.exception("looking for logins to renew failed; the next look comes")

    def _until_next(self) -> float:
        with self._lock:
            due = min((login.renewal_time for login in self._held), default=float("inf"))
        return min(_LOOK_S, max(_SHORTEST_S, due - self._clock()))

    def _renew(self, held: Held) -> None:
        try:
            revoke(held.issuer.provider, held.renew())
        except UpstreamError as error:
            self._down[held.issuer.name] = self._clock() + _PAUSE_S
            _log.warning("a login could not be renewed yet: %s", error.message)
        except AccessError as error:
            reason = getattr(error, "reason", "") or error.code.name
            _log.info("a login of %s is not renewed: %s", held.issuer.name, reason)
            if is_final(error):
                held.end()
            else:
                held.give_up()

    def _up(self, issuer: Issuer) -> bool:
        return self._clock() >= self._down.get(issuer.name, 0.0)


def revoke(provider: Provider, refresh: Secret | None) -> None:
    """Best effort: what cannot be revoked expires by itself."""
    if refresh is None:
        return
    try:
        provider.revoke(refresh)
    except SqeError as error:
        _log.info("a login could not be ended at its issuer: %s", error.message)
