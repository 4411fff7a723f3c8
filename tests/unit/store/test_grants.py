"""Rules made with SQL as they are kept, in each kind of database."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest

from sqe.errors import ErrorCode, UpstreamError
from sqe.model.decision import RowFilter
from sqe.model.grants import (
    THE_COLUMN,
    Attachment,
    ColumnRule,
    Grant,
    GrantChange,
    MaskPolicy,
    Role,
    RoleGrant,
    RowFilterPolicy,
    Tag,
)
from sqe.model.identity import Secret
from sqe.model.masks import (
    BucketMask,
    ConstantMask,
    ExpressionMask,
    HashMask,
    Mask,
    NullMask,
    PartialMask,
    RegexMask,
    TruncateMask,
)
from sqe.model.names import RelationName, SchemaName
from sqe.model.rules import PUBLIC, SYSTEM, Object, ObjectKind, Privilege, Subject, SubjectKind
from sqe.store.database import Database
from sqe.store.grant_rows import Rule
from sqe.store.grants import GrantStore
from sqe.store.owners import Owners

MASKS: list[Mask] = [
    NullMask(),
    ConstantMask("it's"),
    PartialMask(1, 2, "#"),
    TruncateMask("month"),
    BucketMask(10),
    RegexMask(r"(\d+)", "$1"),
    HashMask("k"),
    ExpressionMask(f"upper({THE_COLUMN})"),
]
EMP = RelationName(SchemaName("lake", ("hr", "deep")), "Ångström")
ON = Object.table(EMP)
ALICE = Subject(SubjectKind.USER, "o'alice")
READER = Subject(SubjectKind.ROLE, "reader")
COLUMNS = tuple(ColumnRule(f"c{number}", number, mask) for number, mask in enumerate(MASKS))
MADE: dict[str, Any] = {"by": "root", "at": 1_000.5}

RULES: list[Rule] = [
    Role("reader", **MADE),
    RoleGrant("reader", ALICE, admin_option=True, **MADE),
    Grant(ALICE, Privilege.SELECT, ON, **MADE),
    Grant(PUBLIC, Privilege.EXECUTE, SYSTEM, deny=True, **MADE),
    Grant(
        READER,
        Privilege.SELECT,
        Object(ObjectKind.TABLE, ("lake", "*")),
        rows=RowFilter("a = 'x' -- é", check=True),
        columns=(*COLUMNS, ColumnRule("plain")),
        table_uuid="u",
        grant_option=True,
        through=ALICE,
        **MADE,
    ),
    RowFilterPolicy("eu", RowFilter("region = 'EU'", "spark", True), **MADE),
    *(MaskPolicy(f"m{number}", mask, **MADE) for number, mask in enumerate(MASKS)),
    Attachment("eu", ON, exempt=(READER, ALICE), table_uuid="u", **MADE),
    Attachment("m1", Object.catalog("lake"), columns=(ColumnRule("a", 3),), **MADE),
    Attachment("m1", tag="pii", **MADE),
    Tag("pii", EMP, "name", 2, "u", **MADE),
    Tag("pii", EMP, **MADE),
]


@pytest.fixture
def store(database: Database) -> GrantStore:
    return GrantStore(database)


def kept(store: GrantStore) -> set[Rule]:
    rules = store.read()
    found: list[Rule] = [*rules.roles, *rules.role_grants, *rules.grants, *rules.policies]
    return {*found, *rules.attachments, *rules.tags}


def put(store: GrantStore, *rules: Rule) -> None:
    with store.change() as change:
        for rule in rules:
            change.put(rule)


def test_there_is_an_example_of_every_mask() -> None:
    assert {type(mask) for mask in MASKS} == set(get_args(Mask))


def test_rules_are_read_as_they_were_kept(store: GrantStore) -> None:
    put(store, *RULES)
    assert {_sorted(one) for one in kept(store)} == {_sorted(one) for one in RULES}


def _sorted(rule: Rule) -> Rule:
    if isinstance(rule, Attachment):
        return replace(rule, exempt=tuple(sorted(rule.exempt, key=str)))
    return rule


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_is_kept_once_and_removed_whoever_made_it(store: GrantStore, rule: Rule) -> None:
    put(store, rule)
    put(store, replace(rule, by="another", at=2_000.0))
    (found,) = kept(store)
    assert (found.by, found.at) == ("another", 2_000.0)
    with store.change() as change:
        change.remove(rule)
    assert kept(store) == set()


def test_every_change_is_another_version(store: GrantStore) -> None:
    seen = [store.version()]
    for rule in RULES[:3]:
        put(store, rule)
        seen.append(store.version())
    assert len(set(seen)) == 4
    assert store.read().version == seen[-1]
    assert store.changes_here == 3


def test_a_change_that_fails_leaves_no_trace(store: GrantStore) -> None:
    before = store.version()
    with pytest.raises(ZeroDivisionError), store.change() as change:
        change.put(RULES[0])
        change.note(GrantChange("root", 1.0, "something"))
        raise ZeroDivisionError
    assert (store.version(), kept(store), store.changes()) == (before, set(), [])
    assert store.changes_here == 0


def test_changes_are_kept_in_order(store: GrantStore) -> None:
    for number in range(3):
        with store.change() as change:
            change.note(GrantChange("root", float(number), f"change {number}"))
            change.note(GrantChange("root", float(number), f"more of {number}"))
    assert [one.what for one in store.changes(3)] == ["more of 2", "change 2", "more of 1"]
    assert store.changes()[-1] == GrantChange("root", 0.0, "change 0")


def test_a_change_sees_what_is_there_when_it_begins(store: GrantStore) -> None:
    """Two that would both add what is not there yet wait for each other."""
    start = threading.Barrier(6)

    def claim(number: int) -> bool:
        start.wait()
        with store.change() as change:
            if change.rules.roles:
                return False
            change.put(Role(f"r{number}"))
            return True

    with ThreadPoolExecutor(6) as pool:
        assert sum(pool.map(claim, range(6))) == 1
    assert len(store.read().roles) == 1


def test_owners_are_among_the_rules(database: Database, store: GrantStore) -> None:
    before = store.version()
    Owners(database).set(EMP, "u", "alice")
    (owned,) = store.read().owned
    assert (owned.name, owned.uuid, owned.user) == (EMP, "u", "alice")
    assert store.version() != before


def test_a_store_that_is_down_says_so(tmp_path: Path) -> None:
    url = Secret("postgresql+psycopg://sqe:hunter2@127.0.0.1:1/sqe")
    store = GrantStore(Database(tmp_path, url))
    with pytest.raises(UpstreamError) as raised:
        store.version()
    assert raised.value.code is ErrorCode.STORE_UNAVAILABLE
