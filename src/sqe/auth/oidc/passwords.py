"""Users, and programs, that log in at an issuer with a password that they give to SQE."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

from sqe.auth.oidc.discovery import issuer_error
from sqe.auth.oidc.held import Held
from sqe.auth.oidc.issuer import Issuer
from sqe.auth.oidc.provider import Client, GrantRefused
from sqe.auth.oidc.renewals import Renewals
from sqe.auth.protocol import Credential, Password
from sqe.auth.remembered import Remembered
from sqe.model.identity import Identity, Secret

_CHECKED_S = 60.0  # a client may send its password with every request
_LOGIN_S = 86_400.0
_AT_ONCE = 16
# The issuer's words for what is wrong with SQE's own client, not with the user.
_OUR_FAULT = ("invalid_client", "unauthorized_client", "unsupported_grant_type", "invalid_scope")


class OidcPasswords:
    """Thread-safe. An issuer does not say whether it knows a user, so a wrong password may still be
    another's. A password is checked again each minute, and the login goes on if it is still good.
    """

    def __init__(
        self,
        issuers: Sequence[Issuer],
        renewals: Renewals,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        able = [
            issuer for issuer in issuers if issuer.options.password_grant or issuer.options.programs
        ]
        self._issuers = sorted(able, key=lambda one: -len(one.options.claims.prefix))
        self._renewals = renewals
        self._checked: Remembered[Held] = Remembered(clock, _CHECKED_S)
        self._logins: Remembered[Held] = Remembered(clock, _LOGIN_S)
        self._turns = [threading.Lock() for _ in range(_AT_ONCE)]

    def authenticate(self, credential: Credential) -> Identity | None:
        if not isinstance(credential, Password) or not credential.password.reveal():
            return None
        for issuer in self._issuers:
            prefix = issuer.options.claims.prefix
            if credential.user.startswith(prefix):
                # Only this one: no other issuer must see the password.
                user = credential.user.removeprefix(prefix)
                held = self._login_of(issuer, user, credential.password) if user else None
                return held.identity() if held is not None else None
        return None

    def _login_of(self, issuer: Issuer, user: str, password: Secret) -> Held | None:
        key = f"{issuer.name}\0{user}"
        held = self._checked.get(key, password)
        if held is None or held.over:
            with self._turns[hash(key) % _AT_ONCE]:  # the first of many requests logs in for all
                held = self._checked.get(key, password)
                if held is None or held.over:
                    held = self._check_again(issuer, key, user, password)
        if held is not None:
            held.keep(_CHECKED_S)
        return held

    def _check_again(self, issuer: Issuer, key: str, user: str, password: Secret) -> Held | None:
        held = self._log_in(issuer, user, password)
        if held is None:
            return None
        before = self._logins.get(key, password)
        if before is not None and before.same_as(held):
            self._renewals.drop(held)
            held = before
        self._checked.add(key, password, held)
        self._logins.add(key, password, held)
        return held

    def _log_in(self, issuer: Issuer, user: str, password: Secret) -> Held | None:
        """None: the issuer does not accept it."""
        program = Client(user, password) if user in issuer.options.programs else None
        if program is None and not issuer.options.password_grant:
            return None
        try:
            if program is not None:
                granted = issuer.provider.log_in_program(program)
            else:
                granted = issuer.provider.log_in(user, password)
        except GrantRefused as refused:
            if program is None and refused.reason in _OUR_FAULT:
                raise issuer_error(
                    issuer.name, f"does not let SQE's own client do this ({refused.reason})"
                ) from None
            return None
        return self._renewals.hold(issuer, granted, program)
