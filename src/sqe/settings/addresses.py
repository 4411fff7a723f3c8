"""Addresses of services in settings: none to which a token would travel readable."""

from __future__ import annotations

from urllib.parse import urlsplit

from sqe.model.hosts import is_own_machine


def service_url(text: str) -> str:
    """The address without a slash at its end; ValueError says what is wrong with it."""
    parts = urlsplit(text.strip())
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("it is not an address that begins with https://")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ValueError("it must be an address alone: no user, no password, nothing after ? or #")
    if parts.scheme == "http" and not is_own_machine(parts.hostname):
        raise ValueError("http:// would let others read tokens on the way: use https://")
    return text.strip().rstrip("/")
