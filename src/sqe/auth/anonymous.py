"""Nobody in particular, on this machine only."""

from __future__ import annotations

from sqe.auth.protocol import Credential, Nothing
from sqe.model.identity import Identity

ANONYMOUS = "anonymous"


class Anonymous:
    """A client on this machine that sends no credential. A wrong credential is still refused."""

    def authenticate(self, credential: Credential) -> Identity | None:
        local = isinstance(credential, Nothing) and credential.loopback is True
        return Identity(ANONYMOUS) if local else None
