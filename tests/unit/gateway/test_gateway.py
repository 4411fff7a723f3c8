"""The gateway with an engine of the test's own: queries, readers, limits, threads."""

from __future__ import annotations

import errno
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from sqe.audit.events import Events, QueryEvent
from sqe.binding.binder import Binder
from sqe.catalog.configured import ConfiguredCatalogs
from sqe.catalog.embedded import EmbeddedCatalog
from sqe.engines.protocol import Engine, Explanation, GaveUp, Run
from sqe.errors import ErrorCode, SqeError, UpstreamError, UserError
from sqe.gateway.gateway import Gateway
from sqe.gateway.tracker import QueryLimits, QueryTracker
from sqe.gateway.uploads import Uploads
from sqe.model.identity import Identity
from sqe.model.names import SchemaName
from sqe.model.query import Column, EngineKind, QueryRequest, QueryState
from sqe.policy.policy import Policy
from sqe.policy.source import AllowAll
from sqe.results.description import Description
from sqe.results.stream import ResultStream
from sqe.rewrite.guarded import GuardedStatement
from sqe.routing.facts import LocalFacts, RoutingLimits
from sqe.routing.router import Router
from sqe.sessions.limits import Lifetimes
from sqe.sessions.store import SessionStore
from sqe.sql.text import TextLimits
from tests.unit.gateway.pipelines import spark_pipeline

HERE = SchemaName("lake", ("default",))
COLUMNS = (Column("n", "bigint"),)
SCHEMA = pa.schema([pa.field("n", pa.int64())])


class FakeEngine:
    """Makes batches for as long as somebody takes them, or fails as it is told."""

    def __init__(self) -> None:
        self.made = 0
        self.batches = 3
        self.closed = threading.Event()
        self.wait = threading.Event()
        self.wait.set()
        self.failure: Exception | None = None

    def run(self, statement: GuardedStatement, run: Run) -> ResultStream:
        run.cancellation.on_cancel(self.wait.set)
        self.wait.wait(20)
        run.cancellation.check()
        if self.failure is not None:
            raise self.failure
        return ResultStream(COLUMNS, SCHEMA, self._batches(), self.closed.set)

    def _batches(self) -> Iterator[pa.RecordBatch]:
        while self.made < self.batches:
            self.made += 1
            yield pa.RecordBatch.from_pydict({"n": [self.made]}, schema=SCHEMA)

    def describe(self, statement: GuardedStatement, run: Run) -> Description:
        return Description(COLUMNS, SCHEMA)

    def explain(self, statement: GuardedStatement, run: Run, mode: str = "") -> Explanation:
        return Explanation("", "")

    def analyze(self, statement: GuardedStatement, run: Run) -> Explanation:
        return Explanation("", "")

    def close(self) -> None:
        return None


@pytest.fixture
def engine() -> FakeEngine:
    return FakeEngine()


MakeGateway = Callable[..., Gateway]


@pytest.fixture
def make(tmp_path: Path, engine: FakeEngine) -> Iterator[MakeGateway]:
    catalog = EmbeddedCatalog(tmp_path / "c.db", tmp_path / "w")
    limits = TextLimits()
    binder = Binder(ConfiguredCatalogs({"lake": catalog}), limits)

    def gateway(
        running: int = 5,
        per_user: int = 5,
        kept: int = 10,
        timeout: float = 0.0,
        local: Engine | None = None,
        sessions: SessionStore | None = None,
    ) -> Gateway:
        engines: dict[EngineKind, Engine] = dict.fromkeys(EngineKind, engine)
        if local is not None:
            engines[EngineKind.LOCAL] = local
        survey = (lambda guarded, session: LocalFacts(bytes=1)) if local is not None else None
        return Gateway(
            spark_pipeline(binder, Policy([AllowAll()]), engines, Router(survey, RoutingLimits())),
            SessionStore(HERE) if sessions is None else sessions,
            QueryTracker(Events(), QueryLimits(running, per_user, kept)),
            Uploads(tmp_path / "uploads", 2**20),
            timeout,
        )

    yield gateway
    catalog.close()


def until(condition: Callable[[], bool], seconds: float = 5.0) -> bool:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.005)
    return True


def submit(gateway: Gateway, sql: str = "SELECT 1", user: str = "ann") -> str:
    session = gateway.open_session(Identity(user))
    return gateway.submit(QueryRequest(session.id, sql))


