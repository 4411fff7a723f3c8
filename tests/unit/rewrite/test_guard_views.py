"""What stands in the place of a relation that is seen in part."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest

from sqe.binding.bound import BoundAbsent, BoundReference, BoundStatement, BoundTable, BoundView
from sqe.catalog.protocol import Ident, Loaded
from sqe.errors import AccessError, ErrorCode, InternalError, UpstreamError, UserError
from sqe.model.decision import Allow, Restrict, RowFilter
from sqe.model.identity import Identity, Secret
from sqe.model.masks import ExpressionMask, HashMask, NullMask, TruncateMask
from sqe.model.names import RelationName
from sqe.model.query import Column
from sqe.rewrite.guard import guard
from sqe.rewrite.guard_views import bind_condition, guard_relations
from sqe.rewrite.guarding import Guarding
from sqe.rewrite.hash_keys import HashKeys
from sqe.rewrite.needs import needs_of
from sqe.rewrite.render import render
from sqe.rewrite.rendering import Names
from sqe.sql.statement import Access
from tests.unit.rewrite.bound_lake import HERE, BoundLake, bound_lake, give_history, struct

COLUMNS = struct(id="int", name="string", day="date")
KEYS = HashKeys({"default": Secret("k")})


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BoundLake]:
    folder = tmp_path_factory.mktemp("lake")
    with bound_lake(folder, Identity("ann"), KEYS, t=COLUMNS, u=COLUMNS, v=COLUMNS) as made:
        give_history(made.catalog, Ident(("s",), "t"))
        yield made


def _guard(lake: BoundLake, limits: Restrict, sql: str = "SELECT * FROM t") -> BoundView:
    [reference] = lake.guarded(sql, {"lake.s.t": limits}).bound.references
    assert isinstance(reference.target, BoundView)
    return reference.target


PART = Restrict("test", (RowFilter("id > 1"),))


def test_a_guard_is_a_view_of_the_raw_table(lake: BoundLake) -> None:
    view = _guard(lake, PART)
    assert view.inner.statement.text == "SELECT id, name, day FROM lake.s.t WHERE ((id > 1\n))"
    assert view.guard is not None and isinstance(view.guard.of, BoundTable)
    [raw] = view.inner.references
    assert raw.trusted and raw.target is view.guard.of


def test_what_is_restricted_is_still_known(lake: BoundLake) -> None:
    guarded = lake.guarded("SELECT * FROM t, u", {"lake.s.t": PART})
    assert guarded.restricted
    limits = [guarded.restriction(one) for one in guarded.bound.references]
    assert limits == [PART, None]
    assert [str(one.relation) for one in guarded.bound.references] == ["lake.s.t", "lake.s.u"]
    inner = [one for one in guarded.bound.walk() if one.trusted]
    assert [guarded.restriction(one) for one in inner] == [None]
    assert not lake.guarded("SELECT * FROM t").restricted


def test_a_policys_own_tables_are_read_without_a_policy(lake: BoundLake) -> None:
    limits = Restrict("test", (RowFilter("id IN (SELECT id FROM lake.s.u)"),))
    guarded = lake.guarded("SELECT * FROM t, u", {"lake.s.t": limits, "lake.s.u": PART})
    mine, theirs = guarded.bound.references
    assert isinstance(mine.target, BoundView) and isinstance(theirs.target, BoundView)
    inside = {str(one.relation): one.target for one in mine.target.inner.references}
    assert isinstance(inside["lake.s.u"], BoundTable)
    alone = lake.guarded("SELECT * FROM t", {"lake.s.t": limits}).bound
    assert not needs_of(alone)


def test_names_of_a_policy_are_not_the_sessions(lake: BoundLake) -> None:
    limits = Restrict("test", (RowFilter("id IN (SELECT id FROM u)"),))
    found = {str(one.relation) for one in _guard(lake, limits).inner.references}
    assert found == {"lake.s.t", "lake.s.u"}


@pytest.mark.parametrize(
    ("text", "why"),
    [("name = ?", "a marker is in it"), ("name = current_user()", "it depends on the session")],
)
def test_a_guard_looks_at_its_text_again(
    lake: BoundLake,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    text: str,
    why: str,
) -> None:
    """With the first lock off: nothing is looked at in the expressions themselves."""
    monkeypatch.setattr("sqe.rewrite.policy_text.spark_expression", lambda sql, identity: sql)
    with pytest.raises(AccessError):
        _guard(lake, Restrict("test", (RowFilter(text),)))
    assert why in caplog.text


def test_keys_are_values_of_markers_and_never_text(lake: BoundLake) -> None:
    limits = Restrict("test", masks={"name": HashMask()})
    view = _guard(lake, limits)
    assert view.guard is not None
    subkeys = KEYS.subkeys("default")
    assert subkeys is not None and view.guard.keys == subkeys and subkeys[0] != subkeys[1]
    assert len(view.inner.statement.markers) == 2
    for key in subkeys:
        assert key.reveal() not in repr(view) and key.reveal() not in view.inner.statement.text
    guarded = lake.guarded("SELECT * FROM t", {"lake.s.t": limits})
    with pytest.raises(InternalError):
        render(guarded, Names(lambda name: name.parts, lambda one: "", HERE, "ann"))
    given: list[Secret] = []

    def marker(key: Secret) -> str:
        given.append(key)
        return f":k{len(given)}"

    names = Names(lambda name: name.parts, lambda one: "", HERE, "ann", key=marker)
    text = render(guarded, names).text
    assert given == list(subkeys) and ":k1" in text and "?" not in text


@pytest.mark.parametrize("key", ["none", "Default", ""])
def test_a_key_that_is_not_there_refuses(lake: BoundLake, key: str) -> None:
    with pytest.raises(AccessError):
        _guard(lake, Restrict("test", masks={"name": HashMask(key)}))


def test_nobody_reads_without_an_authority(lake: BoundLake) -> None:
    bound = lake.bound("SELECT * FROM t")
    with pytest.raises(InternalError):
        guard(bound, {need.key: PART for need in needs_of(bound)})
    guard(bound, {need.key: Allow("all") for need in needs_of(bound)})


def test_an_unreachable_catalog_is_not_the_policys_fault(lake: BoundLake) -> None:
    class Down(BoundLake):
        def find(self, *given: object) -> BoundTable:
            raise UpstreamError(ErrorCode.CATALOG_UNAVAILABLE, "down")

    down = Down(lake.catalog, lake.binder, lake.session)
    limits = Restrict("test", (RowFilter("id IN (SELECT id FROM lake.s.u)"),))
    with pytest.raises(UpstreamError) as raised:
        _guard(down, limits)
    assert raised.value.code is ErrorCode.CATALOG_UNAVAILABLE


def test_a_condition_is_a_text_of_its_own(lake: BoundLake) -> None:
    [reference] = lake.bound("SELECT * FROM t").references
    assert isinstance(reference.target, BoundTable)
    filters = (RowFilter("id IN (SELECT u.id FROM lake.s.u)"), RowFilter("name = current_user"))
    limits = replace(PART, filters=filters, masks={"name": NullMask()})
    found = bind_condition(limits, reference.target, lake)
    assert found.statement.text == "(id IN (SELECT u.id FROM lake.s.u)\n) AND (name = 'ann'\n)"
    [policy] = found.references
    assert policy.trusted and policy.reference.span.of(found.statement.text) == "lake.s.u"
    for wrong in ("gone = 1", "name", "id = 1 --"):
        with pytest.raises(AccessError):
            bind_condition(Restrict("test", (RowFilter(wrong),)), reference.target, lake)
    for nothing in (Restrict("test"), replace(PART, filters=())):
        with pytest.raises(InternalError):
            bind_condition(nothing, reference.target, lake)
    temporary = BoundView("w", lake.bound("SELECT id FROM t"), (Column("id", "int"),))
    with pytest.raises(InternalError):
        bind_condition(PART, temporary, lake)


def _view(lake: BoundLake, sql: str, as_user: str = "", inside: str = "") -> BoundStatement:
    """A read of the stored view lake.s.w, and whose rights it and its own tables are read with."""
    [read] = lake.bound("SELECT * FROM t").references
    inner = lake.bound(sql)
    inner = replace(
        inner, references=tuple(replace(one, as_user=inside) for one in inner.references)
    )
    columns = (Column("id", "int"), Column("name", "string"))
    view = BoundView("w", inner, columns, RelationName(HERE, "w"))
    bound = lake.bound("SELECT * FROM t")
    return replace(bound, references=(replace(read, target=view, as_user=as_user),))


def _guarded(lake: BoundLake, bound: BoundStatement, limits: Restrict | None) -> BoundReference:
    """With limits on what the statement itself names."""
    keys = [need.key for need in needs_of(bound)]
    decisions = {key: limits if limits and key[0].name == "w" else Allow("all") for key in keys}
    [found] = guard(bound, decisions, lake).bound.references
    return found


def test_a_view_is_seen_in_part_as_a_table_is(lake: BoundLake) -> None:
    bound = _view(lake, "SELECT id, name FROM t")
    found = _guarded(lake, bound, replace(PART, hidden=frozenset({"name"})))
    assert isinstance(found.target, BoundView) and found.target.guard is not None
    assert found.target.inner.statement.text == "SELECT id FROM lake.s.w WHERE ((id > 1\n))"
    assert isinstance(found.target.guard.of, BoundView)


@pytest.mark.parametrize(
    ("as_user", "inside", "guarded"),
    [
        ("", "", False),
        ("", "bob", True),
        ("bob", "bob", False),
        ("cy", "bob", True),
        ("cy", "", False),
    ],
)
def test_a_view_with_its_owners_rights_is_a_guard(
    lake: BoundLake, as_user: str, inside: str, guarded: bool
) -> None:
    found = _guarded(lake, _view(lake, "SELECT id, name FROM t", as_user, inside), None)
    assert isinstance(found.target, BoundView)
    assert (found.target.guard is not None) is guarded
    if guarded:
        assert found.target.inner.statement.text.startswith("SELECT id, name FROM lake.s.w WHERE")


def test_what_is_named_behind_a_table_is_named_in_its_guard(lake: BoundLake) -> None:
    text = _guard(lake, PART, "SELECT * FROM t.branch_b").inner.statement.text
    assert text == "SELECT id, name, day FROM lake.s.t.branch_b WHERE ((id > 1\n))"


def test_a_guard_shows_the_columns_of_the_state_that_is_read(lake: BoundLake) -> None:
    bound = lake.bound("SELECT * FROM t VERSION AS OF 10")
    [reference] = bound.references
    assert isinstance(reference.target, BoundTable)
    now = reference.target.metadata["schemas"][0]
    old = {**now, "schema-id": 7, "fields": now["fields"][:2]}
    metadata = {
        **reference.target.metadata,
        "schemas": [old, now],
        "snapshots": [{"snapshot-id": 10, "schema-id": 7}],
    }
    loaded = Loaded(json.dumps(metadata).encode(), "file:///m.json")
    target = replace(reference.target, loaded=loaded)
    bound = replace(bound, references=(replace(reference, target=target),))
    decisions = {need.key: PART for need in needs_of(bound)}
    [found] = guard(bound, decisions, lake).bound.references
    assert isinstance(found.target, BoundView)
    assert [column.name for column in found.target.columns] == ["id", "name"]


def test_a_query_does_not_choose_the_version(lake: BoundLake) -> None:
    sql = "SELECT * FROM t TIMESTAMP AS OF (SELECT max(day) FROM u)"
    with pytest.raises(UserError) as raised:
        _guard(lake, PART, sql)
    assert raised.value.code is ErrorCode.NOT_SUPPORTED
    sql = "SELECT * FROM t TIMESTAMP AS OF '2024-01-01'"
    assert " VERSION AS OF 1 " in _guard(lake, PART, sql).inner.statement.text


def test_only_relations_have_guards(lake: BoundLake) -> None:
    bound = lake.bound("SELECT * FROM t")
    [reference] = bound.references
    name = RelationName(HERE, "gone")
    absent = replace(bound, references=(replace(reference, target=BoundAbsent(name)),))
    with pytest.raises(InternalError):
        guard_relations(absent, Guarding({(name, Access.READ, ""): PART}, lake))


@pytest.mark.parametrize(
    ("limits", "risky"),
    [
        (Restrict("test", masks={"name": NullMask()}), False),
        (Restrict("test", (RowFilter("id > 1"),), {"name": NullMask()}), False),
        (Restrict("test", (RowFilter("1 / id > 1"),)), True),
        (Restrict("test", (RowFilter("id > 1"),), {"day": TruncateMask("year")}), False),
        (Restrict("test", masks={"NAME": ExpressionMask("upper(name)")}), False),
        (Restrict("test", masks={"name": ExpressionMask("id")}), True),
    ],
)
def test_a_policy_that_can_fail_is_known(lake: BoundLake, limits: Restrict, risky: bool) -> None:
    """Its errors are nothing to tell the user."""
    guard = _guard(lake, limits).guard
    assert guard is not None and guard.risky is risky
