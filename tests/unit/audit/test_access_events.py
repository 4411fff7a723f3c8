"""Who comes, from where, and with what outcome, is told to every sink: once, without a secret."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sqe.audit.events import Events, QueryEvent, RuleEvent
from sqe.audit.fields import FIELDS
from sqe.audit.jsonl import AuditFile
from sqe.audit.repeats import MANY, Repeats
from sqe.auth.api_keys import ApiKeyUsers, NewKey, create_key
from sqe.auth.chain import Authenticators
from sqe.auth.protocol import Bearer, Credential, Password
from sqe.errors import AccessError, ErrorCode, ResourceError, SqeError, UpstreamError
from sqe.model.access_event import AccessEvent, AccessKind
from sqe.model.identity import Identity, Secret
from sqe.model.names import SchemaName
from sqe.model.query import QueryOrigin
from sqe.observe.metrics import Metrics
from sqe.observe.queries import QueryMetrics
from sqe.sessions.limits import Lifetimes, SessionCounts
from sqe.sessions.store import SessionStore
from sqe.store.api_keys import ApiKeys
from sqe.store.database import Database

HERE = QueryOrigin("trino", "192.0.2.7")
SECRET = "correct horse battery"


class Kept:
    def __init__(self) -> None:
        self.events: list[AccessEvent] = []

    def emit(self, event: QueryEvent) -> None: ...
    def note_change(self, event: RuleEvent) -> None: ...
    def close(self) -> None: ...

    def note_access(self, event: AccessEvent) -> None:
        self.events.append(event)


class Door:
    """Ann gets in; the others' names say what happens."""

    def authenticate(self, credential: Credential) -> Identity | None:
        if not isinstance(credential, Password):
            return None
        failures: dict[str, Exception] = {
            "wrong": AccessError(ErrorCode.AUTHENTICATION_FAILED, "no"),
            "away": UpstreamError(ErrorCode.ISSUER_UNAVAILABLE, "no answer"),
            "broken": RuntimeError(f"a defect with {SECRET}"),
        }
        if credential.user in failures:
            raise failures[credential.user]
        return Identity(credential.user)


def shown(kept: Kept) -> list[tuple[str, ...]]:
    return [(e.kind.value, e.user, e.method, e.reason) for e in kept.events]


@pytest.mark.parametrize(
    ("user", "kind", "reason"),
    [
        ("ann", "login", ""),
        ("wrong", "login_failed", "denied"),
        ("away", "login_failed", "unavailable"),
        ("broken", "login_failed", "failed"),
    ],
)
def test_a_login_is_told_by_its_user_and_outcome(user: str, kind: str, reason: str) -> None:
    kept = Kept()
    door = Authenticators([Door()], Events([kept]))
    try:
        door.identify(Password(user, Secret(SECRET)), HERE)
    except SqeError:
        assert reason
    assert shown(kept) == [(kind, user, "password", reason)]
    assert kept.events[0].origin == HERE
    assert SECRET not in repr(kept.events)


def test_of_a_token_that_nobody_knows_no_user_is_told() -> None:
    kept = Kept()
    with pytest.raises(AccessError):
        Authenticators([Door()], Events([kept])).identify(Bearer(Secret(SECRET)), HERE)
    assert shown(kept) == [("login_failed", "", "bearer", "denied")]


def test_an_api_key_is_told_by_its_id(tmp_path: Path) -> None:
    database, kept = Database(tmp_path), Kept()
    keys = ApiKeys(database)
    key = create_key(keys, NewKey("nightly", "etl"), time.time())
    chain = Authenticators([ApiKeyUsers(keys)], Events([kept]))
    for credential in (Bearer(key), Password("etl", key)):
        chain.identify(credential, HERE)
    database.close()
    assert {(e.user, e.method) for e in kept.events} == {("etl", "api_key")}
    assert all(e.key_id and e.key_id in key.reveal() for e in kept.events)
    assert key.reveal() not in repr(kept.events)


def test_a_session_is_told_from_its_beginning_to_its_end() -> None:
    now, kept = [0.0], Kept()
    default, counts = SchemaName("lake", ("default",)), SessionCounts(2, 2)
    store = SessionStore(default, counts, lambda: now[0], Events([kept]))
    first, second = store.open(Identity("ann"), origin=HERE), store.open(Identity("ann"))
    with pytest.raises(ResourceError):
        store.open(Identity("ann"))
    first.close()
    now[0] = 100.0
    assert store.expire(Lifetimes(idle_s=10.0)) == 1
    assert [(e.kind.value, e.reason, e.session_id) for e in kept.events] == [
        ("session_opened", "", first.id),
        ("session_opened", "", second.id),
        ("session_refused", "", ""),
        ("session_ended", "closed", first.id),
        ("session_ended", "expired", second.id),
    ]


