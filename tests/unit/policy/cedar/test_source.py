"""Cedar's policies decide; their annotations limit; a forbid wins."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from sqe.errors import ErrorCode, UserError
from sqe.model.decision import Allow, ColumnFacts, Decision, Deny, Restrict, RowFilter, TableFacts
from sqe.model.identity import Identity
from sqe.model.masks import NullMask, PartialMask
from sqe.model.names import RelationName, SchemaName
from sqe.model.rules import SYSTEM, Object, ObjectKind, Privilege
from sqe.policy.cedar.source import CedarSource
from sqe.policy.policy import Policy

HR = SchemaName("lake", ("hr",))
EMP = RelationName(HR, "emp")
ANN = Identity("ann", frozenset({"staff"}))
BOB = Identity("bob")

RULES = """
@id("staff reads")
permit(principal in SQE::Group::"staff", action == SQE::Action::"select",
       resource == SQE::Table::"lake.hr.emp");

@id("boss")
permit(principal in SQE::Role::"boss", action, resource in SQE::Catalog::"lake");

@id("no secrets")
forbid(principal, action, resource == SQE::Table::"lake.hr.secret");
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "policies"
    made.mkdir()
    return made


def source(folder: Path, text: str = RULES, entities: Any = None) -> CedarSource:
    (folder / "rules.cedar").write_text(text)
    if entities is None:
        return CedarSource(folder)
    path = folder / "entities.json"
    path.write_text(json.dumps(entities))
    return CedarSource(folder, path)


def facts(
    table: RelationName = EMP,
    privilege: Privilege = Privilege.SELECT,
    columns: str = "id ssn dept pay",
) -> TableFacts:
    listed = tuple(ColumnFacts(name, "string", at) for at, name in enumerate(columns.split()))
    return TableFacts(table, privilege, listed)


def decided(
    cedar: CedarSource, identity: Identity = ANN, table: TableFacts | None = None
) -> Decision:
    table = table or facts()
    return Policy([cedar]).decide(identity, [table])[table]


def limited(folder: Path, annotations: str, scope: str = "resource") -> Decision:
    return decided(source(folder, f"{annotations}\npermit(principal, action, {scope});"))


def test_what_no_policy_permits_is_denied(folder: Path) -> None:
    cedar = source(folder)
    assert decided(cedar) == Allow("cedar: rules.cedar, policy staff reads")
    assert decided(cedar, BOB) == Deny("cedar: no policy permits it")
    assert isinstance(decided(cedar, ANN, facts(privilege=Privilege.INSERT)), Deny)


def test_a_forbid_wins(folder: Path) -> None:
    boss = Identity("eve", roles=frozenset({"boss"}))
    cedar = source(folder)
    assert isinstance(decided(cedar, boss), Allow)
    secret = facts(RelationName(HR, "secret"))
    assert decided(cedar, boss, secret) == Deny("cedar: rules.cedar, policy no secrets")


def test_a_permit_on_a_catalog_is_for_everything_in_it(folder: Path) -> None:
    boss = Identity("eve", roles=frozenset({"boss"}))
    deep = facts(RelationName(SchemaName("lake", ("a", "b")), "odd.name"), Privilege.DROP)
    assert isinstance(decided(source(folder), boss, deep), Allow)
    other = facts(RelationName(SchemaName("other", ("a",)), "t"))
    assert isinstance(decided(source(folder), boss, other), Deny)


def test_names_fit_whatever_their_case(folder: Path) -> None:
    loud = facts(RelationName(SchemaName("LAKE", ("Hr",)), "SECRET"))
    boss = Identity("eve", roles=frozenset({"boss"}))
    assert decided(source(folder), boss, loud) == Deny("cedar: rules.cedar, policy no secrets")
    assert isinstance(decided(source(folder), ANN, facts(RelationName(HR, "EMP"))), Allow)
    assert list(source(folder).visible(ANN, [Object.catalog("LAKE")])) == [True]


