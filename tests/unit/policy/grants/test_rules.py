"""The rules in memory: when they are read again, and what becomes of them if they cannot be."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import event, text

from sqe.errors import ErrorCode, SqeError, UpstreamError
from sqe.model.administrators import Administrators
from sqe.model.decision import Allow, Deny
from sqe.model.grants import Grant
from sqe.model.identity import Identity
from sqe.model.rules import PUBLIC, Privilege
from sqe.policy.grants.book import GrantBook
from sqe.policy.grants.rules import GrantRules
from sqe.policy.grants.source import SqlGrants
from sqe.policy.policy import Policy
from sqe.store.database import Database
from sqe.store.grants import GrantStore, KeptRules
from sqe.store.owners import Owners
from tests.unit.clock import Clock
from tests.unit.policy.grants.people import (
    ADMIN,
    ALICE,
    BOB,
    EMP,
    UUID,
    away,
    facts,
    relation,
    table,
    to,
    user,
)


def test_a_change_is_in_the_next_answer_and_in_the_version(
    book: GrantBook, source: SqlGrants
) -> None:
    for _ in range(3):
        before = source.version()
        book.grant(ADMIN, to(user("alice")))
        assert source.version() != before
        assert isinstance(source.decide(ALICE, facts()), Allow)
        book.revoke(ADMIN, away(user("alice")))
        assert isinstance(source.decide(ALICE, facts()), Deny)


def test_a_change_of_owners_is_in_the_next_answer(source: SqlGrants, database: Database) -> None:
    assert isinstance(source.decide(ALICE, facts()), Deny)
    before = source.version()
    Owners(database).set(relation("lake.hr.emp"), UUID, "alice")
    assert source.version() != before
    assert isinstance(source.decide(ALICE, facts()), Allow)


def test_a_grant_ends_at_its_time_for_every_question(book: GrantBook, database: Database) -> None:
    """No change of the rules has to happen, and an answer that was kept is not given any more."""
    now = Clock()
    source = SqlGrants(GrantRules(GrantStore(database), now=now))
    policy = Policy([source], keep_s=60)
    request = replace(to(user("alice")), until=now() + 10)
    book.grant(ADMIN, request)
    assert isinstance(source.permits(ALICE, Privilege.SHOW, EMP), Allow)
    assert isinstance(policy.decide(ALICE, [facts()])[facts()], Allow)
    before = source.version()
    now.now += 10
    assert source.version() != before
    assert isinstance(policy.decide(ALICE, [facts()])[facts()], Deny)
    assert isinstance(source.permits(ALICE, Privilege.SHOW, EMP), Deny)
    book.grant(ADMIN, to(user("alice")))
    assert isinstance(policy.decide(ALICE, [facts()])[facts()], Allow)


def test_what_has_ended_can_be_taken_back(book: GrantBook, database: Database) -> None:
    book.grant(ADMIN, replace(to(user("alice")), until=1.0))
    assert [grant.until for grant in GrantStore(database).read().grants] == [1.0]
    book.revoke(ADMIN, away(user("alice")))
    assert GrantStore(database).read().grants == ()


def test_a_change_by_another_server_is_seen_within_a_second(
    tmp_path: Path, book: GrantBook, database: Database
) -> None:
    clock = Clock()
    source = SqlGrants(GrantRules(GrantStore(database), clock=clock))
    elsewhere = Database(tmp_path)
    other = GrantBook(GrantRules(GrantStore(elsewhere), Administrators(frozenset({"root"}))))
    assert isinstance(source.decide(ALICE, facts()), Deny)
    other.grant(ADMIN, to(user("alice")))
    elsewhere.close()
    clock.now += 1.0
    assert isinstance(source.decide(ALICE, facts()), Allow)


def test_rules_that_stay_the_same_are_read_once(
    book: GrantBook, source: SqlGrants, database: Database
) -> None:
    book.grant(ADMIN, to(user("alice")))
    source.decide(ALICE, facts())
    asked: list[str] = []
    with database.begin() as connection:
        engine = connection.engine

    def listen(*arguments: object) -> None:
        asked.append(str(arguments[2]))

    event.listen(engine, "before_cursor_execute", listen)
    for _ in range(200):
        source.decide(ALICE, facts())
    assert not [one for one in asked if "FROM grants" in one]


def test_rules_that_cannot_be_read_deny(tmp_path: Path) -> None:
    database = Database(tmp_path / "home")
    rules = GrantRules(GrantStore(database), Administrators(frozenset({"root"})))
    source = SqlGrants(rules)
    GrantBook(rules).grant(ADMIN, to(PUBLIC))
    assert isinstance(Policy([source]).decide(ALICE, [facts()])[facts()], Allow)
    with database.begin() as connection:
        connection.execute(text("DROP TABLE rules_version"))
    again = SqlGrants(GrantRules(GrantStore(database), Administrators(frozenset({"root"}))))
    for identity in (ALICE, ADMIN):
        with pytest.raises(SqeError):
            again.decide(identity, facts())
        with pytest.raises(SqeError):
            again.permits(identity, Privilege.SELECT, EMP)
        with pytest.raises(SqeError):
            again.visible(identity, [EMP])
        assert isinstance(Policy([again]).decide(identity, [facts()])[facts()], Deny)
    database.close()
    shutil.rmtree(tmp_path / "home")


def test_who_waits_for_a_store_that_is_down_does_not_wait_for_it_again(database: Database) -> None:
    asked: list[str] = []

    class Down(GrantStore):
        def read(self) -> KeptRules:
            asked.append("read")
            raise UpstreamError(ErrorCode.STORE_UNAVAILABLE, "It is down.")

    clock = Clock()
    source = SqlGrants(GrantRules(Down(database), clock=clock))
    for _ in range(20):
        with pytest.raises(UpstreamError, match="down"):
            source.decide(ALICE, facts())
    assert len(asked) == 1
    clock.now += 1.0
    with pytest.raises(UpstreamError, match="down"):
        source.decide(ALICE, facts())
    assert len(asked) == 2


def test_a_store_that_is_back_is_asked_again(database: Database) -> None:
    with database.begin() as connection:
        connection.execute(text("ALTER TABLE roles RENAME TO away"))
    clock = Clock()
    source = SqlGrants(GrantRules(GrantStore(database), clock=clock))
    with pytest.raises(SqeError):
        source.version()
    with database.begin() as connection:
        connection.execute(text("ALTER TABLE away RENAME TO roles"))
    clock.now += 1.0
    assert source.version() == 0


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE grants SET privilege = 'everything'",
        "UPDATE grants SET row_filter = 'no json'",
        'UPDATE grants SET columns = \'[{"name": "a", "field_id": 1, "mask": {"mask": "New"}}]\'',
        "DELETE FROM policies",
    ],
)
def test_a_rule_that_is_not_understood_denies(
    book: GrantBook, database: Database, opened: Callable[[], GrantRules], change: str
) -> None:
    from sqe.model.decision import RowFilter
    from sqe.model.grants import Attachment, RowFilterPolicy

    book.grant(ADMIN, to(PUBLIC))
    book.create_policy(ADMIN, RowFilterPolicy("eu", RowFilter("a = 1")))
    book.attach(ADMIN, Attachment("eu", EMP))
    with database.begin() as connection:
        connection.execute(text(change))
    policy = Policy([SqlGrants(opened())])
    assert isinstance(policy.decide(ALICE, [facts()])[facts()], Deny)


def test_ten_thousand_grants_are_looked_through_only_as_far_as_they_matter(
    database: Database, opened: Callable[[], GrantRules], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counted, not timed: a decision compares its table with the rules of its own schema."""
    from sqe.policy.grants.matching import Place

    with GrantStore(database).change() as change:
        for number in range(10_000):
            on = table(f"lake.s{number % 100}.t{number}")
            change.put(Grant(user("alice"), Privilege.SELECT, on))
    source = SqlGrants(opened())
    source.version()
    compared = 0
    covers = Place.covers

    def counting(self: Place, other: Place) -> bool:
        nonlocal compared
        compared += 1
        return covers(self, other)

    monkeypatch.setattr(Place, "covers", counting)
    for number in range(20):
        assert isinstance(source.decide(ALICE, facts(f"lake.s{number}.t{number}")), Allow)
    assert compared <= 100


def test_changes_at_once_do_not_get_lost(book: GrantBook, source: SqlGrants) -> None:
    start = threading.Barrier(8)

    def change(number: int) -> None:
        start.wait()
        book.grant(ADMIN, to(user(f"u{number}")))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(change, range(8)))
    people = [Identity(f"u{number}") for number in range(8)]
    assert all(isinstance(source.decide(one, facts()), Allow) for one in people)
    assert isinstance(source.decide(BOB, facts()), Deny)
    assert source.version() == 8
    assert len(book.changes(ADMIN)) == 8
