"""Spark sessions come when they are needed and go when they are not; servers wear out."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from sqe.broker.broker import Broker
from sqe.engines.spark.activity import Activity
from sqe.engines.spark.ivy import Tell, tell_nobody
from sqe.engines.spark.session_janitor import SparkLimits
from sqe.engines.spark.sessions import Address, SparkSessions
from sqe.errors import ErrorCode, ResourceError, SqeError
from sqe.model.identity import Identity, Secret
from sqe.model.names import SchemaName
from sqe.sessions.session import Session

SCHEMA = SchemaName("lake", ("default",))


@dataclass
class FakeServer:
    """A server by its generations: which run, which were ended."""

    generation: int = 1
    running: set[int] = field(default_factory=lambda: {1})
    retired: list[int] = field(default_factory=list)
    ended: list[int] = field(default_factory=list)
    does: Activity = field(default_factory=Activity)

    def reach(self, tell: Tell = tell_nobody) -> Address:
        if self.generation not in self.running:
            self.generation += 1
            self.running.add(self.generation)
        return Address(Secret(f"sc://localhost:{self.generation}/"), self.generation)

    def serves(self, generation: int) -> bool:
        return generation in self.running

    def activity(self, generation: int) -> Activity | None:
        return self.does

    def collect_garbage(self, generation: int) -> None:
        return None

    def end(self, generation: int) -> None:
        self.running.discard(generation)
        self.ended.append(generation)

    def recycle(self) -> None:
        self.generation += 1
        self.running.add(self.generation)

    def retire(self, generation: int) -> None:
        if generation != self.generation:
            self.running.discard(generation)
            self.retired.append(generation)

    def why_lost(self) -> SqeError | None:
        return None


@dataclass(eq=False)
class FakeConnection:
    url: str
    user: str
    conf: dict[str, str] = field(default_factory=dict)
    closed: str = ""

    def set_conf(self, conf: Mapping[str, str]) -> None:
        self.conf.update(conf)

    def unset_conf(self, *keys: str) -> None:
        for key in keys:
            self.conf.pop(key, None)

    def close(self, *, server_alive: bool) -> None:
        self.closed = "asked" if server_alive else "forgotten"


@dataclass
class Made:
    """Sessions over the fake server, with a clock of the test's own."""

    limits: SparkLimits
    server: FakeServer = field(default_factory=FakeServer)
    broker: Broker = field(default_factory=Broker)
    now: float = 0.0
    connections: list[FakeConnection] = field(default_factory=list)

    def __post_init__(self) -> None:
        limits = replace(self.limits, clock=lambda: self.now)
        self.sessions = SparkSessions(self.server, self.broker, {}, limits, self._connect)

    def _connect(self, url: Secret, user: str) -> Any:
        self.connections.append(FakeConnection(url.reveal(), user))
        return self.connections[-1]

    def run(self, *sessions: Session) -> None:
        """A query in each, one after the other."""
        for session in sessions:
            with self.sessions.use(session):
                pass

    @property
    def closed(self) -> list[str]:
        return [connection.closed for connection in self.connections]


# No thread of the upkeep's own comes in between: it waits for longer than a test takes.
QUIET = SparkLimits(idle_s=0, recycle_after=0)


def made(limits: SparkLimits = QUIET) -> Made:
    return Made(limits)


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def session(user: str = "ann", issuer: str = "") -> Session:
    return Session(Identity(user, issuer=issuer), SCHEMA, lambda _: None)


def test_a_session_keeps_its_spark_session(stack: ExitStack) -> None:
    one = made()
    stack.callback(one.sessions.close)
    ann = session()
    one.run(ann, ann, session("bob"))
    assert [connection.user for connection in one.connections] == ["ann", "bob"]


def test_the_brokers_token_is_a_plain_header(stack: ExitStack) -> None:
    """Iceberg's own ways to send one keep every session that ever was in Spark's memory."""
    one = made()
    stack.callback(one.sessions.close)
    one.run(session())
    conf = one.connections[0].conf
    assert conf["spark.sql.catalog.sqe.rest.auth.type"] == "none"
    assert conf["spark.sql.catalog.sqe.header.Authorization"].startswith("Bearer ")
    assert not [key for key in conf if "token" in key or "oauth2" in key]


