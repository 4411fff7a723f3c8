"""Nobody in particular, on this machine only."""

from __future__ import annotations

from sqe.auth.protocol import Credential, Nothing
from sqe.model.identity import Identity

ANONYMOUS = "anonymous"


class Anonymous:
    """Whoever connects from this machine and shows nothing. A wrong credential stays wrong."""

    def authenticate(self, credential: Credential) -> Identity | None:
        local = isinstance(credential, Nothing) and credential.loopback is True
        return Identity(ANONYMOUS) if local else None
