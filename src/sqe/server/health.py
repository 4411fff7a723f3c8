"""Whether the server is well, for whoever watches it, and its metrics.

GET /health, /livez   the process lives: 200 with status, version and uptime
GET /startupz         everything that the settings ask for has begun to listen: 200, else 503
GET /readyz           new queries are welcome: 200, else 503; each part with its reason
GET /ready            the gateway answers: 200 with the state of Spark, else 503
GET /metrics          for Prometheus

Everyone who reaches the address may ask: nothing here names a user, a table or a statement.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from sqe import __version__
from sqe.server.state import Part

_log = logging.getLogger(__name__)


class Watched(Protocol):
    """What is asked of the server."""

    @property
    def listening(self) -> bool:
        """Everything that the settings ask for."""
        ...

    def status(self) -> dict[str, Any]: ...
    def parts(self) -> Sequence[Part]: ...
    def exposition(self, accept: str = "") -> tuple[bytes, str] | None:
        """The metrics and their content type; None: there are none."""
        ...


def health_app(server: Watched) -> Starlette:
    began = time.monotonic()

    def live(request: Request) -> Response:
        uptime = round(time.monotonic() - began, 1)
        return JSONResponse({"status": "ok", "version": __version__, "uptime_s": uptime})

    def startup(request: Request) -> Response:
        started = server.listening
        status = "started" if started else "starting"
        return JSONResponse({"status": status}, 200 if started else 503)

    def parts(request: Request) -> Response:
        asked = server.parts()
        ready = all(part.ready for part in asked)
        shown = {part.name: {"ready": part.ready, "reason": part.reason} for part in asked}
        status = "ready" if ready else "not ready"
        return JSONResponse({"status": status, "parts": shown}, 200 if ready else 503)

    def ready(request: Request) -> Response:
        # Not how much goes on: nobody has said who they are here.
        return JSONResponse({"status": "ready", "spark": server.status().get("spark")})

    def metrics(request: Request) -> Response:
        exposition = server.exposition(request.headers.get("accept", ""))
        if exposition is None:
            return PlainTextResponse("metrics.enabled is false in the settings\n", 404)
        text, kind = exposition
        return Response(text, media_type=kind)

    answers = {
        "/health": live,
        "/livez": live,
        "/startupz": startup,
        "/readyz": parts,
        "/ready": ready,
        "/metrics": metrics,
    }
    return Starlette(routes=[Route(path, _careful(answer)) for path, answer in answers.items()])


def _careful(answer: Callable[[Request], Response]) -> Callable[[Request], Response]:
    """Not being able to answer is an answer. Of the error only its kind is told: its words may
    name things."""

    def call(request: Request) -> Response:
        try:
            return answer(request)
        except Exception as error:  # noqa: BLE001
            _log.error("%s cannot be answered", request.url.path, exc_info=error)
            return JSONResponse({"status": "failed", "error": type(error).__name__}, 503)

    return call
