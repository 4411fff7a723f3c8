"""The credential in an ``Authorization`` header, as every protocol over HTTP has it."""

from __future__ import annotations

import base64
import binascii

from sqe.auth.protocol import Bearer, Password
from sqe.auth.refusal import credential_error
from sqe.model.identity import Secret

_LONGEST = 16_384  # of a credential; tokens are a few kB


def credential_in(value: str) -> Password | Bearer:
    """Raises AUTHENTICATION_FAILED for a header that is not understood."""
    if len(value) > _LONGEST:
        raise credential_error()
    scheme, _, rest = value.partition(" ")
    rest = rest.strip()
    if scheme.lower() == "bearer" and rest:
        return Bearer(Secret(rest))
    if scheme.lower() == "basic" and rest:
        return _password(rest)
    raise credential_error()


def _password(encoded: str) -> Password:
    try:
        padded = encoded + "=" * (-len(encoded) % 4)  # some clients leave the padding out
        user, colon, password = base64.b64decode(padded, validate=True).decode().partition(":")
    except (binascii.Error, ValueError):
        raise credential_error() from None
    if not colon or not user:
        raise credential_error()
    return Password(user, Secret(password))
