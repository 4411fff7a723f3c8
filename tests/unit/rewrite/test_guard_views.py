"""What stands in the place of a relation that is seen in part."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from sqe.catalog.bound import BoundTable, BoundView
from sqe.errors import AccessError, ErrorCode, InternalError, UpstreamError
from sqe.model.decision import Allow, Restrict, RowFilter
from sqe.model.identity import Identity, Secret
from sqe.model.masks import HashMask, NullMask
from sqe.rewrite.guard import guard
from sqe.rewrite.guard_views import bound_condition
from sqe.rewrite.hash_keys import HashKeys
from sqe.rewrite.needs import needs_of
from sqe.rewrite.render import Names, render
from tests.unit.rewrite.bound_lake import HERE, BoundLake, bound_lake, struct

COLUMNS = struct(id="int", name="string", day="date")
KEYS = HashKeys({"default": Secret("k")})


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BoundLake]:
    folder = tmp_path_factory.mktemp("lake")
    with bound_lake(folder, Identity("ann"), KEYS, t=COLUMNS, u=COLUMNS, v=COLUMNS) as made:
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


def test_names_of_a_policy_are_not_the_sessions(lake: BoundLake) -> None:
    limits = Restrict("test", (RowFilter("id IN (SELECT id FROM u)"),))
    found = {str(one.relation) for one in _guard(lake, limits).inner.references}
    assert found == {"lake.s.t", "lake.s.u"}


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
    found = bound_condition(limits, reference.target, lake)
    assert found.statement.text == "(id IN (SELECT u.id FROM lake.s.u)\n) AND (name = 'ann'\n)"
    [policy] = found.references
    assert policy.trusted and policy.reference.span.of(found.statement.text) == "lake.s.u"
    for wrong in ("gone = 1", "name", "id = 1 --"):
        with pytest.raises(AccessError):
            bound_condition(Restrict("test", (RowFilter(wrong),)), reference.target, lake)
