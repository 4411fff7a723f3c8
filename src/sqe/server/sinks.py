"""Who hears of events, by the settings. Each kind of sink has a line in ``SINKS``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sqe.audit.events import Events, EventSink, QueryLog
from sqe.audit.jsonl import AuditFile
from sqe.audit.logged import AuditInLog
from sqe.errors import ErrorCode, UserError
from sqe.settings import Settings
from sqe.settings.events import FileSinkSettings, LogSinkSettings
from sqe.settings.sizes import MB
from sqe.settings.strict import Strict

AUDIT_FILE = Path("logs") / "audit.jsonl"
SINKS: Mapping[type[Strict], Callable[[Any, Settings], EventSink]] = {
    FileSinkSettings: lambda sink, settings: AuditFile(
        settings.in_home(sink.path), sink.max_mb * MB
    ),
    LogSinkSettings: lambda sink, settings: AuditInLog(),
}


def events_of(settings: Settings, own: Sequence[EventSink] = ()) -> Events:
    """``own``: sinks of the server itself. One that cannot be made refuses the start: what it
    should have recorded would be lost."""
    sinks: list[EventSink] = [QueryLog()]
    required: list[EventSink] = []
    try:
        if settings.log.audit:
            sinks.append(AuditFile(settings.home / AUDIT_FILE, settings.log.audit_max_mb * MB))
            required += sinks[-1:] if settings.log.audit_required else []
        for name, sink in settings.events.items():
            sinks.append(_sink(name, sink, settings))
            required += sinks[-1:] if getattr(sink, "required", False) else []
    except BaseException:
        for made in sinks:
            made.close()
        raise
    return Events([*sinks, *own], required)


def _sink(name: str, sink: Strict, settings: Settings) -> EventSink:
    try:
        return SINKS[type(sink)](sink, settings)
    except OSError as error:
        raise UserError(
            ErrorCode.INVALID_SETTINGS,
            f"Setting events.{name}: {error.strerror}: {error.filename}.",
        ) from error
