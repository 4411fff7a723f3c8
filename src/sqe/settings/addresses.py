"""Addresses of services in settings: none to which a secret would travel readable."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

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


POSTGRESQL, SQLITE = "postgresql+psycopg", "sqlite"
_ENCRYPTED = ("require", "verify-ca", "verify-full")


def check_database(url: str) -> None:
    """ValueError says what is wrong with the address of a database, without quoting it."""
    try:
        parts = urlsplit(url)
        host, query, _ = parts.hostname or "", parse_qs(parts.query), parts.port
    except ValueError:
        raise ValueError("it is not the address of a database") from None
    if parts.scheme == SQLITE:
        if not parts.path.startswith("//") or parts.netloc or parts.query:
            raise ValueError("write the whole path of the file, as sqlite:////folder/file.db")
        return
    if parts.scheme != POSTGRESQL:
        raise ValueError(f"it must begin with {POSTGRESQL}:// or {SQLITE}:///")
    named = [host, *query.get("host", [])]
    own = all(one == "" or one.startswith("/") or is_own_machine(one) for one in named)
    if not own and query.get("sslmode", [""])[-1] not in _ENCRYPTED:
        raise ValueError("add ?sslmode=verify-full: others could read the password on the way")


def database_address(url: str) -> str:
    """Where the database is, without the account and the options."""
    parts = urlsplit(url)
    host = parts.hostname or parse_qs(parts.query).get("host", [""])[0]
    port = f":{parts.port}" if parts.port else ""
    path = parts.path[1:] if parts.scheme == SQLITE else f"{host}{port}{parts.path}"
    return f"{parts.scheme.partition('+')[0]}://{path}"


def thrift_addresses(text: str) -> list[str]:
    """Of metastores. ValueError says what is wrong."""
    addresses = [one.strip() for one in text.split(",")]
    for one in addresses:
        parts = urlsplit(one)
        if parts.scheme != "thrift" or not parts.hostname or not parts.port or parts.path:
            raise ValueError("write thrift://host:9083, or several of them with commas between")
    return addresses