def test_an_owner_may_do_everything_that_is_not_forbidden(folder: Path) -> None:
    cedar = source(
        folder,
        'permit(principal, action == SQE::Action::"own", resource in SQE::Schema::"lake.hr");'
        'forbid(principal, action == SQE::Action::"delete", resource);',
    )
    assert isinstance(decided(cedar, BOB), Allow)
    assert isinstance(decided(cedar, BOB, facts(privilege=Privilege.ALTER)), Allow)
    assert isinstance(decided(cedar, BOB, facts(privilege=Privilege.DELETE)), Deny)


@pytest.mark.parametrize("entities", [None, []], ids=["alone", "with entities"])
def test_groups_of_actions(folder: Path, entities: Any) -> None:
    cedar = source(
        folder,
        'permit(principal, action in SQE::Action::"write", resource);'
        'forbid(principal == SQE::User::"bob", action in [SQE::Action::"write"], resource);',
        entities,
    )
    update = facts(privilege=Privilege.UPDATE)
    assert isinstance(decided(cedar, ANN, update), Allow)
    assert isinstance(decided(cedar, BOB, update), Deny)
    assert isinstance(decided(cedar, ANN), Deny)


def test_claims_are_tags_of_the_user(folder: Path) -> None:
    cedar = source(
        folder,
        'permit(principal, action, resource) when { principal.hasTag("dept") &&'
        ' principal.getTag("dept") == "it" };',
    )
    assert isinstance(decided(cedar, Identity("ann", claims=(("dept", "it"),))), Allow)
    assert isinstance(decided(cedar, Identity("ann", claims=(("dept", "hr"),))), Deny)
    assert isinstance(decided(cedar, Identity("ann")), Deny)


def test_the_entities_file_says_who_is_in_what(folder: Path) -> None:
    def entity(kind: str, name: str, *parents: tuple[str, str]) -> Any:
        above = [{"type": f"SQE::{k}", "id": n} for k, n in parents]
        return {"uid": {"type": f"SQE::{kind}", "id": name}, "parents": above}

    entities = [
        entity("Group", "staff", ("Role", "manager")),
        entity("Role", "manager", ("Role", "boss")),
        entity("User", "bob", ("Role", "manager")),
    ]
    cedar = source(folder, entities=entities)
    insert = facts(privilege=Privilege.INSERT)
    assert isinstance(decided(cedar, ANN, insert), Allow)  # by the group of the login
    assert isinstance(decided(cedar, BOB, insert), Allow)  # by the file
    assert isinstance(decided(cedar, Identity("zoe"), insert), Deny)


def test_annotations_limit_what_is_seen(folder: Path) -> None:
    found = limited(
        folder,
        '@row_filter("dept = \'it\'") @mask_SSN("partial(0,4)") @hide("pay, DEPT")'
        ' @masks("{\\"ID\\": \\"null\\"}")',
    )
    assert isinstance(found, Restrict)
    assert found.filters == (RowFilter("dept = 'it'"),)
    assert found.masks == {"ssn": PartialMask(0, 4), "id": NullMask()}
    assert found.hidden == {"pay", "dept"}
    assert "policy 1" in found.reason


def test_words_for_people_limit_nothing(folder: Path) -> None:
    words = '@id("a") @name("b") @description("c") @reason("d")'
    assert limited(folder, words) == Allow("cedar: rules.cedar, policy a")


def test_columns_that_are_not_listed_are_not_there(folder: Path) -> None:
    found = limited(folder, '@columns("id, dept")')
    assert isinstance(found, Restrict) and found.hidden == {"ssn", "pay"}


def test_a_check_lets_rows_of_the_filter_be_written(folder: Path) -> None:
    found = limited(folder, '@row_filter("dept = current_user") @check')
    assert isinstance(found, Restrict) and found.filters[0].check


def test_the_limits_of_all_policies_that_permit_hold(folder: Path) -> None:
    cedar = source(
        folder,
        '@row_filter("a") @mask_ssn("partial(1,4)") permit(principal, action, resource);'
        '@row_filter("b") @mask_ssn("partial(0,4)") permit(principal, action, resource);'
        "permit(principal, action, resource);",
    )
    found = decided(cedar)
    assert isinstance(found, Restrict)
    assert [one.sql for one in found.filters] == ["a", "b"]
    assert found.masks == {"ssn": PartialMask(0, 4)}


