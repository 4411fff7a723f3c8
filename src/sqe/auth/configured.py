"""The authenticators that the settings ask for."""

from __future__ import annotations

import re

from sqe.auth.anonymous import Anonymous
from sqe.auth.certificates import Certificates
from sqe.auth.chain import Authenticators
from sqe.auth.protocol import Authenticator
from sqe.auth.static_users import StaticUser, StaticUsers
from sqe.model.password_hash import PasswordHash
from sqe.settings.access import TOKEN_PREFIX, AuthSettings, UserSettings


def authenticators(settings: AuthSettings) -> Authenticators:
    users = {name: _user(name, user) for name, user in settings.users.items()}
    chain: list[Authenticator] = []
    if users:
        chain.append(StaticUsers(users))
    if settings.knows_certificates:
        subjects = {
            subject: users[name]
            for name, user in settings.users.items()
            for subject in user.certificates
        }
        pattern = re.compile(settings.certificate_pattern) if settings.certificate_pattern else None
        chain.append(Certificates(subjects, pattern, users))
    if settings.anonymous_allowed:
        chain.append(Anonymous())
    return Authenticators(chain)


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