def test_an_idle_spark_session_is_given_back_and_had_again_with_its_settings(
    stack: ExitStack,
) -> None:
    one = made(SparkLimits(idle_s=120, recycle_after=0))
    stack.callback(one.sessions.close)
    ann = session()
    ann.set_property("sqe.time_zone", "Europe/Paris")
    one.run(ann)
    one.now = 119
    one.sessions.tidy()
    assert one.closed == [""]
    one.now = 121
    one.sessions.tidy()
    assert one.closed == ["asked"] and one.sessions.count == 0
    one.run(ann)
    assert one.connections[1].conf["spark.sql.session.timeZone"] == "Europe/Paris"


def test_settings_reach_spark_and_go_back_to_sqe_s_own(stack: ExitStack) -> None:
    one = made()
    stack.callback(one.sessions.close)
    ann, bob = session(), session("bob")
    ann.set_property("spark.sql.shuffle.partitions", "7")
    ann.set_property("spark.sql.groupByOrdinal", "false")
    one.run(ann, bob)
    mine, other = (connection.conf for connection in one.connections)
    assert mine["spark.sql.shuffle.partitions"] == "7"
    assert mine["spark.sql.groupByOrdinal"] == "false"
    assert other["spark.sql.groupByOrdinal"] == "true"
    ann.set_property("spark.sql.shuffle.partitions", None)
    ann.set_property("spark.sql.groupByOrdinal", None)
    one.run(ann)
    assert "spark.sql.shuffle.partitions" not in mine
    assert mine["spark.sql.groupByOrdinal"] == "true"


def test_a_spark_session_in_use_is_never_idle(stack: ExitStack) -> None:
    one = made(SparkLimits(idle_s=120, recycle_after=0))
    stack.callback(one.sessions.close)
    with one.sessions.use(session()):
        one.now = 10_000
        one.sessions.tidy()
        assert one.closed == [""]


def test_at_the_limit_the_longest_idle_makes_room(stack: ExitStack) -> None:
    one = made(SparkLimits(sessions=2, idle_s=0, recycle_after=0))
    stack.callback(one.sessions.close)
    for number, user in enumerate(("ann", "bob", "eve")):
        one.now = float(number)
        one.run(session(user))
    assert one.closed == ["asked", "", ""] and one.sessions.count == 2


def test_at_the_limit_a_new_one_is_refused_while_all_are_at_work(stack: ExitStack) -> None:
    one = made(SparkLimits(sessions=2, idle_s=0, recycle_after=0))
    stack.callback(one.sessions.close)
    with ExitStack() as both:
        both.enter_context(one.sessions.use(session("ann")))
        both.enter_context(one.sessions.use(session("bob")))
        with pytest.raises(ResourceError) as raised, one.sessions.use(session("eve")):
            pass
    assert raised.value.code is ErrorCode.TOO_MANY_SESSIONS
    one.run(session("eve"))


def test_one_user_cannot_take_all_of_them(stack: ExitStack) -> None:
    one = made(SparkLimits(sessions=9, sessions_per_user=1, idle_s=0, recycle_after=0))
    stack.callback(one.sessions.close)
    with one.sessions.use(session("ann")):
        with pytest.raises(ResourceError, match="of yours"), one.sessions.use(session("ann")):
            pass
        one.run(session("bob"), session("ann", issuer="https://elsewhere"))


def test_a_refused_session_leaves_no_trace(stack: ExitStack) -> None:
    one = made(SparkLimits(sessions=1, idle_s=0, recycle_after=0))
    stack.callback(one.sessions.close)
    with one.sessions.use(session("ann")):
        for _ in range(3):
            with pytest.raises(ResourceError), one.sessions.use(session("bob")):
                pass
    one.run(session("bob"))
    assert one.sessions.count == 1


