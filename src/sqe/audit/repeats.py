"""Counts what repeats itself, so that a storm of logins does not fill the disk."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import replace

from sqe.model.access_event import AccessEvent, AccessKind
from sqe.model.query import QueryOrigin

_log = logging.getLogger(__name__)
MANY = "*"  # in place of users, where there are too many to name them
_WINDOW_S = 60.0
_MOST_REFUSED = 200  # of those that are told apart within a window
_MOST_ACCEPTED = 10_000
_ONE_BY_ONE = (
    AccessKind.SESSION_OPENED,
    AccessKind.SESSION_ENDED,
    AccessKind.KILL,
    AccessKind.CREDENTIAL_USED,
    AccessKind.EVENTS_LOST,
)


class Repeats:
    """Calls ``write`` at once with the first event of a kind, user and address; those that follow
    within a minute are one event with their number, at its end. Of more refused users than can be
    told apart only the addresses are, and then nothing."""

    def __init__(
        self,
        write: Callable[[AccessEvent], None],
        window_s: float = _WINDOW_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._write = write
        self._window_s = window_s
        self._clock = clock
        self._lock = threading.Lock()
        self._counts: dict[bool, dict[AccessEvent, _Count]] = {False: {}, True: {}}
        self._timer: threading.Timer | None = None
        self._closed = False

    def note(self, event: AccessEvent) -> None:
        if event.kind in _ONE_BY_ONE:
            self._write(event)
            return
        with self._lock:
            events = [*self._take_counted(self._clock()), *self._count(event)]
        self._write_all(events)

    def close(self) -> None:
        """Writes the numbers that wait."""
        with self._lock:
            self._closed = True
            if self._timer is not None:
                self._timer.cancel()
            events = self._take_counted(float("inf"))
        self._write_all(events)

    def _write_all(self, events: list[AccessEvent]) -> None:
        """What cannot be written is counted further."""
        for number, event in enumerate(events):
            try:
                self._write(event)
            except BaseException:
                with self._lock:
                    self._restore(events[number:])
                raise

    def _restore(self, events: list[AccessEvent]) -> None:
        for event in events:
            counts = self._counts[event.kind.is_refusal]
            count = counts.setdefault(replace(event, at=0.0, count=1), _Count(self._clock()))
            count.number += event.count
            count.at = event.at
        self._start_timer()

    def _count(self, event: AccessEvent) -> list[AccessEvent]:
        """The event, if it is to be written now."""
        refused = event.kind.is_refusal
        counts, limit = self._counts[refused], _MOST_REFUSED if refused else _MOST_ACCEPTED
        same = replace(event, at=0.0)
        for at_most in (limit, 2 * limit):
            if same in counts or len(counts) < at_most:
                break
            if not refused:  # people with a credential: they do not do this for nothing
                return [event]
            wider = QueryOrigin(event.origin.protocol, event.origin.address)
            same = AccessEvent(event.kind, 0.0, MANY, wider)
        else:
            same = AccessEvent(event.kind, 0.0, MANY)
        count = counts.get(same)
        if count is None:
            counts[same] = _Count(self._clock())
            return [replace(same, at=event.at)]
        count.number += 1
        count.at = event.at
        self._start_timer()
        return []

    def _take_counted(self, now: float) -> list[AccessEvent]:
        """Of the windows that have ended. What went on in one goes on being counted."""
        events = []
        for counts in self._counts.values():
            for same, count in list(counts.items()) if self._is_due(counts, now) else ():
                if now - count.since < self._window_s:
                    break
                del counts[same]
                if count.number:
                    events.append(replace(same, at=count.at, count=count.number))
                    counts[same] = _Count(now)
        return events

    def _is_due(self, counts: dict[AccessEvent, _Count], now: float) -> bool:
        """The oldest stands first."""
        oldest = next(iter(counts.values()), None)
        return oldest is not None and now - oldest.since >= self._window_s

    def _start_timer(self) -> None:
        if self._timer is None and not self._closed:
            self._timer = threading.Timer(self._window_s, self._write_counted)
            self._timer.daemon = True
            self._timer.start()

    def _write_counted(self) -> None:
        with self._lock:
            self._timer = None
            if self._closed:
                return
            events = self._take_counted(self._clock())
            if any(count.number for counts in self._counts.values() for count in counts.values()):
                self._start_timer()
        try:
            self._write_all(events)
        except Exception:  # noqa: BLE001  nobody else hears of it
            _log.exception("repeated events could not be recorded")


class _Count:
    """``number``: of events that were not written, since then."""

    def __init__(self, since: float) -> None:
        self.since = since
        self.number = 0
        self.at = 0.0
