"""The gateway with an engine of the test's own: queries, readers, limits, threads."""

from __future__ import annotations

import errno
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pytest

from sqe.admission.admission import Admission, groups_of_settings
from sqe.admission.user_limits import Limit, LimitRule, LimitRules, UserLimits
from sqe.audit.events import Events, EventSink, QueryEvent, RuleEvent
from sqe.binding.binder import Binder
from sqe.catalog.configured import ConfiguredCatalogs
from sqe.catalog.embedded import EmbeddedCatalog
from sqe.engines.direct import DirectStatement
from sqe.engines.protocol import Engine, Explanation, GaveUp, Run
from sqe.engines.router import Router, Survey
from sqe.errors import ErrorCode, SqeError, UpstreamError, UserError
from sqe.gateway.gateway import Gateway
from sqe.gateway.tracker import QueryTracker
from sqe.gateway.uploads import Uploads
from sqe.model.access_event import AccessEvent, AccessKind
from sqe.model.identity import Identity
from sqe.model.names import SchemaName
from sqe.model.query import Column, EngineKind, Progress, QueryRequest, QueryState
from sqe.policy.policy import Policy
from sqe.policy.source import AllowAll
from sqe.results.description import Description
from sqe.results.stream import ResultStream
from sqe.rewrite.guarded import GuardedStatement
from sqe.routing.facts import LocalFacts, RoutingLimits
from sqe.sessions.limits import Lifetimes
from sqe.sessions.session import Session
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
        self.prepared = 0
        self.batches = 3
        self.closed = threading.Event()
        self.wait = threading.Event()
        self.wait.set()
        self.failure: Exception | None = None
        self.read = 0  # bytes, as it tells while it works

    def prepare(self, statement: GuardedStatement, session: Session) -> DirectStatement:
        self.prepared += 1
        return DirectStatement(self, statement)

    def run(self, statement: GuardedStatement, run: Run) -> ResultStream:
        run.cancellation.on_cancel(self.wait.set)
        if self.read:
            run.report(Progress(bytes_read=self.read))
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
        queued: int = 0,
        kept: int = 10,
        limits: UserLimits = UserLimits(),  # noqa: B008  frozen
        local: Engine | None = None,
        sessions: SessionStore | None = None,
        sinks: Sequence[EventSink] = (),
        required: Sequence[EventSink] = (),
    ) -> Gateway:
        engines: dict[EngineKind, Engine] = dict.fromkeys(EngineKind, engine)
        if local is not None:
            engines[EngineKind.LOCAL] = local

        def prepare(guarded: GuardedStatement, session: Session) -> Survey:
            return Survey(LocalFacts(bytes=1), engines[EngineKind.LOCAL].prepare(guarded, session))

        survey = prepare if local is not None else None
        return Gateway(
            spark_pipeline(binder, Policy([AllowAll()]), engines, Router(survey, RoutingLimits())),
            SessionStore(HERE) if sessions is None else sessions,
            QueryTracker(Events([*sinks, *required], required), kept),
            Uploads(tmp_path / "uploads", 2**20),
            Admission(
                groups_of_settings(running, per_user, queued),
                limits=LimitRules([LimitRule(limits), LimitRule(UserLimits())]),
            ),
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
    gateway = make(limits=UserLimits(run_s=Limit(0.1, "limits.query_timeout_s")))
    engine.wait.clear()
    query_id = submit(gateway)
    error = failure(gateway, query_id)
    assert error.code is ErrorCode.TIMEOUT
    assert error.message == (
        "The query ran longer than 0.1 s and was stopped: limits.query_timeout_s allows no more."
    )
    assert until(lambda: gateway.record(query_id).error_code == "TIMEOUT")


def test_a_result_over_its_size_is_not_sent_on(make: MakeGateway, engine: FakeEngine) -> None:
    gateway = make(limits=UserLimits(result_rows=Limit(2, "limits.rules.0.result_rows")))
    engine.batches = 2
    with gateway.fetch(submit(gateway)) as result:
        assert result.read_all().num_rows == 2
    engine.made, engine.batches = 0, 100
    error = failure(gateway, submit(gateway))
    assert error.code is ErrorCode.RESULT_TOO_LARGE
    assert error.message == (
        "The result has more than 2 rows; limits.rules.0.result_rows allows no more."
    )
    assert engine.made == 3
    assert engine.closed.is_set()


def test_a_query_ends_when_an_engine_has_read_more_than_it_may(
    make: MakeGateway, engine: FakeEngine
) -> None:
    gateway = make(limits=UserLimits(scan_mb=Limit(1, "limits.rules.0.scan_mb")))
    engine.read = 1024 * 1024
    with gateway.fetch(submit(gateway)) as result:
        result.read_all()
    engine.read += 1
    engine.wait.clear()  # it would go on
    error = failure(gateway, submit(gateway))
    assert error.code is ErrorCode.SCAN_TOO_LARGE
    assert "more than 1 MB; limits.rules.0.scan_mb allows no more" in error.message


def test_the_whole_time_of_a_query_has_a_limit(make: MakeGateway, engine: FakeEngine) -> None:
    run, total = Limit(60, "limits.query_timeout_s"), Limit(0.1, "limits.total_timeout_s")
    gateway = make(limits=UserLimits(run_s=run, total_s=total))
    engine.wait.clear()
    error = failure(gateway, submit(gateway))
    assert error.code is ErrorCode.TIMEOUT and "limits.total_timeout_s" in error.message


def test_a_wait_has_the_limit_of_its_user(make: MakeGateway, engine: FakeEngine) -> None:
    limits = UserLimits(queued_s=Limit(0.1, "limits.rules.0.queued_s"))
    gateway = make(running=1, queued=5, limits=limits)
    engine.wait.clear()
    runs, waits = submit(gateway), submit(gateway)
    error = failure(gateway, waits)
    assert error.code is ErrorCode.TIMEOUT and "limits.rules.0.queued_s" in error.message
    engine.wait.set()
    with gateway.fetch(runs) as result:
        result.read_all()


def test_planning_has_a_limit(make: MakeGateway, engine: FakeEngine) -> None:
    class SlowToPrepare(FakeEngine):
        def prepare(self, statement: GuardedStatement, session: Session) -> DirectStatement:
            time.sleep(0.3)
            return super().prepare(statement, session)

    limits = UserLimits(planning_s=Limit(0.05, "limits.planning_timeout_s"))
    local = SlowToPrepare()
    gateway = make(limits=limits, local=local)
    error = failure(gateway, submit(gateway))
    assert error.code is ErrorCode.TIMEOUT
    assert error.message == (
        "The query was planned longer than 0.05 s and was stopped: "
        "limits.planning_timeout_s allows no more."
    )
    assert local.made == 0


def test_queries_in_a_minute_are_counted_for_each_user(
    make: MakeGateway, engine: FakeEngine
) -> None:
    gateway = make(limits=UserLimits(per_minute=Limit(2, "limits.queries_per_minute")))
    engine.batches = 0
    for user in ("ann", "ann", "bob"):
        with gateway.fetch(submit(gateway, user=user)) as result:
            result.read_all()
    refused = submit(gateway, user="ann")
    assert failure(gateway, refused).code is ErrorCode.TOO_MANY_QUERIES
    assert gateway.record(refused).state is QueryState.FAILED


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
    assert "(limits.running_queries)" in str(failure(gateway, submit(gateway, user="sue")))
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
    assert str(failure(gateway, meanwhile[0])).startswith(
        '2 queries run in the resource group "global.ann" (limits.running_queries_per_user)'
    )
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


class Broken:
    def emit(self, event: QueryEvent) -> None:
        raise OSError("the disk is gone")

    def note_change(self, event: RuleEvent) -> None:
        raise OSError("the disk is gone")

    def note_access(self, event: AccessEvent) -> None:
        raise OSError("the disk is gone")

    def close(self) -> None:
        raise OSError("the disk is gone")


def test_a_sink_that_fails_costs_a_query_nothing(make: MakeGateway) -> None:
    gateway = make(sinks=[Broken()])
    query_id = submit(gateway)
    with gateway.fetch(query_id) as result:
        assert result.read_all().num_rows == 3
    assert until(lambda: gateway.record(query_id).state is QueryState.FINISHED)


class Full(Broken):
    """A sink on a disk that is full, from the event that is named until there is room again."""

    def __init__(self, full_from: str = "") -> None:
        self.full = not full_from
        self.full_from = full_from
        self.lost: list[int] = []

    def emit(self, event: QueryEvent) -> None:
        self.full = self.full or event.name == self.full_from
        if self.full:
            super().emit(event)

    def note_access(self, event: AccessEvent) -> None:
        if self.full:
            super().note_access(event)
        if event.kind is AccessKind.EVENTS_LOST:
            self.lost.append(event.count)


@pytest.mark.parametrize("event", ["queued", "planning", "running"])
def test_what_must_be_recorded_and_cannot_be_does_not_run(
    make: MakeGateway, engine: FakeEngine, event: str
) -> None:
    disk = Full(full_from=event)
    gateway = make(required=[disk])
    assert failure(gateway, submit(gateway)).code is ErrorCode.AUDIT_UNAVAILABLE
    assert engine.made == 0
    for refused in (lambda: submit(gateway), lambda: gateway.open_session(Identity("ann"))):
        with pytest.raises(UpstreamError, match="audit log"):
            refused()
    disk.full, disk.full_from = False, "never"
    with gateway.fetch(submit(gateway)) as result:
        assert result.read_all().num_rows == 3
    assert len(disk.lost) == 1 and disk.lost[0] >= 2


def test_a_query_that_runs_when_recording_fails_goes_on(make: MakeGateway) -> None:
    disk = Full(full_from="finished")
    gateway = make(required=[disk])
    session = gateway.open_session(Identity("ann"))
    query_id = gateway.submit(QueryRequest(session.id, "SELECT 1"))
    with gateway.fetch(query_id) as result:
        assert result.read_all().num_rows == 3
    assert until(lambda: disk.full)
    with pytest.raises(UpstreamError, match="audit log"):
        gateway.describe(QueryRequest(session.id, "SELECT 1"))


def test_nothing_is_committed_unrecorded_but_it_can_be_undone(make: MakeGateway) -> None:
    disk = Full(full_from="never")
    gateway = make(required=[disk])
    session = gateway.open_session(Identity("ann"))
    transaction = gateway.begin(session.id)
    disk.full = True
    with pytest.raises(UpstreamError, match="audit log"):
        gateway.commit(session.id, transaction)
    gateway.rollback(session.id, transaction)


def test_what_was_prepared_to_find_the_route_is_what_runs(
    make: MakeGateway, engine: FakeEngine
) -> None:
    local = FakeEngine()
    gateway = make(local=local)
    with gateway.fetch(submit(gateway)) as result:
        assert result.read_all().num_rows == 3
    assert (local.prepared, engine.prepared) == (1, 0)


def test_what_was_described_is_prepared_again_when_it_runs(make: MakeGateway) -> None:
    local = FakeEngine()
    gateway = make(local=local)
    session = gateway.open_session(Identity("ann"))
    request = QueryRequest(session.id, "SELECT 1")
    gateway.describe(request)
    with gateway.fetch(gateway.submit(request)) as result:
        assert result.read_all().num_rows == 3
    assert local.prepared == 2


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


def test_a_query_waits_for_its_turn_without_a_thread(make: MakeGateway, engine: FakeEngine) -> None:
    gateway = make(running=1, queued=5)
    engine.wait.clear()
    first, second = submit(gateway), submit(gateway, user="bob")
    record = gateway.record(second)
    assert (record.state, record.resource_group) == (QueryState.QUEUED, "global.bob")
    assert record.progress.phase == (
        "waiting in the resource group global.bob, behind 0 other queries"
    )
    assert not threads_of(second)
    begun = threading.Event()
    gateway.when_begun(second, begun.set)
    assert not begun.is_set()
    engine.wait.set()
    for query_id in (first, second):
        with gateway.fetch(query_id) as result:
            result.read_all()
    assert begun.is_set()
    assert until(lambda: gateway.record(second).state is QueryState.FINISHED)
    assert gateway.record(second).resource_group == "global.bob"


def test_who_is_cancelled_while_waiting_never_starts(make: MakeGateway, engine: FakeEngine) -> None:
    gateway = make(running=1, queued=5)
    engine.wait.clear()
    first, second, third = (submit(gateway) for _ in range(3))
    gateway.cancel(second)
    assert failure(gateway, second).code is ErrorCode.CANCELLED
    assert gateway.record(second).state is QueryState.CANCELLED
    engine.wait.set()
    for query_id in (first, third):
        with gateway.fetch(query_id) as result:
            result.read_all()
    assert until(lambda: gateway.record(third).state is QueryState.FINISHED)
    assert engine.prepared == 2


def test_the_end_of_a_session_ends_what_waits_in_it(make: MakeGateway, engine: FakeEngine) -> None:
    gateway = make(running=1, queued=5)
    engine.wait.clear()
    submit(gateway)
    session = gateway.open_session(Identity("ann"))
    waiting = gateway.submit(QueryRequest(session.id, "SELECT 1"))
    session.close()
    assert failure(gateway, waiting).code is ErrorCode.CANCELLED
    engine.wait.set()


def test_who_stops_refuses_what_waits(make: MakeGateway, engine: FakeEngine) -> None:
    gateway, engine.batches = make(running=1, queued=5), 1
    engine.wait.clear()
    first, second = submit(gateway), submit(gateway)
    threading.Timer(0.1, engine.wait.set).start()
    gateway.drain(60)
    assert gateway.record(first).state is QueryState.FINISHED
    assert failure(gateway, second).code is ErrorCode.SERVER_UNAVAILABLE
