"""What is kept of a query that reads something its user sees in part."""

from __future__ import annotations

from sqe.audit.events import Events
from sqe.gateway.tracker import QueryLimits, QueryTracker
from sqe.model.query import EngineKind, Progress, QueryRequest, Route

PROGRESS = Progress(stages=2, tasks=7, tasks_done=3, bytes_read=4711)


def test_how_far_it_is_would_tell_how_much_there_is() -> None:
    told: list[str] = []
    tracker = QueryTracker(Events([]), QueryLimits())
    for restricted, seen in ((True, Progress()), (False, PROGRESS)):
        query = tracker.begin(QueryRequest("s", "q"), "ann", lambda event: told.append(event.name))
        query.understood("query", restricted=restricted)
        query.routed(Route(EngineKind.SPARK, "it reads 3 GB", hidden=restricted))
        query.progressed(PROGRESS)
        assert query.record.progress == seen
        assert (query.record.shown_route is None) is restricted
    assert told.count("progress") == 1