def test_limits_are_for_readers_only(folder: Path) -> None:
    cedar = source(folder, '@row_filter("a") permit(principal, action, resource);')
    assert isinstance(decided(cedar, table=facts(privilege=Privilege.INSERT)), Allow)


def test_a_mask_of_a_named_table_stays_when_the_column_is_renamed(folder: Path) -> None:
    """Whoever enforces it finds no such column, and refuses."""
    table = 'resource == SQE::Table::"lake.hr.emp"'
    (folder / "rules.cedar").write_text(f'@mask_ssn("null") permit(principal, action, {table});')
    found = decided(CedarSource(folder), table=facts(columns="id number"))
    assert isinstance(found, Restrict) and found.masks == {"ssn": NullMask()}
    (folder / "rules.cedar").write_text(f'@hide("ssn") permit(principal, action, {table});')
    hidden = decided(CedarSource(folder), table=facts(columns="id number"))
    assert isinstance(hidden, Restrict) and hidden.hidden == {"ssn"}
    many = limited(folder, '@mask_number("null") @hide("other")')
    assert isinstance(many, Allow)


@pytest.mark.parametrize(
    ("privilege", "on"),
    [
        (Privilege.EXECUTE, SYSTEM),
        (Privilege.CREATE, Object.schema(HR)),
        (Privilege.SET, Object(ObjectKind.PROPERTY, ("sqe.engine",))),
        (Privilege.EXECUTE, Object(ObjectKind.PROCEDURE, ("lake", "system", "rewrite"))),
        (Privilege.IMPERSONATE, Object.user("bob")),
        (Privilege.KILL_QUERY, Object.user("zoe")),
    ],
)
def test_everything_else_is_asked_too(folder: Path, privilege: Privilege, on: Object) -> None:
    nobody = Policy([source(folder)]).permits(BOB, privilege, on)
    assert isinstance(nobody, Deny) and not nobody.unanswered
    word = privilege.value.replace(" ", "_")
    kind = on.kind.value.capitalize()
    text = f'permit(principal, action == SQE::Action::"{word}", resource is SQE::{kind});'
    assert isinstance(Policy([source(folder, text)]).permits(ANN, privilege, on), Allow)


def test_ones_own_queries_are_ones_own(folder: Path) -> None:
    policy = Policy([source(folder)])
    for privilege in (Privilege.VIEW_QUERY, Privilege.KILL_QUERY):
        assert isinstance(policy.permits(ANN, privilege, Object.user("ann")), Allow)
        assert isinstance(policy.permits(ANN, privilege, Object.user("bob")), Deny)


def test_what_may_be_used_may_be_seen(folder: Path) -> None:
    cedar = source(
        folder,
        RULES + 'permit(principal, action in [SQE::Action::"insert", SQE::Action::"show"],'
        ' resource in SQE::Schema::"lake.hr")'
        ' unless { resource == SQE::Table::"lake.hr.dept" };',
    )
    names = ["emp", "secret", "other", "dept"]
    tables = [Object.table(RelationName(HR, name)) for name in names]
    assert Policy([cedar]).visible(ANN, tables) == [True, False, True, False]


def test_a_schema_is_seen_if_something_in_it_is(folder: Path) -> None:
    places = [
        Object.catalog("lake"),
        Object.schema(HR),
        Object.schema(SchemaName("lake", ("h",))),
        Object.catalog("other"),
    ]
    cedar = source(folder)
    assert list(cedar.visible(ANN, places)) == [True, True, False, False]
    assert list(cedar.visible(BOB, places)) == [False] * 4
    itself = 'permit(principal, action == SQE::Action::"show", resource == SQE::Catalog::"lake");'
    assert list(source(folder, itself).visible(BOB, places)) == [True, False, False, False]
    closed = RULES + 'forbid(principal, action, resource in SQE::Schema::"lake.hr");'
    assert list(source(folder, closed).visible(ANN, places)) == [False] * 4


