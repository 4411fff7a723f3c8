"""Objects of a bucket, listed, read and written as one user."""

from __future__ import annotations

import hashlib
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import FileIO
from urllib.parse import quote, urlencode

from sqe.catalog.sigv4 import NO_BODY, SigV4
from sqe.engines.locations.location import Location, UserKeys, error_code, parse_xml, tag_of
from sqe.engines.locations.source import ObjectSource
from sqe.errors import AccessError, ErrorCode, SqeError, Unanswered, UpstreamError, UserError
from sqe.http.client import Answer, OpenAnswer
from sqe.model.object_paths import SCHEME

ATTEMPTS = 3
PAUSE_S = 0.1  # before another attempt
_AGAIN = (408, 429, 500, 502, 503, 504)
_CHANGED = (404, 410, 412)
# Refusals with HTTP 403 that are about clocks and keys, not about what the user may do.
_NOT_OF_THE_USER = (
    "RequestTimeTooSkewed",
    "SignatureDoesNotMatch",
    "InvalidAccessKeyId",
    "InvalidTokenId",
    "InvalidToken",
    "ExpiredToken",
)


@dataclass(frozen=True, slots=True)
class RemoteObject:
    """``version`` is the store's own mark (ETag) of what it holds."""

    name: str  # s3://bucket/key
    size: int
    version: str
    bucket: UserBucket = field(repr=False, compare=False)

    @property
    def identity(self) -> str:
        """The same for the same content under the same name."""
        return f"{self.name}\0{self.size}\0{self.version}"


class UserBucket:
    """A bucket as one user sees it."""

    def __init__(self, location: Location, bucket: str, keys: UserKeys) -> None:
        self._location = location
        self._bucket = bucket
        self._keys = keys

    def head(self, key: str) -> RemoteObject | SqeError:
        """The object, or why there is none for this user."""
        answer = self._call("HEAD", self._name(key))
        if answer.status == 404:
            return absent(self._name(key))
        if answer.status == 403:
            return _denied(self._name(key))
        if answer.status != 200:
            raise self._failure(answer, self._name(key))
        size, version = (answer.headers.get(name, "") for name in ("content-length", "etag"))
        if not size.isdecimal():
            raise self._location.failure("it does not say how large an object is")
        return self._object(key, size, version)

    def list_objects(
        self, source: ObjectSource, check: Callable[[], None]
    ) -> Iterator[RemoteObject]:
        """All that may be the source's. ``check`` is called before each page and may raise."""
        prefix = source.prefix if source.is_pattern else source.path.folder.key
        deep = source.is_deep
        query = {"list-type": "2", "prefix": prefix, **({} if deep else {"delimiter": "/"})}
        while True:
            check()
            answer = self._call("GET", self._name(""), query)
            if answer.status != 200:
                raise self._failure(answer, str(source.path))
            try:
                page = parse_xml(answer.body)
                entries = (element for element in page if tag_of(element) == "Contents")
                objects = [self._listed(entry) for entry in entries]
            except ValueError:
                raise self._location.failure("it sends a list that cannot be read") from None
            yield from objects
            following = _text(page, "NextContinuationToken")
            if _text(page, "IsTruncated") != "true" or not following:
                return
            query = {**query, "continuation-token": following}

    @contextmanager
    def open(self, remote: RemoteObject) -> Iterator[OpenAnswer]:
        """Exactly what was listed; INVALID_FILE where it is another one now, or gone."""
        only_this = {"if-match": remote.version} if remote.version else {}
        headers = self._signed("GET", self._url(remote.name), only_this)
        with self._location.http.open("GET", self._url(remote.name), headers) as answer:
            if answer.status in _CHANGED:
                raise changed(remote.name)
            if answer.status != 200:
                body = b"".join(answer.chunks())[:10_000]
                raise self._failure(Answer(answer.status, answer.headers, body), remote.name)
            yield answer

    def put(self, key: str, content: FileIO, check: Callable[[], None], *, overwrite: bool) -> None:
        """All of ``content``, at once: the store shows a whole object or none. ``check`` is called
        between chunks and may raise."""
        name, url = self._name(key), self._url(self._name(key))
        content.seek(0)
        digest = hashlib.file_digest(content, "sha256").hexdigest()
        given = {"content-length": str(content.tell())}
        if not overwrite:
            given["if-none-match"] = "*"  # nobody else's object, however late it came
        content.seek(0)
        body = _CheckedBody(content, check)
        headers = self._signed("PUT", url, given, digest)
        try:
            with self._location.http.open("PUT", url, headers, body) as answer:
                if answer.status == 200:
                    return
                said = b"".join(answer.chunks())[:10_000]
        except Unanswered as failed:
            raise _unknown(name, failed) if failed.maybe_done else failed from None
        if answer.status == 412:
            raise taken(name)
        raise self._failure(Answer(answer.status, answer.headers, said), name, "write")

    def _call(self, method: str, name: str, query: Mapping[str, str] | None = None) -> Answer:
        url = self._url(name) + (f"?{urlencode(query, quote_via=quote)}" if query else "")
        for attempt in range(ATTEMPTS):
            last = attempt + 1 == ATTEMPTS
            if attempt:
                time.sleep(PAUSE_S)
            try:
                answer = self._location.http.call(method, url, self._signed(method, url))
            except Unanswered as failed:
                if last or is_hopeless(failed):
                    raise
                continue
            if last or answer.status not in _AGAIN:
                return answer
        raise AssertionError("the last attempt returns or raises")

    def _signed(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str] | None = None,
        digest: str = NO_BODY,
    ) -> dict[str, str]:
        keys = self._keys.current()
        token = {"x-amz-security-token": keys.token.reveal()} if keys.token is not None else {}
        signer = SigV4(keys.key_id.reveal(), keys.key, keys.region)
        return signer.headers(method, url, {**(headers or {}), **token}, digest)

    def _failure(self, answer: Answer, name: str, verb: str = "read") -> SqeError:
        """Without the store's own words: they may quote the keys it was shown."""
        code = error_code(answer.body)
        if answer.status in (401, 403) and code not in _NOT_OF_THE_USER:
            return _denied(name, verb)
        if code == "NoSuchBucket":
            return UserError(
                ErrorCode.INVALID_ARGUMENT,
                f"There is no bucket {self._bucket} in the store of location"
                f" {self._location.name}.",
            )
        said = f"HTTP {answer.status}" + (f" ({code})" if code else "")
        return self._location.failure(f"it answers {said} for {name}")

    def _name(self, key: str) -> str:
        return f"{SCHEME}{self._bucket}/{key}"

    def _url(self, name: str) -> str:
        return self._location.place.url(name)

    def _listed(self, element: ET.Element) -> RemoteObject:
        return self._object(_text(element, "Key"), _text(element, "Size"), _text(element, "ETag"))

    def _object(self, key: str, size: str, version: str) -> RemoteObject:
        return RemoteObject(self._name(key), int(size), version, self)


