"""How many sessions there may be, when they end by themselves, and what their owners hear."""

from __future__ import annotations

import threading
import tracemalloc

import pytest

from sqe.errors import ErrorCode, SqeError
from sqe.model.identity import Identity
from sqe.model.names import SchemaName
from sqe.sessions.limits import Lifetimes, SessionCounts
from sqe.sessions.reaper import SessionReaper
from sqe.sessions.session import Session
from sqe.sessions.store import SessionStore
from tests.unit.clock import Clock, refused

HERE = SchemaName("lake", ("default",))
ANN, BOB = Identity("ann"), Identity("bob")
HOUR_IDLE = Lifetimes(idle_s=3600)
DAY = Lifetimes(absolute_s=86_400)


@pytest.fixture
def store(clock: Clock) -> SessionStore:
    return SessionStore(HERE, SessionCounts(total=5, per_user=3), clock)


def test_an_idle_session_expires_and_its_owner_is_told_why(
    store: SessionStore, clock: Clock
) -> None:
    closed: list[Session] = []
    store.on_close(closed.append)
    session = store.open(ANN)
    clock.now += 3599
    assert store.expire(HOUR_IDLE) == 0
    clock.now += 1
    assert store.expire(HOUR_IDLE) == 1
    assert closed == [session]
    assert session.ended
    for call in (lambda: store.get(session.id), session.check, session.begin):
        error = refused(call)
        assert error.code is ErrorCode.SESSION_EXPIRED
        assert "idle for 1 h" in str(error)


def test_a_session_with_a_query_is_not_idle_and_is_used_until_its_end(
    store: SessionStore, clock: Clock
) -> None:
    session = store.open(ANN)
    with session.busy():
        clock.now += 100_000
        assert store.expire(HOUR_IDLE) == 0
    clock.now += 3599
    assert store.expire(HOUR_IDLE) == 0
    clock.now += 1
    assert store.expire(HOUR_IDLE) == 1


def test_two_queries_at_once_are_both_waited_for(store: SessionStore, clock: Clock) -> None:
    session = store.open(ANN)
    session.begin()
    session.begin()
    session.end_use()
    clock.now += 100_000
    assert store.expire(HOUR_IDLE) == 0


def test_a_session_ends_after_its_lifetime_whatever_it_does(
    store: SessionStore, clock: Clock
) -> None:
    session = store.open(ANN)
    session.begin()
    clock.now += 86_400
    assert store.expire(DAY) == 1
    assert "open for 24 h" in str(refused(session.check))


def test_without_limits_sessions_stay(store: SessionStore, clock: Clock) -> None:
    store.open(ANN)
    clock.now += 10**9
    assert store.expire(Lifetimes()) == 0


def test_a_session_somebody_closed_is_not_called_expired(store: SessionStore) -> None:
    session = store.open(ANN)
    session.close()
    assert session.ended
    assert session.expiry is None
    assert refused(session.begin).code is ErrorCode.SESSION_NOT_FOUND
    assert refused(lambda: store.get(session.id)).code is ErrorCode.SESSION_NOT_FOUND


def test_a_user_may_have_so_many_sessions_and_all_users_together(store: SessionStore) -> None:
    mine = [store.open(ANN) for _ in range(3)]
    error = refused(lambda: store.open(ANN))
    assert error.code is ErrorCode.TOO_MANY_SESSIONS
    assert "sessions_per_user" in str(error)
    store.open(BOB)
    store.open(BOB)
    error = refused(lambda: store.open(BOB))
    assert error.code is ErrorCode.TOO_MANY_SESSIONS
    assert "limits.sessions " in str(error)
    mine[0].close()
    store.open(BOB)
    assert store.count == 5


def test_what_cannot_be_freed_does_not_keep_the_rest(store: SessionStore) -> None:
    freed: list[Session] = []

    def fail(session: Session) -> None:
        raise OSError("Spark does not answer")

    store.on_close(fail)
    store.on_close(freed.append)
    session = store.open(ANN)
    session.close()
    assert freed == [session]
    assert store.count == 0


def test_the_reaper_ends_sessions_by_itself_and_stops() -> None:
    store, ended = SessionStore(HERE), threading.Event()
    store.on_close(lambda _: ended.set())
    session = store.open(ANN)
    reaper = SessionReaper(store, Lifetimes(idle_s=0.05))
    reaper.start()
    assert ended.wait(20)
    reaper.stop()
    assert refused(session.check).code is ErrorCode.SESSION_EXPIRED
    assert "session-reaper" not in {thread.name for thread in threading.enumerate()}


@pytest.mark.parametrize(
    ("lifetimes", "seconds"),
    [
        (Lifetimes(), 1),
        (Lifetimes(14_400, 86_400), 1),
        (Lifetimes(idle_s=2), 0.5),
        (Lifetimes(absolute_s=0.001), 0.02),
    ],
)
def test_how_often_the_reaper_looks(lifetimes: Lifetimes, seconds: float) -> None:
    assert lifetimes.look_every_s == seconds


def test_a_query_never_begins_in_a_session_that_expires_meanwhile(
    store: SessionStore, clock: Clock
) -> None:
    """Either the query began, and the session stays, or the session expired."""
    for _ in range(200):
        began: list[bool] = []
        session, start = store.open(ANN), threading.Barrier(2)
        clock.now += 3600
        thread = threading.Thread(target=begin_one, args=(session, start, began))
        thread.start()
        start.wait()
        expired = store.expire(HOUR_IDLE) == 1
        thread.join()
        assert began == [not expired]
        session.close()


def begin_one(session: Session, start: threading.Barrier, began: list[bool]) -> None:
    start.wait()
    try:
        session.begin()
        began.append(True)
    except SqeError:
        began.append(False)


def test_a_hundred_idle_sessions_take_next_to_nothing() -> None:
    store = SessionStore(HERE)
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        for _ in range(100):
            store.open(ANN)
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (after - before) / 100 < 100_000