def test_one_thing_that_is_seen_is_enough(folder: Path) -> None:
    cedar = source(
        folder,
        'permit(principal == SQE::User::"bob", action, resource == SQE::Table::"lake.hr.dept");'
        'permit(principal == SQE::User::"ann", action, resource in SQE::Schema::"lake.hr");'
        'permit(principal == SQE::User::"bob", action, resource == SQE::User::"zoe");'
        'permit(principal, action == SQE::Action::"execute", resource is SQE::System);',
    )
    lake = Object.catalog("lake")
    assert list(cedar.visible(ANN, [lake, SYSTEM])) == [True, False]
    assert list(cedar.visible(BOB, [lake, Object.schema(HR)])) == [True, True]
    assert list(cedar.visible(Identity("eve"), [lake, Object.schema(HR)])) == [False, False]


def test_what_only_a_forbid_names_does_not_show_a_place(folder: Path) -> None:
    cedar = source(
        folder,
        'permit(principal, action == SQE::Action::"select", resource is SQE::Table);'
        'forbid(principal == SQE::User::"bob", action, resource == SQE::Table::"lake.hr.emp");',
    )
    assert list(cedar.visible(ANN, [Object.catalog("lake"), Object.table(EMP)])) == [False, True]


def test_nothing_to_see_is_nothing_to_ask(folder: Path) -> None:
    assert list(source(folder).visible(ANN, [])) == []


def test_a_change_is_seen_by_the_next_question(folder: Path) -> None:
    cedar = source(folder)
    policy = Policy([cedar], keep_s=3600)
    assert isinstance(policy.decide(ANN, [facts()])[facts()], Allow)
    (folder / "more.cedar").write_text("forbid(principal, action, resource);")
    assert isinstance(policy.decide(ANN, [facts()])[facts()], Deny)
    (folder / "more.cedar").write_text("forbid(")
    assert isinstance(policy.decide(ANN, [facts()])[facts()], Deny)
    assert "more.cedar" in cedar.problem


def test_a_policy_that_cannot_be_judged_denies(folder: Path) -> None:
    """Cedar would leave it out, and it may be the one that forbids."""
    cedar = source(
        folder,
        "permit(principal, action, resource);"
        "forbid(principal, action, resource) when { 9223372036854775807 + 1 == 0 };",
    )
    found = decided(cedar)
    assert isinstance(found, Deny) and found.unanswered


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("permit(", "rules.cedar"),
        ('permit(principal, action == SQE::Action::"slect", resource);', "slect"),
        ('permit(principal == User::"ann", action, resource);', "policy 1"),
        ('@rowfilter("a") permit(principal, action, resource);', "@rowfilter"),
        ('@row_filter("") permit(principal, action, resource);', "@row_filter"),
        ('@mask_a("blur") permit(principal, action, resource);', "blur"),
        ('@masks("{\\"a\\": 1}") permit(principal, action, resource);', "@masks"),
        ("@row_filter permit(principal, action, resource);", "@row_filter"),
        ('@masks("[]") permit(principal, action, resource);', "@masks"),
        (
            '@masks("{\\"a\\": \\"null\\", \\"b\\": 1}") permit(principal, action, resource);',
            "@masks",
        ),
        ('@columns("a,,b") permit(principal, action, resource);', "@columns"),
        ("@check permit(principal, action, resource);", "@check"),
        ('@id("x") @row_filter("a") forbid(principal, action, resource);', "policy x"),
        ("permit(principal == ?principal, action, resource);", "templates"),
        ("permit(principal, action, resource) when { principal.age > 3 };", "age"),
        ('permit(principal, action, resource == SQE::Table::"lake.hr.Emp");', "lake.hr.emp"),
        (
            "forbid(principal, action, resource)"
            ' when { [SQE::Schema::"lake.HR"].contains(resource) };',
            "lake.hr",
        ),
        ("\udcff", "UTF-8"),
    ],
)
def test_policies_that_are_wrong_refuse_the_start(folder: Path, text: str, words: str) -> None:
    (folder / "rules.cedar").write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(UserError) as raised:
        CedarSource(folder)
    assert raised.value.code is ErrorCode.INVALID_SETTINGS and words in raised.value.message


