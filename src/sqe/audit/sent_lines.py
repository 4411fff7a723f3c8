"""Lines of the audit log that go to a service: no query ever waits for it to take them, unless it
is asked whether it has."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from sqe.audit.fields import access_fields
from sqe.audit.line_sink import LineSink
from sqe.errors import SqeError
from sqe.model.access_event import AccessEvent, AccessKind

_log = logging.getLogger(__name__)
_AT_ONCE = 500  # lines
_BYTES_AT_ONCE = 1 << 20
_PAUSE_S = (0.1, 5.0)  # between attempts: the first, the longest
_CLOSE_S = 1.0


@dataclass(frozen=True, slots=True)
class Line:
    event: str
    body: bytes  # a JSON object, in ASCII


class LineRefused(Exception):
    """The service does not want this line, and will not want it later."""


class LineTransport(Protocol):
    """Called on one thread. Whatever it does it ends within its own time."""

    longest: int  # bytes of a line; 0: any

    def send(self, lines: Sequence[Line]) -> None:
        """All of them have arrived, as far as the service can say. OSError or SqeError: perhaps
        none has; they are sent again. LineRefused."""
        ...

    def close(self) -> None: ...


class SentLines(LineSink):
    """Sends what is written on a thread of its own, in batches, again and again until it is taken.
    What does not fit into ``most_bytes`` meanwhile is lost: counted, logged, and told to the
    service by a line when it is back."""

    def __init__(
        self,
        transport: LineTransport,
        most_bytes: int,
        patience_s: float,
        *,
        required: bool = False,
        pauses_s: tuple[float, float] = _PAUSE_S,
    ) -> None:
        """``patience_s``: how long ``confirm`` waits. ``required``: a line that does not fit is an
        error; the caller counts it."""
        super().__init__()
        self._transport = transport
        self._most_bytes = most_bytes
        self._patience_s = patience_s
        self._required = required
        self._pauses_s = pauses_s
        self._changed = threading.Condition()
        self._waiting: deque[Line] = deque()
        self._bytes = 0
        self._written = self._taken = 0  # lines, since it began
        self._given_up_at = -1  # what was taken when somebody waited in vain
        self._down = False
        self._closed = False
        self._lost_untold = 0
        self.dropped_lines = 0
        name = type(self).__name__
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def write(self, fields: dict[str, Any]) -> None:
        line = _line_of(fields, self._transport.longest)
        with self._changed:
            if self._closed:
                return
            if self._bytes + len(line.body) <= self._most_bytes:
                self._keep(line)
                return
            if not self._required:
                self._drop(1)
                return
        raise OSError("its buffer is full")

    def confirm(self) -> None:
        """Everything that was written has arrived. OSError if it has not in time, and at once as
        long as the service is known not to answer."""
        deadline = time.monotonic() + self._patience_s
        with self._changed:
            wanted = self._written
            while self._taken < wanted:
                left = deadline - time.monotonic()
                if self._down or self._closed or left <= 0 or self._given_up_at == self._taken:
                    self._given_up_at = self._taken
                    raise OSError("it has not taken what was recorded")
                self._changed.wait(left)

    def close(self) -> None:
        """Waits a little for what is left."""
        super().close()
        with self._changed:
            wait = time.monotonic() + _CLOSE_S
            while self._waiting and not self._down and time.monotonic() < wait:
                self._changed.wait(max(0.0, wait - time.monotonic()))
            self._closed = True
            left = len(self._waiting)
            if left:
                self._drop(left)
            self._changed.notify_all()
        self._thread.join(_CLOSE_S)

    def _keep(self, line: Line) -> None:
        self._waiting.append(line)
        self._bytes += len(line.body)
        self._written += 1
        self._changed.notify_all()

    def _drop(self, count: int) -> None:
        if not self._lost_untold:
            _log.error("%s loses lines: they are not taken in time", type(self).__name__)
        self.dropped_lines += count
        self._lost_untold += count

    def _run(self) -> None:
        pause = self._pauses_s[0]
        while (batch := self._next_batch()) is not None:
            try:
                self._send(batch)
            except Exception as error:  # noqa: BLE001  whatever it is, the lines are kept
                self._note_failure(error)
                with self._changed:
                    self._changed.wait_for(lambda: self._closed, pause)
                pause = min(2 * pause, self._pauses_s[1])
                continue
            pause = self._pauses_s[0]
            self._note_taken(batch)
        self._transport.close()

    def _next_batch(self) -> list[Line] | None:
        """The oldest that wait, which they do until they are taken. None: it is closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closed)
            if self._closed:
                return None
            batch: list[Line] = []
            size = 0
            for line in self._waiting:
                size += len(line.body)
                if batch and (len(batch) >= _AT_ONCE or size > _BYTES_AT_ONCE):
                    break
                batch.append(line)
            return batch

    def _send(self, batch: list[Line]) -> None:
        try:
            self._transport.send(batch)
            return
        except LineRefused:
            if len(batch) == 1 and self._required:
                raise
        for line in batch:  # which of them is it
            try:
                self._transport.send([line])
            except LineRefused:
                if self._required:
                    raise
                with self._changed:
                    self._drop(1)

    def _note_failure(self, error: Exception) -> None:
        words = error.message if isinstance(error, SqeError) else str(error) or type(error).__name__
        with self._changed:
            if not self._down:
                _log.error("%s cannot be written: %s", type(self).__name__, words)
            self._down = True
            self._changed.notify_all()

    def _note_taken(self, batch: list[Line]) -> None:
        with self._changed:
            if self._closed:
                return
            for _ in batch:
                self._bytes -= len(self._waiting.popleft().body)
            self._taken += len(batch)
            if self._down:
                _log.warning("%s is written again", type(self).__name__)
            self._down = False
            lost, self._lost_untold = self._lost_untold, 0
            if lost:
                gap = AccessEvent(AccessKind.EVENTS_LOST, time.time(), "", count=lost)
                self._keep(_line_of(access_fields(gap), 0))
            self._changed.notify_all()


def _line_of(fields: dict[str, Any], longest: int) -> Line:
    """One that is too long says less, and that it does."""
    body = json.dumps(fields).encode()
    if longest and len(body) > longest:
        fields = {**fields, "cut": True}
        for name in ("text", "error", "what"):
            if name in fields:
                fields[name] = str(fields[name])[: longest // 24]  # a letter is 12 bytes at most
        body = json.dumps(fields).encode()
        for name in ("relations", "stages", "work", "written"):
            if len(body) > longest and fields.pop(name, None) is not None:
                body = json.dumps(fields).encode()
    return Line(str(fields["event"]), body)
