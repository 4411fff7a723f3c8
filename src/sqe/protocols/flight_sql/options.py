"""How the Flight SQL server listens and what it allows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sqe.http.tls import Tls

MB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class FlightOptions:
    host: str = "127.0.0.1"
    port: int = 0
    tls: Tls | None = None
    message_bytes: int = 16 * MB  # the largest message; larger batches are sliced
    received_bytes: int = 256 * MB  # the largest message of a client; larger ones are refused
    compression: str = "none"  # of results: none, lz4 or zstd
    ticket_s: float = 3600.0  # how long a result waits for its reader
    statement_bytes: int = 0  # the longest text of a statement, as clients are told; 0: any
    # Who may be logged in with: what `sqe login` is told, as JSON.
    logins: Callable[[], bytes] = lambda: b"{}"
    handshake: bool = True  # not where certificates stand for users: pyarrow has one or the other
