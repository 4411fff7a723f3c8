"""Sessions: what they hold, and that closing them tells everybody."""

from __future__ import annotations

import pytest

from sqe.errors import ErrorCode, UserError
from sqe.model.identity import Identity, Secret
from sqe.model.names import SchemaName
from sqe.model.passport import Passport, Token
from sqe.sessions.session import Session, TemporaryView
from sqe.sessions.store import SessionStore

HERE = SchemaName("lake", ("default",))
VIEW = TemporaryView("V", "SELECT 1", (), HERE)


@pytest.fixture
def store() -> SessionStore:
    return SessionStore(HERE)


def test_a_closed_session_is_gone_and_listeners_hear_once(store: SessionStore) -> None:
    closed: list[Session] = []
    store.on_close(closed.append)
    session = store.open(Identity("ann"))
    assert store.get(session.id) is session
    session.close()
    session.close()
    assert closed == [session]
    with pytest.raises(UserError) as raised:
        store.get(session.id)
    assert raised.value.code is ErrorCode.SESSION_NOT_FOUND


def test_close_all_closes_each(store: SessionStore) -> None:
    closed: list[Session] = []
    store.on_close(closed.append)
    sessions = [store.open(Identity("ann")) for _ in range(3)]
    store.close_all()
    assert closed == sessions


def test_temporary_views_are_found_in_any_case(store: SessionStore) -> None:
    session = store.open(Identity("ann"))
    session.keep_view(VIEW, replace=False)
    assert session.temporary_view("v") is VIEW
    with pytest.raises(UserError) as raised:
        session.keep_view(VIEW, replace=False)
    assert raised.value.code is ErrorCode.TABLE_ALREADY_EXISTS
    assert session.forget_view("v")
    assert not session.forget_view("v")


def test_properties_have_defaults(store: SessionStore) -> None:
    session = store.open(Identity("ann"))
    session.set_property("sqe.engine", "spark")
    assert session.properties()["sqe.engine"] == ("spark", "auto")
    session.set_property("sqe.engine", None)
    assert session.property("sqe.engine") == "auto"


def test_session_ids_do_not_repeat(store: SessionStore) -> None:
    assert len({store.open(Identity("ann")).id for _ in range(100)}) == 100


def test_a_credential_never_shows() -> None:
    identity = Identity("ann", passport=Passport(Token(Secret("hunter2")), "login"))
    assert "hunter2" not in f"{identity} {identity!r} {identity.passport}"
