"""A stand-in for AWS Glue: what its documents say of the calls that SQE makes.

Unlike moto's it compares versions, and it believes no signature that it has not computed itself."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from sqe.catalog.sigv4 import SigV4
from sqe.model.identity import Secret

_SIGNED = re.compile(r"Credential=([^/]+)/\d+/([^/]+)/glue/aws4_request")


class Refused(Exception):
    def __init__(self, kind: str, status: int = 400) -> None:
        super().__init__(kind)
        self.kind, self.status = kind, status


@dataclass
class Glue:
    """``keys``: secrets by their ids. ``faults``: what the next calls are answered with instead;
    ``silent``: actions that are done, and then not answered."""

    keys: dict[str, str]
    databases: dict[str, dict[str, Any]] = field(default_factory=dict)
    tables: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)
    faults: list[Refused] = field(default_factory=list)
    silent: list[str] = field(default_factory=list)
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    url: str = ""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, action: str, body: dict[str, Any]) -> dict[str, Any]:
        with self.lock:
            self.calls.append((action, body))
            if self.faults:
                raise self.faults.pop(0)
            answer: dict[str, Any] = getattr(self, action)(body)
            return json.loads(json.dumps(answer))  # type: ignore[no-any-return]

    def GetDatabases(self, body: dict[str, Any]) -> dict[str, Any]:
        return {"DatabaseList": list(self.databases.values())}

    def GetDatabase(self, body: dict[str, Any]) -> dict[str, Any]:
        return {"Database": self._there(self.databases, body["Name"])}

    def CreateDatabase(self, body: dict[str, Any]) -> dict[str, Any]:
        entry = body["DatabaseInput"]
        if entry["Name"] in self.databases:
            raise Refused("AlreadyExistsException")
        self.databases[entry["Name"]], self.tables[entry["Name"]] = entry, {}
        return {}

    def UpdateDatabase(self, body: dict[str, Any]) -> dict[str, Any]:
        self._there(self.databases, body["Name"])
        self.databases[body["Name"]] = body["DatabaseInput"]
        return {}

    def DeleteDatabase(self, body: dict[str, Any]) -> dict[str, Any]:
        self._there(self.databases, body["Name"])
        del self.databases[body["Name"]], self.tables[body["Name"]]
        return {}

    def GetTables(self, body: dict[str, Any]) -> dict[str, Any]:
        """One for each page."""
        tables = sorted(self._there(self.tables, body["DatabaseName"]).items())
        at = int(body.get("NextToken") or 0)
        more = {"NextToken": str(at + 1)} if at + 1 < len(tables) else {}
        return {"TableList": [entry for _, entry in tables[at : at + 1]], **more}

    def GetTable(self, body: dict[str, Any]) -> dict[str, Any]:
        return {"Table": self._there(self.tables.get(body["DatabaseName"], {}), body["Name"])}

    def CreateTable(self, body: dict[str, Any]) -> dict[str, Any]:
        tables, entry = self._there(self.tables, body["DatabaseName"]), body["TableInput"]
        if entry["Name"] in tables:
            raise Refused("AlreadyExistsException")
        tables[entry["Name"]] = {**entry, "VersionId": "0", "CreatedBy": "somebody"}
        return {}

    def UpdateTable(self, body: dict[str, Any]) -> dict[str, Any]:
        tables, entry = self._there(self.tables, body["DatabaseName"]), body["TableInput"]
        before = self._there(tables, entry["Name"])
        if body["VersionId"] != before["VersionId"]:
            raise Refused("ConcurrentModificationException")
        tables[entry["Name"]] = {**entry, "VersionId": str(int(before["VersionId"]) + 1)}
        return {}

    def DeleteTable(self, body: dict[str, Any]) -> dict[str, Any]:
        self._there(self.tables[body["DatabaseName"]], body["Name"])
        del self.tables[body["DatabaseName"]][body["Name"]]
        return {}

    def _there(self, entries: dict[str, Any], name: str) -> Any:
        if name not in entries:
            raise Refused("EntityNotFoundException")
        return entries[name]

    def check(self, headers: dict[str, str], body: bytes) -> None:
        signed = _SIGNED.search(headers.get("authorization", ""))
        secret = self.keys.get(signed[1]) if signed else None
        if signed is None or secret is None:
            raise Refused("UnrecognizedClientException")
        names = re.findall(r"SignedHeaders=([^,]+)", headers["authorization"])[0].split(";")
        own = {"host", "x-amz-date", "x-amz-content-sha256"}
        again = SigV4(signed[1], Secret(secret), signed[2], "glue").headers(
            "POST",
            f"{self.url}/",
            {name: headers[name] for name in names if name not in own},
            hashlib.sha256(body).hexdigest(),
            datetime.strptime(headers["x-amz-date"], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC),
        )
        if again["authorization"] != headers["authorization"]:
            raise Refused("InvalidSignatureException")


@contextmanager
def serve_glue(keys: dict[str, str]) -> Iterator[Glue]:
    glue = Glue(keys)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            action = str(self.headers["x-amz-target"]).removeprefix("AWSGlue.")
            status, answer = 200, {}
            try:
                glue.check({k.lower(): v for k, v in self.headers.items()}, body)
                answer = glue.answer(action, json.loads(body))
            except Refused as refused:
                status, answer = refused.status, {"__type": refused.kind, "message": "no"}
            if action in glue.silent:
                glue.silent.remove(action)
                self.close_connection = True
                return
            content = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    glue.url = f"http://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield glue
    finally:
        server.shutdown()
        server.server_close()
