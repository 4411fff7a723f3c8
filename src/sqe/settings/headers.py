"""Headers in settings, which are sent with every call of a service."""

from __future__ import annotations

import re

from pydantic import SecretStr

_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")


def check_headers(headers: dict[str, SecretStr], own: frozenset[str]) -> dict[str, SecretStr]:
    """The headers; ValueError says what is wrong with one. ``own``: those that SQE sends."""
    for name, value in headers.items():
        if not _HEADER.fullmatch(name) or not value.get_secret_value().isprintable():
            raise ValueError(f"{name} is not a header, or its value has control characters")
        if name.lower() in own:
            raise ValueError(f"{name} is SQE's own to send")
    return headers
