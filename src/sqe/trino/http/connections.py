"""Connections of clients: whose certificate they have shown, and how long they may take."""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

from sqe.trino.http.credentials import CERTIFICATE
from sqe.trino.http.tls import certificate_name


class ClientConnection(H11Protocol):
    """Hangs up on clients that begin a request and do not end its headers."""

    request_s = 60.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        name = certificate_name(transport.get_extra_info("peercert"))
        self.app_state = {**self.app_state, CERTIFICATE: name}
        self._late: asyncio.TimerHandle | None = None
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        self._unwatch()
        super().connection_lost(exc)

    def shutdown(self) -> None:
        """TLS would wait for a client that is idle to say goodbye, too."""
        super().shutdown()
        if self._idle and not self.transport.get_write_buffer_size():
            self.transport.abort()

    @property
    def _idle(self) -> bool:
        """No request is being answered."""
        return bool(getattr(self.cycle, "response_complete", True))

    def _watch(self) -> None:
        if not self._idle:
            self._unwatch()
        elif self._late is None:
            self._late = self.loop.call_later(self.request_s, self.transport.abort)

    def _unwatch(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None
