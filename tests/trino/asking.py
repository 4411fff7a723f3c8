"""A client of Trino's protocol that leaves everything as it is on the wire.

It does what the protocol asks of clients and no more: it follows the pages and keeps what the
server tells it to keep.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPResponse
from typing import Any
from urllib.parse import quote_plus, unquote_plus, urlsplit

USER = "lab"
_CAPABILITIES = "PARAMETRIC_DATETIME"
_WAIT_S = 120


@dataclass(frozen=True)
class Answer:
    """What came back."""

    columns: list[dict[str, str]] = field(default_factory=list)  # their names and types
    data: list[list[Any]] = field(default_factory=list)
    error: str = ""
    code: int = 0
    kind: str = ""
    message: str = ""
    location: tuple[int, int] | None = None
    update_type: str = ""
    update_count: int | None = None


@dataclass
class _Kept:
    """What a client keeps from one statement to the next."""

    catalog: str = ""
    schema: str = ""
    transaction: str = "NONE"
    properties: dict[str, str] = field(default_factory=dict)
    prepared: dict[str, str] = field(default_factory=dict)

    def headers(self) -> dict[str, str]:
        found = {
            "Catalog": self.catalog,
            "Schema": self.schema,
            "Transaction-Id": self.transaction,
            "Session": _pairs(self.properties),
            "Prepared-Statement": _pairs(self.prepared),
        }
        return {f"X-Trino-{name}": value for name, value in found.items() if value}

    def keep(self, response: HTTPResponse) -> None:
        told = response.headers
        self.catalog = told.get("X-Trino-Set-Catalog", self.catalog)
        self.schema = told.get("X-Trino-Set-Schema", self.schema)
        self.transaction = told.get("X-Trino-Started-Transaction-Id", self.transaction)
        if "X-Trino-Clear-Transaction-Id" in told:
            self.transaction = "NONE"
        self.properties |= _of_pairs(told.get_all("X-Trino-Set-Session", []))
        self.prepared |= _of_pairs(told.get_all("X-Trino-Added-Prepare", []))
        for name in told.get_all("X-Trino-Clear-Session", []):
            self.properties.pop(unquote_plus(name), None)
        for name in told.get_all("X-Trino-Deallocated-Prepare", []):
            self.prepared.pop(unquote_plus(name), None)


class Client:
    """One connection and what it keeps; not for several threads."""

    def __init__(
        self,
        address: str,
        catalog: str = "",
        schema: str = "",
        user: str = USER,
        properties: Mapping[str, str] | None = None,
    ) -> None:
        self._connection = HTTPConnection(urlsplit(address).netloc, timeout=_WAIT_S)
        self._user = user
        self._kept = _Kept(catalog, schema, properties=dict(properties or {}))

    def close(self) -> None:
        self._connection.close()

    def ask(self, sql: str) -> Answer:
        page = self._page("POST", "/v1/statement", sql.encode())
        columns: list[dict[str, Any]] = []
        data: list[list[Any]] = []
        while True:
            columns = page.get("columns") or columns
            data += page.get("data") or []
            if "nextUri" not in page:
                break
            page = self._page("GET", urlsplit(page["nextUri"]).path)
        if "error" in page:
            return _failed(page["error"])
        shown = [{"name": one["name"], "type": one["type"]} for one in columns]
        kind, count = page.get("updateType", ""), page.get("updateCount")
        return Answer(shown, data, update_type=kind, update_count=count)

    def _page(self, method: str, path: str, body: bytes | None = None) -> dict[str, Any]:
        headers = {
            "X-Trino-User": self._user,
            "X-Trino-Client-Capabilities": _CAPABILITIES,
            **self._kept.headers(),
        }
        self._connection.request(method, path, body, headers)
        response = self._connection.getresponse()
        content = response.read()
        assert response.status == 200, f"{response.status}: {content.decode()}"
        self._kept.keep(response)
        page: dict[str, Any] = json.loads(content)
        return page


def _failed(error: dict[str, Any]) -> Answer:
    place = error.get("errorLocation")
    return Answer(
        error=error["errorName"],
        code=error["errorCode"],
        kind=error["errorType"],
        message=error["message"],
        location=(place["lineNumber"], place["columnNumber"]) if place else None,
    )


def _pairs(values: Mapping[str, str]) -> str:
    return ",".join(f"{quote_plus(name)}={quote_plus(value)}" for name, value in values.items())


def _of_pairs(values: list[str]) -> dict[str, str]:
    pairs = (value.partition("=") for value in values)
    return {unquote_plus(name): unquote_plus(value) for name, _, value in pairs}
