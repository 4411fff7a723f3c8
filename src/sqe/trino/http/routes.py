"""Requests in, gateway calls out: every address of the protocol and what answers there."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Sequence
from contextlib import suppress

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from sqe.errors import SqeError
from sqe.gateway.gateway import Gateway
from sqe.model.query import QueryRecord, QueryState
from sqe.trino.http.answers import Handler, guard_handler, send_page
from sqe.trino.http.bridge import Bridge
from sqe.trino.http.credentials import Callers, Origin, TrinoCaller, origin_of
from sqe.trino.http.errors import (
    BUSY,
    Refusal,
    bad_request,
    busy,
    error_json,
    no_such_query,
)
from sqe.trino.http.headers import CLEARED, client_of
from sqe.trino.http.infos import query_json, server_json
from sqe.trino.http.options import MB, TrinoOptions
from sqe.trino.http.pages import Content, Page, Uris, page
from sqe.trino.http.statement import EXECUTING, QUEUED, ServedStatement
from sqe.trino.http.statements import Statements
from sqe.trino.http.stats import FAILED, stats_json

_NO_CONTENT = 204
_GONE = 410


class Routes:
    """The handlers, on the event loop. What may take a while goes over the bridge."""

    def __init__(
        self,
        gateway: Gateway,
        callers: Callers,
        statements: Statements,
        bridge: Bridge,
        options: TrinoOptions,
    ) -> None:
        self._gateway = gateway
        self._callers = callers
        self._statements = statements
        self._bridge = bridge
        self._options = options
        self._started = time.monotonic()

    def routes(self) -> list[Route]:
        page = "{query_id}/{slug}/{token:int}"
        ways: list[tuple[str, Handler, list[str]]] = [
            ("/v1/statement", self.statement, ["POST", "HEAD"]),
            (f"/v1/statement/queued/{page}", self.get_queued, ["GET", "DELETE"]),
            (f"/v1/statement/executing/{page}", self.get_executing, ["GET", "DELETE"]),
            (
                "/v1/statement/executing/partialCancel/{query_id}/{stage:int}/{slug}/{token:int}",
                self.partial_cancel,
                ["DELETE"],
            ),
            ("/v1/info", self.info, ["GET"]),
            ("/v1/info/state", self.info_state, ["GET"]),
            ("/v1/query", self.queries, ["GET"]),
            ("/v1/query/{query_id}", self.query, ["GET", "DELETE"]),
            ("/ui/query.html", self.query_page, ["GET"]),
        ]
        return [
            Route(path, guard_handler(handler), methods=methods) for path, handler, methods in ways
        ]

    async def statement(self, request: Request) -> Response:
        origin, caller = await self._caller(request)
        if request.method == "HEAD":
            return Response()
        client = client_of(request.headers, self._options.statement_bytes)
        text = await self._text(request)
        try:
            statement = await self._bridge.call(
                lambda: self._statements.submit(caller, text, client)
            )
        except SqeError as error:
            if error.code in BUSY:
                raise busy(error) from error
            told = (CLEARED,) if client.left_by(text) else ()
            page = _refusal_page(error, caller, text, origin.base, told)
        else:
            page = statement.post_answer(origin.base)
        return await send_page(page, request, origin.local, self._bridge)

    async def get_queued(self, request: Request) -> Response:
        origin, statement = await self._find_statement(request, QUEUED)
        if request.method == "HEAD":
            return Response()
        if request.method == "DELETE":
            return await self._cancel(statement)
        results = statement.results
        await results.bell.until(lambda: results.opened, self._options.wait_s)
        return await send_page(
            statement.page_of_queued(origin.base), request, origin.local, self._bridge
        )

    async def get_executing(self, request: Request) -> Response:
        origin, statement = await self._find_statement(request, EXECUTING)
        if request.method == "HEAD":
            return Response()
        if request.method == "DELETE":
            return await self._cancel(statement)
        token = request.path_params["token"]
        page = statement.turn_page(origin.base, token, waited=False)
        if page is None:
            results = statement.results
            await results.bell.until(lambda: results.ready, self._options.wait_s)
            page = statement.turn_page(origin.base, token, waited=True)
        statement.touch()
        if page is None:
            raise no_such_query()
        return await send_page(page, request, origin.local, self._bridge)

    async def partial_cancel(self, request: Request) -> Response:
        """The rows so far are the result. There are no stages to be cancelled one by one."""
        _, statement = await self._find_statement(request, EXECUTING)
        await self._bridge.call(statement.results.stop)
        return Response(status_code=_NO_CONTENT)

    async def info(self, request: Request) -> Response:
        uptime = time.monotonic() - self._started
        return JSONResponse(server_json(self._options.environment, uptime))

    async def info_state(self, request: Request) -> Response:
        return JSONResponse("ACTIVE")

    async def queries(self, request: Request) -> Response:
        origin, caller = await self._caller(request)
        wanted = request.query_params.get("state", "").upper()
        seen = await self._bridge.call(lambda: self._list_visible(caller))
        records = [query_json(record, origin.base, whole=False) for record in seen]
        documents = [document for document in records if not wanted or document["state"] == wanted]
        return JSONResponse(documents)

    async def query(self, request: Request) -> Response:
        origin, caller = await self._caller(request)
        query_id = request.path_params["query_id"]
        if request.method == "DELETE":
            await self._bridge.call(lambda: self._kill(query_id, caller))
            return Response(status_code=_NO_CONTENT)
        record = await self._bridge.call(lambda: self._record(query_id, caller))
        if record is None:
            raise Refusal(_GONE, "Query not found")
        return JSONResponse(query_json(record, origin.base, whole=True))

    async def query_page(self, request: Request) -> Response:
        """Where ``infoUri`` leads, until there is a page for people."""
        return RedirectResponse(f"/v1/query/{request.url.query}", 303)

    async def _caller(self, request: Request) -> tuple[Origin, TrinoCaller]:
        origin = origin_of(request, self._options)
        return origin, await self._bridge.call(lambda: self._callers.identify(request, origin))

    async def _find_statement(
        self, request: Request, context: str
    ) -> tuple[Origin, ServedStatement]:
        origin, caller = await self._caller(request)
        values = request.path_params
        statement = self._statements.find(values["query_id"], caller)
        statement.check(context, values["slug"], values["token"])
        return origin, statement

    async def _cancel(self, statement: ServedStatement) -> Response:
        await self._bridge.call(statement.cancel)
        return Response(status_code=_NO_CONTENT)

    async def _text(self, request: Request) -> str:
        """A statement that is a little too long gets its own error; what is much longer is not
        even read."""
        limit = 2 * self._options.statement_bytes + MB
        body = bytearray()
        try:
            async with asyncio.timeout(self._options.request_s):
                async for chunk in request.stream():
                    body += chunk
                    if len(body) > limit:
                        raise Refusal(413, "The statement is too long", {"Connection": "close"})
        except TimeoutError:
            raise Refusal(408, "The statement takes too long", {"Connection": "close"}) from None
        except ClientDisconnect:
            raise bad_request("The client went away") from None
        try:
            text = body.decode("utf-8")
        except UnicodeDecodeError:
            raise bad_request("The statement is not UTF-8") from None
        if not text.strip():
            raise bad_request("SQL statement is empty")
        return text

    def _record(self, query_id: str, caller: TrinoCaller) -> QueryRecord | None:
        """One that the caller must not see is not there."""
        try:
            record = self._gateway.record(query_id)
        except SqeError:
            return None
        seen = self._gateway.other_users.list_visible(caller.identity, [record])
        return seen[0] if seen else None

    def _list_visible(self, caller: TrinoCaller) -> list[QueryRecord]:
        return self._gateway.records_for(caller.identity)

    def _kill(self, query_id: str, caller: TrinoCaller) -> None:
        """Nothing is said where there is nothing to end, or nothing of the caller's."""
        with suppress(SqeError):
            if self._gateway.record(query_id).user == caller.identity.user:
                self._gateway.cancel(query_id)
            else:
                self._gateway.kill(caller.identity, query_id, origin=caller.origin)


def app_of(routes: list[Route]) -> Starlette:
    return Starlette(routes=routes)


def _refusal_page(
    error: SqeError, caller: TrinoCaller, text: str, base: str, headers: Sequence[tuple[str, str]]
) -> Page:
    """Of a statement that has not become a query of the gateway."""
    now = time.time()
    stamp = time.strftime("%Y%m%d_%H%M%S", time.gmtime(now))
    query_id = f"{stamp}_00000_{secrets.token_hex(3)[:5]}"
    record = QueryRecord(
        query_id, caller.identity.user, text, QueryState.FAILED, created=now, ended=now
    )
    content = Content(stats_json(record, FAILED), error=error_json(error))
    return page(query_id, Uris(f"{base}/ui/query.html?{query_id}"), content, headers)
