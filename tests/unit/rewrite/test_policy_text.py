"""What a policy says of a relation is checked before anything runs, and not shown."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sqe.binding.bound import BoundTable, BoundTarget, BoundView
from sqe.catalog.protocol import Ident, Json
from sqe.errors import AccessError, ErrorCode
from sqe.model.decision import Restrict, RowFilter
from sqe.model.identity import Identity, Secret
from sqe.model.masks import ExpressionMask, HashMask, Mask, NullMask
from sqe.model.names import SchemaName
from sqe.rewrite.hash_keys import HashKeys
from sqe.rewrite.policy_text import parse_guard
from sqe.rewrite.unfit import Unfit
from sqe.sql.statement import Reference, Statement
from tests.unit.rewrite.bound_lake import BoundLake, bound_lake, give_history, struct

COLUMNS = struct(id="int", Name="string", t="string")
KEYS = HashKeys({"default": Secret("k"), "other": Secret("l")})


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BoundLake]:
    """Tables t and u; view w of u, view around of w, and view broken of what is not there."""
    folder = tmp_path_factory.mktemp("lake")
    with bound_lake(folder, Identity("ann"), KEYS, t=COLUMNS, u=COLUMNS) as made:
        give_history(made.catalog, Ident(("s",), "t"))
        made.catalog.create_view(("s",), _stored("w", "SELECT id FROM u"))
        made.catalog.create_view(("s",), _stored("around", "SELECT id FROM w"))
        made.catalog.create_view(("s",), _stored("broken", "SELECT id FROM gone"))
        yield made


def _stored(name: str, sql: str) -> Json:
    return {
        "name": name,
        "schema": {"type": "struct", "fields": COLUMNS["fields"][:1]},
        "view-version": {
            "version-id": 1,
            "timestamp-ms": 1,
            "schema-id": 0,
            "summary": {},
            "default-catalog": "lake",
            "default-namespace": ["s"],
            "representations": [{"type": "sql", "sql": sql, "dialect": "spark"}],
        },
        "properties": {},
    }


def _guard(lake: BoundLake, limits: Restrict, sql: str = "SELECT * FROM t") -> BoundView:
    [reference] = lake.guarded(sql, {"lake.s.t": limits}).bound.references
    assert isinstance(reference.target, BoundView)
    return reference.target


def _filter(sql: str, dialect: str = "spark") -> Restrict:
    return Restrict("test", (RowFilter(sql, dialect),))


@pytest.mark.parametrize(
    "sql",
    [
        "t.id = 1",
        "s.t.id = 1",
        "lake.s.t.ID = 1",
        "name = 'x'",
        "t = 'x'",
        "t.t = 'x'",
        "id IN (SELECT u.id FROM u WHERE u.gone = 1)",
        "EXISTS (SELECT 1 FROM lake.s.u.branch_main)",
        "id IN (SELECT id FROM w)",
        "id > 1 AND t = 'x'",
        "t.member = 'x'",
        "isnan(id)",
    ],
)
def test_a_filter_is_about_columns_that_are_there(lake: BoundLake, sql: str) -> None:
    assert sql in _guard(lake, _filter(sql)).inner.statement.text


@pytest.mark.parametrize(
    "limits",
    [
        _filter("gone = 1"),
        _filter("s.t.gone = 1"),
        _filter("u.id = 1"),
        _filter("id = 1 OR gone = 1"),
        Restrict("test", masks={"name": ExpressionMask("upper(gone)")}),
        Restrict("test", (RowFilter("id = 1"),), {"name": ExpressionMask("upper(gone)")}),
        Restrict("test", (RowFilter("id = 1"), RowFilter("gone = 1"))),
        Restrict("test", masks={"gone": NullMask()}),
        Restrict("test", hidden=frozenset({"gone"})),
        _filter("name"),
        _filter("id > 1 AND name"),
        _filter("name AND id > 1"),
        _filter("(id > 1) AND ((name))"),
        _filter("id"),
        _filter("id = 1", "presto"),
        _filter("name = current_catalog"),
        _filter("name = current_schema"),
        _filter("id IN (SELECT id FROM u WHERE name = current_database())"),
        _filter("id IN (SELECT id FROM gone)"),
        _filter("id IN (SELECT id FROM nowhere.s.u)"),
        _filter("id IN (SELECT id FROM broken)"),
        _filter("EXISTS (SELECT 1 FROM lake.information_schema.tables)"),
        _filter("EXISTS (SELECT 1 FROM lake.s.u.files)"),
        _filter("EXISTS (SELECT 1 FROM lake.s.u.Snapshots)"),
        Restrict("test", masks={"name": HashMask("none")}),
    ],
    ids=str,
)
def test_a_policy_that_cannot_be_carried_out_refuses(lake: BoundLake, limits: Restrict) -> None:
    with pytest.raises(AccessError) as raised:
        _guard(lake, limits)
    assert raised.value.code is ErrorCode.ACCESS_DENIED
    assert raised.value.message == "The policy on lake.s.t cannot be carried out."
    assert raised.value.hint == "The administrator of the policy can mend it."


def test_whoever_sees_no_column_sees_nothing(lake: BoundLake) -> None:
    with pytest.raises(AccessError) as raised:
        _guard(lake, Restrict("test", hidden=frozenset({"ID", "name", "T"})))
    assert raised.value.message == "You may see no column of lake.s.t."


def test_each_hash_has_its_own_keys(lake: BoundLake) -> None:
    masks: dict[str, Mask] = {"NAME": HashMask("other"), "t": NullMask(), "id": HashMask()}
    view = _guard(lake, Restrict("test", masks=masks))
    mine, others = KEYS.subkeys("default"), KEYS.subkeys("other")
    assert mine is not None and others is not None and not set(mine) & set(others)
    assert view.guard is not None and view.guard.keys == (*mine, *others)
    assert all(key.reveal().startswith("sqekey") for key in view.guard.keys)
    assert HashKeys({"empty": Secret("")}).subkeys("empty") is None


def test_what_a_policy_reads_is_read_without_a_policy_however_deep(lake: BoundLake) -> None:
    view = _guard(lake, _filter("id IN (SELECT id FROM around)"))
    inside = [one for one in view.inner.walk() if str(one.relation) != "lake.s.t"]
    names = [(str(one.relation), one.trusted) for one in inside]
    assert names == [("lake.s.around", True), ("lake.s.w", True), ("lake.s.u", True)]
    assert isinstance(inside[-1].target, BoundTable)


def test_the_session_has_no_say_in_a_policys_words(lake: BoundLake) -> None:
    with pytest.raises(AccessError):
        _guard(lake, _filter("name = current_schema"), "SELECT * FROM t TIMESTAMP AS OF now()")


class _Closed(BoundLake):
    def find(self, statement: Statement, reference: Reference, schema: SchemaName) -> BoundTarget:
        raise AccessError(ErrorCode.ACCESS_DENIED, "You may not see u.")


def test_what_a_policy_may_not_read_itself_is_not_told(lake: BoundLake) -> None:
    closed = _Closed(lake.catalog, lake.binder, lake.session)
    with pytest.raises(AccessError) as raised:
        _guard(closed, _filter("id IN (SELECT id FROM u)"))
    assert raised.value.message == "The policy on lake.s.t cannot be carried out."


def test_a_guard_that_cannot_be_read_is_unfit() -> None:
    with pytest.raises(Unfit):
        parse_guard("SELECT id FROM t WHERE ((id >")
