"""A login lasts as long as the settings that it came in by."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, replace

from sqe.auth.protocol import Authenticator, Credential
from sqe.auth.user_table import Users, UserTable
from sqe.model.identity import Identity
from sqe.settings.access import AuthSettings, ChainName


class AuthInForce:
    """The settings and the users of now. Both are replaced as a whole."""

    def __init__(self, settings: AuthSettings, users: Users) -> None:
        self.settings = settings
        self.users_now = users

    def users(self) -> UserTable:
        """Implements ``Users``, whichever they are by now."""
        return self.users_now()


class Lasting:
    """Asks an authenticator. Who is let in stays in while the settings say of their login what
    they said when it was checked."""

    def __init__(
        self,
        method: ChainName,
        authenticator: Authenticator,
        checked_by: AuthSettings,
        in_force: AuthInForce,
    ) -> None:
        self._method = method
        self._authenticator = authenticator
        self._checked_by = checked_by
        self._in_force = in_force

    def __str__(self) -> str:
        return type(self._authenticator).__name__

    def authenticate(self, credential: Credential) -> Identity | None:
        identity = self._authenticator.authenticate(credential)
        if identity is None:
            return None
        made_by = basis_of(self._checked_by, self._method, identity)
        standing = _Standing(self._method, identity, made_by, identity.standing, self._in_force)
        return replace(identity, standing=standing)


@dataclass(frozen=True, slots=True)
class _Standing:
    """Equal ones end together."""

    method: ChainName
    identity: Identity
    made_by: Hashable
    also: object
    in_force: AuthInForce = field(compare=False, repr=False)

    def __call__(self) -> bool:
        now = basis_of(self.in_force.settings, self.method, self.identity)
        if self.made_by is None or now != self.made_by:
            return False
        return not callable(self.also) or bool(self.also())


def basis_of(settings: AuthSettings, method: ChainName, identity: Identity) -> Hashable:
    """What lets this identity in by this method, None: nothing any more. Of users with passwords
    and of keys it is known elsewhere whether they are still good."""
    if method not in settings.chain:
        return None
    match method:
        case "oidc" | "browser":
            issuers = settings.oidc.values()
            return next((one for one in issuers if one.issuer == identity.issuer), None)
        case "ldap":
            return settings.ldap if settings.ldap.url else None
        case "certificates":
            return settings.certificate_pattern, settings.users.get(identity.user)
        case "anonymous":
            return settings.anonymous_allowed or None
        case "api_keys":
            return settings.api_keys is not False or None
        case "users":
            return True
