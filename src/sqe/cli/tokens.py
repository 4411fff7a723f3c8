"""Logins that are kept between calls of ``sqe``: in the system's keyring, or a private file."""

from __future__ import annotations

import fcntl
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from sqe.errors import ErrorCode, ResourceError
from sqe.model.identity import Secret
from sqe.model.passport import Token

_SERVICE = "sqe"  # what the keyring calls us


class Unusable(ResourceError):
    def __init__(self, path: Path, why: str) -> None:
        super().__init__(
            ErrorCode.HOME_IN_USE,
            f"Logins cannot be kept in {path} ({why}).",
            hint="Make it a folder of your own, or set XDG_STATE_HOME.",
        )


class NowhereToKeep(Unusable):
    """There is no folder for them, so none can be there."""


@dataclass(frozen=True, slots=True)
class Login:
    """What a login to a server is worth, and what renews it."""

    issuer: str
    client_id: str
    scopes: tuple[str, ...]
    token: Token = field(repr=False)
    refresh: Secret | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            "issuer": self.issuer,
            "client_id": self.client_id,
            "scopes": list(self.scopes),
            "token": self.token.value.reveal(),
            "expires_at": self.token.expires_at,
            "refresh": self.refresh.reveal() if self.refresh is not None else None,
        }

    @classmethod
    def of_json(cls, said: Any) -> Login | None:
        """None for what is not one (any more): then there is no login."""
        try:
            refresh = said["refresh"]
            return cls(
                str(said["issuer"]),
                str(said["client_id"]),
                tuple(map(str, said["scopes"])),
                Token(Secret(str(said["token"])), said["expires_at"]),
                Secret(str(refresh)) if refresh else None,
            )
        except (KeyError, TypeError):
            return None


class Logins(Protocol):
    """Kept logins by the server's address."""

    def get(self, server: str) -> Login | None: ...
    def put(self, server: str, login: Login) -> None: ...
    def remove(self, server: str) -> None: ...


class FileLogins:
    """One JSON file that only its owner can read."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def get(self, server: str) -> Login | None:
        return Login.of_json(self._read().get(server))

    def put(self, server: str, login: Login) -> None:
        self._write({**self._read(), server: login.to_json()})

    def remove(self, server: str) -> None:
        left = self._read()
        if left.pop(server, None) is not None:
            self._write(left)

    def _read(self) -> dict[str, Any]:
        try:
            document = json.loads(self._path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            raise Unusable(self._path, type(error).__name__) from None
        return document if isinstance(document, dict) else {}

    def _write(self, logins: dict[str, Any]) -> None:
        """As a whole: who reads it meanwhile sees the old one."""
        new = self._path.with_suffix(".new")
        try:
            new.unlink(missing_ok=True)
            descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with open(descriptor, "w", encoding="utf-8") as file:
                json.dump(logins, file)
            new.replace(self._path)
        except OSError as error:
            raise Unusable(self._path, error.strerror or "") from None


class KeyringLogins:
    """The system's keyring, which the desktop unlocks for its user."""

    def __init__(self, keyring: Any) -> None:
        self._keyring = keyring

    def get(self, server: str) -> Login | None:
        text = self._keyring.get_password(_SERVICE, server)
        try:
            return Login.of_json(json.loads(text)) if text else None
        except ValueError:
            return None

    def put(self, server: str, login: Login) -> None:
        self._keyring.set_password(_SERVICE, server, json.dumps(login.to_json()))

    def remove(self, server: str) -> None:
        if self._keyring.get_password(_SERVICE, server) is not None:
            self._keyring.delete_password(_SERVICE, server)


def server_name(url: str) -> str:
    """One name for one server, however its address is written."""
    from sqe.client.flight.options import FlightOptions

    return FlightOptions.of(url, {}).location


@contextmanager
def open_logins() -> Iterator[Logins]:
    """For one process at a time: a refresh token may be good for a single use."""
    folder = _state_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock = os.open(folder / "logins.lock", os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise NowhereToKeep(folder, error.strerror or "") from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield _open_keyring() or FileLogins(folder / "logins.json")
    finally:
        os.close(lock)


def _open_keyring() -> Logins | None:
    """None where there is none, or nobody has unlocked it."""
    try:
        import keyring
        from keyring.backends import fail

        backend = keyring.get_keyring()
        if isinstance(backend, fail.Keyring) or getattr(backend, "priority", 0) < 1:
            return None
        backend.get_password(_SERVICE, "")
    except Exception:  # noqa: BLE001  whatever is wrong with it, there is the file
        return None
    return KeyringLogins(backend)


def _state_folder() -> Path:
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "sqe"
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "sqe"
