"""What all sinks of the audit log's lines have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from sqe.audit.events import QueryEvent, RuleEvent
from sqe.audit.fields import access_fields, event_fields, rule_fields, writes_line
from sqe.audit.repeats import Repeats
from sqe.model.access_event import AccessEvent


class LineSink(ABC):
    """Implements ``EventSink``: every event that has a line becomes one. What repeats itself is
    counted."""

    def __init__(self) -> None:
        self._repeats = Repeats(lambda event: self.write(access_fields(event)))

    @abstractmethod
    def write(self, fields: dict[str, Any]) -> None: ...

    def emit(self, event: QueryEvent) -> None:
        if writes_line(event):
            self.write(event_fields(event))

    def note_change(self, event: RuleEvent) -> None:
        self.write(rule_fields(event))

    def note_access(self, event: AccessEvent) -> None:
        self._repeats.note(event)

    def close(self) -> None:
        self._repeats.close()
