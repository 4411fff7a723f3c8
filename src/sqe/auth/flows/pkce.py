"""Proof that a code is redeemed by the program that asked for it: RFC 7636."""

from __future__ import annotations

import base64
import hashlib


def challenge(verifier: str) -> dict[str, str]:
    """The fields that go out first; the verifier itself goes out last, to the issuer alone."""
    digest = hashlib.sha256(verifier.encode()).digest()
    text = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
    return {"code_challenge": text, "code_challenge_method": "S256"}