@pytest.mark.parametrize(
    "entities",
    [
        {},
        [1],
        [{"uid": {"type": "SQE::Table", "id": "t"}}],
        [{"uid": {"type": "SQE::User", "id": "a"}, "attrs": {"name": "root"}}],
        [{"uid": {"type": "SQE::User", "id": "a"}, "parents": [{"type": "Role", "id": "r"}]}],
        [{"uid": {"type": "SQE::User", "id": "a"}, "roles": []}],
        [{"uid": {"type": "SQE::User", "id": "a"}, "tags": {"dept": "it"}}],
        [{"uid": {"type": "SQE::User", "id": "a"}, "parents": "boss"}],
        [{"uid": {"type": "SQE::User", "id": 1}}],
        [{"uid": {"type": "SQE::User"}}],
        [{"uid": {"type": "SQE::User", "id": "a"}, "parents": 5}],
        [{"uid": "ann"}],
        [{"parents": []}],
    ],
    ids=str,
)
def test_entities_that_are_wrong_refuse_the_start(folder: Path, entities: Any) -> None:
    with pytest.raises(UserError) as raised:
        source(folder, entities=entities)
    assert "entities.json" in raised.value.message


SHOWING = ["show", "select", "insert", "update", "delete", "alter", "drop", "create", "own"]


@pytest.mark.parametrize("word", SHOWING)
def test_whoever_may_do_anything_with_a_table_may_know_of_it(folder: Path, word: str) -> None:
    cedar = source(folder, f'permit(principal, action == SQE::Action::"{word}", resource);')
    assert list(cedar.visible(ANN, [Object.table(EMP)])) == [True]
    assert isinstance(decided(cedar, table=facts(privilege=Privilege.SHOW)), Allow)


def test_what_is_forbidden_to_be_shown_is_not(folder: Path) -> None:
    forbid = 'forbid(principal, action == SQE::Action::"show", resource);'
    cedar = source(folder, RULES + forbid)
    assert list(cedar.visible(ANN, [Object.table(EMP)])) == [False]
    assert isinstance(decided(cedar, table=facts(privilege=Privilege.SHOW)), Deny)
    insert = 'forbid(principal, action == SQE::Action::"insert", resource);'
    assert list(source(folder, RULES + insert).visible(ANN, [Object.table(EMP)])) == [True]
    writes = 'permit(principal, action in SQE::Action::"write", resource);'
    select = 'forbid(principal, action == SQE::Action::"select", resource);'
    assert list(source(folder, writes + select).visible(ANN, [Object.table(EMP)])) == [True]


def test_a_change_of_the_entities_is_seen_too(folder: Path) -> None:
    cedar = source(folder, entities=[])
    policy = Policy([cedar], keep_s=3600)
    insert = facts(privilege=Privilege.INSERT)
    assert isinstance(policy.decide(BOB, [insert])[insert], Deny)
    boss = {"uid": {"type": "SQE::User", "id": "bob"}, "parents": [BOSS], "attrs": {}, "tags": {}}
    path = folder / "entities.json"
    path.write_text(json.dumps([boss, {"uid": {"type": "SQE::Group", "id": "alone"}}]))
    assert isinstance(policy.decide(BOB, [insert])[insert], Allow)
    path.write_text("{")
    assert cedar.problem and isinstance(policy.decide(BOB, [insert])[insert], Allow)


BOSS = {"type": "SQE::Role", "id": "boss"}


def test_what_is_not_installed_is_said(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cedarpy", None)
    with pytest.raises(UserError, match="cedarpy, which is not installed") as raised:
        source(folder)
    assert raised.value.code is ErrorCode.INVALID_SETTINGS


def test_one_may_be_asked_about_oneself(folder: Path) -> None:
    found = Policy([source(folder)]).permits(ANN, Privilege.IMPERSONATE, Object.user("ann"))
    assert isinstance(found, Deny) and not found.unanswered
