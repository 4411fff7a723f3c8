"""A session goes on for as long as its user's login: not longer, and with newer tokens of it."""

from __future__ import annotations

import threading

import pytest

from sqe.errors import ErrorCode
from sqe.model.identity import Identity, Secret
from sqe.model.names import SchemaName
from sqe.model.passport import Passport, Token
from sqe.sessions.limits import Lifetimes
from sqe.sessions.reaper import SessionReaper
from sqe.sessions.session import Session
from sqe.sessions.store import SessionStore
from tests.unit.clock import Clock, refused

HERE = SchemaName("lake", ("default",))
NO_LIMITS = Lifetimes(renewal_s=300)
OVER = "Your login has expired and could not be renewed."


@pytest.fixture
def store(clock: Clock) -> SessionStore:
    return SessionStore(HERE, clock=clock)


def passport(clock: Clock, expires_at: float, token: str = "first") -> Passport:
    return Passport(Token(Secret(token), expires_at), "monday", clock=clock)


def test_from_its_tokens_end_on_nothing_begins_in_a_session(
    store: SessionStore, clock: Clock
) -> None:
    session = store.open(Identity("ann", passport=passport(clock, 1_100)))
    session.check()
    clock.now = 1_100
    for call in (session.check, session.begin):
        error = refused(call)
        assert (error.code, error.message) == (ErrorCode.TOKEN_EXPIRED, OVER)


def test_a_session_with_a_query_ends_at_once_and_its_owner_is_told_why(
    store: SessionStore, clock: Clock
) -> None:
    closed: list[Session] = []
    store.on_close(closed.append)
    session = store.open(Identity("ann", passport=passport(clock, 1_100)))
    session.begin()
    clock.now = 1_099.9
    assert store.expire(NO_LIMITS) == 0
    clock.now = 1_100
    assert store.expire(NO_LIMITS) == 1
    assert closed == [session]
    assert session.expiry is not None and session.expiry.code is ErrorCode.TOKEN_EXPIRED
    assert refused(lambda: store.get(session.id)).code is ErrorCode.TOKEN_EXPIRED


def test_a_session_without_a_query_waits_a_while_for_a_newer_token(
    store: SessionStore, clock: Clock
) -> None:
    mine = passport(clock, 1_100)
    session = store.open(Identity("ann", passport=mine))
    clock.now = 1_200
    assert store.expire(NO_LIMITS) == 0
    mine.renew_from(passport(clock, 1_500, "second"))
    session.check()
    clock.now = 1_499
    assert store.expire(NO_LIMITS) == 0
    clock.now = 1_500
    assert store.expire(NO_LIMITS) == 0
    clock.now = 1_800
    assert store.expire(NO_LIMITS) == 1
    assert refused(session.check).code is ErrorCode.TOKEN_EXPIRED


def test_a_login_that_was_ended_takes_its_session_along(store: SessionStore, clock: Clock) -> None:
    """Logged out or disabled at the issuer."""
    mine = passport(clock, 9_999)
    session = store.open(Identity("ann", passport=mine))
    mine.end()
    assert refused(session.begin).code is ErrorCode.TOKEN_EXPIRED
    assert store.expire(NO_LIMITS) == 1


def test_with_its_session_a_passport_ends(store: SessionStore, clock: Clock) -> None:
    mine, other = passport(clock, 9_999), passport(clock, 9_999)
    store.open(Identity("ann", passport=mine)).close()
    second = store.open(Identity("ann", passport=other))
    assert mine.ended and not other.ended
    second.check()


def test_what_a_user_has_shown_may_be_withdrawn(store: SessionStore) -> None:
    """An API key that is revoked; if nobody can tell, it counts as that."""
    good = [True]
    session = store.open(Identity("bot", standing=lambda: good[0]))
    session.check()
    good[0] = False
    assert refused(session.check).code is ErrorCode.TOKEN_EXPIRED
    assert store.expire(NO_LIMITS) == 1
    good.clear()
    unknown = store.open(Identity("bot", standing=lambda: good[0]))
    assert refused(unknown.begin).code is ErrorCode.TOKEN_EXPIRED


def test_the_reaper_ends_a_session_soon_after_its_token() -> None:
    store, ended = SessionStore(HERE), threading.Event()
    store.on_close(lambda _: ended.set())
    mine = Passport(Token(Secret("x"), 0.0), "monday")
    session = store.open(Identity("ann", passport=mine))
    reaper = SessionReaper(store, Lifetimes(renewal_s=0))
    reaper.start()
    assert ended.wait(20)
    reaper.stop()
    assert refused(session.check).code is ErrorCode.TOKEN_EXPIRED
