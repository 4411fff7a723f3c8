"""Requests to the test catalog, as a client that hides nothing."""

from __future__ import annotations

import json
from typing import Any

from sqe.errors import ErrorCode
from sqe.http.client import Answer, Http, HttpOptions
from tests.unit.catalog.tables import SCHEMA


class Asker:
    def __init__(self, url: str, token: str | None) -> None:
        self.url = url
        self._headers = {"authorization": f"Bearer {token}"} if token else {}
        options = HttpOptions("the test catalog", ErrorCode.CATALOG_UNAVAILABLE, total_s=20)
        self._http = Http(options)

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        content = json.dumps(body).encode() if body is not None else None
        url = f"{self.url}/v1/{path}"
        return self._http.call(method, url, {**self._headers, **named}, content)

    def get(self, path: str, **headers: str) -> Answer:
        return self.ask("GET", path, **headers)

    def post(self, path: str, body: Any, **headers: str) -> Answer:
        return self.ask("POST", path, body, **headers)

    def make(self, namespace: str, table: str) -> Answer:
        path = f"lake/namespaces/{namespace}/tables"
        answer = self.post(path, {"name": table, "schema": SCHEMA})
        assert answer.status == 200, answer.body
        return answer


def error(answer: Answer) -> tuple[int, str, str]:
    """Status, type and message of a refusal, once the body agrees with the status."""
    said = answer.json()["error"]
    assert said["code"] == answer.status
    assert set(said) == {"message", "type", "code"}
    return answer.status, said["type"], said["message"]
