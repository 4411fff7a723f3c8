"""Who traces queries, by the settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqe.errors import ErrorCode, UserError
from sqe.model.identity import Secret
from sqe.model.tracing import UNTRACED, Tracer
from sqe.settings import Settings

if TYPE_CHECKING:
    from sqe.observe.metrics import Metrics


def tracer_of(settings: Settings, metrics: Metrics | None = None) -> Tracer:
    """Nothing of OpenTelemetry is imported where the settings want no traces. ``metrics`` are told
    what becomes of the spans."""
    traces = settings.traces
    if not traces.enabled:
        return UNTRACED
    try:
        from sqe.observe.otlp import OtlpOptions
        from sqe.observe.traces import OtlpTracer, TraceOptions
    except ImportError:
        raise UserError(
            ErrorCode.INVALID_SETTINGS,
            "traces.enabled needs packages of OpenTelemetry that are not installed.",
            hint="Install sqe[traces].",
        ) from None
    collector = OtlpOptions(
        traces.address,
        traces.protocol,
        {name: Secret(value.get_secret_value()) for name, value in traces.headers.items()},
        traces.timeout_s,
        settings.in_home(traces.authorities) if traces.authorities is not None else None,
    )
    tracer = OtlpTracer(TraceOptions(collector, traces.service_name, traces.ratio))
    if metrics is not None:
        from sqe.observe import families

        metrics.read(families.SPANS, lambda: {(name,): n for name, n in tracer.counts.items()})
    return tracer
