"""The authenticators that the settings ask for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from sqe.auth.anonymous import Anonymous
from sqe.auth.api_keys import ApiKeyUsers
from sqe.auth.attempts import LoginAttempts
from sqe.auth.certificates import Certificates
from sqe.auth.chain import Authenticators
from sqe.auth.in_force import AuthInForce, WithStanding
from sqe.auth.protocol import Authenticator
from sqe.auth.static_users import StaticUsers
from sqe.auth.user_table import StaticUser, Users, constant_users
from sqe.auth.users_file import UsersFile
from sqe.model.access_event import UNRECORDED, AccessRecorder
from sqe.model.password_hash import PasswordHash
from sqe.settings.access import TOKEN_PREFIX, AuthSettings, UserSettings
from sqe.store.api_keys import ApiKeys


@dataclass(frozen=True, slots=True)
class AuthParts:
    """What the settings do not hold. Without ``keys`` there are no API keys."""

    home: Path = Path()
    keys: ApiKeys | None = None
    browser: Authenticator | None = None
    oidc: Authenticator | None = None
    recorder: AccessRecorder = UNRECORDED
    in_force: AuthInForce | None = None  # where the settings may change


def authenticators(settings: AuthSettings, around: AuthParts | None = None) -> Authenticators:
    around = around or AuthParts()
    return Authenticators(chain_of(settings, around), around.recorder, attempts_of(settings))


def attempts_of(settings: AuthSettings) -> LoginAttempts | None:
    return LoginAttempts(settings.failed_logins) if settings.failed_logins else None


def chain_of(settings: AuthSettings, around: AuthParts) -> list[Authenticator]:
    in_force = around.in_force
    users = in_force.users if in_force is not None else users_of(settings, around.home)
    chain: dict[str, Authenticator | None] = {"browser": around.browser, "oidc": around.oidc}
    if around.keys is not None and settings.api_keys is not False:
        chain["api_keys"] = ApiKeyUsers(around.keys)
    if settings.users or settings.users_file is not None:
        chain["users"] = StaticUsers(
            users, changing=in_force is not None or settings.users_file is not None
        )
    if settings.oidc and around.oidc is None:
        from sqe.auth.oidc.oidc import Oidc

        chain["oidc"] = Oidc(settings.oidc)
    if settings.ldap.url:
        from sqe.auth.ldap import Ldap  # only then: it takes a while to import

        chain["ldap"] = Ldap(settings.ldap)
    if settings.knows_certificates:
        chain["certificates"] = _certificates(settings, users)
    if settings.anonymous_allowed:
        chain["anonymous"] = Anonymous()
    asked: list[Authenticator] = []
    for name in settings.chain:
        one = chain.get(name)
        if one is not None:
            asked.append(one if in_force is None else WithStanding(name, one, settings, in_force))
    return asked


def users_of(settings: AuthSettings, home: Path) -> Users:
    if settings.users_file is None:
        return constant_users({name: _user(name, user) for name, user in settings.users.items()})
    return UsersFile(home / settings.users_file.expanduser(), settings.users, _user)


def _certificates(settings: AuthSettings, users: Users) -> Certificates:
    subjects = {
        subject: _user(name, user)
        for name, user in settings.users.items()
        for subject in user.certificates
    }
    pattern = re.compile(settings.certificate_pattern) if settings.certificate_pattern else None
    return Certificates(subjects, pattern, users)


def _user(name: str, settings: UserSettings) -> StaticUser:
    password = settings.password.get_secret_value()
    return StaticUser(
        name,
        PasswordHash.parse(password) if password else None,
        tuple(
            bytes.fromhex(token.get_secret_value().removeprefix(TOKEN_PREFIX))
            for token in settings.tokens
        ),
        frozenset(settings.groups),
        frozenset(settings.roles),
    )
