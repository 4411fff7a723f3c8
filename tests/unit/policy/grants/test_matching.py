"""Which objects a rule is about."""

from __future__ import annotations

import pytest

from sqe.model.decision import ColumnFacts
from sqe.model.grants import ColumnRule
from sqe.model.identity import Identity
from sqe.model.rules import PUBLIC, SYSTEM, Object, ObjectKind
from sqe.policy.grants.matching import (
    ByObject,
    Place,
    covers,
    may_be,
    subjects_of,
    surely_is,
    touches,
)
from tests.unit.policy.grants.people import (
    UUID,
    catalog,
    facts,
    group,
    role,
    schema,
    table,
    user,
)

FUNCTION = Object(ObjectKind.FUNCTION, ("lake", "hr", "f"))


@pytest.mark.parametrize(
    ("rule", "on", "held"),
    [
        (table("lake.hr.emp"), table("lake.hr.emp"), True),
        (table("lake.hr.emp"), table("LAKE.HR.Emp"), True),
        (table("lake.hr.emp"), table("lake.hr.employees"), False),
        (table("lake.hr.emp"), table("lake.pay.emp"), False),
        (table("lake.hr.emp"), table("lake.hr.emp.inner"), False),
        (table("lake.hr.emp.inner"), table("lake.hr.emp"), False),
        (table("lake.hr.emp_*"), table("lake.hr.emp_2024"), True),
        (table("lake.hr.emp_*"), table("lake.hr.emp"), False),
        (table("lake.hr.e*p"), table("lake.hr.emp"), True),
        (table("lake.hr.e*p"), table("lake.hr.ep"), True),
        (table("lake.hr.*e*p"), table("lake.hr.emp"), True),
        (table("lake.hr.e*m*p"), table("lake.hr.ep"), False),
        (table("lake.hr.ab*ba"), table("lake.hr.aba"), False),
        (table("lake.hr.*a*a*"), table("lake.hr.xa"), False),
        (table("lake.hr.*"), table("lake.hr.emp"), True),
        (table("lake.hr.*"), table("lake.hr.inner.emp"), True),
        (table("lake.hr.*"), table("lake.hrx.emp"), False),
        (table("lake.*"), table("lake.hr.emp"), True),
        (table("lake.*.emp"), table("lake.hr.emp"), True),
        (table("lake.*.emp"), table("lake.hr.inner.emp"), False),
        (table("*"), table("lake.hr.emp"), True),
        (table("*"), schema("lake.hr"), False),
        (schema("lake.hr"), table("lake.hr.emp"), True),
        (schema("lake.hr"), table("lake.hr.inner.emp"), True),
        (schema("lake.hr"), schema("lake.hr.inner"), True),
        (schema("lake.hr"), schema("lake.hr"), True),
        (schema("lake.hr"), schema("lake"), False),
        (schema("lake.hr"), catalog("lake"), False),
        (schema("lake.h*"), table("lake.hr.emp"), True),
        (schema("lake.*"), table("lake.hr.emp"), True),
        (schema("lake.hr"), FUNCTION, True),
        (catalog("lake"), schema("lake.hr"), True),
        (catalog("lake"), table("lake.hr.emp"), True),
        (catalog("lake"), table("sea.hr.emp"), False),
        (catalog("*"), table("sea.hr.emp"), True),
        (catalog("lake"), Object.user("lake"), False),
        (Object.user("*"), Object.user("alice"), True),
        (Object.user("svc_*"), Object.user("svc_etl"), True),
        (Object.user("alice"), Object.user("Alice"), False),
        (SYSTEM, SYSTEM, True),
        (SYSTEM, catalog("lake"), False),
        (FUNCTION, table("lake.hr.f"), False),
        # Wildcards within wildcards: all that the second stands for is in the first, or not.
        (table("lake.hr.*"), table("lake.hr.emp_*"), True),
        (table("lake.hr.emp_*"), table("lake.hr.*"), False),
        (table("lake.hr.emp_*"), table("lake.hr.emp_a*b"), True),
        (table("lake.*.*"), table("lake.hr.*"), True),
        (table("lake.*.emp"), table("lake.hr.*"), False),
        (table("lake.hr.**"), table("lake.hr.*"), True),
        (table("lake.hr.e*"), table("lake.*.emp"), False),
        (schema("lake.hr"), table("lake.hr.*"), True),
        (schema("lake.hr"), table("lake.*"), False),
        (catalog("lake"), table("lake.*"), True),
        (catalog("lake"), table("*"), False),
        (catalog("l*"), catalog("*"), False),
        (schema("lake.*"), table("lake.*"), False),
    ],
)
def test_what_a_rule_covers(rule: Object, on: Object, held: bool) -> None:
    assert covers(rule, on) is held
    found = list(ByObject([(rule, "the rule")]).list_covering(Place.of(on)))
    if on.parts and "*" not in "".join(on.parts):
        assert found == ["the rule"] * held


