"""The audit log: one JSON line for every change of a query's state, and of the rules."""

from __future__ import annotations

import json
import os
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqe.audit.events import QueryEvent, RuleEvent
from sqe.audit.redact import redact
from sqe.model.query import RelationUse

_PROGRESS = "progress"
_TEXT = 100_000  # characters of a statement that are kept


def event_fields(event: QueryEvent) -> dict[str, Any]:
    """What is written of an event. Nothing in it is a secret: records hold no credential."""
    record = event.record
    fields: dict[str, Any] = {
        "time": datetime.fromtimestamp(event.at, UTC).isoformat(timespec="milliseconds"),
        "event": event.name,
        "query_id": record.query_id,
        "user": record.user,
        "source": record.source,
        "session_id": record.session_id[:8],  # enough to tell sessions apart, not to take one over
        "state": record.state.value,
        "kind": record.kind,
        "text": redact(record.text)[:_TEXT],  # cut last: half a secret does not look like one
    }
    if record.route is not None:
        fields["engine"] = record.route.engine.value
        fields["reason"] = record.route.reason
    if record.relations and event.name != "queued":
        fields["relations"] = [_relation_fields(one) for one in record.relations]
    if record.state.ended:
        fields["rows"] = record.rows
        fields["bytes"] = record.bytes
        if record.affected is not None:
            fields["affected"] = record.affected.counts
        fields["seconds"] = round((record.ended or event.at) - record.created, 6)
        fields["stages"] = {name: round(s, 6) for name, s in record.stage_seconds.items()}
    if record.error_code:
        fields["error_code"] = record.error_code
        fields["error"] = redact(record.error_message)
    return fields


def _relation_fields(use: RelationUse) -> dict[str, Any]:
    named: dict[str, Any] = {"name": use.name, "access": use.access, "rule": use.rule}
    if use.columns:
        named["columns"] = list(use.columns)
    if use.snapshot_id is not None:
        named["snapshot_id"] = use.snapshot_id
    if use.as_user:
        named["as_user"] = use.as_user
    return named


class AuditLog:
    """Appends to a file only the owner may read. Each line is one write, so lines stay whole."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = threading.Lock()
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def emit(self, event: QueryEvent) -> None:
        if event.name != _PROGRESS:
            self._write(event_fields(event))

    def changed(self, event: RuleEvent) -> None:
        """A change of the rules about who may do what."""
        time = datetime.fromtimestamp(event.at, UTC).isoformat(timespec="milliseconds")
        what = redact(event.what)[:_TEXT]
        self._write({"time": time, "event": "rule_changed", "user": event.user, "what": what})

    def _write(self, fields: dict[str, Any]) -> None:
        line = json.dumps(fields, ensure_ascii=False) + "\n"
        with self._lock:
            if self._file >= 0:
                os.write(self._file, line.encode("utf-8", "replace"))

    def close(self) -> None:
        with self._lock:
            if self._file >= 0:
                os.close(self._file)
                self._file = -1
