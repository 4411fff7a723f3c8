"""What a client can show, and who can say whose it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from sqe.model.identity import Identity, Secret


@dataclass(frozen=True, slots=True)
class Password:
    user: str
    password: Secret


@dataclass(frozen=True, slots=True)
class Bearer:
    token: Secret


@dataclass(frozen=True, slots=True)
class Certificate:
    """Of a client, checked by TLS against our authorities."""

    subject: str


@dataclass(frozen=True, slots=True)
class Nothing:
    """No credential at all. ``loopback``: the connection comes from this machine."""

    loopback: bool


Credential = Password | Bearer | Certificate | Nothing


class Authenticator(Protocol):
    """Asked in order, until one knows the credential."""

    def authenticate(self, credential: Credential) -> Identity | None:
        """Whose credential it is. None: not of a kind, or of a user, known here; another may.

        Raises AUTHENTICATION_FAILED for one that is known here and not good (any more).
        """
        ...
