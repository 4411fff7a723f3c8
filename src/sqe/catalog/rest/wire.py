"""Requests and answers of the Iceberg REST specification, as bytes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import unquote_plus

from starlette.responses import Response

from sqe.catalog.protocol import Ident, Json, Loaded, Namespace
from sqe.errors import ErrorCode, UserError

SEPARATOR = "\x1f"
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RestCall:
    """One request: what the path, query, headers and body say."""

    method: str
    path: Mapping[str, str]
    query: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    content: bytes = b""

    @property
    def namespace(self) -> Namespace:
        return tuple(self.path["namespace"].split(SEPARATOR))

    @property
    def table(self) -> Ident:
        return Ident(self.namespace, self.path["table"])

    @property
    def view(self) -> Ident:
        return Ident(self.namespace, self.path["view"])

    @property
    def body(self) -> Json:
        try:
            parsed = json.loads(self.content)
        except ValueError:
            raise request_error("the body is not JSON.") from None
        if not isinstance(parsed, dict):
            raise request_error("the body is not a JSON object.")
        return parsed

    def flag(self, name: str) -> bool:
        return self.query.get(name, "false").lower() == "true"


def request_error(what: str) -> UserError:
    return UserError(ErrorCode.INVALID_ARGUMENT, f"Malformed request: {what}")


def segments(raw_path: bytes) -> list[str]:
    """The parts of a path. They are decoded after the split: a name may hold a slash.

    Java's client writes a space as a plus sign.
    """
    return [unquote_plus(part) for part in raw_path.decode("latin-1").strip("/").split("/")]


def ident_of(value: Any) -> Ident:
    if not isinstance(value, dict):
        raise request_error("an identifier is missing.")
    namespace, name = value.get("namespace"), value.get("name")
    if not isinstance(namespace, list) or not isinstance(name, str):
        raise request_error("an identifier has no namespace or name.")
    return Ident(tuple(str(level) for level in namespace), name)


def json_answer(body: Json, status: int = 200) -> Response:
    content = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    return Response(content, status, media_type="application/json")


def no_content() -> Response:
    return Response(status_code=204)


def page(call: RestCall, entries: list[T]) -> tuple[list[T], str | None]:
    """The page that was asked for, and the token of the next. A token counts entries."""
    if "pageSize" not in call.query and not call.query.get("pageToken"):
        return entries, None
    try:
        start = int(call.query.get("pageToken") or 0)
        size = int(call.query.get("pageSize") or 1000)
    except ValueError:
        raise request_error("pageToken or pageSize is not a number.") from None
    if size < 1 or start < 0:
        raise request_error("pageToken or pageSize is out of range.")
    end = start + size
    return entries[start:end], str(end) if end < len(entries) else None


def answer_of_loaded(call: RestCall, loaded: Loaded, restrictions: str = "") -> Response:
    """A table or view with its stored metadata, byte for byte. ``restrictions``: JSON that the
    engine has to carry out."""
    mode = call.query.get("snapshots", "all")
    tag = etag(loaded, mode)
    if tag and call.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers={"ETag": tag})
    metadata = refs_only(loaded) if mode == "refs" else loaded.metadata_json
    parts = [b'"metadata":' + metadata, b'"config":' + _dump(dict(loaded.config))]
    if loaded.metadata_location is not None:
        parts.insert(0, b'"metadata-location":' + _dump(loaded.metadata_location))
    if loaded.storage_credentials:
        parts.append(b'"storage-credentials":' + _dump(list(loaded.storage_credentials)))
    if restrictions:
        parts.append(b'"read-restrictions":' + restrictions.encode())
    content = b"{" + b",".join(parts) + b"}"
    return Response(content, headers={"ETag": tag} if tag else None, media_type="application/json")


def etag(loaded: Loaded, mode: str) -> str | None:
    if loaded.metadata_location is None:
        return None
    text = f"{mode} {loaded.metadata_location}"
    return f'W/"{hashlib.sha256(text.encode()).hexdigest()[:32]}"'


def refs_only(loaded: Loaded) -> bytes:
    """The metadata with only the snapshots that a branch or tag points to."""
    metadata = loaded.metadata
    kept = {ref["snapshot-id"] for ref in (metadata.get("refs") or {}).values()}
    kept.add(metadata.get("current-snapshot-id"))
    trimmed = dict(metadata)
    for key in ("snapshots", "statistics", "partition-statistics"):
        if key in trimmed:
            trimmed[key] = [e for e in trimmed[key] or () if e["snapshot-id"] in kept]
    return _dump(trimmed)


def _dump(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
