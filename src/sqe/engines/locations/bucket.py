"""Objects of a bucket, listed, read and written as one user."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import FileIO

from sqe.catalog.s3_client import ListedPage, S3Client, error_code
from sqe.engines.locations.location import Location, UserKeys
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
        self._client = S3Client(location.http, keys.current)

    def head(self, key: str) -> RemoteObject | SqeError:
        """The object, or why there is none for this user."""
        answer = self._call("HEAD", self._name(key))
        if answer.status == 404:
            return absent(self._name(key))
        if answer.status == 403:
            return _denial(self._name(key))
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
                page = ListedPage(answer.body)
                objects = [self._object_of_element(entry) for entry in page.objects]
            except ValueError:
                raise self._location.failure("it sends a list that cannot be read") from None
            yield from objects
            if not page.continuation:
                return
            query = {**query, "continuation-token": page.continuation}

    @contextmanager
    def open(self, remote: RemoteObject) -> Iterator[OpenAnswer]:
        """Exactly what was listed; INVALID_FILE where it is another one now, or gone."""
        only_this = {"if-match": remote.version} if remote.version else {}
        with self._client.open("GET", remote.name, only_this) as answer:
            if answer.status in _CHANGED:
                raise file_changed(remote.name)
            if answer.status != 200:
                body = b"".join(answer.chunks())[:10_000]
                raise self._failure(Answer(answer.status, answer.headers, body), remote.name)
            yield answer

    def put(self, key: str, content: FileIO, check: Callable[[], None], *, overwrite: bool) -> None:
        """All of ``content``, at once: the store shows a whole object or none. ``check`` is called
        between chunks and may raise."""
        name = self._name(key)
        content.seek(0)
        digest = hashlib.file_digest(content, "sha256").hexdigest()
        length_header = {"content-length": str(content.tell())}
        if not overwrite:
            length_header["if-none-match"] = "*"  # nobody else's object, however late it came
        content.seek(0)
        body = _CheckedBody(content, check)
        try:
            with self._client.open("PUT", name, length_header, body, digest) as answer:
                if answer.status == 200:
                    return
                answer_body = b"".join(answer.chunks())[:10_000]
        except Unanswered as failed:
            raise _outcome_unknown(name, failed) if failed.maybe_done else failed from None
        if answer.status == 412:
            raise name_taken(name)
        raise self._failure(Answer(answer.status, answer.headers, answer_body), name, "write")

    def _call(self, method: str, name: str, query: Mapping[str, str] | None = None) -> Answer:
        for attempt in range(ATTEMPTS):
            last = attempt + 1 == ATTEMPTS
            if attempt:
                time.sleep(PAUSE_S)
            try:
                answer = self._client.call(method, name, query)
            except Unanswered as failed:
                if last or is_hopeless(failed):
                    raise
                continue
            if last or answer.status not in _AGAIN:
                return answer
        raise AssertionError("the last attempt returns or raises")

    def _failure(self, answer: Answer, name: str, verb: str = "read") -> SqeError:
        """Without the store's own words: they may quote the keys it was shown."""
        code = error_code(answer.body)
        if answer.status in (401, 403) and code not in _NOT_OF_THE_USER:
            return _denial(name, verb)
        if code == "NoSuchBucket":
            return UserError(
                ErrorCode.INVALID_ARGUMENT,
                f"There is no bucket {self._bucket} in the store of location"
                f" {self._location.name}.",
            )
        status = f"HTTP {answer.status}" + (f" ({code})" if code else "")
        return self._location.failure(f"it answers {status} for {name}")

    def _name(self, key: str) -> str:
        return f"{SCHEME}{self._bucket}/{key}"

    def _object_of_element(self, entry: Mapping[str, str]) -> RemoteObject:
        return self._object(*(entry.get(field, "") for field in ("Key", "Size", "ETag")))

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


def is_hopeless(failed: UpstreamError) -> bool:
    """Another attempt would take long, or has nobody to ask."""
    return isinstance(failed, Unanswered) and (failed.timed_out or not failed.maybe_done)


def _denial(name: str, verb: str = "read") -> AccessError:
    return AccessError(
        ErrorCode.ACCESS_DENIED,
        f"The object store does not let you {verb} {name}.",
        hint="Its administrator decides who may: SQE asks it as you.",
    )


def absent(name: str) -> UserError:
    return UserError(ErrorCode.INVALID_ARGUMENT, f"There is no file {name}.")


def name_taken(name: str) -> UserError:
    return UserError(
        ErrorCode.INVALID_ARGUMENT,
        f"{name} is there already.",
        hint="Take another name, or say OVERWRITE: COPY (…) TO '…' (OVERWRITE).",
    )


def _outcome_unknown(name: str, failed: Unanswered) -> UpstreamError:
    return UpstreamError(
        ErrorCode.COMMIT_UNKNOWN,
        f"It is not known whether {name} was written: {failed.message}",
        hint="Look whether it is there before you run it again; if it is, it is whole.",
    )


def file_changed(name: str) -> UserError:
    return UserError(
        ErrorCode.INVALID_FILE,
        f"{name} was changed or removed while it was read.",
        hint="Nothing was loaded. Run the statement again.",
    )
