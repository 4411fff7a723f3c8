"""Runs a statement where it was routed, and once more elsewhere if that engine gives up."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from sqe.engines.protocol import Engine, GaveUp, Run
from sqe.errors import UpstreamError
from sqe.model.query import EngineKind, Route
from sqe.routing.choose import not_taken

Engines = Mapping[EngineKind, Engine]
_T = TypeVar("_T")


def failed(engine: EngineKind, failure: GaveUp) -> UpstreamError:
    """For who has chosen the engine himself."""
    return UpstreamError(
        failure.code,
        f"The {engine.value} engine failed: {failure}.",
        hint="SET SESSION sqe.engine = 'auto'.",
    )


def run_with_fallback(route: Route, engines: Engines, run: Run, call: Callable[[Engine], _T]) -> _T:
    """A user's error is the user's on every engine; only GaveUp is tried again."""
    try:
        return call(engines[route.engine])
    except GaveUp as failure:
        run.cancellation.check()
        if route.fallback is None:
            if failure.refused:
                raise not_taken(str(failure)) from failure
            raise failed(route.engine, failure) from failure
        verb = "does not take it" if failure.refused else "failed"
        reason = f"the {route.engine.value} engine {verb}: {failure}"
        second = Route(route.fallback, reason, failure.remedy, hidden=route.hidden)
    run.rerouted(second)
    return call(engines[second.engine])
