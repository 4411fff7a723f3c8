"""Notices that a client has gone away while its call is waiting for an engine."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from sqe.protocols.flight_sql.credentials import CallMiddleware
from sqe.protocols.flight_sql.errors import sqe_error

_POLL_S = 0.2


class Watch:
    """One thread for all calls: gRPC tells a waiting handler nothing, it has to be asked."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._calls: dict[int, tuple[Any, Callable[[], None]]] = {}
        self._count = 0
        self._thread: threading.Thread | None = None
        self._closed = False

    def until_end(self, context: Any, call: CallMiddleware, gone: Callable[[], None]) -> None:
        """Calls ``gone`` once if the client cancels or disconnects before the call is over.

        The context must not be asked after the call's end, which is why the call itself ends the
        watching, and why the asking happens under the lock.
        """
        with self._changed:
            self._count += 1
            number = self._count
            self._calls[number] = (context, gone)
            if self._thread is None and not self._closed:
                self._thread = threading.Thread(target=self._run, name="flight-watch", daemon=True)
                self._thread.start()
            self._changed.notify_all()
        call.at_end(lambda: self._forget(number))

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _forget(self, number: int) -> None:
        with self._changed:
            self._calls.pop(number, None)

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._calls or self._closed)
                if self._closed:
                    return
                gone = [
                    (number, callback)
                    for number, (context, callback) in self._calls.items()
                    if context.is_cancelled()
                ]
                for number, _ in gone:
                    del self._calls[number]
            for _, callback in gone:
                try:
                    callback()
                except Exception as error:  # noqa: BLE001  others are still to be watched
                    sqe_error(error)
            with self._changed:
                self._changed.wait_for(lambda: self._closed, _POLL_S)
