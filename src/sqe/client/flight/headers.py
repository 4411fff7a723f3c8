"""What a client keeps of a server's answers: cookies, and the bearer it is given."""

from __future__ import annotations

import threading
from collections.abc import Callable
from http.cookies import CookieError, SimpleCookie
from typing import Any

import pyarrow.flight as flight

from sqe.model.identity import Secret


class Kept(flight.ClientMiddlewareFactory):  # type: ignore[misc]
    """Sent with every call, and changed by every answer. Thread-safe.

    A password goes out with the first call only: its answer has a bearer, which is sent instead.
    ``renewed`` gives what to send, if that is another token now and then.
    """

    def __init__(
        self,
        authorization: Secret | None = None,
        renewed: Callable[[], Secret] | None = None,
    ) -> None:
        super().__init__()
        self._lock = threading.Lock()
        self._authorization = authorization
        self._renewed = renewed
        self._cookies: dict[str, str] = {}

    def start_call(self, info: Any) -> _Call:
        return _Call(self)

    def headers(self) -> dict[str, str]:
        now = self._renewed() if self._renewed is not None else None
        with self._lock:
            self._authorization = now or self._authorization
            headers = {}
            if self._authorization is not None:
                headers["authorization"] = self._authorization.reveal()
            if self._cookies:
                headers["cookie"] = "; ".join(f"{k}={v}" for k, v in self._cookies.items())
            return headers

    def receive(self, headers: dict[str, list[Any]]) -> None:
        with self._lock:
            for name, values in headers.items():
                for value in values:
                    if not isinstance(value, str):
                        continue
                    if name.lower() == "authorization" and value.startswith("Bearer "):
                        self._authorization = Secret(value)
                    elif name.lower() == "set-cookie":
                        self._keep(value)

    def _keep(self, text: str) -> None:
        try:
            jar = SimpleCookie(text)
        except CookieError:
            return
        for name, morsel in jar.items():
            if morsel["max-age"] == "0" or not morsel.value:
                self._cookies.pop(name, None)
            else:
                self._cookies[name] = morsel.value


class _Call(flight.ClientMiddleware):  # type: ignore[misc]
    def __init__(self, kept: Kept) -> None:
        super().__init__()
        self._kept = kept

    def sending_headers(self) -> dict[str, str]:
        return self._kept.headers()

    def received_headers(self, headers: dict[str, list[Any]]) -> None:
        self._kept.receive(headers)
