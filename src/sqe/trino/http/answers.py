"""HTTP answers: pages, compressed where that helps, and refusals."""

from __future__ import annotations

import zlib
from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from sqe.trino.http.bridge import Bridge
from sqe.trino.http.errors import Refusal, sqe_error
from sqe.trino.http.pages import Page

Handler = Callable[[Request], Awaitable[Response]]
_WORTH_IT, _TAKES_TIME = 1024, 64 * 1024
_GZIP, _QUICK = 31, 1


def guard_handler(handler: Handler) -> Handler:
    """Lets no exception out; what is not ours is logged and not shown."""

    async def handle(request: Request) -> Response:
        try:
            return await handler(request)
        except Refusal as refusal:
            return refusal_response(refusal)
        except Exception as error:  # noqa: BLE001
            return refusal_response(Refusal(500, sqe_error(error).message))

    return handle


def refusal_response(refusal: Refusal) -> Response:
    return PlainTextResponse(refusal.text, refusal.status, refusal.headers)


async def send_page(page: Page, request: Request, local: bool, bridge: Bridge) -> Response:
    """Compression costs more than it brings on the way to the same machine, and where the rows
    are compressed already."""
    body = page.body
    wants = "gzip" in request.headers.get("accept-encoding", "").lower()
    compressed = wants and not local and not page.packed and len(body) >= _WORTH_IT
    if compressed and len(body) >= _TAKES_TIME:
        body = await bridge.call(lambda: _gzip(page.body))
    elif compressed:
        body = _gzip(body)
    response = Response(body, media_type="application/json")
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Vary"] = "Accept-Encoding"
    if compressed:
        response.headers["Content-Encoding"] = "gzip"
    for name, value in page.headers:
        response.headers.append(name, value)
    return response


def _gzip(body: bytes) -> bytes:
    packer = zlib.compressobj(_QUICK, zlib.DEFLATED, _GZIP)
    return packer.compress(body) + packer.flush()
