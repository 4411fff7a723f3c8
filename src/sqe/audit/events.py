"""Events and where they go."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from sqe.model.query import QueryRecord

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class QueryEvent:
    """A query has changed. ``name`` is the new state, or "progress"."""

    name: str
    at: float
    record: QueryRecord


@dataclass(frozen=True, slots=True)
class RuleEvent:
    """Somebody has changed a rule about who may do what; ``what`` says it in words."""

    user: str
    at: float
    what: str


class EventSink(Protocol):
    def emit(self, event: QueryEvent) -> None: ...


class Events:
    """Sends each event to every sink. A sink that fails is logged and passed over."""

    def __init__(self, sinks: Sequence[EventSink] = ()) -> None:
        self._sinks = list(sinks)

    def emit(self, event: QueryEvent) -> None:
        for sink in self._sinks:
            try:
                sink.emit(event)
            except Exception:  # noqa: BLE001
                # Recording must not fail the query it records.
                _log.exception("event sink %s failed", type(sink).__name__)
