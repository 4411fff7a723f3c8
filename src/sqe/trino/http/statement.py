"""One statement of a client: its addresses and its pages."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
import time
from contextlib import suppress

from sqe.errors import ErrorCode, SqeError, UserError
from sqe.gateway.gateway import Gateway
from sqe.model.query import QueryRecord
from sqe.trino.http.errors import Refusal, error_json, no_such_query
from sqe.trino.http.headers import ENCODING, change_headers
from sqe.trino.http.pages import Content, Page, Uris, page
from sqe.trino.http.results import Part, Results
from sqe.trino.http.sessions import LeasedSession
from sqe.trino.http.stats import FAILED, FINISHED, state_of, stats_json

QUEUED, EXECUTING = "queued", "executing"
_FIRST_QUEUED = 1


class ServedStatement:
    """Pages are asked for in order, by a token that counts them; each token has a slug that only
    the client can know who got the page before. Requests of one statement may come from several
    threads."""

    def __init__(
        self, gateway: Gateway, query_id: str, principal: str, lent: LeasedSession, results: Results
    ) -> None:
        self.query_id = query_id
        self.principal = principal
        self.lent = lent
        self.results = results
        self.if_failed: tuple[tuple[str, str], ...] = ()  # headers that go with an error
        self.touched = time.monotonic()
        self._gateway = gateway
        self._secret = secrets.token_bytes(20)
        self._record = gateway.record(query_id)
        self._lock = threading.Lock()
        self._token = -1
        self._page: Page | None = None
        self._over = False

    @property
    def over(self) -> bool:
        """The client has got the last page, and may ask for that one again."""
        return self._over

    def touch(self) -> None:
        self.touched = time.monotonic()

    def check(self, context: str, slug: str, token: int) -> None:
        """Raises unless the slug is that of the token."""
        if not hmac.compare_digest(self._slug(context, token).encode(), slug.encode()):
            raise no_such_query()
        self.touch()

    def post_answer(self, base: str) -> Page:
        """The answer to the statement itself, before anything is known of it."""
        return self._state_page(base, self._path(QUEUED, _FIRST_QUEUED))

    def page_of_queued(self, base: str) -> Page:
        """Hands over to the pages with rows, or tells the error."""
        if self.results.error is not None:
            self._over = True
            return self._make_page(base, self.results.take(), "")
        return self._state_page(base, self._path(EXECUTING, 0))

    def turn_page(self, base: str, token: int, waited: bool) -> Page | None:
        """The page of the token. None: there is nothing new yet, and nobody has ``waited``."""
        with self._lock:
            if token == self._token and self._page is not None:
                return self._page
            if token <= self._token:
                raise Refusal(410, "The page is gone")
            if token != self._token + 1 or self._over:
                raise no_such_query()
            if not waited and not self.results.ready:
                return None
            part = self.results.take()
            following = "" if part.last else self._path(EXECUTING, token + 1)
            self._page = self._make_page(base, part, following)
            self._token, self._over = token, part.last
            return self._page

    def cancel(self) -> None:
        """May take as long as the engine does to hear of it."""
        self.results.fail(UserError(ErrorCode.CANCELLED, "Query was canceled"))
        self.results.stop()
        with suppress(SqeError):  # it ended long ago
            self._gateway.cancel(self.query_id)

    def _make_page(self, base: str, part: Part, following: str) -> Page:
        results = self.results
        failed = part.error is not None
        headers = list(self.if_failed) if failed else change_headers(results.outcome.changes)
        encoding = results.packing.encoding
        if encoding:
            headers.append((ENCODING, encoding))
        content = Content(
            stats=self._stats(part),
            columns=results.columns,
            data=part.data,
            error=error_json(part.error) if part.error is not None else None,
            update_type=results.outcome.update_type,
            update_count=results.update_count if part.last else None,
        )
        cancel = following.replace(
            f"/{EXECUTING}/{self.query_id}/", f"/{EXECUTING}/partialCancel/{self.query_id}/0/"
        )
        uris = Uris(self._info(base), base + following, base + cancel)
        if not following:
            uris = Uris(self._info(base))
        return page(self.query_id, uris, content, headers, packed="+" in encoding)

    def _state_page(self, base: str, following: str) -> Page:
        record = self.record()
        state = state_of(record) if not record.state.ended else "RUNNING"
        uris = Uris(self._info(base), base + following)
        return page(self.query_id, uris, Content(stats_json(record, state)))

    def _stats(self, part: Part) -> dict[str, object]:
        record = self.record()
        state = "RUNNING" if record.state.ended else state_of(record)
        if part.last:
            state = FINISHED if part.error is None else FAILED
        return stats_json(record, state, self.results.rows)

    def record(self) -> QueryRecord:
        """The gateway's, or the last that was seen of it if it has forgotten the query."""
        with suppress(SqeError):
            self._record = self._gateway.record(self.query_id)
        return self._record

    def _info(self, base: str) -> str:
        return f"{base}/ui/query.html?{self.query_id}"

    def _path(self, context: str, token: int) -> str:
        return f"/v1/statement/{context}/{self.query_id}/{self._slug(context, token)}/{token}"

    def _slug(self, context: str, token: int) -> str:
        text = f"{context}/{token}".encode()
        return "y" + hmac.new(self._secret, text, hashlib.sha256).hexdigest()[:40]