class _CheckedBody:
    """What is left of a file, for a request."""

    def __init__(self, content: FileIO, check: Callable[[], None]) -> None:
        self._content = content
        self._check = check

    def read(self, size: int = -1) -> bytes:
        self._check()
        return self._content.read(size)


def _text(element: ET.Element, name: str) -> str:
    return next((child.text or "" for child in element if tag_of(child) == name), "")


def is_hopeless(failed: UpstreamError) -> bool:
    """Another attempt would take long, or has nobody to ask."""
    return isinstance(failed, Unanswered) and (failed.timed_out or not failed.maybe_done)


def _denied(name: str, verb: str = "read") -> AccessError:
    return AccessError(
        ErrorCode.ACCESS_DENIED,
        f"The object store does not let you {verb} {name}.",
        hint="Its administrator decides who may: SQE asks it as you.",
    )


def absent(name: str) -> UserError:
    return UserError(ErrorCode.INVALID_ARGUMENT, f"There is no file {name}.")


def taken(name: str) -> UserError:
    return UserError(
        ErrorCode.INVALID_ARGUMENT,
        f"{name} is there already.",
        hint="Take another name, or say OVERWRITE: COPY (…) TO '…' (OVERWRITE).",
    )


def _unknown(name: str, failed: Unanswered) -> UpstreamError:
    return UpstreamError(
        ErrorCode.COMMIT_UNKNOWN,
        f"It is not known whether {name} was written: {failed.message}",
        hint="Look whether it is there before you run it again; if it is, it is whole.",
    )


def changed(name: str) -> UserError:
    return UserError(
        ErrorCode.INVALID_FILE,
        f"{name} was changed or removed while it was read.",
        hint="Nothing was loaded. Run the statement again.",
    )