def test_metrics_count_what_the_audit_log_is_told() -> None:
    metrics = Metrics()
    events = Events([QueryMetrics(metrics)])
    for kind, reason in (("login", ""), ("login_failed", "denied"), ("session_ended", "expired")):
        event = AccessEvent(AccessKind(kind), 1.0, "ann", method="bearer", reason=reason)
        events.note_access(event)
    text = metrics.exposition()[0].decode()
    assert 'sqe_logins_total{credential="bearer",outcome="accepted"} 1.0' in text
    assert 'sqe_logins_total{credential="bearer",outcome="denied"} 1.0' in text
    assert 'sqe_sessions_total{outcome="expired"} 1.0' in text


def test_a_line_says_who_did_what_and_shows_no_secret(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    log = AuditFile(path)
    as_user = QueryOrigin("trino", "192.0.2.7", "svc")
    log.note_access(AccessEvent(AccessKind.IMPERSONATION, 12.5, "ann", as_user))
    log.note_access(AccessEvent(AccessKind.KILL, 12.5, "root", HERE, query_id="q1", owner="ann"))
    opened = AccessEvent(AccessKind.SESSION_OPENED, 12.5, "ann", session_id="0123456789abcdef")
    log.note_access(opened)
    pasted = ("sqe_key_0123456789ab_" + "s" * 43, "eyJhbGciOiJSUzI1NiJ9.e30.c2ln", "x" * 5_000)
    for user in pasted:  # a key in the field of the user
        log.note_access(AccessEvent(AccessKind.LOGIN_FAILED, 12.5, user, HERE))
    log.close()
    acted, killed, session, *failed = map(json.loads, path.read_text().splitlines())
    assert (acted["principal"], acted["user"], acted["address"]) == ("svc", "ann", "192.0.2.7")
    assert (killed["event"], killed["query_id"], killed["owner"]) == ("kill", "q1", "ann")
    assert session["session_id"] == "01234567"
    assert [line["user"] for line in failed] == ["****", "****", "x" * 256]
    assert {name for line in (acted, killed, session) for name in line} <= set(FIELDS)


class Storm:
    """Failures as they are written, with a clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = 0.0
        self.written: list[AccessEvent] = []
        self.repeats = Repeats(self.written.append, 60.0, lambda: self.now)

    def fail(self, user: str, address: str = "192.0.2.7") -> None:
        origin = QueryOrigin("trino", address)
        self.repeats.note(AccessEvent(AccessKind.LOGIN_FAILED, self.now, user, origin))

    @property
    def counts(self) -> list[tuple[str, int]]:
        return [(event.user, event.count) for event in self.written]


@pytest.fixture
def storm() -> Iterator[Storm]:
    made = Storm()
    yield made
    made.repeats.close()


def test_repeats_are_one_line_with_their_number(storm: Storm) -> None:
    for _ in range(1_000):
        storm.fail("ann")
    storm.fail("bob")
    assert storm.counts == [("ann", 1), ("bob", 1)]
    storm.now = 61.0
    storm.fail("ann")
    assert storm.counts == [("ann", 1), ("bob", 1), ("ann", 999)]
    storm.now = 200.0
    storm.fail("cleo")  # it tells of the one that waits
    storm.now = 300.0
    storm.fail("ann")  # long after: anew, and at once
    assert storm.counts[3:] == [("ann", 1), ("cleo", 1), ("ann", 1)]


def test_a_storm_of_names_and_addresses_is_bounded_and_counted(storm: Storm) -> None:
    for number in range(5_000):
        storm.fail(f"user{number}", f"192.0.2.{number % 3}")
    for number in range(5_000):
        storm.fail(f"other{number}", f"2001:db8::{number}")
    storm.repeats.close()
    assert len(storm.written) < 1_000
    assert sum(event.count for event in storm.written) == 10_000
    assert {e.origin.address for e in storm.written if e.user == MANY} >= {"192.0.2.0", ""}


def test_a_storm_of_strangers_hides_nobody_who_gets_in(storm: Storm) -> None:
    for number in range(5_000):
        storm.fail(f"user{number}", f"2001:db8::{number}")
    storm.repeats.note(AccessEvent(AccessKind.LOGIN, 0.0, "ann", HERE))
    storm.repeats.note(AccessEvent(AccessKind.KILL, 0.0, "ann", HERE))
    storm.repeats.note(AccessEvent(AccessKind.KILL, 0.0, "ann", HERE))
    kinds = [event.kind for event in storm.written[-3:]]
    assert kinds == [AccessKind.LOGIN, AccessKind.KILL, AccessKind.KILL]


def test_the_number_is_written_when_nothing_follows(tmp_path: Path) -> None:
    written: list[AccessEvent] = []
    repeats = Repeats(written.append, window_s=0.05)
    event = AccessEvent(AccessKind.LOGIN_FAILED, 1.0, "ann", HERE)
    for _ in range(3):
        repeats.note(event)
    deadline = time.monotonic() + 30
    while len(written) < 2 and time.monotonic() < deadline:
        time.sleep(0.01)
    repeats.close()
    assert [e.count for e in written] == [1, 2]
