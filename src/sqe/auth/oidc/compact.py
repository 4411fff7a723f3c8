"""A JWT taken apart. Nothing in it is believed yet."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

LONGEST = 16_384  # as an Authorization header may be
_LONGEST_HEADER = 4_096


@dataclass(frozen=True, slots=True)
class Compact:
    """``signed`` is what the signature is over."""

    header: Mapping[str, Any] = field(repr=False)
    claims: Mapping[str, Any] = field(repr=False)
    signed: bytes = field(repr=False)
    signature: bytes = field(repr=False)


def is_jwt(text: str) -> bool:
    """It has a JWT's shape, so nobody has to be asked about it."""
    return text.count(".") == 2


def parse_compact(text: str) -> Compact | None:
    """None for what is no signed JWT: too long, encrypted, nested, or not clear."""
    if len(text) > LONGEST or not is_jwt(text) or not text.isascii():
        return None
    header, claims, signature = text.split(".")
    if len(header) > _LONGEST_HEADER or not signature:
        return None
    try:
        return Compact(
            _object(_decode(header)),
            _object(_decode(claims)),
            f"{header}.{claims}".encode(),
            _decode(signature),
        )
    except (ValueError, RecursionError):
        return None


def _decode(part: str) -> bytes:
    """Base64url without padding, and only so: one token has one spelling."""
    try:
        raw = base64.b64decode(part + "=" * (-len(part) % 4), altchars=b"-_", validate=True)
    except binascii.Error as error:
        raise ValueError("not base64url") from error
    if base64.urlsafe_b64encode(raw).rstrip(b"=").decode() != part:
        raise ValueError("not the one spelling")
    return raw


def _object(raw: bytes) -> dict[str, Any]:
    decoded = json.loads(raw, object_pairs_hook=_once, parse_constant=_no_number)
    if not isinstance(decoded, dict):
        raise ValueError("not an object")
    return decoded


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A name that is there twice would mean one thing to us and another to the catalog."""
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("a name is there twice")
    return members


def _no_number(text: str) -> Any:
    raise ValueError("not a number")
