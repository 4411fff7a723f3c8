"""The token of a kept login, renewed before it is used."""

from __future__ import annotations

import threading
import time
from contextlib import suppress

from sqe.cli.tokens import Login, NowhereToKeep, open_logins
from sqe.errors import AccessError, ErrorCode, SqeError, UpstreamError
from sqe.model.identity import Secret

_MARGIN_S = 30.0  # a token with less left is renewed first


def login_options(server: str) -> dict[str, object]:
    """What a connection to the server is told of a kept login; nothing where there is none."""
    try:
        with open_logins() as logins:
            login = logins.get(server)
    except NowhereToKeep:
        return {}
    if login is None:
        return {}
    token = RenewedToken(server, login)
    token.check()
    return {"token": token}


class RenewedToken:
    """Called for every request. Thread-safe."""

    def __init__(self, server: str, login: Login) -> None:
        self._server = server
        self._login = login
        self._lock = threading.Lock()

    def __call__(self) -> Secret:
        """Where it cannot be renewed the old one is shown: the server says what is wrong."""
        with suppress(SqeError):
            self.check()
        return self._login.token.value

    def check(self) -> None:
        """Raises TOKEN_EXPIRED or ISSUER_UNAVAILABLE if there is nothing good to show."""
        with self._lock:
            if not self._login.token.good(time.time(), _MARGIN_S):
                self._login = _renew(self._server, self._login)


def _renew(server: str, mine: Login) -> Login:
    from sqe.auth.oidc.provider import GrantRefused

    with open_logins() as logins:
        login = logins.get(server) or mine
        if login.token.good(time.time(), _MARGIN_S):
            return login  # another call of sqe has renewed it meanwhile
        if login.refresh is None:
            logins.remove(server)
            raise log_in_again(server)
        try:
            fresh = renew(login)
        except GrantRefused:
            logins.remove(server)
            raise log_in_again(server) from None
        except UpstreamError:
            if login.token.good(time.time()):
                return login
            raise
        logins.put(server, fresh)
        return fresh


def renew(login: Login) -> Login:
    from sqe.cli.tokens_issuer import login_of, provider_of

    assert login.refresh is not None  # noqa: S101  the caller has looked
    provider = provider_of(login.issuer, login.client_id, login.scopes)
    try:
        return login_of(provider, login.scopes, provider.refresh(login.refresh))
    finally:
        provider.close()


def log_in_again(server: str) -> AccessError:
    return AccessError(
        ErrorCode.TOKEN_EXPIRED,
        f"Your login to {server} has expired.",
        hint=f"Log in again: sqe login --server {server}",
    )
