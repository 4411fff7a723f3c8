"""Which session of the gateway a request runs in, and whose transactions are whose."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sqe.admission.admission import Admission, groups_of_settings
from sqe.audit.events import Events
from sqe.errors import ErrorCode, SqeError
from sqe.gateway.gateway import Gateway
from sqe.gateway.tracker import QueryTracker
from sqe.gateway.uploads import Uploads
from sqe.model.identity import Identity, Secret
from sqe.model.names import SchemaName
from sqe.model.passport import Passport, Token
from sqe.sessions.store import SessionStore
from sqe.trino.http.sessions import LeasedSession, TrinoSessions, Wanted
from tests.unit.clock import Clock
from tests.unit.trino.http.serving import Script

ANN, BOB = Identity("ann"), Identity("bob")
IDLE_S = 100.0


class Made:
    """Sessions over a real gateway, which runs nothing here."""

    def __init__(self, tmp_path: Path) -> None:
        self.clock = Clock()
        self.store = SessionStore(SchemaName("lake", ("default",)))
        self.gateway = Gateway(
            Script(),  # type: ignore[arg-type]
            self.store,
            QueryTracker(Events()),
            Uploads(tmp_path, 1),
            Admission(groups_of_settings(200, 150, 0)),
        )
        self.sessions = TrinoSessions(self.gateway, IDLE_S, self.clock)

    def transaction(self, principal: str = "ann", identity: Identity = ANN) -> str:
        lent = self.sessions.borrow(Wanted(principal, identity))
        name = self.gateway.begin(lent.session.id)
        self.sessions.note_transaction(name, principal, lent)
        self.sessions.give_back(lent)
        return name


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Made]:
    found = Made(tmp_path)
    yield found
    found.sessions.close()
    assert found.store.count == 0


def ended(lent: LeasedSession) -> bool:
    return lent.session.ended


def test_requests_of_one_identity_share_a_session(made: Made) -> None:
    first = made.sessions.borrow(Wanted("ann", ANN, {"query_max_run_time": "1m"}))
    second = made.sessions.borrow(Wanted("ann", ANN))
    other = made.sessions.borrow(Wanted("bob", BOB))
    assert first is second and other is not first and made.store.count == 2


def test_another_login_is_another_session(made: Made) -> None:
    """What is passed on to catalogs must be what this login allows."""
    first = made.sessions.borrow(Wanted("ann", ann("a", "monday")))
    second = made.sessions.borrow(Wanted("ann", ann("b", "tuesday")))
    assert first is not second


def test_a_newer_token_of_the_same_login_renews_the_session(made: Made) -> None:
    first = made.sessions.borrow(Wanted("ann", ann("a", "monday", 2e9)))
    second = made.sessions.borrow(Wanted("ann", ann("b", "monday", 3e9)))
    passport = first.session.identity.passport
    assert first is second and passport is not None and passport.token().reveal() == "b"


def ann(token: str, login: str, expires_at: float | None = None) -> Identity:
    return Identity("ann", passport=Passport(Token(Secret(token), expires_at), login))


def test_properties_that_engines_read_make_a_session_of_their_own(made: Made) -> None:
    plain = made.sessions.borrow(Wanted("ann", ANN))
    local = made.sessions.borrow(Wanted("ann", ANN, {"sqe.engine": "LOCAL"}))
    assert local is not plain and local.session.property("sqe.engine") == "local"
    assert plain.session.property("sqe.engine") == "auto"


def test_a_session_nobody_uses_is_closed(made: Made) -> None:
    lent = made.sessions.borrow(Wanted("ann", ANN))
    made.clock.now += 10_000
    made.sessions.sweep()
    assert not ended(lent)
    made.sessions.give_back(lent)
    made.sessions.sweep()
    assert not ended(lent)
    made.clock.now += 601
    made.sessions.sweep()
    assert ended(lent) and made.store.count == 0


def test_an_old_session_is_not_used_for_anything_new(made: Made) -> None:
    old = made.sessions.borrow(Wanted("ann", ANN))
    made.clock.now += 3601
    new = made.sessions.borrow(Wanted("ann", ANN))
    made.sessions.sweep()
    assert new is not old and not ended(old)
    made.sessions.give_back(old)
    made.sessions.sweep()
    assert ended(old) and not ended(new)


def test_a_session_that_was_ended_is_replaced(made: Made) -> None:
    old = made.sessions.borrow(Wanted("ann", ANN))
    made.sessions.give_back(old)
    old.session.close()
    assert not made.sessions.borrow(Wanted("ann", ANN)).session.ended


def refused(made: Made, wanted: Wanted) -> SqeError:
    with pytest.raises(SqeError) as raised:
        made.sessions.borrow(wanted)
    assert raised.value.code is ErrorCode.TRANSACTION_NOT_FOUND
    return raised.value


def test_a_transaction_is_its_principals(made: Made) -> None:
    name = made.transaction()
    lent = made.sessions.borrow(Wanted("ann", ANN, {"sqe.engine": "local"}, name))
    assert made.gateway.transaction_of(lent.session.id) == name
    refused(made, Wanted("bob", BOB, transaction=name))
    refused(made, Wanted("ann", BOB, transaction=name))  # who acts as another, too
    refused(made, Wanted("ann", ANN, transaction="unknown"))
    assert refused(made, Wanted("ann", ANN, transaction="x")).subcode == "UNKNOWN_TRANSACTION"


def test_a_transaction_that_has_ended_is_unknown(made: Made) -> None:
    name = made.transaction()
    made.sessions.end_transaction(name)
    refused(made, Wanted("ann", ANN, transaction=name))
    made.sessions.end_transaction(name)  # and again, which is nothing


def test_an_idle_transaction_is_rolled_back(made: Made) -> None:
    idle, used = made.transaction(), made.transaction()
    session = made.sessions.borrow(Wanted("ann", ANN)).session
    made.clock.now += IDLE_S - 1
    made.sessions.give_back(made.sessions.borrow(Wanted("ann", ANN, transaction=used)))
    made.clock.now += 2
    made.sessions.sweep()
    refused(made, Wanted("ann", ANN, transaction=idle))
    assert made.gateway.transaction_of(session.id) == used


def test_a_session_with_a_transaction_is_kept(made: Made) -> None:
    name = made.transaction()
    for _ in range(20):
        made.clock.now += IDLE_S - 1
        made.sessions.give_back(made.sessions.borrow(Wanted("ann", ANN, transaction=name)))
        made.sessions.sweep()
    assert made.store.count == 1
