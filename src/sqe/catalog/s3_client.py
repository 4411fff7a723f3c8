"""Requests to an S3 store, signed with the keys of the user they are for."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from urllib.parse import quote, urlencode

from sqe.catalog.s3_place import S3Credentials
from sqe.catalog.sigv4 import NO_BODY
from sqe.http.client import Answer, Http, OpenAnswer, Readable

_CODE = re.compile(rb"<Code>([A-Za-z0-9.]{1,64})</Code>")


class S3Client:
    """Objects are named s3://bucket/key. ``keys`` is called for each request: a long task may need
    newer ones."""

    def __init__(self, http: Http, keys: Callable[[], S3Credentials]) -> None:
        self._http = http
        self._keys = keys

    def call(
        self,
        method: str,
        name: str,
        query: Mapping[str, str] | None = None,
        seconds: float | None = None,
    ) -> Answer:
        keys = self._keys()
        url = keys.url(name) + (f"?{urlencode(query, quote_via=quote)}" if query else "")
        return self._http.call(method, url, keys.sign(method, url), seconds=seconds)

    @contextmanager
    def open(
        self,
        method: str,
        name: str,
        headers: Mapping[str, str],
        body: Readable | None = None,
        digest: str = NO_BODY,
    ) -> Iterator[OpenAnswer]:
        """For long bodies; ``digest`` is the SHA-256 of the one to send."""
        keys = self._keys()
        url = keys.url(name)
        signed = keys.sign(method, url, headers, digest)
        with self._http.open(method, url, signed, body) as answer:
            yield answer


class ListedPage:
    """A page of a bucket's list. ValueError for what is none."""

    def __init__(self, body: bytes) -> None:
        page = parse_xml(body)
        self.objects = [
            {tag_of(field): field.text or "" for field in element}
            for element in page
            if tag_of(element) == "Contents"
        ]
        self.prefixes = [  # of what is further down, where a delimiter was named
            element.findtext("{*}Prefix") or ""
            for element in page
            if tag_of(element) == "CommonPrefixes"
        ]
        fields = {tag_of(element): element.text or "" for element in page}
        more = fields.get("IsTruncated") == "true"
        self.continuation = fields.get("NextContinuationToken", "") if more else ""


def parse_xml(body: bytes) -> ET.Element:
    """ValueError for what is none, or has declarations: those could make it grow."""
    if b"<!" in body:
        raise ValueError("declarations are not read")
    try:
        return ET.fromstring(body)  # noqa: S314  without declarations there are no entities
    except ET.ParseError as error:
        raise ValueError(str(error)) from None


def tag_of(element: ET.Element) -> str:
    """Without the namespace."""
    return element.tag.rpartition("}")[2]


def error_code(body: bytes) -> str:
    """S3's and STS's name for what is wrong; empty where there is none."""
    match = _CODE.search(body)
    return match.group(1).decode() if match else ""
