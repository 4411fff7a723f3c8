"""A file of users that may change while SQE runs."""

from __future__ import annotations

import logging
import threading
import time
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path

from pydantic import ValidationError

from sqe.auth.user_table import StaticUser, UserTable
from sqe.errors import ErrorCode, SqeError, UserError
from sqe.settings.access import UserSettings, UsersFileSettings

_log = logging.getLogger(__name__)
_LOOK_S = 1.0
_Seen = tuple[int, int, int]

Made = Callable[[str, UserSettings], StaticUser]


class UsersFile:
    """The users of the settings and those of the file, which is looked at every second at most.

    A file that cannot be read or understood any more lets nobody of it in: whoever changed it may
    have wanted to shut somebody out.
    """

    def __init__(
        self,
        path: Path,
        settled: Mapping[str, UserSettings],
        made: Made,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """INVALID_SETTINGS if the file is not good to begin with."""
        self._path = path
        self._settled = dict(settled)
        self._made = made
        self._clock = clock
        self._lock = threading.Lock()
        self._seen = self._state()
        self._table = self._read()
        self._next = clock() + _LOOK_S

    def __call__(self) -> UserTable:
        with self._lock:
            if self._clock() >= self._next:
                self._next = self._clock() + _LOOK_S
                self._look()
            return self._table

    def _look(self) -> None:
        seen = self._state()
        if seen == self._seen:
            return
        self._seen = seen
        try:
            self._table = self._read()
            _log.info("the users file was read again")
        except SqeError as error:
            _log.error("nobody of the users file gets in: %s", error)
            self._table = self._of(self._settled)

    def _state(self) -> _Seen | None:
        try:
            stat = self._path.stat()
        except OSError:
            return None
        return stat.st_mtime_ns, stat.st_size, stat.st_ino

    def _read(self) -> UserTable:
        try:
            text = self._path.read_text(encoding="utf-8")
        except OSError as error:
            raise self._file_error(f"cannot be read: {error.strerror}") from None
        except UnicodeDecodeError:
            raise self._file_error("is not UTF-8") from None
        try:
            users = UsersFileSettings.model_validate(tomllib.loads(text)).auth.users
            both = sorted(set(users) & set(self._settled))
            if both:
                raise self._file_error(f"has {both[0]}, who is in the settings, too")
            return self._of(self._check_tokens({**self._settled, **users}))
        except tomllib.TOMLDecodeError as error:
            raise self._file_error(f"is not valid TOML: {error}") from None
        except ValidationError as error:
            first = error.errors(include_input=False)[0]
            place = ".".join(str(part) for part in first["loc"])
            raise self._file_error(f"has a mistake: {place}: {first['msg']}") from None

    def _check_tokens(self, users: dict[str, UserSettings]) -> dict[str, UserSettings]:
        """No token may be of two users, wherever they are written down."""
        tokens = [token.get_secret_value().lower() for u in users.values() for token in u.tokens]
        if len(set(tokens)) < len(tokens):
            raise self._file_error(
                "has a token that is there twice; give each user one of their own"
            )
        return users

    def _of(self, users: Mapping[str, UserSettings]) -> UserTable:
        return UserTable({name: self._made(name, user) for name, user in users.items()})

    def _file_error(self, what: str) -> UserError:
        return UserError(ErrorCode.INVALID_SETTINGS, f"auth.users_file: {self._path} {what}.")
