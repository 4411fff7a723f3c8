"""Runs a statement where it was routed, and once more elsewhere if that engine gives up."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeVar

from sqe.engines.protocol import Engine, GaveUp, Prepared, Run
from sqe.engines.router import RoutedStatement
from sqe.errors import UpstreamError
from sqe.model.query import EngineKind, Route, RouteCause
from sqe.model.spans import COORDINATOR, LOCAL, SPARK, SpanType
from sqe.model.tracing import NO_SPAN, activate, code_of
from sqe.results.stream import ResultStream
from sqe.routing.choose import not_taken

Engines = Mapping[EngineKind, Engine]
_T = TypeVar("_T")
_SPANS: Mapping[EngineKind, SpanType] = {
    EngineKind.COORDINATOR: COORDINATOR,
    EngineKind.LOCAL: LOCAL,
    EngineKind.SPARK: SPARK,
}


def engine_failure(engine: EngineKind, failure: GaveUp) -> UpstreamError:
    """The error for users who have chosen the engine themselves."""
    return UpstreamError(
        failure.code,
        f"The {engine.value} engine failed: {failure}.",
        hint="SET SESSION sqe.engine = 'auto'.",
    )


def run_with_fallback(
    routed: RoutedStatement, engines: Engines, run: Run, call: Callable[[Prepared, Run], _T]
) -> _T:
    """A user's error is the user's on every engine; only GaveUp is tried again. ``call`` is handed
    ``run`` as a part of the trace."""
    route = routed.route

    def first(run: Run) -> _T:
        return call(routed.prepared or _prepare(routed, engines[route.engine], run), run)

    try:
        return _run_in_span(route.engine, run, first)
    except GaveUp as failure:
        run.cancellation.check()
        if route.fallback is None:
            if failure.refused:
                raise not_taken(str(failure)) from failure
            raise engine_failure(route.engine, failure) from failure
        verb = "does not take it" if failure.refused else "failed"
        reason = f"the {route.engine.value} engine {verb}: {failure}"
        cause = RouteCause.GAVE_UP if failure.refused else RouteCause.FAILED
        second = Route(route.fallback, reason, failure.remedy, hidden=route.hidden, cause=cause)
    run.rerouted(second)
    return _run_in_span(
        second.engine, run, lambda run: call(_prepare(routed, engines[second.engine], run), run)
    )


def _run_in_span(engine: EngineKind, run: Run, call: Callable[[Run], _T]) -> _T:
    """What an engine does is a part of the query, and not of the stage that begins it: it goes on
    until its result is closed."""
    if run.span is NO_SPAN:
        return call(run)
    span = run.span.start(_SPANS[engine])
    try:
        with activate(span):
            answer = call(replace(run, span=span))
    except BaseException as error:
        span.end(code_of(error))
        raise
    if isinstance(answer, ResultStream):
        answer.on_close(span.end)
    else:
        span.end()
    return answer


def _prepare(routed: RoutedStatement, engine: Engine, run: Run) -> Prepared:
    return engine.prepare(routed.statement, run.session)
