"""Lists and removes a folder in S3, with the keys that Spark had for the table and no others."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from sqe.catalog.s3_client import ListedPage, S3Client
from sqe.catalog.s3_place import keys_of_config, s3_url
from sqe.errors import ErrorCode, UpstreamError
from sqe.http.client import Http, HttpOptions

_MOST_S = 10.0  # a query that has ended should not be held up for longer


class S3Folder:
    """``location`` is s3://bucket/key; ``config`` a table's, as Iceberg has it."""

    def __init__(self, location: str, config: Mapping[str, str]) -> None:
        url = s3_url(location.rstrip("/"))
        keys = keys_of_config(url, config) if url is not None else None
        if url is None or keys is None:
            raise ValueError(location)
        self._bucket, _, key = url.removeprefix("s3://").partition("/")
        self._prefix = f"{key}/"
        self._keys = keys

    def remove(self) -> None:
        """UpstreamError if something is left."""
        deadline = time.monotonic() + _MOST_S
        with self._client() as client:
            while keys := self._list(client, deadline)[0]:
                for key in keys:
                    self._call(client, "DELETE", key, {}, deadline)

    def names(self, seconds: float) -> Iterator[str]:
        """Of all of its objects, as s3://bucket/key. UpstreamError if that takes longer."""
        deadline, after = time.monotonic() + seconds, ""
        with self._client() as client:
            while True:
                keys, after = self._list(client, deadline, after)
                yield from (f"s3://{self._bucket}/{key}" for key in keys)
                if not after:
                    return

    @contextmanager
    def _client(self) -> Iterator[S3Client]:
        options = HttpOptions("The object store", ErrorCode.STORAGE_UNAVAILABLE, total_s=_MOST_S)
        http = Http(options)
        try:
            yield S3Client(http, lambda: self._keys)
        finally:
            http.close()

    def _list(self, client: S3Client, deadline: float, after: str = "") -> tuple[list[str], str]:
        """A thousand of its objects, or all that are left, and what to ask for the next with."""
        query = {"list-type": "2", "prefix": self._prefix}
        if after:
            query["continuation-token"] = after
        body = self._call(client, "GET", "", query, deadline)
        try:
            page = ListedPage(body)
        except ValueError:
            raise _failure("It sends a list that cannot be read.") from None
        keys = [entry.get("Key", "") for entry in page.objects]
        return [key for key in keys if key.startswith(self._prefix)], page.continuation

    def _call(
        self, client: S3Client, method: str, key: str, query: Mapping[str, str], deadline: float
    ) -> bytes:
        left = deadline - time.monotonic()
        if left <= 0:
            raise _failure("It takes too long.")
        answer = client.call(method, f"s3://{self._bucket}/{key}", query, left)
        if answer.status >= 300:
            raise _failure(f"The object store answers HTTP {answer.status}.")
        return answer.body


def _failure(text: str) -> UpstreamError:
    return UpstreamError(ErrorCode.STORAGE_UNAVAILABLE, text)
