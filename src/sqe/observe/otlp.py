"""Sends spans to a collector over OTLP. A collector that is down, slow or hangs costs spans, which
are counted, and nothing else: what waits is bounded, and so is the time that an end takes."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult

from sqe import __version__
from sqe.errors import ErrorCode, UserError
from sqe.model.identity import Secret

_log = logging.getLogger(__name__)
_MOST = 4_096  # spans that wait or are on their way
_BATCH = 512
_EVERY_S = 1.0
# The library's own words of every try, on loggers that nobody has set up: on stderr. SQE says it
# once, in its log.
_TALKATIVE = (
    "opentelemetry.exporter.otlp.proto.grpc.exporter",
    "opentelemetry.exporter.otlp.proto.http.trace_exporter",
    "opentelemetry.sdk._shared_internal",
)


@dataclass(frozen=True)
class OtlpOptions:
    """Where the collector is. ``authorities``: PEM; None: the system's."""

    endpoint: str
    protocol: str = "grpc"  # or http
    headers: Mapping[str, Secret] = field(default_factory=dict)
    timeout_s: float = 10.0
    authorities: Path | None = None


def make_exporter(options: OtlpOptions) -> SpanExporter:
    """Nothing is sent yet. The library would fill what it is not told from the environment."""
    for name in _TALKATIVE:
        logging.getLogger(name).disabled = True
    headers = {name.lower(): value.reveal() for name, value in options.headers.items()}
    headers["x-sqe-version"] = __version__  # without any, there would be the environment's
    return (_grpc if options.protocol == "grpc" else _http)(options, headers)


def _grpc(options: OtlpOptions, headers: dict[str, str]) -> SpanExporter:
    from grpc import Compression, ssl_channel_credentials
    from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter

    secure = urlsplit(options.endpoint).scheme == "https"
    authorities = _read(options.authorities) if options.authorities is not None else None
    return OTLPSpanExporter(
        endpoint=options.endpoint,
        insecure=not secure,
        credentials=ssl_channel_credentials(authorities) if secure else None,
        headers=headers,
        timeout=options.timeout_s,
        compression=Compression.NoCompression,
        channel_options=(("grpc.enable_http_proxy", 0),),  # type: ignore[arg-type]  # a number
    )


def _http(options: OtlpOptions, headers: dict[str, str]) -> SpanExporter:
    import requests
    from opentelemetry.exporter.otlp.proto.http import Compression
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

    class Session(requests.Session):
        """The library adds the environment's headers to ours: keys, maybe, of another service."""

        def prepare_request(self, request: requests.Request) -> requests.PreparedRequest:
            sent = {*headers, "content-type", "content-encoding", "user-agent"}
            request.headers = {k: v for k, v in request.headers.items() if k.lower() in sent}
            return super().prepare_request(request)

    session = Session()
    session.trust_env = False  # no proxies and no credentials of the environment
    if options.authorities is not None:
        _read(options.authorities)
    return OTLPSpanExporter(
        endpoint=options.endpoint,
        certificate_file=str(options.authorities) if options.authorities is not None else None,
        headers=headers,
        timeout=options.timeout_s,
        compression=Compression.NoCompression,
        session=session,
    )


def _read(authorities: Path) -> bytes:
    try:
        return authorities.read_bytes()
    except OSError as error:
        raise UserError(
            ErrorCode.INVALID_SETTINGS, f"traces.authorities: {error.strerror}: {authorities}."
        ) from error


class Outbox(BatchSpanProcessor):
    """The library's queue, which would throw away old spans without a count: it gets none while it
    is full."""

    def __init__(self, exporter: SpanExporter, collector: str, most: int = _MOST) -> None:
        self.sender = Sender(exporter, collector, most)
        super().__init__(
            self.sender,
            max_queue_size=most,
            schedule_delay_millis=_EVERY_S * 1000,
            max_export_batch_size=min(_BATCH, most),
            export_timeout_millis=0,  # the library has no use for it
        )

    def on_end(self, span: ReadableSpan) -> None:
        if self.sender.admit():
            super().on_end(span)


class Sender(SpanExporter):
    """Counts what becomes of spans, and says once that they are lost, and once that they are not
    any more. Thread-safe."""

    def __init__(self, exporter: SpanExporter, collector: str, most: int) -> None:
        self._exporter = exporter
        self._collector = collector
        self._most = most
        self._lock = threading.Lock()
        self._waiting = 0
        self._counts = {"sent": 0, "dropped": 0}
        self._losing = False
        self._closed = False

    @property
    def counts(self) -> dict[str, int]:
        with self._lock:
            return dict(self._counts)

    def admit(self) -> bool:
        """Whether there is room for one more, which then waits."""
        with self._lock:
            if self._waiting < self._most and not self._closed:
                self._waiting += 1
                return True
            self._counts["dropped"] += 1
        self._note(sent=False, why="they come faster than it takes them")
        return False

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        why = "it did not take them"
        try:
            sent = self._exporter.export(spans) is SpanExportResult.SUCCESS
        except Exception as error:  # noqa: BLE001  whatever it is, these spans are lost
            sent, why = False, type(error).__name__
        with self._lock:
            self._waiting -= len(spans)
            self._counts["sent" if sent else "dropped"] += len(spans)
        self._note(sent=sent, why=why)
        return SpanExportResult.SUCCESS if sent else SpanExportResult.FAILURE

    def _note(self, *, sent: bool, why: str) -> None:
        with self._lock:
            changed, self._losing = self._losing is sent, not sent
            dropped, closed = self._counts["dropped"], self._closed
        if not changed or closed:
            return
        if sent:
            _log.info("%s takes spans again; %d were dropped", self._collector, dropped)
        else:
            _log.warning(
                "spans are dropped until %s takes them (%s); queries go on", self._collector, why
            )

    def shutdown(self) -> None:
        """Whatever is being sent is given up. What still waits is dropped."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        self._exporter.shutdown()

    def force_flush(self, timeout_millis: int = 0) -> bool:
        return True
