"""Runs a statement where it was routed, and once more elsewhere if that engine gives up."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from sqe.engines.protocol import Engine, GaveUp, Prepared, Run
from sqe.engines.router import RoutedStatement
from sqe.errors import UpstreamError
from sqe.model.query import EngineKind, Route, RouteCause
from sqe.routing.choose import not_taken

Engines = Mapping[EngineKind, Engine]
_T = TypeVar("_T")


def engine_failure(engine: EngineKind, failure: GaveUp) -> UpstreamError:
    """For who has chosen the engine himself."""
    return UpstreamError(
        failure.code,
        f"The {engine.value} engine failed: {failure}.",
        hint="SET SESSION sqe.engine = 'auto'.",
    )


def run_with_fallback(
    routed: RoutedStatement, engines: Engines, run: Run, call: Callable[[Prepared], _T]
) -> _T:
    """A user's error is the user's on every engine; only GaveUp is tried again."""
    route = routed.route
    try:
        return call(routed.prepared or _prepare(routed, engines[route.engine], run))
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
    return call(_prepare(routed, engines[second.engine], run))


def _prepare(routed: RoutedStatement, engine: Engine, run: Run) -> Prepared:
    return engine.prepare(routed.statement, run.session)
