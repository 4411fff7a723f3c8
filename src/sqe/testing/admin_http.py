"""The admin over HTTP, for tests in another process: ``POST /<method>`` with its arguments."""

from __future__ import annotations

import json
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response

from sqe.catalog.rest.routes import make_threaded_app
from sqe.catalog.rest.wire import json_answer, segments
from sqe.errors import ErrorCode
from sqe.http.client import Http, HttpOptions
from sqe.testing.admin import METHODS, Admin


def admin_app(admin: Admin) -> Starlette:
    """No credential is asked for: it listens on the loopback address only."""

    def respond(request: Request, content: bytes) -> Response:
        (name, *rest) = segments(request.scope["raw_path"])
        if request.method == "GET" and name == "health" and not rest:
            return json_answer({"status": "UP"})
        if request.method != "POST" or name not in METHODS or rest:
            return json_answer({"error": f"there is no {request.method} {name}"}, 404)
        try:
            arguments = json.loads(content or b"{}")
            result = getattr(admin, name)(**arguments)
        except Exception as error:  # noqa: BLE001  # a test that asks for nonsense is to be told
            return json_answer({"error": f"{type(error).__name__}: {error}"}, 400)
        return json_answer({"result": result})

    return make_threaded_app(respond, workers=4)


class RemoteAdmin:
    """``Admin``'s methods, of a test catalog in another process."""

    def __init__(self, url: str) -> None:
        self._url = url.rstrip("/")
        options = HttpOptions("The test catalog's admin", ErrorCode.CATALOG_UNAVAILABLE)
        self._http = Http(options)

    def call(self, method: str, /, **arguments: Any) -> Any:
        """RuntimeError with what was wrong with it."""
        body = json.dumps(arguments).encode()
        answer = self._http.call("POST", f"{self._url}/{method}", body=body)
        document = answer.json()
        if answer.status != 200:
            raise RuntimeError(document["error"])
        return document["result"]

    def close(self) -> None:
        self._http.close()
