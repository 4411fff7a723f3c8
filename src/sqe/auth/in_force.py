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


class WithStanding:
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
        who = _Who(self._method, identity.user, identity.issuer)
        basis = basis_of(self._checked_by, who)
        return replace(identity, standing=_Standing(who, basis, identity.standing, self._in_force))


@dataclass(frozen=True, slots=True)
class _Who:
    method: ChainName
    user: str
    issuer: str


@dataclass(frozen=True, slots=True)
class _Standing:
    """Equal ones end together."""

    who: _Who
    basis: Hashable = field(repr=False)
    also: object = field(repr=False)
    in_force: AuthInForce = field(compare=False, repr=False)

    def __call__(self) -> bool:
        if self.basis is None or basis_of(self.in_force.settings, self.who) != self.basis:
            return False
        return not callable(self.also) or bool(self.also())


def basis_of(settings: AuthSettings, who: _Who) -> Hashable:
    """What lets them in by this method, None: nothing any more. Of users with passwords and of
    keys it is known elsewhere whether they are still good."""
    if who.method not in settings.chain:
        return None
    match who.method:
        case "oidc" | "browser":
            issuers = settings.oidc.values()
            return next((one for one in issuers if one.issuer == who.issuer), None)
        case "ldap":
            return settings.ldap if settings.ldap.url else None
        case "certificates":
            return settings.certificate_pattern, settings.users.get(who.user)
        case "anonymous":
            return settings.anonymous_allowed or None
        case "api_keys":
            return settings.api_keys is not False or None
        case "users":
            return True
