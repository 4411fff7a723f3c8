"""A collector for traces: takes spans over OTLP, as the real one does, and keeps them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import grpc
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2_grpc import (
    TraceServiceServicer,
    add_TraceServiceServicer_to_server,
)
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from sqe.model.identity import Secret
from sqe.observe.otlp import OtlpOptions
from sqe.observe.traces import OtlpTracer, TraceOptions
from tests.embedded.pipe.lake import until

_WAIT_S = 30.0


@dataclass(frozen=True)
class Received:
    """A span, as it came. Ids in hex; ``parent`` is empty of a root."""

    name: str
    id: str
    trace: str
    parent: str
    kind: str
    failed: bool
    attributes: dict[str, Any]
    state: str
    service: str
    seconds: float

    @classmethod
    def of(cls, span: Span, service: str) -> Received:
        return cls(
            span.name,
            span.span_id.hex(),
            span.trace_id.hex(),
            span.parent_span_id.hex(),
            Span.SpanKind.Name(span.kind).removeprefix("SPAN_KIND_").lower(),
            span.status.code == Status.STATUS_CODE_ERROR,
            {a.key: getattr(a.value, str(a.value.WhichOneof("value"))) for a in span.attributes},
            span.trace_state,
            service,
            (span.end_time_unix_nano - span.start_time_unix_nano) / 1e9,
        )


@dataclass
class Collector:
    """``well`` not set: it refuses what it gets. ``hung`` set: it answers when it is released."""

    well: threading.Event = field(default_factory=threading.Event)
    hung: threading.Event = field(default_factory=threading.Event)
    released: threading.Event = field(default_factory=threading.Event)
    asked: int = 0  # how often
    spans: list[Received] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)

    def take(self, body: bytes, headers: dict[str, str]) -> bool:
        self.asked += 1
        self.headers.append(headers)
        if self.hung.is_set():
            self.released.wait(_WAIT_S)
        if not self.well.is_set():
            return False
        self.bodies.append(body)
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            named = {a.key: a.value.string_value for a in resource.resource.attributes}
            for scope in resource.scope_spans:
                self.spans += [Received.of(s, named["service.name"]) for s in scope.spans]
        return True

    def wait_for(self, *queries: str) -> list[Received]:
        """All spans, when those of these queries have come: the query's own comes last, but for
        those that end in the same moment."""

        def whole() -> bool:
            return set(queries) <= {span.attributes.get("sqe.query_id") for span in self.spans}

        assert until(whole, _WAIT_S), [span.name for span in self.spans]
        return list(self.spans)

    def trace_of(self, query_id: str) -> list[Received]:
        """The spans of the query's trace."""
        self.wait_for(query_id)
        [root] = [s for s in self.spans if s.attributes.get("sqe.query_id") == query_id]
        return [span for span in self.spans if span.trace == root.trace]


class _Servicer(TraceServiceServicer):
    def __init__(self, collector: Collector) -> None:
        self._collector = collector

    def Export(self, request: Any, context: Any) -> Any:
        headers = {str(key): str(value) for key, value in context.invocation_metadata()}
        if not self._collector.take(request.SerializeToString(), headers):
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, "not today")
        return ExportTraceServiceResponse()


@contextmanager
def grpc_collector(collector: Collector, port: int = 0) -> Iterator[str]:
    server = grpc.server(ThreadPoolExecutor(4))
    add_TraceServiceServicer_to_server(_Servicer(collector), server)  # type: ignore[no-untyped-call]
    port = server.add_insecure_port(f"127.0.0.1:{port}")
    server.start()
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        collector.released.set()
        server.stop(0).wait()


@contextmanager
def http_collector(collector: Collector, port: int = 0) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            taken = collector.take(body, {k.lower(): v for k, v in self.headers.items()})
            self.send_response(200 if taken and self.path == "/v1/traces" else 400)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            return None

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1/traces"
    finally:
        collector.released.set()
        server.shutdown()
        thread.join()
        server.server_close()


COLLECTORS = {"grpc": grpc_collector, "http": http_collector}


@contextmanager
def tracing(
    collector: Collector, protocol: str = "grpc", ratio: float = 1.0, timeout_s: float = 10.0
) -> Iterator[OtlpTracer]:
    with COLLECTORS[protocol](collector) as address:
        headers = {"Api-Key": Secret("opensesame")}
        options = OtlpOptions(address, protocol, headers, timeout_s)
        tracer = OtlpTracer(TraceOptions(options, "lake house", ratio))
        try:
            yield tracer
        finally:
            tracer.close()
