"""One catalog behind HTTP: its connections, and what it has answered to whom."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqe.catalog.protocol import Loaded
from sqe.catalog.remote.answers import CatalogConfig
from sqe.catalog.remote.breaker import Breaker
from sqe.catalog.remote.options import RestOptions
from sqe.catalog.remote.ttl_cache import TtlCache
from sqe.errors import ErrorCode
from sqe.http.client import Answer, Http, HttpOptions
from sqe.model.observer import UNOBSERVED, CallOutcome, Observer, outcome_of_status
from sqe.model.spans import CATALOG
from sqe.model.tracing import trace

_MOST_NAMES = 500_000  # in lists, of all users together
_MOST_METADATA = 16 * 1024 * 1024  # bytes of tables' metadata
_MOST_CONFIGS = 10_000
_CONNECT_S = 5.0
_CONNECTIONS = 128  # kept open; more are made where they are needed
_CONFIG_S = 30.0  # at least: it is asked for before anything else


@dataclass(frozen=True)
class KeptTable:
    """``etag`` is what the catalog calls this state of the table; ``since``: seconds of 1970."""

    etag: str
    loaded: Loaded
    since: float


@dataclass(frozen=True, slots=True)
class ServiceRequest:
    """``operation``: what it asks for, as a verb."""

    operation: str
    method: str
    url: str
    headers: Mapping[str, str] = field(repr=False)
    body: bytes | None = field(default=None, repr=False)


class Service:
    """For all users. What is kept is kept by who was answered. Thread-safe."""

    def __init__(
        self,
        options: RestOptions,
        breaker: Breaker | None = None,
        clock: Callable[[], float] = time.monotonic,
        observer: Observer = UNOBSERVED,
    ) -> None:
        what = f"Catalog {options.name}"
        self.observer = observer
        self.options = options
        self._http = Http(
            HttpOptions(
                what,
                ErrorCode.CATALOG_UNAVAILABLE,
                connect_s=min(_CONNECT_S, options.timeout_s),
                total_s=options.timeout_s,
                authorities=options.authorities,
                connections=_CONNECTIONS,
            )
        )
        self._breaker = breaker or Breaker(what)
        config_s = max(options.cache_s, _CONFIG_S)
        self.configs: TtlCache[CatalogConfig] = TtlCache(config_s, _MOST_CONFIGS, clock=clock)
        self.lists: TtlCache[Any] = TtlCache(options.cache_s, _MOST_NAMES, _entries, clock)
        self.tables: TtlCache[KeptTable] = TtlCache(None, _MOST_METADATA, _size, clock)

    def call(self, request: ServiceRequest, seconds: float) -> Answer:
        started, outcome = time.perf_counter(), CallOutcome.UNAVAILABLE
        try:
            with trace(CATALOG, catalog=self.options.name, operation=request.operation) as span:
                headers = {**request.headers, **span.headers}
                with self._breaker.call():
                    answer = self._http.call(
                        request.method, request.url, headers, request.body, seconds=seconds
                    )
                span.note(status=answer.status)
            outcome = outcome_of_status(answer.status)
            return answer
        finally:
            taken = time.perf_counter() - started
            self.observer.note_catalog_call(self.options.name, outcome, taken)

    @property
    def cache_looks(self) -> dict[str, tuple[int, int]]:
        """Hits and misses of each cache."""
        return {
            "configs": self.configs.looks,
            "lists": self.lists.looks,
            "tables": self.tables.looks,
        }

    def close(self) -> None:
        self._http.close()


def _entries(kept: Any) -> int:
    return len(kept) + 1


def _size(kept: KeptTable) -> int:
    return len(kept.loaded.metadata_json)
