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


class QueryLog:
    """What becomes of a query, in SQE's own log where its level is debug. The audit log has it in
    full, with the text; this one is for reading along."""

    def emit(self, event: QueryEvent) -> None:
        if not _log.isEnabledFor(logging.DEBUG):
            return
        record = event.record
        said = f"query {record.query_id} of {record.user}: {event.name}"
        if record.route is not None and event.name == "running":
            said += f" on {record.route.engine.value} ({record.route.reason})"
        if record.state.ended:
            said += f" after {(record.ended or event.at) - record.created:.3f} s"
            said += f", {record.error_code}" if record.error_code else f", {record.rows} rows"
        _log.debug("%s", said)


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