@pytest.mark.parametrize(
    ("rule", "container", "inside"),
    [
        (table("lake.hr.emp"), schema("lake.hr"), True),
        (table("lake.hr.emp"), catalog("lake"), True),
        (table("lake.hr.emp"), schema("lake.pay"), False),
        (table("lake.hr.inner.emp"), schema("lake.hr"), True),
        (table("lake.hr.inner.emp"), schema("lake.hr.inner"), True),
        (table("lake.h*.emp"), schema("lake.hr"), True),
        (table("lake.h*.emp"), schema("lake.pay"), False),
        (table("lake.*"), schema("lake.hr"), True),
        (table("*"), catalog("lake"), True),
        (table("*.hr.emp"), catalog("lake"), True),
        (schema("lake.hr"), catalog("lake"), True),
        (schema("lake.hr"), catalog("sea"), False),
        (schema("lake.hr.inner"), schema("lake.hr"), True),
        (schema("lake.hr"), schema("lake.hr"), False),
        (schema("lake.hr"), schema("lake.hr.inner"), False),
        (Object.user("lake"), catalog("lake"), False),
        (Object.user("*"), catalog("lake"), False),
    ],
)
def test_what_is_inside_a_container(rule: Object, container: Object, inside: bool) -> None:
    found = set(ByObject([(rule, "the rule")]).inside(Place.of(container)))
    assert found == ({"the rule"} if inside else set())


@pytest.mark.parametrize(
    ("one", "other", "shared"),
    [
        (table("lake.hr.emp"), schema("lake.hr"), True),
        (table("lake.hr.emp"), table("lake.hr.dept"), False),
        (table("lake.hr.a*"), table("lake.hr.*z"), True),
        (schema("lake.h*"), table("lake.*.emp"), True),
        (catalog("lake"), catalog("sea"), False),
        (table("lake.hr.emp"), table("lake.hr.x*"), False),
        (Object.user("a*"), table("a*"), False),
    ],
)
def test_what_may_be_in_both(one: Object, other: Object, shared: bool) -> None:
    assert touches(one, other) is shared
    assert touches(other, one) is shared


def test_a_hostile_pattern_takes_no_time() -> None:
    assert not covers(table("lake.hr." + "*a" * 60 + "*b"), table("lake.hr." + "a" * 4000))


@pytest.mark.parametrize(
    ("rule", "uuid", "column", "hides", "shows"),
    [
        (ColumnRule("a", 1), UUID, ColumnFacts("a", "int", 1), True, True),
        (ColumnRule("a", 1), UUID, ColumnFacts("b", "int", 1), True, True),
        (ColumnRule("a", 1), UUID, ColumnFacts("A", "int", 2), True, False),
        (ColumnRule("a", 1), UUID, ColumnFacts("b", "int", 2), False, False),
        (ColumnRule("a", 1), "another", ColumnFacts("b", "int", 1), False, False),
        (ColumnRule("a", 1), "another", ColumnFacts("A", "int", 2), True, True),
        (ColumnRule("a", 1), "", ColumnFacts("b", "int", 1), False, False),
        (ColumnRule("a"), UUID, ColumnFacts("a", "int", 1), True, True),
        (ColumnRule("a"), UUID, ColumnFacts("b"), False, False),
        (ColumnRule("a", 1), UUID, ColumnFacts("a"), True, True),
    ],
)
@pytest.mark.parametrize("known", [True, False])
def test_which_column_a_rule_is_about(
    rule: ColumnRule, uuid: str, column: ColumnFacts, hides: bool, shows: bool, known: bool
) -> None:
    """Without a uuid the ids of two tables say nothing: by name then."""
    of_table = facts(columns=(column,), uuid=UUID if known else "")
    same = rule.name.lower() == column.name.lower()
    assert may_be(rule, uuid, column, of_table) is (hides if known else same)
    assert surely_is(rule, uuid, column, of_table) is (shows if known else same)


def test_who_somebody_is_with_roles_of_roles_and_of_the_token() -> None:
    identity = Identity("alice", groups=frozenset({"staff"}), roles=frozenset({"token"}))
    held = {
        group("staff"): frozenset({"reader"}),
        role("token"): frozenset({"writer"}),
        role("writer"): frozenset({"reader", "maker"}),
        user("bob"): frozenset({"never"}),
        PUBLIC: frozenset({"guest"}),
    }
    names = {one.name for one in subjects_of(identity, held) if one.kind.value == "role"}
    assert names == {"token", "writer", "reader", "maker", "guest"}
    assert {PUBLIC, user("alice"), group("staff")} <= subjects_of(identity, held)