def failure(gateway: Gateway, query_id: str) -> SqeError:
    with pytest.raises(SqeError) as raised, gateway.fetch(query_id) as result:
        result.read_all()
    return raised.value


def threads_of(query_id: str) -> list[str]:
    return [t.name for t in threading.enumerate() if t.name == f"query-{query_id}"]


def test_a_query_gives_its_rows_and_its_record(make: MakeGateway) -> None:
    gateway = make()
    query_id = submit(gateway)
    with gateway.fetch(query_id) as result:
        assert result.read_all().to_pydict() == {"n": [1, 2, 3]}
    assert until(lambda: gateway.record(query_id).state is QueryState.FINISHED)
    assert gateway.record(query_id).rows == 3
    assert until(lambda: not threads_of(query_id))


def test_a_slow_reader_holds_the_engine_back(make: MakeGateway, engine: FakeEngine) -> None:
    gateway, engine.batches = make(), 1_000
    with gateway.fetch(submit(gateway)) as result:
        time.sleep(0.2)
        assert engine.made <= 3  # two wait in the buffer, one in the engine's hand
        next(iter(result))
        assert until(lambda: engine.made == 4)
        time.sleep(0.1)
        assert engine.made == 4


def test_a_reader_that_goes_away_ends_the_query(make: MakeGateway, engine: FakeEngine) -> None:
    gateway, engine.batches = make(), 1_000_000
    query_id = submit(gateway)
    with gateway.fetch(query_id) as result:
        next(iter(result))
    assert until(lambda: gateway.record(query_id).state.ended)
    assert engine.closed.wait(1)
    assert until(lambda: not threads_of(query_id))


def test_a_cancel_is_heard_while_the_engine_is_busy(make: MakeGateway, engine: FakeEngine) -> None:
    gateway = make()
    engine.wait.clear()
    query_id = submit(gateway)
    threading.Timer(0.1, gateway.cancel, args=(query_id,)).start()
    assert failure(gateway, query_id).code is ErrorCode.CANCELLED
    assert until(lambda: gateway.record(query_id).state is QueryState.CANCELLED)
    assert until(lambda: not threads_of(query_id))


def test_a_cancel_before_the_first_row_is_read(make: MakeGateway, engine: FakeEngine) -> None:
    gateway, engine.batches = make(), 1_000
    query_id = submit(gateway)
    assert until(lambda: engine.made >= 3)
    gateway.cancel(query_id)
    assert failure(gateway, query_id).code is ErrorCode.CANCELLED
    assert until(lambda: not threads_of(query_id))


def test_a_cancel_after_the_end_changes_nothing(make: MakeGateway) -> None:
    gateway = make()
    query_id = submit(gateway)
    with gateway.fetch(query_id) as result:
        result.read_all()
    assert until(lambda: gateway.record(query_id).state.ended)
    gateway.cancel(query_id)
    assert gateway.record(query_id).state is QueryState.FINISHED


def test_a_query_over_its_time_is_stopped(make: MakeGateway, engine: FakeEngine) -> None:
    gateway = make(timeout=0.1)
    engine.wait.clear()
    query_id = submit(gateway)
    error = failure(gateway, query_id)
    assert error.code is ErrorCode.TIMEOUT
    assert until(lambda: gateway.record(query_id).error_code == "TIMEOUT")


def test_one_query_too_many_is_refused_and_recorded(make: MakeGateway, engine: FakeEngine) -> None:
    gateway = make(running=2)
    engine.wait.clear()
    running = [submit(gateway), submit(gateway)]
    refused = submit(gateway)
    assert failure(gateway, refused).code is ErrorCode.TOO_MANY_QUERIES
    assert gateway.record(refused).error_code == "TOO_MANY_QUERIES"
    engine.wait.set()
    for query_id in running:
        with gateway.fetch(query_id) as result:
            result.read_all()
    assert until(lambda: all(record.state.ended for record in gateway.records()))
    engine.made = 0
    with gateway.fetch(submit(gateway)) as result:
        assert result.read_all().num_rows == 3


def test_one_user_may_not_take_all_the_queries(make: MakeGateway, engine: FakeEngine) -> None:
    gateway = make(running=3, per_user=2)
    engine.wait.clear()
    running = [submit(gateway), submit(gateway)]
    error = failure(gateway, submit(gateway))
    assert error.code is ErrorCode.TOO_MANY_QUERIES
    assert "running_queries_per_user" in str(error)
    running.append(submit(gateway, user="bob"))
    assert "limits.running_queries " in str(failure(gateway, submit(gateway, user="sue")))
    engine.wait.set()
    for query_id in running:
        with gateway.fetch(query_id) as result:
            result.read_all()


