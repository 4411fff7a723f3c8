"""Calls to one catalog as one user: with the token of this moment, and never with another."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlencode

from sqe.catalog.protocol import Json
from sqe.catalog.remote.answers import CatalogConfig, object_of
from sqe.catalog.remote.errors import Act, failure, no_catalog
from sqe.catalog.remote.service import Service, ServiceRequest
from sqe.errors import AccessError, ErrorCode, Unanswered
from sqe.http.client import Answer
from sqe.model.identity import Identity
from sqe.model.passport import Passport, login_expired

_log = logging.getLogger(__name__)
_CONFIG = Act(
    "tell its configuration", absent=ErrorCode.CATALOG_UNAVAILABLE, lists=True, connects=True
)
_JSON = {"accept": "application/json", "accept-encoding": "gzip"}
_NOT_ACCEPTED = (401, 419)
_PAUSE_S = 0.05
_LONGEST_PAUSE_S = 5.0


@dataclass(frozen=True, slots=True)
class Request:
    """``url`` whole, without the query."""

    method: str
    url: str
    query: Mapping[str, str] = field(default_factory=dict)
    body: Json | None = None
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def target(self) -> str:
        return f"{self.url}?{urlencode(self.query)}" if self.query else self.url


class CatalogClient:
    """Thread-safe."""

    def __init__(self, service: Service, identity: Identity) -> None:
        self.service = service
        self._identity = identity

    @property
    def name(self) -> str:
        return self.service.options.name

    @property
    def who(self) -> Hashable:
        """To whom an answer belongs: one person, by one login, with one token."""
        if not self.service.options.shows_token:
            return None
        passport = self._passport()
        return self._identity, passport.login, passport.generation

    def config(self) -> CatalogConfig:
        options = self.service.options

        def ask() -> CatalogConfig:
            query = {"warehouse": options.warehouse} if options.warehouse else {}
            answer = self.send(_CONFIG, Request("GET", f"{options.uri}/v1/config", query))
            try:
                return CatalogConfig(object_of(answer))
            except (ValueError, RecursionError):
                raise no_catalog(self.name, "sent something else than a configuration") from None

        return self.service.configs.get_or_ask(self.who, ask)

    def send(self, act: Act, request: Request) -> Answer:
        """An answer that is none of a failure, or SQE's error for it. What may be asked twice
        without harm is, once, where the catalog was just not there; so is everything that was
        refused with a token that has been renewed meanwhile."""
        deadline = time.monotonic() + self.service.options.timeout_s
        again = True
        while True:
            generation, token = self._current_token()
            left = max(deadline - time.monotonic(), _PAUSE_S)
            try:
                answer = self._call(act, request, token, left)
            except Unanswered as failed:
                was_there = failed.maybe_done and not failed.timed_out
                if not (again and was_there and request.method == "GET"):
                    raise
                pause = _PAUSE_S
            else:
                wait = self._pause(request, answer, generation)
                if not again or wait is None or time.monotonic() + wait >= deadline:
                    return self._check(act, answer, token)
                pause = wait
            time.sleep(pause)
            again = False

    def _call(self, act: Act, request: Request, token: str, seconds: float) -> Answer:
        set_headers = {name: value.reveal() for name, value in self.service.options.headers.items()}
        headers = {**set_headers, **_JSON, **request.headers}
        if token:
            headers["authorization"] = f"Bearer {token}"
        body = None
        if request.body is not None:
            headers["content-type"] = "application/json"
            body = json.dumps(request.body).encode()
        started = time.monotonic()
        asked = ServiceRequest(act.verb, request.method, request.target, headers, body)
        answer = self.service.call(asked, seconds)
        _log.debug(
            "catalog %s: %s %s answered %d in %.1f ms",
            self.name,
            request.method,
            request.url,
            answer.status,
            (time.monotonic() - started) * 1000,
        )
        return answer

    def _pause(self, request: Request, answer: Answer, generation: int) -> float | None:
        """How long to wait before another try; None: the answer is the answer."""
        if answer.status in _NOT_ACCEPTED:
            return 0.0 if self._current_token()[0] != generation else None
        if request.method != "GET" or answer.status != 503:
            return None
        try:
            wanted = float(answer.headers.get("retry-after", ""))
        except ValueError:
            return None
        return wanted if 0 <= wanted <= _LONGEST_PAUSE_S else None

    def _check(self, act: Act, answer: Answer, token: str) -> Answer:
        if answer.status in _NOT_ACCEPTED and token and self._passport().expired:
            raise login_expired()
        if not 200 <= answer.status < 300 and answer.status != 304:
            raise failure(self.name, act, answer, hide=token)
        return answer

    def _current_token(self) -> tuple[int, str]:
        """The token of this moment, and the how manieth it is. Raises TOKEN_EXPIRED."""
        if not self.service.options.shows_token:
            return 0, ""
        passport = self._passport()
        generation = passport.generation
        return generation, passport.token(self.service.options.audience).reveal()

    def _passport(self) -> Passport:
        if self._identity.passport is None:
            raise AccessError(
                ErrorCode.ACCESS_DENIED,
                f"Catalog {self.name} must be shown a token of yours, and your login has none.",
                hint="Log in with a token of the identity provider.",
            )
        return self._identity.passport