def test_a_worn_server_is_replaced_while_its_queries_go_on(stack: ExitStack) -> None:
    one = made(SparkLimits(recycle_after=3, idle_s=0))
    stack.callback(one.sessions.close)
    ann, bob = session("ann"), session("bob")
    one.run(bob)
    long = stack.enter_context(ExitStack())
    old = long.enter_context(one.sessions.use(ann))
    one.sessions.tidy()
    assert one.server.generation == 1
    one.run(session("eve"))
    one.sessions.tidy()
    assert one.server.generation == 2
    assert one.connections[1].closed == "" and old.generation == 1
    assert one.server.serves(1), "ann's query still runs there"
    one.run(ann, bob)
    assert {connection.url for connection in one.connections[3:]} == {
        "sc://localhost:2/;user_id=ann",
        "sc://localhost:2/;user_id=bob",
    }
    long.close()
    one.sessions.tidy()
    assert one.server.retired == [1] and one.connections[1].closed == "asked"
    one.sessions.tidy()
    assert one.server.generation == 2, "the new one is not worn"


def test_sessions_of_a_dead_server_are_forgotten_without_asking_it(stack: ExitStack) -> None:
    one = made()
    stack.callback(one.sessions.close)
    ann = session()
    one.run(ann)
    one.server.running.clear()
    one.sessions.tidy()
    assert one.server.running == set(), "looking after sessions starts no server"
    one.run(ann)
    assert one.closed == ["forgotten", ""]


def test_after_a_broken_connection_a_dying_server_is_waited_for(stack: ExitStack) -> None:
    one, ann = made(), session()
    stack.callback(one.sessions.close)
    with one.sessions.use(ann) as spark:
        dies = threading.Timer(0.2, one.server.running.clear)
        dies.start()
        one.sessions.settle(spark)  # as one who is told of it would be
        assert not one.server.serves(spark.generation)
        dies.join()
    one.run(ann)
    assert one.connections[1].url.startswith("sc://localhost:2/")


def test_the_end_of_a_session_ends_its_spark_session(stack: ExitStack) -> None:
    one = made()
    stack.callback(one.sessions.close)
    ann = session()
    one.run(ann)
    one.sessions.release(ann)
    assert one.closed == ["asked"] and one.sessions.count == 0


def test_a_server_with_work_that_does_not_end_is_ended_at_once_where_nobody_uses_it(
    stack: ExitStack,
) -> None:
    one = made()
    stack.callback(one.sessions.close)
    with one.sessions.use(session()) as spark:
        one.sessions.give_up(spark, stuck=True)
        one.sessions.tidy()
        assert one.server.ended == [1] and one.server.running == {2}


def test_who_uses_a_server_with_work_that_does_not_end_goes_on(stack: ExitStack) -> None:
    one = made()
    stack.callback(one.sessions.close)
    with one.sessions.use(session("bob")):
        with one.sessions.use(session()) as spark:
            one.sessions.give_up(spark, stuck=False)
        one.sessions.tidy()
        assert one.server.running == {1, 2} and not one.server.ended
    one.sessions.tidy()
    assert one.server.running == {2}


def test_work_that_belongs_to_no_query_costs_the_server_its_place(stack: ExitStack) -> None:
    one = made()
    stack.callback(one.sessions.close)
    one.run(session())
    one.server.does = Activity(stages=frozenset({3}))
    one.sessions.tidy()
    assert not one.server.ended
    one.sessions.tidy()
    assert one.server.ended == [1]


def test_a_session_that_ends_keeps_its_connection_until_its_queries_have_ended(
    stack: ExitStack,
) -> None:
    one = made()
    stack.callback(one.sessions.close)
    ann = session()
    with one.sessions.use(ann):
        one.sessions.release(ann)
        assert one.closed == [""]
    assert one.closed == ["asked"]


def test_each_user_s_jobs_have_a_pool_of_their_own(stack: ExitStack) -> None:
    one = made()
    stack.callback(one.sessions.close)
    one.run(session("ann"), session("ann"), session("bob"), session("ann", "https://issuer"))
    ann, again, bob, other_ann = (c.conf["spark.scheduler.pool"] for c in one.connections)
    assert ann == again
    assert len({ann, bob, other_ann}) == 3
