"""Whose a bearer token is: from a list that a test makes, or by the keys of an issuer."""

from __future__ import annotations

import threading
from collections.abc import Iterable

from sqe.auth.chain import Authenticators
from sqe.auth.oidc.oidc import Oidc
from sqe.auth.protocol import Bearer
from sqe.auth.refusal import credential_error
from sqe.model.identity import Identity, Secret
from sqe.settings.identity import OidcSettings
from sqe.testing.access import ALL_ROLES, ROLE_PREFIX
from sqe.testing.app import Authenticate


class StaticTokens:
    """Tokens that a test makes up, for where no issuer is wanted."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[str, Identity] = {}

    def add(self, token: str, principal: str, roles: Iterable[str] = (ALL_ROLES,)) -> None:
        named = frozenset(ROLE_PREFIX + role for role in roles)
        with self._lock:
            self._known[token] = Identity(principal, roles=named)

    def remove(self, token: str) -> None:
        with self._lock:
            self._known.pop(token, None)

    def __call__(self, token: str) -> Identity:
        with self._lock:
            identity = self._known.get(token)
        if identity is None:
            raise credential_error()
        return identity


def oidc_tokens(settings: OidcSettings) -> Authenticate:
    """Tokens of an issuer, checked with its published keys. ``roles_claim`` says where in them
    the roles are, written ``PRINCIPAL_ROLE:<role>``."""
    known = Authenticators([Oidc({"issuer": settings})])
    return lambda token: known.identify(Bearer(Secret(token)))
