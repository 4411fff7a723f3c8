"""What is kept of a query that reads something its user sees in part."""

from __future__ import annotations

from sqe.audit.events import Events
from sqe.gateway.tracker import QueryTracker
from sqe.model.identity import Identity
from sqe.model.query import EngineKind, Progress, QueryRequest, Route

PROGRESS = Progress(stages=2, tasks=7, tasks_done=3, bytes_read=4711)


def test_how_far_it_is_would_tell_how_much_there_is() -> None:
    told: list[str] = []
    tracker = QueryTracker(Events([]))
    for restricted, seen in ((True, Progress()), (False, PROGRESS)):
        query = tracker.begin(
            QueryRequest("s", "q"), Identity("ann"), lambda event: told.append(event.name)
        )
        query.note_statement("query", restricted=restricted)
        query.note_route(Route(EngineKind.SPARK, "it reads 3 GB", hidden=restricted))
        query.note_progress(PROGRESS)
        assert query.record.progress == seen
        assert (query.record.shown_route is None) is restricted
    assert told.count("progress") == 1
