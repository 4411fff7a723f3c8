"""Rules are compared over everything they name, and checked for what they cannot do."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pytest

from sqe.model.decision import Allow, Decision, Deny, Restrict, RowFilter, TableFacts
from sqe.model.grants import Attachment, ColumnRule, Grant, Role, RoleGrant, Tag
from sqe.model.identity import Identity
from sqe.model.masks import NullMask, PartialMask
from sqe.model.names import RelationName, SchemaName
from sqe.model.rules import PUBLIC, SYSTEM, Object, ObjectKind, Privilege, Subject, SubjectKind
from sqe.policy.cedar.lint import cedar_places, in_cedar, lint_cedar
from sqe.policy.cedar.policies import read_policies
from sqe.policy.diff import differences
from sqe.policy.file_rules.lint import lint_file_rules
from sqe.policy.file_rules.named import in_file_rules
from sqe.policy.grants.lint import in_grants, lint_grants, list_places
from sqe.policy.named import Named, identity_of
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


@pytest.mark.parametrize(
    "document",
    [{}, {"catalogs": None, "tables": None}, {"queries": None}, {"tables": [{"privileges": []}]}],
)
def test_a_file_that_names_nothing_is_about_everything(document: dict[str, Any]) -> None:
    assert in_file_rules(json.dumps(document).encode()) == Named(
        objects=frozenset({table("*", "*", "*")})
    )


def test_grants_name_whom_and_what_they_are_about() -> None:
    exempt = Subject(SubjectKind.USER, "dave")
    hr, sea = Object.schema(HR), Object.catalog("sea")
    dept, tagged, whole = (RelationName(HR, name) for name in ("dept", "tagged", "whole"))
    rules = KeptRules(
        1,
        roles=(Role("boss"),),
        role_grants=(RoleGrant("reader", STAFF),),
        grants=(
            Grant(ANN, Privilege.SELECT, EMP, columns=(ColumnRule("SSN"),)),
            Grant(ANN, Privilege.SELECT, sea),
            Grant(BOB, Privilege.EXECUTE, SYSTEM),
        ),
        attachments=(
            Attachment("eu", hr, exempt=(exempt,)),
            Attachment("gone", Object.table(dept), columns=(ColumnRule("Pay"),)),
            Attachment("eu", tag="pii"),
        ),
        tags=(Tag("pii", tagged, "Mail"), Tag("pii", whole)),
    )
    named = in_grants(rules)
    assert named.subjects == {PUBLIC, ANN, BOB, STAFF, BOSS, exempt}
    assert named.objects == {
        EMP,
        sea,
        table("sea", "*", "*"),
        hr,
        table("lake", "hr", "*"),
        *map(Object.table, (dept, tagged, whole)),
        table("*", "*", "*"),
    }
    assert named.columns == {"ssn", "pay", "mail"}


def test_cedar_names_what_its_scopes_are() -> None:
    text = (
        '@mask_ssn("null") @hide("pay") @columns("id") permit(principal in SQE::Group::"staff",'
        ' action, resource in SQE::Schema::"lake.hr");'
        'forbid(principal == SQE::User::"ann", action, resource == SQE::Table::"lake.hr.emp");'
        'permit(principal in SQE::Role::"boss", action, resource);'
        "permit(principal, action, resource);"
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


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (Restrict("a", (RowFilter("x"),)), Restrict("a", (RowFilter("y"),))),
        (SEEN, Restrict("a", masks={"ssn": PartialMask(0, 4)})),
        (Restrict("a", hidden=frozenset({"x"})), Restrict("a", hidden=frozenset({"y"}))),
    ],
)
def test_any_other_limit_is_a_change(old: Decision, new: Decision) -> None:
    assert len(compared(Table(old), Table(new))) == 1


def test_every_privilege_is_compared() -> None:
    named = Named(frozenset({ANN}), frozenset({EMP, Object.schema(HR)}))
    found = differences(Policy([Table(Deny("no"))]), Policy([AllowAll()]), named)
    assert {(one.on.kind.value, one.privilege.value) for one in found} == {
        *(("table", one) for one in ("select", "insert", "update", "delete")),
        *(("table", one) for one in ("alter", "drop", "own")),
        *(("schema", one) for one in ("create", "drop", "own")),
    }


def test_differences_are_in_order() -> None:
    people = [STAFF, BOSS, *(Subject(SubjectKind.USER, name) for name in "abcde")]
    places = [
        Object(kind, ("lake", "hr", name))
        for name in "abcde"
        for kind in (ObjectKind.SCHEMA, ObjectKind.TABLE)
    ]
    named = Named(frozenset(people), frozenset(places))
    found = list(differences(Policy([Table(Deny("no"))]), Policy([AllowAll()]), named))
    assert list(dict.fromkeys((one.subject, one.on) for one in found)) == [
        (subject, on) for subject in people for on in places
    ]


def test_names_are_quoted_and_what_stands_for_others_is_not() -> None:
    named = Named(frozenset({ANN}), frozenset({table("lake", "odd name", "*")}))
    new = Policy([Table(Allow("yes"))])
    assert [str(one) for one in differences(Policy([Table(Deny("no"))]), new, named)] == [
        "user ann gains select on table lake.`odd name`.*"
    ]


def test_schemas_are_compared_too() -> None:
    none, some = Table(Deny("no")), Table(Deny("no"), Allow("yes"))
    assert compared(none, some) == ["user ann gains create on schema lake.hr"]


def lint(*rules: dict[str, Any], section: str = "tables", **others: Any) -> list[str]:
    document = {section: rules, **others}
    return [str(one) for one in lint_file_rules(json.dumps(document).encode())]


def test_a_rule_behind_one_that_fits_more_is_never_reached() -> None:
    rule = {"user": "ann", "catalog": "lake", "table": "emp"}
    said = ["tables, rule 2: never reached: rule 1 fits everything that it fits [shadowed]"]
    for earlier in ({}, {"user": ".*"}, {"user": "ann"}, {"catalog": "lake", "table": "emp"}, rule):
        assert lint(earlier, rule) == said
    for earlier in (
        {"table": "e.*"},
        {"table": "emp$"},
        {"user": "ann|bob", "table": "EMP"},
        {"schema": "(.*)"},
    ):
        assert lint(earlier, rule) == said
    for earlier in ({"user": "bob"}, {"group": "staff"}, {"schema": "hr"}, {"table": "d.*"}):
        assert lint(earlier, rule) == []
    assert lint({"user": "ANN"}, rule) == lint({"user": None, "table": "em"}, rule) == []
    assert len(lint({}, rule, rule)) == 2
    assert len(lint({}, {}, section="queries")) == 1


KEYS = {
    **dict.fromkeys(("user", "group", "role", "catalog", "schema", "table"), "tables"),
    "function": "functions",
    "procedure": "procedures",
    "queryOwner": "queries",
    "property": "catalog_session_properties",
    **dict.fromkeys(("original_user", "original_role", "originalUser"), "impersonation"),
    **dict.fromkeys(("new_user", "newUser"), "impersonation"),
}
LACKED = ("group", "role", "original_role", "queryOwner")


@pytest.mark.parametrize("key", KEYS)
def test_a_rule_that_asks_for_anything_does_not_fit_everything(key: str) -> None:
    section = KEYS[key]
    assert lint({key: "a"}, {}, section=section) == []
    assert len(lint({key: "a"}, {key: "a"}, section=section)) == 1
    # Who has no group fits no group.
    assert len(lint({key: ".*"}, {}, section=section)) == (key not in LACKED)
    assert len(lint({key: ".*"}, {key: "(?i)a"}, section=section)) == 1


@pytest.mark.parametrize("key", KEYS)
def test_only_names_of_things_fit_whatever_their_case(key: str) -> None:
    thing = key in ("catalog", "schema", "table", "function", "procedure")
    assert len(lint({key: "A"}, {key: "a"}, section=KEYS[key])) == thing


@pytest.mark.parametrize(
    "section",
    [
        *("catalogs", "schemas", "tables", "functions", "procedures", "queries", "impersonation"),
        *("system_information", "system_session_properties", "catalog_session_properties"),
    ],
)
def test_every_section_is_checked(section: str) -> None:
    assert len(lint({}, {}, section=section)) == 1
    assert not list(lint_file_rules(json.dumps({section: None}).encode()))


def test_rules_are_never_reached_behind_several_together() -> None:
    ann, bob = {"user": "ann"}, {"user": "bob", "group": "g"}
    both = {"user": "ann|bob", "group": "(g|h)"}
    said = (
        "tables, rule {}: never reached: rules {} together fit everything that it fits [shadowed]"
    )
    assert lint(ann, bob, both) == []
    assert lint(ann, bob, {"user": "bob", "group": "h"}, both) == [said.format(4, "1 and 2 and 3")]
    assert lint(ann, {"role": "r"}, {"user": "bob"}, both) == [said.format(4, "1 and 3")]
    # What is not read counts as it is written.
    odd = {"schema": "(?i)hr"}
    assert lint({**ann, **odd}, {"user": "bob", **odd}, {"user": "ann|bob", **odd}) == [
        said.format(3, "1 and 2")
    ]
    assert lint({**ann, **odd}, {"user": "bob"}, {"user": "ann|bob", "schema": "hr"}) == []


@pytest.mark.parametrize(("users", "said"), [(64, 1), (65, 0)])
def test_only_so_many_ways_through_a_rule_are_tried(users: int, said: int) -> None:
    names = [f"u{number}" for number in range(users)]
    assert len(lint(*({"user": one} for one in names), {"user": "|".join(names)})) == said


def test_a_rule_for_the_empty_name_is_not_one_for_parts() -> None:
    said = "tables, rule 1: never fits: no user is '' [never]"
    assert lint({"user": ""}, {"user": "a|b"}) == [said]


@pytest.mark.parametrize("key", KEYS)
def test_an_expression_that_no_name_fits_is_found(key: str) -> None:
    name = {"originalUser": "original_user", "newUser": "new_user"}.get(key, key)
    said = f"{KEYS[key]}, rule 2: never fits: no {name} is '()' [never]"
    assert lint({key: "a"}, {key: "()"}, section=KEYS[key]) == [said]
    assert lint({key: "a"}, {key: "b?"}, {key: r"\p{L}{0}"}, section=KEYS[key]) == []


def test_a_reference_means_what_is_captured() -> None:
    def found(*rules: tuple[str | None, str]) -> int:
        written = ({"original_user": one, "new_user": other} for one, other in rules)
        return len(lint(*written, section="impersonation"))

    assert found(("(.*)_x", "$1"), ("(.*)_x", "$1")) == 1
    assert found(("(.*)_x", "$1"), ("(a)b_x", "$1")) == 0
    assert found(("(.*)_x", "$1"), ("(.*)_x", "a")) == 0
    assert found(("(.*)_x", ".*"), ("(a)b_x", "$1")) == 1
    assert found((None, "a$"), ("(a)b_x", "$1")) == 0


GIVING: dict[str, dict[str, Any]] = {
    "schemas": {"owner": True},
    "tables": {"privileges": ["SELECT"]},
    "functions": {"privileges": ["EXECUTE"]},
    "procedures": {"privileges": ["EXECUTE"]},
    "catalog_session_properties": {"allow": True},
}
NOBODY = "{}, rule 1: gives nothing: no rule of catalogs lets anybody in [shadowed]"
LAKE = {"catalog": "lake", "allow": "all"}


@pytest.mark.parametrize("section", GIVING)
def test_what_is_given_in_a_catalog_that_nobody_enters_is_nothing(section: str) -> None:
    rule = {"catalog": "sea", **GIVING[section]}
    assert lint(rule, section=section, catalogs=[LAKE]) == [NOBODY.format(section)]
    assert lint(rule, section=section, catalogs=[]) == [NOBODY.format(section)]
    assert lint(rule, section=section, catalogs=None) == lint(rule, section=section) == []
    assert lint({"catalog": "sea"}, section=section, catalogs=[LAKE]) == []
    assert lint({**rule, "catalog": "LA.*"}, section=section, catalogs=[LAKE]) == []


@pytest.mark.parametrize("section", ["queries", "system_session_properties", "system_information"])
def test_what_is_in_no_catalog_needs_none(section: str) -> None:
    assert lint({"user": "ann", "allow": ["execute"]}, section=section, catalogs=[]) == []


def kept_out(rule: dict[str, Any], *catalogs: dict[str, Any]) -> list[str]:
    found = lint({**rule, "privileges": ["SELECT"]}, catalogs=catalogs)
    return [one.removeprefix("tables, rule 1: gives nothing: ") for one in found]


@pytest.mark.parametrize("none", ["none", "NONE", False])
def test_a_catalog_may_be_closed_to_those_whom_a_rule_is_for(none: str | bool) -> None:
    closed = {"user": "ann", "catalog": "lake", "allow": none}
    said = ["rule 1 of catalogs lets nobody in [shadowed]"]
    ann = {"user": "ann", "catalog": "lake"}
    for rule in (ann, {**ann, "group": "g"}, {**ann, "table": "emp"}):
        assert kept_out(rule, closed, LAKE) == said
    for rule in ({"catalog": "lake"}, {"user": "ann"}, {**ann, "user": "a.*"}):
        assert kept_out(rule, closed, LAKE) == []
    assert kept_out({"catalog": "lake"}, closed) == [
        "no rule of catalogs lets anybody in [shadowed]"
    ]
    assert kept_out(ann, {**closed, "allow": "read-only"}) == []
    assert kept_out(ann, {**closed, "allow": True}) == []


def test_of_a_rule_one_thing_is_said() -> None:
    rule = {"catalog": "sea", "privileges": ["SELECT"]}
    found = lint({**rule, "user": "()"}, rule, rule, catalogs=[LAKE])
    assert [one.split(": ")[1] for one in found] == ["never fits", "gives nothing", "never reached"]


def test_somebody_has_one_name_but_any_groups() -> None:
    lake = {"catalog": "lake"}
    staff = {"group": "staff", "role": "boss", **LAKE}
    assert kept_out({**lake, "user": "bob"}, {"user": "ann", **LAKE}) != []
    assert kept_out({**lake, "group": "other", "role": "other"}, staff) == []
    closed = {**staff, "allow": "none"}
    assert kept_out({**lake, "group": "staff", "role": "boss"}, closed, LAKE) != []
    assert kept_out({**lake, "group": "staff"}, closed, LAKE) == []
    assert kept_out({**lake, "role": "boss"}, closed, LAKE) == []


def test_the_catalog_system_is_everybodys_unless_it_is_closed() -> None:
    assert kept_out({"catalog": "system"}) == kept_out({}, LAKE) == kept_out({"user": "ann"}) == []
    closed = {"catalog": "system", "allow": "none"}
    assert kept_out({"catalog": "SYSTEM"}, closed) == [
        "rule 1 of catalogs lets nobody in [shadowed]"
    ]


def test_catalogs_whose_names_may_be_one_are_not_apart() -> None:
    # A catalog named É fits the one as it is, the other in lower case.
    assert kept_out({"catalog": "é"}, {"catalog": "É", "allow": "all"}) == []
    assert kept_out({"catalog": "(?i)sea"}, LAKE) == kept_out({"catalog": r"\x41"}, LAKE) == []
    assert kept_out({"catalog": "sea"}, {"catalog": "(?i)lake", "allow": "all"}) == []


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
    denial = Grant(ANN, Privilege.SELECT, EMP, deny=True)
    assert found(denial, Grant(PUBLIC, Privilege.SELECT, schema, deny=True)) == []


def test_a_role_that_nobody_has_is_found() -> None:
    roles = [Role("reader"), Role("boss")]
    assert found(roles=roles, held=[RoleGrant("boss", ANN)]) == ["unheld"]
    (only,) = lint_grants(KeptRules(1, tuple(roles), (RoleGrant("boss", ANN),)))
    assert only.where == "role reader"


PERMIT = "permit(principal {}, action {}, resource {});"
FORBID = "forbid(principal {}, action {}, resource {});"
IN_ANN, IS_ANN = 'in SQE::User::"ann"', '== SQE::User::"ann"'
SELECTS, INSERTS = '== SQE::Action::"select"', '== SQE::Action::"insert"'
IN_HR, IS_HR = 'in SQE::Schema::"lake.hr"', '== SQE::Schema::"lake.hr"'
F, G = '== SQE::Function::"f"', '== SQE::Function::"g"'


@pytest.mark.parametrize(
    ("permit", "forbid", "all_of_it"),
    [
        ((IN_ANN, "", ""), (IS_ANN, "", ""), False),
        ((IS_ANN, "", ""), (IS_ANN, "", ""), True),
        (("", "", ""), ("", SELECTS, ""), False),
        (("", INSERTS, ""), ("", SELECTS, ""), False),
        (("", SELECTS, ""), ("", SELECTS, ""), True),
        (("", "", ""), ("", "", IN_HR), False),
        (("", "", IN_HR), ("", "", IS_HR), False),
        (("", "", IS_HR), ("", "", IS_HR), True),
        (("", "", IS_HR), ("", "", '== SQE::Schema::"lake.pay"'), False),
        (("", "", F), ("", "", F), True),
        (("", "", F), ("", "", G), False),
        (("", "", F), ("", "", 'in SQE::Function::"g"'), False),
        (("", "", F), ("", "", IN_HR), False),
        (("", "", IN_HR), ("", "", 'in SQE::Function::"f"'), False),
    ],
)
def test_a_permit_that_is_forbidden_gives_nothing(
    permit: tuple[str, str, str], forbid: tuple[str, str, str], all_of_it: bool
) -> None:
    text = PERMIT.format(*permit) + FORBID.format(*forbid)
    policies = read_policies({"a.cedar": text.encode()})
    assert [one.where for one in lint_cedar(policies)] == ["a.cedar, policy 1"] * all_of_it


def test_grants_name_places() -> None:
    rules = KeptRules(1, grants=(Grant(ANN, Privilege.SELECT, EMP),))
    assert list(list_places(rules)) == [
        ("GRANT SELECT ON TABLE lake.hr.emp TO USER ann", EMP),
    ]
