"""A policy server that says what a test wants, and remembers what it was asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = tuple[int, bytes]


class PolicyServer:
    """``reply`` is given the last part of the path and the body."""

    def __init__(self, reply: Callable[[str, bytes], Reply]) -> None:
        self.reply = reply
        self.asked: list[tuple[str, dict[str, Any], Mapping[str, str]]] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1  # head and body at once, or each answer waits for an acknowledgement

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                document = self.path.rpartition("/")[2]
                headers = {name.lower(): value for name, value in self.headers.items()}
                server.asked.append((document, json.loads(body)["input"], headers))
                status, content = server.reply(document, body)
                self.send_response(status)
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1/data/trino"

    def actions(self) -> list[tuple[str, dict[str, Any]]]:
        return [(document, asked["action"]) for document, asked, _ in self.asked]

    def operations(self) -> list[str]:
        return [str(action["operation"]) for _, action in self.actions()]

    @contextmanager
    def running(self) -> Iterator[PolicyServer]:
        self._thread.start()
        try:
            yield self
        finally:
            self._server.shutdown()
            self._thread.join()
            self._server.server_close()


def says(result: Any) -> Reply:
    return 200, json.dumps({"result": result}).encode()
