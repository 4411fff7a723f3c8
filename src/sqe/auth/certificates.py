"""Who a client's TLS certificate stands for."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sqe.auth.protocol import Certificate, Credential
from sqe.auth.user_table import StaticUser, Users
from sqe.model.identity import Identity

_LONGEST = 1_000  # subjects are names; nothing long is one


class Certificates:
    """``subjects`` names users one by one; ``pattern`` takes the user's name, its first group, out
    of every other subject that it fits as a whole."""

    def __init__(
        self,
        subjects: Mapping[str, StaticUser],
        pattern: re.Pattern[str] | None,
        users: Users,
    ) -> None:
        self._subjects = dict(subjects)
        self._pattern = pattern
        self._users = users

    def authenticate(self, credential: Credential) -> Identity | None:
        if not isinstance(credential, Certificate) or len(credential.subject) > _LONGEST:
            return None
        user = self._subjects.get(credential.subject) or self._user_of(credential.subject)
        return user.identity() if user is not None else None

    def _user_of(self, subject: str) -> StaticUser | None:
        match = self._pattern.fullmatch(subject) if self._pattern is not None else None
        name = match.group(1) if match is not None else None
        return self._users().by_name.get(name, StaticUser(name)) if name else None
