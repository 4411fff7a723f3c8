"""An S3 of a folder, on loopback: reads only, and only with the keys that a prefix asks for."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

from pyiceberg.io.pyarrow import PyArrowFile, PyArrowFileIO

FOLDER = "test.folder"  # a property of FolderIO
# Given a request and the object's name; True if it has answered, or not answered, itself.
Fault = Callable[[BaseHTTPRequestHandler, str], bool]


class FolderIO(PyArrowFileIO):
    """Lets PyIceberg write what the store serves."""

    def _local(self, location: str) -> str:
        path = Path(self.properties[FOLDER]) / location.removeprefix("s3://")
        path.parent.mkdir(parents=True, exist_ok=True)
        return str(path)

    def new_input(self, location: str) -> PyArrowFile:
        found = super().new_input(self._local(location))
        found._location = location
        return found

    def new_output(self, location: str) -> PyArrowFile:
        made = super().new_output(self._local(location))
        made._location = location
        return made


class ObjectStore:
    """``keys``: prefix (bucket/path) -> the access key that may read under it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.keys: dict[str, str] = {}
        self.refused = 0
        self.hang_s = 0.0
        self.fault: Fault | None = None
        store = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                store.answer(self, body=True)

            def do_HEAD(self) -> None:
                store.answer(self, body=False)

            def log_message(self, format: str, *args: object) -> None:
                return None

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def config(self, key: str) -> dict[str, str]:
        """What a catalog sends along with a table."""
        return {
            "s3.access-key-id": key,
            "s3.secret-access-key": f"secret of {key}",
            "s3.session-token": f"token of {key}",
            "s3.endpoint": self.endpoint,
            "s3.path-style-access": "true",
            "client.region": "eu-south-2",
        }

    def answer(self, request: BaseHTTPRequestHandler, *, body: bool) -> None:
        time.sleep(self.hang_s)
        name = unquote(urlsplit(request.path).path).lstrip("/")
        path = self.folder / name
        if self.fault is not None and self.fault(request, name):
            return
        if not self._allowed(name, request.headers):
            self.refused += 1
            self._send(request, 403, b"", {})
        elif not path.is_file():
            self._send(request, 404, b"", {})
        else:
            content = path.read_bytes()
            first, last = _range(request.headers.get("Range"), len(content))
            part = content[first : last + 1]
            headers = {"ETag": '"1"', "Last-Modified": "Mon, 01 Jan 2024 00:00:00 GMT"}
            if len(part) != len(content):
                headers["Content-Range"] = f"bytes {first}-{last}/{len(content)}"
            status = 206 if "Content-Range" in headers else 200
            self._send(request, status, part, headers, body=body)

    def _send(
        self,
        request: BaseHTTPRequestHandler,
        status: int,
        content: bytes,
        headers: Mapping[str, str],
        *,
        body: bool = True,
    ) -> None:
        request.send_response(status)
        for name, value in headers.items():
            request.send_header(name, value)
        request.send_header("Content-Length", str(len(content)))
        request.send_header("Accept-Ranges", "bytes")
        request.end_headers()
        if body:
            request.wfile.write(content)

    def _allowed(self, name: str, headers: Message) -> bool:
        signed = headers.get("Authorization", "")
        token = headers.get("x-amz-security-token", "")
        return any(
            name.startswith(prefix) and f"Credential={key}/" in signed and token.endswith(key)
            for prefix, key in self.keys.items()
        )

    def close(self) -> None:
        """May be called twice."""
        if self._thread.is_alive():
            self._server.shutdown()
            self._server.server_close()
            self._thread.join()


def _range(header: str | None, size: int) -> tuple[int, int]:
    if header is None:
        return 0, size - 1
    first, _, last = header.removeprefix("bytes=").partition("-")
    if not first:
        return max(0, size - int(last)), size - 1
    return int(first), min(int(last or size - 1), size - 1)
