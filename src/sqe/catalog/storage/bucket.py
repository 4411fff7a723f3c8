"""A warehouse in S3, reached with the keys that are handed in, never with the environment's."""

from __future__ import annotations

import hashlib
import io
import time
import uuid
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from sqe.catalog.embedded.disks import Entries
from sqe.catalog.protocol import Json
from sqe.catalog.s3_client import ListedPage, S3Client, error_code
from sqe.catalog.storage.keys import KeysOfWarehouse
from sqe.errors import AccessError, ErrorCode, Unanswered, UpstreamError
from sqe.http.client import Answer, Http

if TYPE_CHECKING:
    from pyiceberg.io import FileIO

_SCHEMES = ("s3://", "s3a://", "s3n://")
_ATTEMPTS = 4
_PAUSE_S = 0.2  # doubles; a store that asks for more patience gets some
_LONGEST_PAUSE_S = 5.0
_AGAIN = (408, 429, 500, 502, 503, 504)
_DELETED = (200, 204, 404)


def s3_path(location: str) -> str | None:
    """``bucket/key`` of a location, or None where it is not in S3 or not clearly one object."""
    for scheme in _SCHEMES:
        if location.startswith(scheme):
            path = location[len(scheme) :].rstrip("/")
            parts = path.split("/")
            plain = all(part and part not in (".", "..") for part in parts)
            return path if plain and "\0" not in path else None
    return None


class Bucket:
    """The part of a bucket below a location, as ``s3://bucket/lake``. Implements ``Disk``."""

    def __init__(self, root: str, keys: KeysOfWarehouse, http: Http) -> None:
        path = s3_path(root)
        if path is None:
            raise ValueError("the location of a warehouse in S3 begins with s3://bucket")
        self._path = path
        self._keys = keys
        self._client = S3Client(http, keys.current)

    @property
    def root(self) -> str:
        return f"s3://{self._path}"

    def holds(self, location: str) -> bool:
        path = s3_path(location)
        return path is not None and path.startswith(self._path + "/")

    def config_of(self, metadata: Json) -> Mapping[str, str]:
        return self._keys.config_of(metadata)

    def reserve(self, location: str) -> str:
        """S3 has no folders that only one of two can make, so the name is made unique."""
        return f"{location}-{uuid.uuid4().hex[:8]}"

    def release(self, location: str) -> None:
        """Nothing was made."""

    def reads(self, location: str) -> bool:
        """Not the whole of S3: these keys may open what is other people's."""
        return self.holds(location)

    def read(self, location: str) -> bytes:
        """STORAGE_UNAVAILABLE unless the storage says that there is no such file."""
        answer = self._call("GET", _name(location))
        if answer.status == 404 and error_code(answer.body) in ("NoSuchKey", ""):
            raise FileNotFoundError(location)
        if answer.status != 200:
            raise _failure(answer, "read", location)
        return answer.body

    def write(self, location: str, content: bytes) -> None:
        """One PUT: S3 shows all of an object or nothing, and answers when it is durable."""
        digest = hashlib.sha256(content).hexdigest()
        headers = {"content-length": str(len(content))}
        with self._client.open(
            "PUT", _name(location), headers, io.BytesIO(content), digest
        ) as answer:
            body = b"".join(answer.chunks())[:10_000]
        if answer.status != 200:
            raise _failure(Answer(answer.status, answer.headers, body), "write", location)

    def exists(self, location: str) -> bool:
        return s3_path(location) is not None and self._call("HEAD", _name(location)).status == 200

    def remove(self, location: str) -> None:
        answer = self._call("DELETE", _name(location))
        if answer.status not in _DELETED:
            raise PermissionError(location)

    def remove_folder(self, location: str) -> None:
        if not self.holds(location):
            return
        try:
            while names := self._names_in(location):
                for name in names:
                    self.remove(name)
        except (OSError, UpstreamError, AccessError):
            return

    def remove_leftovers(self, location: str) -> None:
        """A folder without objects is not there."""

    def io(self) -> FileIO:
        from pyiceberg.io.pyarrow import PyArrowFileIO

        return PyArrowFileIO(dict(self._keys.config))

    def list_folder(self, location: str) -> Entries:
        folders: list[str] = []
        files: list[str] = []
        for page in self._pages(location, {"delimiter": "/"}):
            folders += (_last_part(prefix) for prefix in page.prefixes)
            files += (_last_part(entry.get("Key", "")) for entry in page.objects)
        return Entries(tuple(sorted(folders)), tuple(sorted(filter(None, files))))

    def _names_in(self, location: str) -> list[str]:
        bucket = _name(location).removeprefix("s3://").partition("/")[0]
        page = next(self._pages(location, {}))
        return [f"s3://{bucket}/{entry.get('Key', '')}" for entry in page.objects]

    def _pages(self, location: str, query: Mapping[str, str]) -> Iterator[ListedPage]:
        bucket, _, key = _name(location).removeprefix("s3://").partition("/")
        prefix = f"{key}/" if key else ""
        query = {"list-type": "2", "prefix": prefix, **query}
        while True:
            answer = self._call("GET", f"s3://{bucket}/", query)
            if answer.status != 200:
                raise _failure(answer, "list", location)
            try:
                page = ListedPage(answer.body)
            except ValueError:
                raise _failure(answer, "list", location) from None
            yield page
            if not page.continuation:
                return
            query = {**query, "continuation-token": page.continuation}

    def _call(self, method: str, name: str, query: Mapping[str, str] | None = None) -> Answer:
        """Again where the store was just not there, or asks for patience."""
        pause = _PAUSE_S
        for attempt in range(_ATTEMPTS):
            last = attempt + 1 == _ATTEMPTS
            try:
                answer = self._client.call(method, name, query)
            except Unanswered as failed:
                if last or failed.timed_out or not failed.maybe_done:
                    raise
            else:
                if last or answer.status not in _AGAIN:
                    return answer
                pause = max(pause, _pause_of(answer))
            time.sleep(min(pause, _LONGEST_PAUSE_S))
            pause *= 2
        raise AssertionError("the last attempt returns or raises")


def _pause_of(answer: Answer) -> float:
    text = answer.headers.get("retry-after", "")
    return float(text) if text.isdecimal() else 0.0


def _last_part(key: str) -> str:
    return key.rstrip("/").rpartition("/")[2] if key.endswith("/") else key.rpartition("/")[2]


def _name(location: str) -> str:
    path = s3_path(location)
    if path is None:
        raise ValueError(location)
    return f"s3://{path}"


def _failure(answer: Answer, verb: str, location: str) -> AccessError | UpstreamError:
    """Without the store's own words: they may quote the keys it was shown."""
    code = error_code(answer.body)
    if answer.status == 403 and code in ("AccessDenied", ""):
        return AccessError(
            ErrorCode.ACCESS_DENIED,
            f"The object store does not let you {verb} {location}.",
            hint="Its administrator decides who may, by the keys that the catalog's storage gives "
            "you.",
        )
    status = f"HTTP {answer.status}" + (f", {code}" if code else "")
    return UpstreamError(
        ErrorCode.STORAGE_UNAVAILABLE,
        f"The object store did not {verb} {location} ({status}).",
        hint="Check that the warehouse's endpoint and region are right and its keys are good.",
    )
