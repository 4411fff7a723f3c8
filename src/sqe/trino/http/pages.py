"""Pages: Trino's QueryResults, put together from ready-made JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Page:
    """An answer of status 200. ``packed``: its rows are compressed already."""

    body: bytes
    headers: tuple[tuple[str, str], ...] = ()
    packed: bool = False


@dataclass(frozen=True, slots=True)
class Uris:
    """Of one query, as its client reaches them. Empty: there is none."""

    info: str
    next: str = ""
    partial_cancel: str = ""

    def json(self) -> dict[str, object]:
        named = {"infoUri": self.info, "partialCancelUri": self.partial_cancel}
        return {key: uri for key, uri in (named | {"nextUri": self.next}).items() if uri}


@dataclass(frozen=True, slots=True)
class Content:
    """``columns`` and ``data`` are JSON already; empty: not there."""

    stats: Mapping[str, object]
    columns: bytes = b""
    data: bytes = b""
    error: Mapping[str, object] | None = None
    update_type: str = ""
    update_count: int | None = None


def page(
    query_id: str,
    uris: Uris,
    content: Content,
    headers: Sequence[tuple[str, str]] = (),
    packed: bool = False,
) -> Page:
    parts = [_members({"id": query_id, **uris.json()})]
    if content.columns:
        parts.append(b'"columns":' + content.columns)
        if content.data:
            parts.append(b'"data":' + content.data)
    rest: dict[str, object] = {"stats": content.stats}
    if content.error is not None:
        rest["error"] = content.error
    rest["warnings"] = []
    if content.update_type:
        rest["updateType"] = content.update_type
    if content.update_count is not None:
        rest["updateCount"] = content.update_count
    parts.append(_members(rest))
    return Page(b"{" + b",".join(parts) + b"}", tuple(headers), packed and bool(content.data))


def _members(values: Mapping[str, object]) -> bytes:
    """An object without its braces."""
    return json.dumps(values, separators=(",", ":")).encode()[1:-1]
