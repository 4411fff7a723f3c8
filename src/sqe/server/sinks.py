"""Who hears of events, by the settings. Each kind of sink has a line in ``SINKS``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sqe.audit.events import Events, EventSink, QueryLog
from sqe.audit.http_lines import AuditOverHttp, HttpTransport
from sqe.audit.jsonl import AuditFile
from sqe.audit.logged import AuditInLog
from sqe.audit.sent_lines import LineTransport, SentLines
from sqe.audit.stdout_lines import AuditOnStdout, StreamTransport
from sqe.audit.syslog import AuditToSyslog, SyslogPlace, SyslogTransport
from sqe.errors import ErrorCode, UserError
from sqe.http.client import Http, HttpOptions
from sqe.model.identity import Secret
from sqe.settings import Settings
from sqe.settings.events import (
    FileSinkSettings,
    HttpSinkSettings,
    LogSinkSettings,
    SentSinkSettings,
    StdoutSinkSettings,
    SyslogSinkSettings,
)
from sqe.settings.sizes import MB
from sqe.settings.strict import Strict

AUDIT_FILE = Path("logs") / "audit.jsonl"
_STDOUT = 1


def _stdout(sink: StdoutSinkSettings, settings: Settings) -> EventSink:
    return _build_sink(AuditOnStdout, StreamTransport(_STDOUT), sink)


def _syslog(sink: SyslogSinkSettings, settings: Settings) -> EventSink:
    scheme, host, port = sink.place
    place = SyslogPlace(scheme, host, port, _authorities(sink.authorities, settings))
    return _build_sink(AuditToSyslog, SyslogTransport(place, sink.facility, sink.timeout_s), sink)


def _http(sink: HttpSinkSettings, settings: Settings) -> EventSink:
    options = HttpOptions(
        "The service for the audit log",
        ErrorCode.AUDIT_UNAVAILABLE,
        connect_s=sink.timeout_s,
        total_s=sink.timeout_s,
        authorities=_authorities(sink.authorities, settings),
    )
    headers = {name: Secret(value.get_secret_value()) for name, value in sink.headers.items()}
    return _build_sink(AuditOverHttp, HttpTransport(Http(options), sink.url, headers), sink)


def _build_sink(kind: type[SentLines], to: LineTransport, sink: SentSinkSettings) -> SentLines:
    return kind(to, sink.buffer_mb * MB, sink.timeout_s, required=sink.required)


def _authorities(path: Path | None, settings: Settings) -> Path | None:
    """FileNotFoundError where it is not there."""
    if path is None:
        return None
    file = settings.in_home(path)
    file.stat()
    return file


SINKS: Mapping[type[Strict], Callable[[Any, Settings], EventSink]] = {
    FileSinkSettings: lambda sink, settings: AuditFile(
        settings.in_home(sink.path), sink.max_mb * MB
    ),
    LogSinkSettings: lambda sink, settings: AuditInLog(),
    StdoutSinkSettings: _stdout,
    SyslogSinkSettings: _syslog,
    HttpSinkSettings: _http,
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
