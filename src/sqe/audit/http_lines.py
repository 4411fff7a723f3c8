"""The audit log's lines in the bodies of HTTP requests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqe.audit.sent_lines import Line, LineRefused, SentLines
from sqe.errors import ErrorCode, UpstreamError
from sqe.http.client import Http
from sqe.model.identity import Secret

# Not of the service's state but of the body: again it would be no better.
_REFUSED = (400, 413, 415, 422)


class HttpTransport:
    """POST of lines with a JSON object each. Any status of 2xx says that all of them are kept."""

    longest = 0

    def __init__(self, http: Http, url: str, headers: Mapping[str, Secret]) -> None:
        self._http = http
        self._url = url
        self._headers = dict(headers)

    def send(self, lines: Sequence[Line]) -> None:
        headers = {name: value.reveal() for name, value in self._headers.items()}
        body = b"".join(line.body + b"\n" for line in lines)
        kind = {"content-type": "application/x-ndjson"}
        status = self._http.call("POST", self._url, {**kind, **headers}, body).status
        if status in _REFUSED:
            raise LineRefused(f"it answers with status {status}")
        if not 200 <= status < 300:
            raise UpstreamError(ErrorCode.AUDIT_UNAVAILABLE, f"It answers with status {status}.")

    def close(self) -> None:
        self._http.close()


class AuditOverHttp(SentLines):
    pass
