"""Rules are compared over everything they name, and checked for what they cannot do."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pytest

from sqe.model.decision import Allow, Decision, Deny, Restrict, RowFilter, TableFacts
from sqe.model.grants import Grant, Role, RoleGrant
from sqe.model.identity import Identity
from sqe.model.masks import NullMask, PartialMask
from sqe.model.names import RelationName, SchemaName
from sqe.model.rules import PUBLIC, Object, ObjectKind, Privilege, Subject, SubjectKind
from sqe.policy.cedar.policies import read_policies
from sqe.policy.diff import differences
from sqe.policy.lint import cedar_places, lint_file_rules, lint_grants, named_places
from sqe.policy.named import Named, identity_of, in_cedar, in_file_rules
from sqe.policy.policy import Policy
from sqe.policy.source import AllowAll
from sqe.policy.words import as_json, in_words
from sqe.store.grants import KeptRules

HR = SchemaName("lake", ("hr",))
EMP = Object.table(RelationName(HR, "emp"))
ANN, BOB = Subject(SubjectKind.USER, "ann"), Subject(SubjectKind.USER, "bob")
STAFF, BOSS = Subject(SubjectKind.GROUP, "staff"), Subject(SubjectKind.ROLE, "boss")
LIMITED = Restrict(
    "why",
    (RowFilter("a"), RowFilter("b", check=True)),
    {"SSN": PartialMask(0, 4)},
    frozenset({"P"}),
)


@pytest.mark.parametrize(
    ("decision", "words"),
    [
        (Allow("why"), "allowed"),
        (Deny("why"), "denied"),
        (
            LIMITED,
            "restricted: rows where (a); rows where (b) with check; ssn as partial(0, 4);"
            " without p",
        ),
    ],
)
def test_decisions_in_words(decision: Decision, words: str) -> None:
    assert in_words(decision) == words


def test_decisions_for_programs() -> None:
    assert as_json(Deny("why")) == {"decision": "denied", "reason": "why"}
    assert as_json(LIMITED) == {
        "decision": "restricted",
        "reason": "why",
        "rows": [
            {"sql": "a", "dialect": "spark", "check": False},
            {"sql": "b", "dialect": "spark", "check": True},
        ],
        "masks": {"SSN": "partial(0, 4)"},
        "hidden": ["P"],
    }


def table(*parts: str) -> Object:
    return Object(ObjectKind.TABLE, parts)


def test_a_file_names_what_its_patterns_spell_out() -> None:
    document = {
        "catalogs": [{"catalog": "(lake|sea)", "allow": "all", "user": "ann"}],
        "schemas": [{"schema": "hr", "owner": True, "group": "staff|st.*"}],
        "tables": [
            {
                "catalog": "lake",
                "schema": "hr",
                "table": "emp|x.*y",
                "role": "boss",
                "privileges": [],
                "columns": [{"name": "SSN", "mask": "1"}],
            },
        ],
        "queries": [{"user": "b\\.ob", "allow": ["execute"]}],
    }
    named = in_file_rules(json.dumps(document).encode())
    dotted = Subject(SubjectKind.USER, "b.ob")
    assert named.subjects == {PUBLIC, ANN, STAFF, BOSS, dotted}
    assert named.objects == {
        Object.catalog("lake"),
        Object.catalog("sea"),
        table("lake", "*", "*"),
        table("sea", "*", "*"),
        Object(ObjectKind.SCHEMA, ("*", "hr")),
        table("*", "hr", "*"),
        EMP,
        table("*", "*", "*"),
    }
    assert named.columns == {"ssn"}


def test_cedar_names_what_its_scopes_are() -> None:
    text = (
        '@mask_ssn("null") @hide("pay") @columns("id") permit(principal in SQE::Group::"staff",'
        ' action, resource in SQE::Schema::"lake.hr");'
        'forbid(principal == SQE::User::"ann", action, resource == SQE::Table::"lake.hr.emp");'
        'permit(principal in SQE::Role::"boss", action, resource);'
    )
    policies = read_policies({"a.cedar": text.encode()})
    named = in_cedar(policies)
    assert named.subjects == {PUBLIC, ANN, STAFF, BOSS}
    hr = Object.schema(HR)
    assert named.objects == {hr, table("lake", "hr", "*"), EMP, table("*", "*", "*")}
    assert named.columns == {"ssn", "pay", "id"}
    assert list(cedar_places(policies)) == [
        ("a.cedar, policy 1", hr),
        ("a.cedar, policy 2", EMP),
    ]


def test_who_is_asked_about_is_nothing_but_that() -> None:
    assert identity_of(ANN) == Identity("ann")
    assert identity_of(STAFF) == Identity("*", frozenset({"staff"}))
    assert identity_of(BOSS) == Identity("*", roles=frozenset({"boss"}))
    assert identity_of(PUBLIC) == Identity("*")


class Table(AllowAll):
    """Answers for ann and reads of the table; for others, nothing is allowed."""

    def __init__(self, answer: Decision, create: Allow | Deny = Deny("no")) -> None:  # noqa: B008
        self._answer = answer
        self._create = create

    def decide(self, identity: Identity, table: TableFacts) -> Decision:
        mine = identity.user == "ann" and table.privilege is Privilege.SELECT
        return self._answer if mine else Deny("no")

    def permits(self, identity: Identity, privilege: Privilege, on: Object) -> Allow | Deny:
        mine = identity.user == "ann" and privilege is Privilege.CREATE
        return self._create if mine else Deny("no")


NAMED = Named(frozenset({PUBLIC, ANN}), frozenset({EMP, Object.schema(HR)}), frozenset({"ssn"}))


def compared(old: Table, new: Table) -> list[str]:
    return [str(one) for one in differences(Policy([old]), Policy([new]), NAMED)]


SEEN = Restrict("a", masks={"ssn": NullMask()})
OTHER = Restrict("b", (RowFilter("x"),))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (Deny("a"), Deny("b"), []),
        (Allow("a"), Allow("b"), []),
        (SEEN, Restrict("other", masks={"ssn": NullMask()}), []),
        (Deny("a"), Allow("b"), ["user ann gains select on table lake.hr.emp"]),
        (Allow("a"), Deny("b"), ["user ann loses select on table lake.hr.emp"]),
        (SEEN, Deny("b"), ["user ann loses select on table lake.hr.emp"]),
        (
            Deny("a"),
            SEEN,
            ["user ann gains select on table lake.hr.emp: restricted: ssn as null"],
        ),
        (
            SEEN,
            OTHER,
            [
                "user ann changes select on table lake.hr.emp:"
                " restricted: ssn as null -> restricted: rows where (x)"
            ],
        ),
        (
            OTHER,
            Allow("b"),
            ["user ann changes select on table lake.hr.emp: restricted: rows where (x) -> allowed"],
        ),
    ],
)
def test_who_gains_or_loses_what(old: Decision, new: Decision, said: list[str]) -> None:
    assert compared(Table(old), Table(new)) == said


def test_schemas_are_compared_too() -> None:
    none, some = Table(Deny("no")), Table(Deny("no"), Allow("yes"))
    assert compared(none, some) == ["user ann gains create on schema lake.hr"]


def lint(*tables: dict[str, Any], section: str = "tables") -> list[str]:
    return [str(one) for one in lint_file_rules(json.dumps({section: tables}).encode())]


def test_a_rule_behind_one_that_fits_more_is_never_reached() -> None:
    rule = {"user": "ann", "catalog": "lake", "table": "emp"}
    said = ["tables, rule 2: never reached: rule 1 fits everything that it fits [shadowed]"]
    for earlier in ({}, {"user": ".*"}, {"user": "ann"}, {"catalog": "lake", "table": "emp"}, rule):
        assert lint(earlier, rule) == said
    for earlier in ({"user": "bob"}, {"group": "staff"}, {"schema": "hr"}, {"table": "e.*"}):
        assert lint(earlier, rule) == []
    assert len(lint({}, rule, rule)) == 2
    assert len(lint({}, {}, section="queries")) == 1


def found(*grants: Grant, roles: Iterable[Role] = (), held: Iterable[RoleGrant] = ()) -> list[str]:
    rules = KeptRules(1, tuple(roles), tuple(held), grants)
    return [one.kind for one in lint_grants(rules)]


def test_a_grant_that_is_denied_gives_nothing() -> None:
    grant = Grant(ANN, Privilege.SELECT, EMP)
    schema = Object.schema(HR)
    for to in (ANN, PUBLIC):
        assert found(grant, Grant(to, Privilege.SELECT, schema, deny=True)) == ["shadowed"]
    for other in (
        Grant(BOB, Privilege.SELECT, schema, deny=True),
        Grant(ANN, Privilege.INSERT, schema, deny=True),
        Grant(ANN, Privilege.SELECT, table("lake", "hr", "other"), deny=True),
        Grant(ANN, Privilege.SELECT, schema),
    ):
        assert found(grant, other) == []


def test_a_role_that_nobody_has_is_found() -> None:
    roles = [Role("reader"), Role("boss")]
    assert found(roles=roles, held=[RoleGrant("boss", ANN)]) == ["unheld"]


def test_grants_name_places() -> None:
    rules = KeptRules(1, grants=(Grant(ANN, Privilege.SELECT, EMP),))
    assert list(named_places(rules)) == [
        ("GRANT SELECT ON TABLE lake.hr.emp TO USER ann", EMP),
    ]
