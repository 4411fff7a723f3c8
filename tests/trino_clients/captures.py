"""Recorded conversations of clients with a real Trino, said again to another server.

What is compared is the shape of the answers: fields, columns with their types, headers for the
client, errors and their places, and what kind of JSON values the first row has.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2 as httpx

REPOSITORY = Path(__file__).parents[2]
# Beside the corpora; read here because tests do not see the developer's environment.
FOLDER = (
    Path(os.environ.get("SQE_CORPORA") or REPOSITORY.parent / "shared" / "corpora").parent
    / "captures"
    / "trino"
)
# A project that stands on what another made comes after it.
ORDER = (
    "cli_error", "cli_execute", "cli_interactive", "cli_multi", "dbt_debug", "dbt_run_first",
    "dbt_test", "dbt_docs", "jdbc_meta_484", "python_client", "sqlalchemy",
)  # fmt: skip
_REQUEST = re.compile(r"^=== #(\d+) REQUEST\n", re.M)
_TRANSACTION = "x-trino-transaction-id"
# The recorded Trino had no spooling, so it did as if the last had not been sent.
_NOT_SENT = (
    "host", "content-length", "connection", "accept-encoding", "x-trino-query-data-encoding",
)  # fmt: skip
_KEPT = "x-trino-"
# They are there as long as more is to come, so it is a matter of how quick the server is.
_AS_IT_COMES = ("data", "nextUri", "partialCancelUri")


@dataclass(frozen=True)
class Page:
    headers: Mapping[str, str]
    body: Mapping[str, Any]


@dataclass
class Statement:
    """One statement as a client sent it, and the pages it was answered with."""

    number: int
    text: str
    headers: Mapping[str, str]
    pages: list[Page] = field(default_factory=list)
    cancelled: bool = False


def statements(name: str) -> list[Statement]:
    found: dict[str, Statement] = {}
    parts = _REQUEST.split((FOLDER / f"{name}.txt").read_text("utf-8"))[1:]
    for number, block in zip(parts[::2], parts[1::2], strict=True):
        request, _, response = block.partition(f"--- #{number} RESPONSE\n")
        head, _, text = request.partition("\n\n")
        first, headers = _headers(head)
        if first.startswith("DELETE"):
            found[first.split("/")[4]].cancelled = True
        if "/v1/statement" not in first or first.startswith("DELETE"):
            continue
        answer_head, _, body = response.partition("\n\n")
        page = Page(_headers(answer_head)[1], json.loads(body))
        query = str(page.body["id"])
        if first.startswith("POST"):
            found[query] = Statement(int(number), text.strip(), headers)
        found[query].pages.append(page)
    return list(found.values())


def _headers(head: str) -> tuple[str, dict[str, str]]:
    first, *lines = head.splitlines()
    pairs = (line.partition(":") for line in lines if ":" in line)
    return first, {name.strip().lower(): value.strip() for name, _, value in pairs}


class Replay:
    """Says statements again, with what this server gave for what the other had given."""

    def __init__(self, address: str) -> None:
        self._client = httpx.Client(base_url=address, timeout=120)
        self._transactions: dict[str, str] = {}

    def close(self) -> None:
        self._client.close()

    def said(self, statement: Statement) -> list[Page]:
        headers = {k: v for k, v in statement.headers.items() if k not in _NOT_SENT}
        mine = self._transactions.get(headers.get(_TRANSACTION, ""))
        if mine is not None:
            headers[_TRANSACTION] = mine
        pages = list(self._pages(statement, headers))
        started = "x-trino-started-transaction-id"
        theirs = [page.headers[started] for page in statement.pages if started in page.headers]
        ours = [page.headers[started] for page in pages if started in page.headers]
        if theirs and ours:
            self._transactions[theirs[0]] = ours[0]
        return pages

    def _pages(self, statement: Statement, headers: dict[str, str]) -> Iterator[Page]:
        answer = self._client.post(
            "/v1/statement", content=statement.text.encode(), headers=headers
        )
        while True:
            page = Page(dict(answer.headers), answer.raise_for_status().json())
            yield page
            following = page.body.get("nextUri")
            if following is None:
                return
            if statement.cancelled and "columns" in page.body:
                self._client.delete(following, headers=headers).raise_for_status()
                return
            answer = self._client.get(following, headers=headers)


def shape(pages: list[Page]) -> dict[str, Any]:
    """By path, as ``columns.0.type``. Where pages differ, the last one with the field counts."""
    body: dict[str, Any] = {}
    told: dict[str, str] = {}
    row: list[Any] | None = None
    for page in pages:
        body |= page.body
        told |= {k: v for k, v in page.headers.items() if k.startswith(_KEPT)}
        row = row or next(iter(_rows(page.body.get("data"))), None)
    found: dict[str, Any] = {name: True for name in body if name not in _AS_IT_COMES}
    found |= {f"stats.{name}": True for name in body["stats"]}
    for number, column in enumerate(body.get("columns") or ()):
        found |= {f"columns.{number}.{key}": value for key, value in column.items()}
    found |= {f"header.{name}": _header(name, value) for name, value in told.items()}
    if row is not None:
        found |= {f"row.{number}": type(value).__name__ for number, value in enumerate(row)}
    if "updateType" in body:
        found["updateType"] = body["updateType"]
    if "error" in body:
        found |= _error(body["error"])
    return found


def _rows(data: Any) -> list[list[Any]]:
    """Rows of the direct protocol; those of segments are another encoding of the same."""
    return data if isinstance(data, list) else []


def _header(name: str, value: str) -> str:
    return "an id" if "transaction-id" in name and "clear" not in name else value


def _error(error: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {f"error.{name}": True for name in error}
    found |= {f"error.failureInfo.{name}": True for name in error["failureInfo"]}
    for name in ("errorCode", "errorName", "errorType", "errorLocation"):
        found[f"error.{name}"] = error.get(name)
    return found
