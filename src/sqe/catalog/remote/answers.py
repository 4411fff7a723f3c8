"""What a catalog answers, taken apart. ValueError where it is not of the specification's shape."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import quote, unquote

from sqe.catalog.protocol import Json, Loaded, Namespace
from sqe.http.client import Answer

_BLANK = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()
_LEGAL = "/%:@!$&'()*+,;=~"  # in a path


def object_of(answer: Answer) -> Json:
    document = answer.json()
    if not isinstance(document, dict):
        raise ValueError("not an object")
    return document


def texts_of(value: Any) -> dict[str, str]:
    texts = {key: text for key, text in _object(value).items() if text is not None}
    if not all(isinstance(text, str) for text in texts.values()):
        raise ValueError("not an object of texts")
    return texts


def _object(value: Any) -> Json:
    if not isinstance(value, dict | None):
        raise ValueError("not an object")
    return value or {}


def loaded_of(answer: Answer) -> Loaded:
    """A table or view. The metadata are the very bytes that came: numbers and unknown parts stay
    as the catalog wrote them; so are the restrictions, which a policy source carries out."""
    text = answer.body.decode()
    members = _members(text)
    metadata, span = members.get("metadata", (None, slice(0)))
    location, _ = members.get("metadata-location", (None, span))
    credentials, _ = members.get("storage-credentials", (None, span))
    restrictions, demand = members.get("read-restrictions", (None, slice(0)))
    if not isinstance(metadata, dict) or not isinstance(location, str | None):
        raise ValueError("no metadata")
    if not all(isinstance(credential, dict) for credential in credentials or ()):
        raise ValueError("credentials that are none")
    config = texts_of(members.get("config", (None, span))[0])
    if not isinstance(restrictions, dict | None):
        raise ValueError("restrictions that are none")
    demanded = text[demand] if restrictions else ""
    loaded = Loaded(text[span].encode(), location, config, tuple(credentials or ()), demanded)
    loaded.__dict__["metadata"] = metadata  # parsed already: ``cached_property`` finds it there
    return loaded


def view_of(answer: Answer) -> Loaded:
    """A view. The specification has no restrictions on views, so nothing carries them out."""
    loaded = loaded_of(answer)
    if loaded.restrictions:
        raise Restricted
    return loaded


class Restricted(Exception):
    """It may be read only in part, in ways that SQE does not carry out."""


def _members(text: str) -> dict[str, tuple[Any, slice]]:
    """The members of a JSON object, each with its place in the text."""
    members: dict[str, tuple[Any, slice]] = {}
    at = _after(text, "{", _skip_blanks(text, 0))
    while text[at : at + 1] != "}":
        key, at = _DECODER.raw_decode(text, at)
        start = _after(text, ":", _skip_blanks(text, at))
        value, at = _DECODER.raw_decode(text, start)
        members[str(key)] = (value, slice(start, at))
        at = _skip_blanks(text, at)
        if text[at : at + 1] != "}":
            at = _after(text, ",", at)
    if _after(text, "}", at) != len(text):
        raise ValueError("more than an object")
    return members


def _skip_blanks(text: str, at: int) -> int:
    blank = _BLANK.match(text, at)
    return blank.end() if blank else at


def _after(text: str, sign: str, at: int) -> int:
    if text[at : at + 1] != sign:
        raise ValueError(f"no {sign}")
    return _skip_blanks(text, at + 1)


def names_of(page: Json) -> list[str]:
    """Of a list of tables or views."""
    return [str(entry["name"]) for entry in _entries(page, "identifiers")]


def namespaces_of(page: Json) -> list[Namespace]:
    return [tuple(map(str, levels)) for levels in _entries(page, "namespaces")]


def _entries(page: Json, key: str) -> list[Any]:
    entries = page.get(key) or []
    if not isinstance(entries, list):
        raise ValueError(f"{key} is no list")
    return entries


class CatalogConfig:
    """Of ``/v1/config`` what says how to ask. The rest could send a user's token or files
    elsewhere, so it has no effect."""

    def __init__(self, answer: Json) -> None:
        properties = {**_object(answer.get("defaults")), **_object(answer.get("overrides"))}
        self.prefix = quote(str(properties.get("prefix") or "").strip("/"), safe=_LEGAL)
        self.separator = unquote(str(properties.get("namespace-separator") or "%1F"))
        endpoints = answer.get("endpoints")
        self._endpoints = frozenset(map(str, endpoints)) if endpoints else None

    def has(self, endpoint: str) -> bool:
        """A catalog that does not say what it has may have everything."""
        return self._endpoints is None or endpoint in self._endpoints
