"""Traces with OpenTelemetry: its spans, as the parts of SQE know them, on their way to a
collector."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from opentelemetry import trace as api
from opentelemetry.context import Context
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import SpanLimits, TracerProvider
from opentelemetry.sdk.trace.sampling import ParentBased, TraceIdRatioBased
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from sqe import __version__
from sqe.model.spans import ERROR, PREFIX, QUERY, SpanKind, SpanType
from sqe.model.tracing import NO_SPAN, Attribute, ClientTrace, Span, Tracer
from sqe.observe.otlp import OtlpOptions, Outbox, make_exporter

_MOST_SPANS = 1_000  # of one query: a statement about ten thousand tables must not displace others
_FLUSH_S = 1.0
_W3C = TraceContextTextMapPropagator()
_KINDS = {
    SpanKind.SERVER: api.SpanKind.SERVER,
    SpanKind.CLIENT: api.SpanKind.CLIENT,
    SpanKind.INTERNAL: api.SpanKind.INTERNAL,
}
_WORD = re.compile(r"[A-Za-z0-9._:/-]{1,128}")
# What the standard has. The library takes less care, and writes what it finds into its own log.
_PARENT = re.compile(r"[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}(?:-[!-~]{0,100})?")
_KEY = r"(?:[a-z][a-z0-9_*/-]{0,255}|[a-z0-9][a-z0-9_*/-]{0,240}@[a-z][a-z0-9_*/-]{0,13})"
_MEMBER = re.compile(rf"({_KEY})=[!-+\--<>-~]{{1,256}}")
_MOST_MEMBERS, _LONGEST_STATE = 32, 512


@dataclass(frozen=True)
class TraceOptions:
    """``ratio``: how many of the queries without a trace of their client's are traced."""

    collector: OtlpOptions
    service_name: str = "sqe"
    ratio: float = 1.0


class OtlpTracer(Tracer):
    """Thread-safe."""

    def __init__(self, options: TraceOptions) -> None:
        address = urlsplit(options.collector.endpoint).netloc
        self._outbox = Outbox(make_exporter(options.collector), f"the collector at {address}")
        self._provider = TracerProvider(
            sampler=ParentBased(TraceIdRatioBased(options.ratio)),
            resource=Resource(
                {"service.name": options.service_name, "service.version": __version__}
            ),
            shutdown_on_exit=False,
            span_limits=SpanLimits(max_attributes=32, max_attribute_length=256),
        )
        self._provider.add_span_processor(self._outbox)
        self._tracer = self._provider.get_tracer("sqe", __version__)

    @property
    def counts(self) -> dict[str, int]:
        """Spans that were sent, and dropped."""
        return self._outbox.sender.counts

    def begin(self, client: ClientTrace, **attributes: Attribute) -> Span:
        whole = _Trace(self._tracer)
        return whole.start(
            QUERY, read_context(client), 0.0, {**attributes, "trace_token": client.token}
        )

    def close(self) -> None:
        closing = threading.Thread(target=self._provider.shutdown, name="traces-end", daemon=True)
        closing.start()
        closing.join(_FLUSH_S)
        self._outbox.sender.shutdown()


def read_context(client: ClientTrace) -> Context:
    """The trace that the client's request is part of. Where what it says of that is not exactly as
    the standard has it, it is part of none."""
    if not _PARENT.fullmatch(client.parent):
        return Context()
    carrier = {"traceparent": client.parent}
    if _is_trace_state(client.state):
        carrier["tracestate"] = client.state
    return _W3C.extract(carrier, Context())


def _is_trace_state(text: str) -> bool:
    if not text or len(text) > _LONGEST_STATE:
        return False
    members = [_MEMBER.fullmatch(part.strip(" \t")) for part in text.split(",")]
    keys = [member[1] for member in members if member is not None]
    return len(keys) == len(members) == len(set(keys)) <= _MOST_MEMBERS


class _Trace:
    """SQE's part of one trace."""

    def __init__(self, tracer: api.Tracer) -> None:
        self._tracer = tracer
        self._lock = threading.Lock()
        self._spans = 0
        self.left_out = 0

    def start(
        self, kind: SpanType, parent: Context, ago: float, attributes: Mapping[str, Attribute]
    ) -> Span:
        with self._lock:
            self._spans += 1
            full = self._spans > _MOST_SPANS
            self.left_out += full
        if full:
            return _Mark(parent)
        span = self._tracer.start_span(
            PREFIX + kind.name,
            context=parent,
            kind=_KINDS[kind.kind],
            attributes=_safe(kind, attributes),
            start_time=time.time_ns() - int(ago * 1e9),
            record_exception=False,
            set_status_on_exception=False,
        )
        if not span.get_span_context().is_valid:
            return NO_SPAN
        context = api.set_span_in_context(span, Context())
        return _Recorded(self, kind, span, context) if span.is_recording() else _Mark(context)


class _Mark(Span):
    """Where the work is part of a trace that does not have it as a span."""

    def __init__(self, context: Context) -> None:
        self._context = context
        of = api.get_current_span(context).get_span_context()
        self.trace_id = api.format_trace_id(of.trace_id)

    @property
    def headers(self) -> Mapping[str, str]:
        headers: dict[str, str] = {}
        _W3C.inject(headers, self._context)
        return headers


class _Recorded(_Mark):
    def __init__(self, whole: _Trace, kind: SpanType, span: api.Span, context: Context) -> None:
        super().__init__(context)
        self._whole = whole
        self._kind = kind
        self._span = span
        self._lock = threading.Lock()
        self._ended = False

    def start(self, kind: SpanType, ago: float = 0.0, /, **attributes: Attribute) -> Span:
        return self._whole.start(kind, self._context, ago, attributes)

    def note(self, **attributes: Attribute) -> None:
        with self._lock:
            if not self._ended:
                self._span.set_attributes(_safe(self._kind, attributes))

    def end(self, error: str = "") -> None:
        with self._lock:
            if self._ended:
                return
            self._ended = True
            if error:
                self._span.set_attributes(_safe(self._kind, {"error": error}))
                self._span.set_status(api.Status(api.StatusCode.ERROR))
            if self._kind is QUERY and self._whole.left_out:
                self._span.set_attribute(f"{PREFIX}left_out", self._whole.left_out)
            self._span.end()


def _safe(kind: SpanType, attributes: Mapping[str, Attribute]) -> dict[str, Attribute]:
    """Those that the list has, and that are numbers or words: nothing else gets out, whatever a
    caller hands in."""
    return {
        PREFIX + name: value
        for name, value in attributes.items()
        if name in kind.attributes or name in ERROR
        if isinstance(value, int) or _WORD.fullmatch(value)
    }
