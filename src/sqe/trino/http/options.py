"""How the server of Trino's protocol listens and what it allows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sqe.http.tls import Tls
from sqe.model.identity import Identity

MB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Impersonation:
    """Who may act as whom. ``rules`` are pairs of a principal and a user; ``*`` is anyone."""

    rules: frozenset[tuple[str, str]] = frozenset()
    # Users of the settings, with groups and roles.
    known: Callable[[str], Identity | None] = lambda user: None

    def allows(self, principal: str, user: str) -> bool:
        return any((who, whom) in self.rules for who in (principal, "*") for whom in (user, "*"))

    def identity(self, user: str) -> Identity:
        """Without a credential: that of the principal is not this user's."""
        return self.known(user) or Identity(user)


@dataclass(frozen=True, slots=True)
class TrinoOptions:
    host: str = "127.0.0.1"
    port: int = 0
    tls: Tls | None = None
    plain_credentials: bool = False  # take passwords and tokens without TLS
    forwarded: bool = False  # believe X-Forwarded-Proto and -Host: a proxy of ours sets them
    impersonation: Impersonation = Impersonation()
    page_bytes: int = MB  # of the rows of a page
    wait_s: float = 1.0  # the longest a request waits for something new
    request_s: float = 60.0  # the longest a client may take to send a statement
    client_timeout_s: float = 300.0  # a query that nobody asks about is ended
    transaction_idle_s: float = 300.0  # so is a transaction
    encodings: tuple[str, ...] = ("json+zstd", "json+lz4", "json")  # of segments, if asked for
    statement_bytes: int = MB
    header_bytes: int = 256 * 1024  # of all headers of a request
    environment: str = "sqe"  # how the server calls itself in /v1/info