def test_a_refused_query_is_not_counted_as_running(make: MakeGateway, engine: FakeEngine) -> None:
    gateway = make(running=9, per_user=2)
    engine.wait.clear()
    running = [submit(gateway), submit(gateway)]
    request = QueryRequest(gateway.open_session(Identity("ann")).id, "SELECT 1")
    meanwhile: list[str] = []

    def submit_another(event: QueryEvent) -> None:
        if event.name == "queued":  # of one that is being refused just now
            meanwhile.append(gateway.submit(request))

    gateway.submit(request, submit_another)
    assert str(failure(gateway, meanwhile[0])).startswith("2 of your queries are running;")
    engine.wait.set()
    for query_id in running:
        with gateway.fetch(query_id) as result:
            result.read_all()


def test_a_description_too_many_is_refused_as_well(make: MakeGateway, engine: FakeEngine) -> None:
    gateway = make(running=1)
    engine.wait.clear()
    running = submit(gateway)
    session = gateway.open_session(Identity("bob"))
    with pytest.raises(SqeError) as raised:
        gateway.describe(QueryRequest(session.id, "SELECT 1"))
    assert raised.value.code is ErrorCode.TOO_MANY_QUERIES
    engine.wait.set()
    with gateway.fetch(running) as result:
        result.read_all()


def test_a_session_is_idle_from_the_end_of_its_last_query(
    make: MakeGateway, engine: FakeEngine
) -> None:
    now = 0.0
    sessions = SessionStore(HERE, clock=lambda: now)
    gateway = make(sessions=sessions)
    engine.wait.clear()
    session = gateway.open_session(Identity("ann"))
    query_id = gateway.submit(QueryRequest(session.id, "SELECT 1"))
    now = 100.0
    assert sessions.expire(Lifetimes(idle_s=10)) == 0
    engine.wait.set()
    with gateway.fetch(query_id) as result:
        result.read_all()
    assert until(lambda: not threads_of(query_id))
    assert session.idle == 0.0
    now = 110.0
    assert sessions.expire(Lifetimes(idle_s=10)) == 1
    with pytest.raises(SqeError) as raised:
        gateway.submit(QueryRequest(session.id, "SELECT 1"))
    assert raised.value.code is ErrorCode.SESSION_EXPIRED


def test_the_queries_of_a_session_that_lasted_too_long_hear_why(
    make: MakeGateway, engine: FakeEngine
) -> None:
    now = 0.0
    sessions = SessionStore(HERE, clock=lambda: now)
    gateway = make(sessions=sessions)
    engine.wait.clear()
    query_id = submit(gateway)
    now = 100.0
    assert sessions.expire(Lifetimes(absolute_s=100)) == 1
    error = failure(gateway, query_id)
    assert error.code is ErrorCode.SESSION_EXPIRED
    assert until(lambda: gateway.record(query_id).error_code == "SESSION_EXPIRED")


def test_what_is_refused_or_fails_leaves_its_session_idle(
    make: MakeGateway, engine: FakeEngine
) -> None:
    now = 0.0
    gateway = make(running=1, sessions=SessionStore(HERE, clock=lambda: now))
    engine.wait.clear()
    running, session = submit(gateway), gateway.open_session(Identity("ann"))
    gateway.submit(QueryRequest(session.id, "SELECT 1"))
    with pytest.raises(SqeError):
        gateway.describe(QueryRequest(session.id, "SELECT 1"))
    engine.wait.set()
    with gateway.fetch(running) as result:
        result.read_all()
    assert until(lambda: gateway.record(running).state.ended)
    failure(gateway, failed := gateway.submit(QueryRequest(session.id, "not sql at all")))
    assert until(lambda: not threads_of(failed))
    now = 5.0
    assert session.idle == 5.0


def test_a_defect_is_shown_without_details(make: MakeGateway, engine: FakeEngine) -> None:
    gateway = make()
    engine.failure = KeyError("a secret detail")
    error = failure(gateway, submit(gateway))
    assert error.code is ErrorCode.INTERNAL_ERROR
    assert "secret detail" not in str(error)
    assert "KeyError" in str(error)


