"""What a client keeps of its session, in the headers of its requests, and what it shall keep."""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass
from typing import overload
from urllib.parse import quote_plus, unquote_plus

import pyarrow as pa
from starlette.datastructures import Headers

from sqe.model.query import ClientChanges, ClientState
from sqe.model.tracing import NO_TRACE, ClientTrace, client_trace_of
from sqe.trino.http.errors import Refusal, bad_request

PREFIX = "x-trino-"
ENCODING = "X-Trino-Query-Data-Encoding"
_NO_TRANSACTION = "NONE"
_ROLE_OF_ALL = "system"
# A long prepared statement would make every later request long, so it is sent compressed.
_COMPRESSED, _LONG = "$zstd:", 2048
_SOURCE = 200
_ENDING = re.compile(r"\s*(commit|rollback)\b", re.IGNORECASE)
CLEARED = ("X-Trino-Clear-Transaction-Id", "true")


@dataclass(frozen=True, slots=True)
class Client:
    """What a POST says besides its statement."""

    state: ClientState
    source: str = ""
    transaction: str = ""
    encodings: tuple[str, ...] = ()
    trace: ClientTrace = NO_TRACE

    def left_by(self, text: str) -> bool:
        """Whether the client's transaction is over with this statement, even if it fails: a client
        that was not told so could never get out of it."""
        return bool(self.transaction and _ENDING.match(text))


def client_of(headers: Headers, statement_bytes: int) -> Client:
    """Status 400 for headers that are not understood. ``statement_bytes`` limits prepared ones."""
    transaction = _value_of(headers, "transaction-id")
    roles = _pairs(headers, "role")
    state = ClientState(
        catalog=_value_of(headers, "catalog"),
        schema=_value_of(headers, "schema"),
        path=_value_of(headers, "path"),
        time_zone=_value_of(headers, "time-zone") or "UTC",
        role=roles.get(_ROLE_OF_ALL, ""),
        properties=_pairs(headers, "session"),
        prepared={
            name: _decompress(text, statement_bytes)
            for name, text in _pairs(headers, "prepared-statement").items()
        },
        tags=frozenset(_items(headers, "client-tags")),
        estimates=_pairs(headers, "resource-estimate"),
        transactions=bool(transaction),
        capabilities=frozenset(item.upper() for item in _items(headers, "client-capabilities")),
    )
    return Client(
        state=state,
        source=(_value_of(headers, "source") or headers.get("user-agent", ""))[:_SOURCE],
        transaction="" if transaction.upper() == _NO_TRANSACTION else transaction,
        trace=client_trace_of(lambda name: headers.get(name, "")),
        encodings=tuple(item.lower() for item in _items(headers, "query-data-encoding")),
    )


def change_headers(changes: ClientChanges) -> list[tuple[str, str]]:
    """One header for each change."""
    single = {
        "Set-Catalog": _header_value(changes.catalog),
        "Set-Schema": _header_value(changes.schema),
        "Set-Path": _header_value(changes.path),
        "Set-Role": changes.role and f"{_ROLE_OF_ALL}={_encode(changes.role)}",
        "Started-Transaction-Id": changes.started_transaction,
        "Clear-Transaction-Id": "true" if changes.ended_transaction else None,
        "Set-Authorization-User": _header_value(changes.authorization_user),
        "Reset-Authorization-User": "true" if changes.reset_authorization_user else None,
    }
    headers = [(name, value) for name, value in single.items() if value is not None]
    headers += [
        ("Set-Session", f"{_header_value(name)}={_encode(value)}")
        for name, value in changes.set_properties.items()
    ]
    headers += [("Clear-Session", _header_value(name)) for name in changes.reset_properties]
    headers += [
        ("Added-Prepare", f"{_encode(name)}={_encode(_compress(text))}")
        for name, text in changes.added_prepared.items()
    ]
    headers += [("Deallocated-Prepare", _encode(name)) for name in changes.dropped_prepared]
    return [(f"X-Trino-{name}", value) for name, value in headers]


def _value_of(headers: Headers, name: str) -> str:
    return _text(headers.get(PREFIX + name, "")).strip()


def _items(headers: Headers, name: str) -> list[str]:
    """A list may be one header with commas, several headers, or both."""
    values = headers.getlist(PREFIX + name)
    items = [item.strip() for value in values for item in _text(value).split(",")]
    return [item for item in items if item]


def _pairs(headers: Headers, name: str) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for item in _items(headers, name):
        key, equals, value = item.partition("=")
        if not equals or not key.strip():
            raise bad_request(f"Invalid X-Trino-{name.title()} header")
        pairs[_decode(key.strip(), name)] = _decode(value.strip(), name)
    return pairs


def _text(value: str) -> str:
    """Header values come as Latin-1; clients that send other letters mean UTF-8."""
    try:
        return value.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return value


def _decode(value: str, name: str) -> str:
    try:
        return unquote_plus(value, errors="strict")
    except UnicodeDecodeError:
        raise bad_request(f"Invalid X-Trino-{name.title()} header") from None


def _encode(value: str) -> str:
    """As Java's URLEncoder does it."""
    return quote_plus(value, safe="*").replace("~", "%7E")


@overload
def _header_value(value: str) -> str: ...
@overload
def _header_value(value: None) -> None: ...
def _header_value(value: str | None) -> str | None:
    """As it is, where a header can have it."""
    if value is None or (value.isascii() and value.isprintable()):
        return value
    return _encode(value)


def _compress(text: str) -> str:
    if len(text) < _LONG:
        return text
    raw = pa.compress(text.encode(), codec="zstd", asbytes=True)
    return _COMPRESSED + base64.b64encode(raw).decode()


def _decompress(text: str, limit: int) -> str:
    if not text.startswith(_COMPRESSED):
        return text
    try:
        raw = base64.b64decode(text.removeprefix(_COMPRESSED), validate=True)
        stream = pa.CompressedInputStream(pa.BufferReader(raw), "zstd")
        raw_text = bytes(stream.read(limit + 1))  # never more, however small it was made
        if len(raw_text) <= limit:
            return raw_text.decode("utf-8")
    except (binascii.Error, ValueError, OSError, pa.ArrowException):
        pass
    raise Refusal(400, "Invalid X-Trino-Prepared-Statement header")
