"""SQE's side of the tests with an issuer: made from settings, asked as front ends ask."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from sqe.auth.chain import Authenticators
from sqe.auth.configured import AuthParts, authenticators
from sqe.auth.oidc.oidc import Oidc
from sqe.auth.protocol import Bearer, Credential, Password
from sqe.errors import ErrorCode, SqeError
from sqe.model.identity import Identity, Secret
from sqe.settings import AuthSettings
from tests.unit.auth.oidc.issuer import CLIENT, CLIENT_SECRET, LocalIssuer

NO = "The credential was not accepted."


class Asked:
    """``later``: seconds by which everything that SQE keeps is older than it is."""

    def __init__(self, auth: dict[str, Any]) -> None:
        settings = AuthSettings.model_validate(auth)
        self.later = 0.0
        self.oidc = Oidc(settings.oidc, ticks=lambda: time.monotonic() + self.later)
        self.chain: Authenticators = authenticators(settings, AuthParts(oidc=self.oidc))

    def bearer(self, token: str) -> Identity:
        return self.chain.identify(Bearer(Secret(token)))

    def password(self, user: str, password: str) -> Identity:
        return self.chain.identify(Password(user, Secret(password)))

    def refused(self, credential: Credential | str) -> SqeError:
        """What a user sees. A text is a bearer token."""
        if isinstance(credential, str):
            credential = Bearer(Secret(credential))
        with pytest.raises(SqeError) as raised:
            self.chain.identify(credential)
        return raised.value

    def refuses(self, credential: Credential | str) -> None:
        """With the one answer that tells nothing."""
        error = self.refused(credential)
        assert (error.code, error.message) == (ErrorCode.AUTHENTICATION_FAILED, NO)


def own(issuer: LocalIssuer, **changes: Any) -> dict[str, Any]:
    """The settings of one issuer."""
    return {
        "issuer": issuer.url,
        "client_id": CLIENT,
        "client_secret": CLIENT_SECRET,
        "skew_s": 0,
        **changes,
    }


@contextmanager
def asking(issuer: LocalIssuer, **changes: Any) -> Iterator[Asked]:
    found = Asked({"oidc": {"test": own(issuer, **changes)}})
    try:
        yield found
    finally:
        found.oidc.close()
