"""Events and where they go."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from sqe.errors import ErrorCode, UpstreamError
from sqe.model.access_event import AccessEvent, AccessKind, AccessRecorder
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
    """Somebody has changed a rule about who may do what; ``what`` says it in words. Or a file has
    changed what SQE does: ``settings_changed``, by nobody that SQE knows, and ``what`` are keys."""

    user: str
    at: float
    what: str
    name: str = "rule_changed"


class EventSink(Protocol):
    """Whoever watches queries, and who comes. It is called on the threads of queries, several at a
    time: what takes long it does on a thread of its own. An error of it is logged and fails no
    query."""

    def emit(self, event: QueryEvent) -> None: ...

    def note_change(self, event: RuleEvent) -> None: ...

    def note_access(self, event: AccessEvent) -> None: ...

    def close(self) -> None:
        """There are no more events."""
        ...


@runtime_checkable
class Sends(Protocol):
    """A sink that others take the events of, later than it is called."""

    @property
    def dropped_lines(self) -> int:
        """Events that it had no room for, and has raised nothing about."""
        ...

    def confirm(self) -> None:
        """Waits until all that it was called with has arrived. OSError: it has not in time."""
        ...


class QueryLog:
    """What becomes of a query, in SQE's own log where its level is debug. The audit log has it in
    full, with the text; this one is for reading along."""

    def emit(self, event: QueryEvent) -> None:
        if not _log.isEnabledFor(logging.DEBUG):
            return
        record = event.record
        line = f"query {record.query_id} of {record.user}: {event.name}"
        if record.route is not None and event.name == "running":
            line += f" on {record.route.engine.value} ({record.route.reason})"
        if record.state.ended:
            line += f" after {(record.ended or event.at) - record.created:.3f} s"
            line += f", {record.error_code}" if record.error_code else f", {record.rows} rows"
        _log.debug("%s", line)

    def note_change(self, event: RuleEvent) -> None:
        return None

    def note_access(self, event: AccessEvent) -> None:
        return None

    def close(self) -> None:
        return None


@dataclass
class _Required:
    """A sink that must not lose anything, and how much it has lost since it last was well."""

    sink: EventSink
    lost: int = 0


class Events(AccessRecorder):
    """Sends each event to every sink. A sink that fails is logged and passed over: recording must
    not fail what it records. But while one of those that are ``required`` (and among the sinks) has
    lost something, ``check`` raises, and nothing new begins."""

    def __init__(self, sinks: Sequence[EventSink] = (), required: Sequence[EventSink] = ()) -> None:
        self._sinks = tuple(sinks)
        self._required = tuple(map(_Required, required))
        self._lock = threading.Lock()
        self._recovering = threading.Lock()
        self._failures = {type(sink).__name__: 0 for sink in self._sinks}

    @property
    def failures(self) -> dict[str, int]:
        """How many events each kind of sink could not take."""
        with self._lock:
            failures = dict(self._failures)
        for sink in self._sinks:
            if isinstance(sink, Sends):
                failures[type(sink).__name__] += sink.dropped_lines
        return failures

    def emit(self, event: QueryEvent) -> None:
        self._tell(lambda sink: sink.emit(event))

    def note_change(self, event: RuleEvent) -> None:
        self._tell(lambda sink: sink.note_change(event))

    def note_access(self, event: AccessEvent) -> None:
        self._tell(lambda sink: sink.note_access(event))

    @property
    def may_refuse(self) -> bool:
        """There are sinks that must not lose anything."""
        return bool(self._required)

    def check(self) -> None:
        """AUDIT_UNAVAILABLE, if a required sink has lost something and cannot be written even now,
        or has not taken all that it was sent. The first line that it takes again says how much is
        missing."""
        for required in self._required:
            if required.lost:
                self._recover(required)
            if isinstance(required.sink, Sends):
                try:
                    required.sink.confirm()
                except OSError as error:
                    raise _unavailable() from error

    def _recover(self, required: _Required) -> None:
        with self._recovering:
            lost = required.lost
            if not lost:  # another thread was first
                return
            try:
                gap = AccessEvent(AccessKind.EVENTS_LOST, time.time(), "", count=lost)
                required.sink.note_access(gap)
            except Exception as error:
                raise _unavailable() from error
            with self._lock:
                required.lost -= lost
        _log.warning(
            "event sink %s is written again; it misses %d events",
            type(required.sink).__name__,
            lost,
        )

    def close(self) -> None:
        self._tell(lambda sink: sink.close())

    def _tell(self, call: Callable[[EventSink], None]) -> None:
        for sink in self._sinks:
            try:
                call(sink)
            except Exception:  # noqa: BLE001
                with self._lock:
                    self._failures[type(sink).__name__] += 1
                    for required in self._required:
                        required.lost += required.sink is sink
                _log.exception("event sink %s failed", type(sink).__name__)


def _unavailable() -> UpstreamError:
    return UpstreamError(
        ErrorCode.AUDIT_UNAVAILABLE,
        "SQE cannot write its audit log, and must not do anything unrecorded.",
        hint="Try again later; the server's administrator has to see to it.",
    )
