"""The audit log as part of SQE's own log."""

from __future__ import annotations

import logging
from typing import Any

from sqe.audit.events import QueryEvent, RuleEvent
from sqe.audit.jsonl import access_fields, event_fields, rule_fields, writes_line
from sqe.audit.repeats import Repeats
from sqe.model.access_event import AccessEvent

_log = logging.getLogger(__name__)


class AuditInLog:
    """Implements ``EventSink``. The lines are there whatever the level of the log is."""

    def __init__(self) -> None:
        _log.setLevel(logging.INFO)
        self._repeats = Repeats(lambda event: self._write(access_fields(event)))

    def emit(self, event: QueryEvent) -> None:
        if writes_line(event):
            self._write(event_fields(event))

    def changed(self, event: RuleEvent) -> None:
        self._write(rule_fields(event))

    def note_access(self, event: AccessEvent) -> None:
        self._repeats.note(event)

    def _write(self, fields: dict[str, Any]) -> None:
        _log.info("audit: %s", fields["event"], extra={"audit": fields})

    def close(self) -> None:
        self._repeats.close()
