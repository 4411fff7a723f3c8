"""Logins that SQE renews: it has asked the issuer for them, so it holds what renews them."""

from __future__ import annotations

import logging
import secrets
import threading
import time
import weakref
from collections.abc import Callable

from sqe.auth.oidc.issuer import Issuer, Verified
from sqe.auth.oidc.provider import Client, Granted
from sqe.errors import AccessError, SqeError
from sqe.model.identity import Identity, Secret
from sqe.model.passport import Passport, login_expired

_log = logging.getLogger(__name__)
GRACE_S = 300.0  # after its token has expired a login may still be renewed: the issuer was down
_LONGEST_WAIT_S = 60.0
_PART_OF_LIFE = (0.65, 0.8)  # when a token is renewed: before it gets old, not all at once


class Held:
    """One login. Thread-safe. Whoever has a passport of it always has the current token."""

    def __init__(
        self,
        verified: Verified,
        refresh: Secret | None,
        program: Client | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """``program``: logs in again with its secret, which it has shown, instead."""
        self.issuer: Issuer = verified.issuer
        self._verified = verified
        self._login = verified.login
        self._refresh = refresh
        self._program = program
        self._clock = clock
        self._lock = threading.Lock()
        self._passports: weakref.WeakSet[Passport] = weakref.WeakSet()
        self._kept_until = 0.0
        self._failures = 0
        self._over = False
        self._due = self._when()

    def identity(self) -> Identity:
        """With a passport of its own. Raises TOKEN_EXPIRED if the login is over."""
        self._ask_after()
        with self._lock:
            if self._over or not self._verified.token.good(self._clock()):
                raise login_expired()
            passport = self.issuer.passport(self._verified.token, self._login)
            self._passports.add(passport)
            return self._verified.identity(passport)

    def keep(self, seconds: float) -> None:
        """It goes on for so long even if no session uses it."""
        with self._lock:
            self._kept_until = max(self._kept_until, self._clock() + seconds)

    def same_as(self, other: Held) -> bool:
        """Of the same person, with the same rights, and good: either may be used."""
        mine, theirs = self._verified, other._verified
        same = (mine.issuer, mine.subject, mine.person) == (
            theirs.issuer,
            theirs.subject,
            theirs.person,
        )
        return same and not self.over

    @property
    def over(self) -> bool:
        with self._lock:
            return self._over or not self._verified.token.good(self._clock())

    def is_wanted(self) -> bool:
        """Somebody uses it, or may soon; it is not too late to renew it."""
        with self._lock:
            now = self._clock()
            if self._over or not self._verified.token.good(now, -GRACE_S):
                return False
            return now < self._kept_until or any(not passport.ended for passport in self._passports)

    @property
    def renewal_time(self) -> float:
        """When to renew it, in seconds since 1970; never, where nothing renews it."""
        with self._lock:
            return self._due

    def renew(self) -> Secret | None:
        """What to revoke, if the login was ended meanwhile. Raises what the issuer says; the login
        goes on until its token expires."""
        try:
            granted = self._request_grant()
            verified = self.issuer.verify(granted.access.value)
        except SqeError:
            self._note_failure()
            raise
        with self._lock:
            if self._over:
                return granted.refresh
            mine, self._refresh = self._verified, granted.refresh
            if (verified.subject, verified.person) != (mine.subject, mine.person):
                # Sessions have the rights they began with, so this one must come to its end.
                self._due = float("inf")
                _log.info("a login of %s is not renewed: its rights have changed", mine.issuer.name)
                return None
            self._verified = verified
            self._failures = 0
            self._due = self._when()
            passports = list(self._passports)
        for passport in passports:
            passport.renew(verified.token)
        return None

    def give_up(self) -> None:
        """It is not renewed any more, and ends with its token."""
        with self._lock:
            self._due = float("inf")

    def end(self) -> Secret | None:
        """It is good for nothing from now on. What to revoke at the issuer, the first time."""
        with self._lock:
            refresh = None if self._over else self._refresh
            self._over, self._refresh, self._program = True, None, None
            passports = list(self._passports)
        for passport in passports:
            passport.end()
        return refresh

    def _ask_after(self) -> None:
        """Where the issuer is asked about every token, its last answer is good for a while."""
        with self._lock:
            verified = self._verified
        if self._clock() < verified.until or not verified.token.good(self._clock()):
            return
        try:
            again = self.issuer.verify(verified.token.value)
        except AccessError:
            self.end()
            raise
        with self._lock:
            if self._verified is verified:
                self._verified = again

    def _request_grant(self) -> Granted:
        with self._lock:
            refresh, program = self._refresh, self._program
        if program is not None:
            return self.issuer.provider.log_in_program(program)
        if refresh is None:
            raise login_expired()
        return self.issuer.provider.refresh(refresh)

    def _when(self) -> float:
        renewable = self._program is not None or self._refresh is not None
        expires = self._verified.token.expires_at
        if not renewable or expires is None or not self.issuer.options.refresh:
            return float("inf")
        now = self._clock()
        left = max(0.0, expires - self.issuer.options.skew_s - now)
        return now + left * _between(*_PART_OF_LIFE)

    def _note_failure(self) -> None:
        with self._lock:
            self._failures += 1
            wait = min(_LONGEST_WAIT_S, 2.0**self._failures) * _between(0.75, 1.25)
            expires = self._verified.token.expires_at or 0.0
            left = max(1.0, (expires - self._clock()) / 3)  # it is tried again before it expires
            self._due = self._clock() + min(wait, left)


def is_final(error: AccessError) -> bool:
    """The issuer has ended the login: logged out, disabled, or revoked."""
    return getattr(error, "reason", "") == "invalid_grant"


def _between(low: float, high: float) -> float:
    return low + (high - low) * secrets.randbelow(1_000) / 1_000
