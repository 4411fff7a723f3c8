"""Removes a folder in S3, with the keys that Spark had for the table and no others."""

from __future__ import annotations

import html
import re
import time
from collections.abc import Mapping
from urllib.parse import quote

from sqe.broker.storage import KEY, KEY_ID, TOKEN
from sqe.catalog.s3_place import place_of, s3_url
from sqe.catalog.sigv4 import SigV4
from sqe.errors import ErrorCode, UpstreamError
from sqe.http.client import Http, HttpOptions
from sqe.model.identity import Secret

_KEY = re.compile(r"<Key>([^<]+)</Key>")
_MOST_S = 10.0  # a query that has ended should not be held up for longer


class S3Folder:
    """``location`` is s3://bucket/key; ``config`` a table's, as Iceberg has it."""

    def __init__(self, location: str, config: Mapping[str, str]) -> None:
        url = s3_url(location.rstrip("/"))
        if url is None:
            raise ValueError(location)
        self._bucket, _, key = url.removeprefix("s3://").partition("/")
        self._prefix = f"{key}/"
        self._place = place_of(url, config)
        self._signer = SigV4(config[KEY_ID], Secret(config[KEY]), self._place.region)
        token = config.get(TOKEN)
        self._headers = {"x-amz-security-token": token} if token else {}

    def remove(self) -> None:
        """UpstreamError if something is left."""
        options = HttpOptions("The object store", ErrorCode.STORAGE_UNAVAILABLE, total_s=_MOST_S)
        http, deadline = Http(options), time.monotonic() + _MOST_S
        try:
            while names := self._list(http, deadline):
                for name in names:
                    self._call(
                        http, "DELETE", self._place.url(f"s3://{self._bucket}/{name}"), deadline
                    )
        finally:
            http.close()

    def _list(self, http: Http, deadline: float) -> list[str]:
        """A thousand of its objects, or all."""
        prefix = quote(self._prefix, safe="")
        url = f"{self._place.url(f's3://{self._bucket}/')}?list-type=2&prefix={prefix}"
        names = map(html.unescape, _KEY.findall(self._call(http, "GET", url, deadline)))
        return [name for name in names if name.startswith(self._prefix)]

    def _call(self, http: Http, method: str, url: str, deadline: float) -> str:
        left = deadline - time.monotonic()
        if left <= 0:
            raise UpstreamError(ErrorCode.STORAGE_UNAVAILABLE, "It takes too long.")
        headers = self._signer.headers(method, url, self._headers)
        answer = http.call(method, url, headers, seconds=left)
        if answer.status >= 300:
            raise UpstreamError(
                ErrorCode.STORAGE_UNAVAILABLE, f"The object store answers HTTP {answer.status}."
            )
        return answer.body.decode(errors="replace")