def test_a_full_disk_is_no_defect(make: MakeGateway, engine: FakeEngine) -> None:
    gateway = make()
    engine.failure = RuntimeError("the batch could not be kept")
    engine.failure.__cause__ = OSError(errno.ENOSPC, "No space left on device")
    assert failure(gateway, submit(gateway)).code is ErrorCode.DISK_FULL


def test_an_engines_error_comes_as_it_is(make: MakeGateway, engine: FakeEngine) -> None:
    gateway = make()
    engine.failure = UpstreamError(ErrorCode.ENGINE_LOST, "gone")
    assert failure(gateway, submit(gateway)) is engine.failure


def test_only_the_last_ended_queries_are_kept(make: MakeGateway) -> None:
    gateway = make(kept=3)
    ids = []
    for _ in range(6):
        ids.append(submit(gateway, "not sql at all"))
        assert until(lambda: gateway.record(ids[-1]).state.ended)
    assert len(gateway.records()) <= 4
    assert failure(gateway, ids[0]).code is ErrorCode.QUERY_NOT_FOUND
    assert len(set(ids)) == 6


def test_an_ended_session_takes_no_queries(make: MakeGateway, engine: FakeEngine) -> None:
    gateway = make()
    engine.wait.clear()
    session = gateway.open_session(Identity("ann"))
    query_id = gateway.submit(QueryRequest(session.id, "SELECT 1"))
    session.close()
    assert failure(gateway, query_id).code is ErrorCode.CANCELLED
    with pytest.raises(SqeError) as raised:
        gateway.submit(QueryRequest(session.id, "SELECT 1"))
    assert raised.value.code is ErrorCode.SESSION_NOT_FOUND


def test_describe_is_recorded_too(make: MakeGateway) -> None:
    gateway = make()
    session = gateway.open_session(Identity("ann"))
    assert gateway.describe(QueryRequest(session.id, "SELECT 1")).columns == COLUMNS
    with pytest.raises(SqeError):
        gateway.describe(QueryRequest(session.id, "SELECT * FROM nope"))
    states = [record.state for record in gateway.records()]
    assert states == [QueryState.FINISHED, QueryState.FAILED]


def test_what_the_local_engine_gives_up_before_the_first_row_runs_on_spark(
    make: MakeGateway,
) -> None:
    local = FakeEngine()
    local.failure = GaveUp("out of memory")
    gateway = make(local=local)
    query_id = submit(gateway)
    with gateway.fetch(query_id) as result:
        assert result.read_all().num_rows == 3
    route = gateway.record(query_id).route
    assert route is not None
    assert route.engine is EngineKind.SPARK
    assert "out of memory" in route.reason


def test_a_users_error_on_the_local_engine_is_not_tried_again(
    make: MakeGateway, engine: FakeEngine
) -> None:
    local = FakeEngine()
    local.failure = UserError(ErrorCode.DIVISION_BY_ZERO, "Division by zero.")
    gateway = make(local=local)
    assert failure(gateway, submit(gateway)).code is ErrorCode.DIVISION_BY_ZERO
    assert engine.made == 0


def test_a_session_that_insists_on_the_local_engine_hears_that_it_failed(
    make: MakeGateway, engine: FakeEngine
) -> None:
    local = FakeEngine()
    local.failure = GaveUp("out of memory")
    gateway = make(local=local)
    session = gateway.open_session(Identity("ann"))
    session.set_property("sqe.engine", "local")
    query_id = gateway.submit(QueryRequest(session.id, "SELECT 1"))
    assert failure(gateway, query_id).code is ErrorCode.ENGINE_ERROR
    assert engine.made == 0


def test_the_route_is_told_without_running_anything(make: MakeGateway, engine: FakeEngine) -> None:
    local = FakeEngine()
    gateway = make(local=local)
    session = gateway.open_session(Identity("ann"))
    assert gateway.route(QueryRequest(session.id, "SELECT 1")).engine is EngineKind.LOCAL
    assert local.made == engine.made == 0


def test_who_stops_lets_queries_end_and_takes_no_more(
    make: MakeGateway, engine: FakeEngine
) -> None:
    gateway, engine.batches = make(), 1
    engine.wait.clear()
    query_id = submit(gateway)
    assert until(lambda: gateway.record(query_id).state is QueryState.RUNNING)
    threading.Timer(0.1, engine.wait.set).start()
    gateway.drain(60)
    assert gateway.record(query_id).state is QueryState.FINISHED
    with pytest.raises(UpstreamError, match="stopping"):
        submit(gateway)
