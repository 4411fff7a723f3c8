"""What the page may ask the console for.

GET  /                          the page
GET  /static/…, /vendor/…       its files
GET  /api/me                    who is logged in, or how one can be
POST /api/login, /api/logout    by password, or as anybody where the server lets anybody in
GET  /login/issuer, /callback   the way to the identity provider and back
POST /api/lookup                rows of one small statement, for the pages
POST /api/runs                  starts a statement; GET …/{id} how far it is; …/rows; …/cell;
                                …/download; POST …/cancel; DELETE forgets it
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from html import escape
from typing import Any
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.middleware.base import BaseHTTPMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from sqe import __version__
from sqe.client.parameters import parameters_of
from sqe.console.assets import Asset
from sqe.console.browser_sessions import BrowserSession, BrowserSessions
from sqe.console.cells import page_of, whole_cell
from sqe.console.downloads import MEDIA_TYPES, write_result
from sqe.console.logins import Logins
from sqe.console.protection import (
    COOKIE,
    STATE_COOKIE,
    drop_cookie,
    make_nonce,
    protect,
    refusal_of,
    set_cookie,
)
from sqe.console.runs import Run
from sqe.errors import AccessError, ErrorCategory, ErrorCode, SqeError, UserError

_log = logging.getLogger(__name__)
_MOST_BODY = 4 << 20
_MOST_ROWS = 10_000  # of one page
_LOOK_S = (0.02, 0.25)  # between two looks at a statement: at first, and in the end
_STATUS = {
    ErrorCategory.USER: 400,
    ErrorCategory.ACCESS: 403,
    ErrorCategory.RESOURCES: 429,
    ErrorCategory.UPSTREAM: 502,
    ErrorCategory.INTERNAL: 500,
}
# The gateway knows the login no more: it has to be a new one.
_LOGIN_ENDED = (
    ErrorCode.AUTHENTICATION_FAILED,
    ErrorCode.TOKEN_EXPIRED,
    ErrorCode.SESSION_EXPIRED,
    ErrorCode.SESSION_NOT_FOUND,
)


class Console:
    """``url``: where people reach it, if not at the address where it listens."""

    def __init__(
        self,
        logins: Logins,
        sessions: BrowserSessions,
        assets: dict[str, Asset],
        url: str = "",
    ) -> None:
        self._logins = logins
        self._sessions = sessions
        self._assets = assets
        self._url = url.rstrip("/")
        self._hosts = frozenset({urlsplit(url).hostname or ""} if url else ())

    def app(self) -> Starlette:
        routes = [
            Route("/", self.page),
            Route("/static/{name}", self.asset),
            Route("/vendor/{part}/{name}", self.asset),
            Route("/api/me", self.me),
            Route("/api/login", self.login, methods=["POST"]),
            Route("/api/logout", self.logout, methods=["POST"]),
            Route("/login/issuer", self.leave_for_issuer),
            Route("/login/callback", self.come_back),
            Route("/api/lookup", self.look_up, methods=["POST"]),
            Route("/api/runs", self.start_run, methods=["POST"]),
            Route("/api/runs/{id}", self.watch_run),
            Route("/api/runs/{id}", self.drop_run, methods=["DELETE"]),
            Route("/api/runs/{id}/cancel", self.cancel_run, methods=["POST"]),
            Route("/api/runs/{id}/rows", self.rows),
            Route("/api/runs/{id}/cell", self.cell),
            Route("/api/runs/{id}/download", self.download),
        ]
        guard = Middleware(BaseHTTPMiddleware, dispatch=self._dispatch)
        return Starlette(routes=routes, middleware=[guard])

    async def _dispatch(
        self, request: Request, call: Callable[[Request], Awaitable[Response]]
    ) -> Response:
        refusal = refusal_of(request, self._hosts)
        if refusal:
            return protect(_error(UserError(ErrorCode.INVALID_ARGUMENT, refusal), 403))
        try:
            response = await call(request)
        except SqeError as error:
            response = _error(error)
            if error.code in _LOGIN_ENDED and request.url.path != "/api/login":
                response = _error(error, 401)
                await self._end(request, response)
        except Exception as error:  # noqa: BLE001  of a defect only its kind is told
            _log.error("%s cannot be answered", request.url.path, exc_info=error)
            response = JSONResponse({"error": _words("INTERNAL_ERROR", "The console failed.")}, 500)
        if "content-security-policy" not in response.headers:
            protect(response)
        return response

    async def page(self, request: Request) -> Response:
        nonce = make_nonce()
        text = self._assets["/static/index.html"].content.decode()
        text = text.replace("{nonce}", escape(nonce)).replace("{version}", escape(__version__))
        return protect(Response(text, media_type="text/html; charset=utf-8"), nonce)

    async def asset(self, request: Request) -> Response:
        asset = self._assets.get(request.url.path)
        if asset is None or request.url.path == "/static/index.html":
            return Response("There is nothing here.\n", 404, media_type="text/plain")
        headers = {"etag": asset.tag, "cache-control": "no-cache"}
        if request.headers.get("if-none-match") == asset.tag:
            return Response(status_code=304, headers=headers)
        return Response(asset.content, media_type=asset.media_type, headers=headers)

    async def me(self, request: Request) -> Response:
        session = self._sessions.find(request.cookies.get(COOKIE, ""))
        if session is not None:
            return JSONResponse({"user": session.user, "server": self._logins.server})
        issuers = await run_in_threadpool(self._logins.issuers)
        anybody = await run_in_threadpool(self._logins.takes_anybody)
        names = [login.issuer for login in issuers]
        return JSONResponse({"user": None, "issuers": names, "anybody": anybody})

    async def login(self, request: Request) -> Response:
        body = await _json(request)
        user, password = _text(body, "user", 256), _text(body, "password", 4096)
        session = await run_in_threadpool(self._logins.log_in, user, password)
        return await self._let_in(request, session, JSONResponse({"user": session.user}))

    async def _let_in(
        self, request: Request, session: BrowserSession, response: Response
    ) -> Response:
        await self._end(request, response)  # whoever was there before
        set_cookie(response, COOKIE, self._sessions.add(session))
        return response

    async def logout(self, request: Request) -> Response:
        response = JSONResponse({"user": None})
        await self._end(request, response)
        return response

    async def _end(self, request: Request, response: Response) -> None:
        name = request.cookies.get(COOKIE, "")
        if name:
            await run_in_threadpool(self._sessions.end, name)
            drop_cookie(response, COOKIE)

    async def leave_for_issuer(self, request: Request) -> Response:
        issuer = request.query_params.get("issuer", "")
        callback = f"{self._url or str(request.base_url).rstrip('/')}/login/callback"
        there, state = await run_in_threadpool(self._logins.begin_code, issuer, callback)
        response = RedirectResponse(there, 303)
        set_cookie(response, STATE_COOKIE, state, lax=True)
        return response

    async def come_back(self, request: Request) -> Response:
        """Always back to the page itself, so that the code is in no history of the browser."""
        given = request.query_params
        arguments = (
            given.get("code", ""),
            given.get("state", ""),
            request.cookies.get(STATE_COOKIE, ""),
        )
        response: Response = RedirectResponse("/", 303)
        try:
            session = await run_in_threadpool(self._logins.finish_code, *arguments)
        except SqeError as error:
            _log.info("a login failed: %s", error.code.name)
            response = RedirectResponse("/#/login-failed", 303)
        else:
            await self._let_in(request, session, response)
        drop_cookie(response, STATE_COOKIE)
        return response

    async def look_up(self, request: Request) -> Response:
        session = self._session(request)
        body = await _json(request)
        parameters = body.get("parameters", [])
        if not isinstance(parameters, list) or not all(isinstance(p, str) for p in parameters):
            raise UserError(ErrorCode.INVALID_ARGUMENT, "Parameters of a lookup are texts.")
        columns, rows = await run_in_threadpool(
            session.look_up, _text(body, "sql", 100_000), list(parameters_of(parameters))
        )
        return JSONResponse({"columns": columns, "rows": rows})

    async def start_run(self, request: Request) -> Response:
        session = self._session(request)
        text = _text(await _json(request), "sql", _MOST_BODY)
        run = await run_in_threadpool(session.start_run, text)
        return JSONResponse({"id": run.id})

    async def watch_run(self, request: Request) -> Response:
        """``rows``: how many the page knows of; it is told of more at once, and of the end."""
        run = self._run(request)
        known = _number(request, "rows", 0, 1 << 62)
        end = asyncio.get_running_loop().time() + _number(request, "wait_ms", 0, 20_000) / 1000
        pause = _LOOK_S[0]
        while not run.ended and asyncio.get_running_loop().time() < end:
            if run.result is not None and run.result.rows > known:
                break
            await asyncio.sleep(pause)
            pause = min(_LOOK_S[1], pause * 1.5)
        return JSONResponse(await run_in_threadpool(_state, run))

    async def drop_run(self, request: Request) -> Response:
        session = self._session(request)
        await run_in_threadpool(session.drop_run, request.path_params["id"])
        return JSONResponse({})

    async def cancel_run(self, request: Request) -> Response:
        await run_in_threadpool(self._run(request).cancel)
        return JSONResponse({})

    async def rows(self, request: Request) -> Response:
        result = _result(self._run(request))
        start = _number(request, "start", 0, 1 << 62)
        count = _number(request, "count", 100, _MOST_ROWS)
        order = request.query_params.get("sort")
        kinds = [column.type for column in result.columns]

        def read() -> list[list[Any]]:
            if order is None:
                return page_of(result.page(start, count), kinds)
            column = _column(order, len(kinds))
            descending = request.query_params.get("direction") == "desc"
            return page_of(result.page_in_order(column, descending, start, count), kinds)

        return JSONResponse({"rows": await run_in_threadpool(read), "total": result.rows})

    async def cell(self, request: Request) -> Response:
        """The whole of one that is too long for a page, as plain text."""
        result = _result(self._run(request))
        row = _number(request, "row", 0, 1 << 62)
        column = _column(request.query_params.get("column", ""), len(result.columns))
        batch = result.page(row, 1)
        if not batch.num_rows:
            raise UserError(ErrorCode.INVALID_ARGUMENT, "The result has no such row.")
        text = await run_in_threadpool(whole_cell, batch, column, result.columns[column].type)
        return Response(text or "", media_type="text/plain; charset=utf-8")

    async def download(self, request: Request) -> Response:
        result = _result(self._run(request))
        kind = request.query_params.get("format", "csv")
        content = write_result(result, kind)
        headers = {"content-disposition": f'attachment; filename="result.{kind}"'}
        return StreamingResponse(content, media_type=MEDIA_TYPES[kind], headers=headers)

    def _run(self, request: Request) -> Run:
        return self._session(request).run(request.path_params["id"])

    def _session(self, request: Request) -> BrowserSession:
        session = self._sessions.find(request.cookies.get(COOKIE, ""))
        if session is None:
            raise AccessError(
                ErrorCode.AUTHENTICATION_FAILED, "You are not logged in.", hint="Log in again."
            )
        return session


def _state(run: Run) -> dict[str, Any]:
    status = run.status()
    result = run.result
    work = status.work
    return {
        "ended": run.ended,
        "state": status.state.value,
        "engine": status.engine.value if status.engine is not None else None,
        "fraction": status.fraction,
        "tasks": [work.tasks_done, work.tasks],
        "stages": [work.stages_done, work.stages],
        "phase": work.phase,
        "seconds": run.seconds,
        "columns": [[column.name, column.type] for column in result.columns] if result else None,
        "rows": result.rows if result is not None else 0,
        "cut": run.cut,
        "affected": run.affected,
        "error": _error_words(run.error) if run.error is not None else None,
    }


def _result(run: Run) -> Any:
    if run.result is None:
        raise UserError(ErrorCode.INVALID_ARGUMENT, "The statement has no rows.")
    return run.result


def _column(text: str, count: int) -> int:
    if not text.isascii() or not text.isdigit() or int(text) >= count:
        raise UserError(ErrorCode.INVALID_ARGUMENT, "The result has no such column.")
    return int(text)


def _number(request: Request, name: str, default: int, most: int) -> int:
    text = request.query_params.get(name, str(default))
    if not text.isascii() or not text.isdigit() or len(text) > 18:
        raise UserError(ErrorCode.INVALID_ARGUMENT, f"{name} is no count.")
    return min(int(text), most)


async def _json(request: Request) -> dict[str, Any]:
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > _MOST_BODY:
            raise UserError(ErrorCode.STATEMENT_TOO_LARGE, "The text is longer than 4 MB.")
    try:
        document = json.loads(body or b"{}")
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        raise UserError(ErrorCode.INVALID_ARGUMENT, "The body of the request is no JSON object.")
    return document


def _text(body: dict[str, Any], name: str, most: int) -> str:
    value = body.get(name, "")
    if not isinstance(value, str) or len(value) > most:
        raise UserError(ErrorCode.INVALID_ARGUMENT, f"{name} is no text, or is too long.")
    return value


def _error(error: SqeError, status: int = 0) -> Response:
    return JSONResponse({"error": _error_words(error)}, status or _STATUS[error.category])


def _error_words(error: SqeError) -> dict[str, Any]:
    words = _words(error.code.name, error.message, error.hint)
    if error.position is not None:
        words |= {"line": error.position.line, "column": error.position.column}
    return words


def _words(code: str, message: str, hint: str = "") -> dict[str, Any]:
    return {"code": code, "message": message, "hint": hint}
