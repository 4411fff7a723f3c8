"""What is refused before a statement runs, in which order, and in which words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from sqe.binding.bound import BoundStatement, BoundView
from sqe.catalog.protocol import Ident
from sqe.errors import AccessError, ErrorCode, InternalError, UserError
from sqe.model.decision import Allow, Decision, Deny, Restrict, RowFilter
from sqe.model.identity import Identity
from sqe.model.names import RelationName
from sqe.model.query import Column
from sqe.rewrite.guard import guard
from sqe.rewrite.needs import needs_of
from sqe.sessions.session import TemporaryView
from tests.unit.rewrite.bound_lake import HERE, BoundLake, bound_lake, give_history, struct

COLUMNS = struct(id="int", name="string")
PART = Restrict("test", (RowFilter("id > 1", check=True),))
HIDDEN = Restrict("test", hidden=frozenset({"NAME"}))


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BoundLake]:
    folder = tmp_path_factory.mktemp("lake")
    with bound_lake(folder, Identity("ann"), t=COLUMNS, u=COLUMNS) as made:
        give_history(made.catalog, Ident(("s",), "t"))
        columns = (Column("id", "int"), Column("name", "string"))
        view = TemporaryView("v", "SELECT id, name FROM t", columns, HERE, ("id", "name"))
        made.session.keep_view(view, replace=False)
        yield made


def _of_t(lake: BoundLake, sql: str, decision: Decision) -> BoundStatement:
    return lake.guarded(sql, {"lake.s.t": decision}).bound


def _refused(lake: BoundLake, sql: str, decision: Decision) -> AccessError:
    with pytest.raises(AccessError) as raised:
        _of_t(lake, sql, decision)
    assert raised.value.code is ErrorCode.ACCESS_DENIED
    return raised.value


@pytest.mark.parametrize(
    ("sql", "done"),
    [
        ("SELECT * FROM t", "read"),
        ("SELECT * FROM u, t", "read"),
        ("SELECT * FROM v", "read"),
        ("EXPLAIN SELECT * FROM t", "read"),
        ("INSERT INTO u SELECT * FROM t", "read"),
        ("DELETE FROM t", "write"),
        ("DESCRIBE t", "describe"),
        ("DROP TABLE t", "drop"),
        ("SELECT t.gone FROM t", "read"),
        ("ALTER TABLE t DROP COLUMN gone", "alter"),
        ("INSERT INTO t.snapshots SELECT * FROM u", "write"),
    ],
)
def test_who_may_not_hears_no_more_than_that(lake: BoundLake, sql: str, done: str) -> None:
    error = _refused(lake, sql, Deny("because of a rule"))
    assert error.message == f"You may not {done} lake.s.t, or it does not exist."
    assert not error.hint


def test_that_nobody_could_be_asked_may_be_said(lake: BoundLake) -> None:
    error = _refused(lake, "SELECT * FROM t", Deny("OPA is down", unanswered=True))
    assert error.hint == "OPA is down"


def test_what_a_view_is_made_of_is_not_the_readers_to_know(lake: BoundLake) -> None:
    inner = lake.bound("SELECT * FROM t")
    [read] = inner.references
    inner = replace(inner, references=(replace(read, as_user="bob"),))
    view = BoundView("w", inner, (Column("id", "int"),), RelationName(HERE, "w"))
    bound = replace(lake.bound("SELECT * FROM t"), references=(replace(read, target=view),))
    answers: dict[str, Decision] = {"w": Allow("all"), "t": Deny("no")}
    decisions = {need.key: answers[need.key[0].name] for need in needs_of(bound)}
    with pytest.raises(AccessError) as raised:
        guard(bound, decisions, lake)
    assert raised.value.code is ErrorCode.ACCESS_DENIED
    assert "lake.s.t" not in raised.value.message and "owner" in raised.value.message


def test_every_relation_is_decided_on(lake: BoundLake) -> None:
    bound = lake.bound("SELECT * FROM t, u")
    [first, *_] = [need.key for need in needs_of(bound)]
    for decisions in ({}, {first: Allow("all")}):
        with pytest.raises(InternalError):
            guard(bound, decisions, lake)


def test_only_who_may_read_it_hears_that_it_is_not_there(lake: BoundLake) -> None:
    with pytest.raises(UserError) as raised:
        lake.guarded("SELECT * FROM gone")
    assert raised.value.code is ErrorCode.TABLE_NOT_FOUND
    with pytest.raises(AccessError):
        lake.guarded("SELECT * FROM gone", {"lake.s.gone": Deny("no")})
    assert lake.guarded("DROP TABLE IF EXISTS gone").bound.references


@pytest.mark.parametrize(
    "sql",
    [
        "EXPLAIN INSERT INTO t VALUES (1, 'x')",
        "EXPLAIN DELETE FROM t",
        "EXPLAIN ANALYZE DELETE FROM t",
        "INSERT OVERWRITE t SELECT * FROM u",
        "ALTER TABLE t ADD COLUMN c INT",
        "DROP TABLE t",
        "CREATE OR REPLACE TABLE t (a INT)",
    ],
)
def test_what_is_seen_in_part_is_not_changed(lake: BoundLake, sql: str) -> None:
    message = _refused(lake, sql, PART).message
    assert message == "You see only part of lake.s.t; you may not change it."
    if "OVERWRITE" not in sql:
        assert lake.guarded(sql).bound.statement.text == sql


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM t",
        "DESCRIBE t",
        "SHOW COLUMNS IN t",
        "EXPLAIN SELECT * FROM t",
        "DELETE FROM t WHERE id = 2",
        "INSERT INTO u SELECT * FROM t",
        "EXPLAIN INSERT INTO u SELECT * FROM t",
        "SELECT * FROM t.branch_b",
        "DROP VIEW v",
    ],
)
def test_it_is_looked_at_and_its_rows_are_written(lake: BoundLake, sql: str) -> None:
    assert _of_t(lake, sql, PART).statement.text == sql


@pytest.mark.parametrize(
    ("sql", "what"),
    [
        ("SELECT * FROM t.files", "read its metadata"),
        ("SELECT * FROM u, t.Partitions", "read its metadata"),
        ("CALL system.ancestors_of('t')", "run procedures on it"),
    ],
)
def test_what_tells_of_all_rows_is_not_for_who_sees_some(
    lake: BoundLake, sql: str, what: str
) -> None:
    message = _refused(lake, sql, PART).message
    assert message == f"You see only part of lake.s.t; you may not {what}."
    assert lake.guarded(sql).bound.statement.text == sql


@pytest.mark.parametrize(
    "sql", ["SELECT t.name FROM t", "SELECT x.id, x.Name FROM u, t AS x", "SELECT name FROM t"]
)
def test_a_hidden_column_is_not_there(lake: BoundLake, sql: str) -> None:
    with pytest.raises(UserError) as raised:
        _of_t(lake, sql, HIDDEN)
    assert raised.value.code is ErrorCode.COLUMN_NOT_FOUND
    assert "name" not in raised.value.hint.lower()
    assert _of_t(lake, sql, PART).references


def test_a_temporary_view_reads_no_hidden_column(lake: BoundLake) -> None:
    with pytest.raises(UserError) as raised:
        _of_t(lake, "SELECT v.id FROM v", HIDDEN)
    assert raised.value.message == "In view v: lake.s.t has no column name."


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        ("ALTER TABLE t DROP COLUMN gone", ErrorCode.COLUMN_NOT_FOUND),
        ("INSERT INTO t.snapshots SELECT * FROM u", ErrorCode.NOT_SUPPORTED),
        ("SELECT * FROM v WITH ('start-snapshot-id' = '5')", ErrorCode.NOT_SUPPORTED),
    ],
)
def test_what_cannot_be_is_said_to_who_may(lake: BoundLake, sql: str, code: ErrorCode) -> None:
    with pytest.raises(UserError) as raised:
        lake.guarded(sql)
    assert raised.value.code is code


@pytest.mark.parametrize(
    ("sql", "through"),
    [
        ("SELECT * FROM t", PART),
        ("DESCRIBE t", PART),
        ("DELETE FROM t", None),
        ("SELECT * FROM u", None),
        ("SELECT * FROM lake.information_schema.tables", None),
    ],
)
def test_what_is_looked_at_in_part_is_known(
    lake: BoundLake, sql: str, through: Restrict | None
) -> None:
    guarded = lake.guarded(sql, {"lake.s.t": PART})
    [reference] = guarded.bound.references
    assert guarded.restriction(reference) == through
    assert guarded.restricted is (" t" in sql)


def test_what_an_owner_reads_is_not_the_readers_to_know_all_of(lake: BoundLake) -> None:
    bound = lake.bound("SELECT * FROM t")
    [read] = bound.references
    lent = replace(bound, references=(replace(read, as_user="bob"),))
    for one, restricted in ((bound, False), (lent, True)):
        decisions = {need.key: Allow("all") for need in needs_of(one)}
        assert guard(one, decisions, lake).restricted is restricted
