"""Which session a Flight call belongs to, when it comes with a token of a login."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sqe.admission.admission import Admission, groups_of_settings
from sqe.audit.events import Events
from sqe.auth.chain import Authenticators
from sqe.auth.protocol import Bearer, Credential
from sqe.errors import ErrorCode, SqeError
from sqe.gateway.gateway import Gateway
from sqe.gateway.tracker import QueryTracker
from sqe.gateway.uploads import Uploads
from sqe.model.access_event import AccessEvent, AccessRecorder
from sqe.model.identity import Identity, Secret
from sqe.model.names import SchemaName
from sqe.model.passport import Passport, Token
from sqe.model.query import QueryOrigin
from sqe.protocols.flight_sql.credentials import CallMiddleware
from sqe.protocols.flight_sql.sessions import FlightSessions, Peer
from sqe.sessions.limits import Lifetimes
from sqe.sessions.session import Session
from sqe.sessions.store import SessionStore
from tests.unit.trino.http.serving import Script

HERE, ELSEWHERE = Peer("ipv4:127.0.0.1:5001"), Peer("ipv4:127.0.0.1:5002")


class Tokens:
    """Texts of the form ``user/login/seconds``, instead of an issuer."""

    def authenticate(self, credential: Credential) -> Identity | None:
        if not isinstance(credential, Bearer):
            return None
        user, login, seconds = credential.token.reveal().split("/")
        token = Token(credential.token, time.time() + float(seconds))
        return Identity(user, passport=Passport(token, login))


class Logins(AccessRecorder):
    def __init__(self) -> None:
        self.told: list[tuple[str, ...]] = []

    def note_access(self, event: AccessEvent) -> None:
        origin = event.origin
        self.told.append((event.kind.value, event.user, origin.protocol, origin.address))


class Made:
    def __init__(self, tmp_path: Path) -> None:
        self.store = SessionStore(SchemaName("lake", ("default",)))
        gateway = Gateway(
            Script(),  # type: ignore[arg-type]
            self.store,
            QueryTracker(Events()),
            Uploads(tmp_path, 1),
            Admission(groups_of_settings(200, 150, 0)),
        )
        self.logins = Logins()
        self.sessions = FlightSessions(gateway, Authenticators([Tokens()], self.logins))
        self.cookie = ""

    def call(self, token: str, peer: Peer = HERE, *, cookie: bool = False) -> Session:
        """``cookie``: the client sends the one it was given last."""
        headers = {"authorization": [f"Bearer {token}"]}
        if cookie:
            headers["cookie"] = [self.cookie]
        return self.sessions.of(CallMiddleware(headers), peer, self._answer)

    def _answer(self, name: str, value: str) -> None:
        if name == "set-cookie":
            self.cookie = value.partition(";")[0]


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Made]:
    found = Made(tmp_path)
    yield found
    found.store.close_all()


def shown(session: Session) -> str:
    """What catalogs are shown."""
    assert session.identity.passport is not None
    return session.identity.passport.token().reveal()


@pytest.mark.parametrize("cookie", [True, False])
def test_a_newer_token_of_the_login_goes_on_with_the_session(made: Made, cookie: bool) -> None:
    first = made.call("ann/monday/100")
    peer = ELSEWHERE if cookie else HERE
    assert made.call("ann/monday/200", peer, cookie=cookie) is first
    assert shown(first) == "ann/monday/200"
    assert made.call("ann/monday/150", peer, cookie=cookie) is first
    assert shown(first) == "ann/monday/200"  # the one that lasts longer
    assert made.store.count == 1


@pytest.mark.parametrize("other", ["ann/tuesday/200", "bob/monday/200"])
@pytest.mark.parametrize("cookie", [True, False])
def test_another_login_has_another_session(made: Made, other: str, cookie: bool) -> None:
    """A stolen cookie is worth nothing, and another login of the same user may allow less."""
    first = made.call("ann/monday/100")
    second = made.call(other, cookie=cookie)
    assert second is not first
    assert (shown(first), shown(second)) == ("ann/monday/100", other)


def test_a_session_whose_token_has_expired_goes_on_with_a_newer_one(made: Made) -> None:
    first = made.call("ann/monday/0")
    with pytest.raises(SqeError) as raised:
        first.check()
    assert raised.value.code is ErrorCode.TOKEN_EXPIRED
    assert made.call("ann/monday/100", cookie=True) is first
    first.check()


def test_a_session_knows_where_it_comes_from(made: Made) -> None:
    assert made.call("ann/monday/100").origin == QueryOrigin("flight", "127.0.0.1")


def test_one_that_has_ended_is_told_of_once(made: Made) -> None:
    first = made.call("ann/monday/0")
    assert made.store.expire(Lifetimes(renewal_s=0)) == 1
    with pytest.raises(SqeError) as raised:
        made.call("ann/monday/100")
    assert raised.value.code is ErrorCode.TOKEN_EXPIRED
    second = made.call("ann/monday/100")
    assert second is not first and not second.ended


def test_logins_are_recorded_with_the_address(made: Made) -> None:
    made.call("ann/1/60")
    made.sessions.log_in(Bearer(Secret("ann/1/60")))
    here = ("login", "ann", "flight")
    assert made.logins.told == [(*here, "127.0.0.1"), (*here, "")]
