"""The history of queries: how quickly it is looked through, and what it costs a query."""

from __future__ import annotations

import time
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path

from sqlalchemy import text

from benchmarks.bench import Bench
from benchmarks.figure import Measured
from benchmarks.local_lake import NO_SPARK
from benchmarks.timing import in_ms, p50, p95, timed
from sqe.audit.events import QueryEvent
from sqe.history.recorder import HistoryRecorder
from sqe.model.identity import Identity
from sqe.model.query import EngineKind, QueryRecord, QueryRequest, QueryState, RelationUse, Route
from sqe.server.build import Server, build
from sqe.settings import Settings
from sqe.store.database import Database
from sqe.store.history import HistoryStore
from sqe.store.query_rows import row_of

_DAYS, _USERS = 30, 100
_THOUSAND = 1_000
_TEXT = (
    "SELECT query_id, state, planning_time_ms FROM system.runtime.queries"
    " WHERE created > current_timestamp() - INTERVAL 1 HOUR"
)


_FILL = """
INSERT INTO query_history
WITH RECURSIVE numbers(n) AS (
    SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < :rows
)
SELECT printf('q%09d', n), :process, 'user' || (n % :users), :state, :start + n * :step,
    :start + n * :step + 0.05, :kind, :engine, :error_code, :size,
    replace(:body, 'user0', 'user' || (n % :users))
FROM numbers
"""


def history_1m(bench: Bench) -> Measured:
    """A month of 100 users. The user asks for their own; the administrator for one user's, too."""
    home = bench.folder()
    rows = bench.repeats(1_000_000, 20_000)
    filled, _ = timed(partial(_fill, home, rows))
    settings = {"home": home, "spark": {"remote": NO_SPARK}, "trino": {"administrators": ["root"]}}
    with closing(build(Settings.model_validate(settings))) as server:
        own = _samples(server, "user7", _TEXT, bench.repeats(20, 3))
        question = f"{_TEXT} AND `user` = 'user7'"
        others = _samples(server, "root", question, bench.repeats(20, 3))
    return Measured(
        p50(own),
        {
            "p95_ms": p95(own),
            "administrator_p50_ms": p50(others),
            "queries": rows,
            "fill_s": round(filled, 1),
            "database_mb": round((home / "sqe.db").stat().st_size / 2**20, 1),
        },
    )


def history_emit(bench: Bench) -> Measured:
    """The four events of a small query, while the writer works; in all of a thousand queries."""
    runs = bench.repeats(20_000, 500)
    record = _record(time.time())
    with closing(Database(bench.folder())) as database:
        recorder = HistoryRecorder(HistoryStore(database), "home")
        recorder.start()
        samples = []
        for number in range(runs):
            events = [
                QueryEvent(state.value, record.created, replace(record, query_id=f"q{number}"))
                for state in (QueryState.QUEUED, QueryState.PLANNING, QueryState.RUNNING)
            ]
            events.append(QueryEvent("finished", record.created, events[0].record))
            samples.append(timed(partial(_emit, recorder, events))[0])
            time.sleep(0.0002)
        recorder.close()
    of_thousand = in_ms([seconds * _THOUSAND for seconds in samples])
    return Measured(p50(of_thousand), {"p95_ms": p95(of_thousand)})


def _emit(recorder: HistoryRecorder, events: list[QueryEvent]) -> None:
    for event in events:
        recorder.emit(event)


def _samples(server: Server, user: str, question: str, runs: int) -> list[float]:
    session = server.gateway.open_session(Identity(user))

    def ask() -> int:
        query_id = server.gateway.submit(QueryRequest(session.id, question))
        with server.gateway.fetch(query_id) as result:
            return int(result.read_all().num_rows)

    assert ask() > 0
    return in_ms([timed(ask)[0] for _ in range(runs)])


def _fill(home: Path, rows: int) -> None:
    """By the database itself: row by row in Python takes minutes."""
    now = time.time()
    row = row_of(_record(now), "bench")
    values = {**row, "rows": rows, "start": now - _DAYS * 86_400, "step": _DAYS * 86_400 / rows}
    with closing(Database(home)) as database, database.begin() as connection:
        connection.execute(text(_FILL), values | {"users": _USERS})


def _record(created: float) -> QueryRecord:
    return QueryRecord(
        query_id="q",
        user="user0",
        text="SELECT c1, count(*) FROM sales.orders WHERE id > 17 GROUP BY c1 ORDER BY 2",
        state=QueryState.FINISHED,
        created=created,
        kind="query",
        route=Route(EngineKind.LOCAL, "everything in it is proven, and it reads 12 MB"),
        stage_seconds=dict.fromkeys(("parse", "bind", "decide", "guard", "route", "rows"), 0.002),
        ended=created + 0.05,
        rows=10,
        relations=(RelationUse("lake.sales.orders", "read", ("id", "c1"), 42, "allowed"),),
    )
