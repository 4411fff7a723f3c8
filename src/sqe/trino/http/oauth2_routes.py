"""The addresses of a login through a browser."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from sqe.trino.http.answers import Handler, guard_handler
from sqe.trino.http.bridge import Bridge
from sqe.trino.http.credentials import origin_of
from sqe.trino.http.oauth2 import CALLBACK, COOKIE, Logins
from sqe.trino.http.options import TrinoOptions


class OAuth2Routes:
    def __init__(self, logins: Logins, bridge: Bridge, options: TrinoOptions) -> None:
        self._logins = logins
        self._bridge = bridge
        self._options = options

    def routes(self) -> list[Route]:
        ways: list[tuple[str, Handler, list[str]]] = [
            ("/oauth2/token/initiate/{digest}", self.initiate, ["GET"]),
            ("/oauth2/token/{number}", self.token, ["GET", "DELETE"]),
            (CALLBACK, self.callback, ["GET"]),
        ]
        return [
            Route(path, guard_handler(handler), methods=methods) for path, handler, methods in ways
        ]

    async def initiate(self, request: Request) -> Response:
        origin = origin_of(request, self._options)
        digest = request.path_params["digest"]
        sent = await self._bridge.call(lambda: self._logins.begin(digest, origin.base))
        response = RedirectResponse(sent.uri, 303)
        response.set_cookie(
            COOKIE,
            sent.nonce,
            path=CALLBACK,
            secure=origin.encrypted,
            httponly=True,
            samesite="lax",
        )
        return response

    async def callback(self, request: Request) -> Response:
        origin = origin_of(request, self._options)
        parameters = request.query_params
        nonce = request.cookies.get(COOKIE, "")
        text = await self._bridge.call(
            lambda: self._logins.come_back(
                parameters.get("state", ""),
                nonce,
                parameters.get("code", ""),
                parameters.get("error_description", "") or parameters.get("error", ""),
                origin.base,
            )
        )
        response = PlainTextResponse(text)
        response.delete_cookie(COOKIE, path=CALLBACK)
        return response

    async def token(self, request: Request) -> Response:
        origin = origin_of(request, self._options)
        number = request.path_params["number"]
        if request.method == "DELETE":
            self._logins.forget(number)
            return Response()
        await self._logins.bell.until(lambda: self._logins.has_ended(number), self._options.wait_s)
        response = JSONResponse(self._logins.token_answer(number, origin.base))
        response.headers["Cache-Control"] = "no-store"
        return response
