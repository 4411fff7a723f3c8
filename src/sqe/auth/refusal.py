"""What whoever is not let in is told."""

from __future__ import annotations

from sqe.errors import AccessError, ErrorCode


def credential_error() -> AccessError:
    """One text for everything: it must not tell whether a user exists or a token was ever good."""
    return AccessError(
        ErrorCode.AUTHENTICATION_FAILED,
        "The credential was not accepted.",
        hint="Check the user and password or the token; the server's administrator sets them.",
    )
