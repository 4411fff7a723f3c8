"""The book: what changes mean, what is noted, what is read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from sqe.audit.events import RuleEvent
from sqe.errors import ErrorCode, SqeError, UserError
from sqe.model.decision import Allow, Deny, Restrict, RowFilter
from sqe.model.grants import Attachment, MaskPolicy, RowFilterPolicy, Tag
from sqe.model.masks import ExpressionMask, HashMask, NullMask
from sqe.model.names import SchemaName
from sqe.model.rules import PUBLIC, SYSTEM, Object, Privilege
from sqe.policy.grants.book import GrantBook
from sqe.policy.grants.rules import GrantRules
from sqe.policy.grants.source import SqlGrants
from sqe.store.database import Database
from sqe.store.owners import Owners
from tests.unit.policy.grants.people import (
    ADMIN,
    ALICE,
    BOB,
    EMP,
    UUID,
    away,
    catalog,
    column,
    facts,
    group,
    relation,
    role,
    schema,
    table,
    to,
    user,
)

SELECT, INSERT, OWN = Privilege.SELECT, Privilege.INSERT, Privilege.OWN
EU = RowFilterPolicy("eu", RowFilter("region = 'EU'"))
GONE = MaskPolicy("gone", NullMask())
CODE = ErrorCode

MISTAKES: list[tuple[ErrorCode, Callable[[GrantBook], None]]] = [
    (CODE.ROLE_ALREADY_EXISTS, lambda book: book.create_role(ADMIN, "reader")),
    (CODE.ROLE_ALREADY_EXISTS, lambda book: book.create_role(ADMIN, "Reader", if_not_exists=True)),
    (CODE.INVALID_ARGUMENT, lambda book: book.create_role(ADMIN, " ")),
    (CODE.INVALID_ARGUMENT, lambda book: book.create_role(ADMIN, "PUBLIC")),
    (CODE.INVALID_ARGUMENT, lambda book: book.create_role(ADMIN, "all")),
    (CODE.INVALID_ARGUMENT, lambda book: book.create_role(ADMIN, "None")),
    (CODE.ROLE_NOT_FOUND, lambda book: book.drop_role(ADMIN, "nobody")),
    (CODE.ROLE_NOT_FOUND, lambda book: book.grant_roles(ADMIN, ["nobody"], [user("bob")])),
    (CODE.ROLE_NOT_FOUND, lambda book: book.grant_roles(ADMIN, ["reader"], [role("nobody")])),
    (CODE.ROLE_NOT_FOUND, lambda book: book.revoke_roles(ADMIN, ["nobody"], [user("bob")])),
    (CODE.ROLE_NOT_FOUND, lambda book: book.revoke_roles(ADMIN, ["reader"], [role("nobody")])),
    (CODE.ROLE_NOT_FOUND, lambda book: book.grant(ADMIN, to(role("nobody")))),
    (CODE.ROLE_NOT_FOUND, lambda book: book.deny(ADMIN, to(role("nobody")))),
    (CODE.ROLE_NOT_FOUND, lambda book: book.revoke(ADMIN, away(role("nobody")))),
    (CODE.INVALID_ARGUMENT, lambda book: book.grant_roles(ADMIN, ["reader"], [role("reader")])),
    (CODE.INVALID_ARGUMENT, lambda book: book.grant(ADMIN, to(PUBLIC, privileges=()))),
    (
        CODE.INVALID_ARGUMENT,
        lambda book: book.grant(ADMIN, to(PUBLIC, privileges=(Privilege.EXECUTE,))),
    ),
    (CODE.INVALID_ARGUMENT, lambda book: book.grant(ADMIN, to(PUBLIC, on=SYSTEM))),
    (CODE.INVALID_ARGUMENT, lambda book: book.grant(ADMIN, to(PUBLIC, on=table("lake..emp")))),
    (CODE.INVALID_ARGUMENT, lambda book: book.grant(ADMIN, to(PUBLIC, on=replace(EMP, parts=())))),
    (
        CODE.INVALID_ARGUMENT,
        lambda book: book.grant(
            ADMIN, to(PUBLIC, privileges=(Privilege.EXECUTE,), on=replace(SYSTEM, parts=("x",)))
        ),
    ),
    (
        CODE.INVALID_ARGUMENT,
        lambda book: book.grant(ADMIN, to(PUBLIC, privileges=(INSERT,), rows="a = 1")),
    ),
    (
        CODE.INVALID_ARGUMENT,
        lambda book: book.grant(ADMIN, to(PUBLIC, on=schema("lake.hr"), rows="a = 1")),
    ),
    (CODE.INVALID_ARGUMENT, lambda book: book.grant(ADMIN, to(PUBLIC, columns=()))),
    (
        CODE.INVALID_ARGUMENT,
        lambda book: book.grant(ADMIN, to(PUBLIC, columns=(column("id"), column("ID")))),
    ),
    (CODE.INVALID_ARGUMENT, lambda book: book.deny(ADMIN, to(PUBLIC, rows="a = 1"))),
    (CODE.INVALID_ARGUMENT, lambda book: book.deny(ADMIN, to(PUBLIC, option=True))),
    (CODE.INVALID_ARGUMENT, lambda book: book.deny(ADMIN, to(PUBLIC, columns=(column("id"),)))),
    (CODE.POLICY_ALREADY_EXISTS, lambda book: book.create_policy(ADMIN, EU)),
    (
        CODE.POLICY_ALREADY_EXISTS,
        lambda book: book.create_policy(ADMIN, replace(GONE, name="EU"), or_replace=True),
    ),
    (CODE.INVALID_ARGUMENT, lambda book: book.create_policy(ADMIN, replace(GONE, name=""))),
    (CODE.POLICY_NOT_FOUND, lambda book: book.drop_policy(ADMIN, "no", RowFilterPolicy)),
    (CODE.POLICY_NOT_FOUND, lambda book: book.drop_policy(ADMIN, "gone", RowFilterPolicy)),
    (CODE.INVALID_ARGUMENT, lambda book: book.drop_policy(ADMIN, "eu", RowFilterPolicy)),
    (CODE.POLICY_NOT_FOUND, lambda book: book.attach(ADMIN, Attachment("no", EMP))),
    (
        CODE.ROLE_NOT_FOUND,
        lambda book: book.attach(ADMIN, Attachment("eu", EMP, exempt=(role("no"),))),
    ),
    (CODE.INVALID_ARGUMENT, lambda book: book.attach(ADMIN, Attachment("gone", EMP))),
    (
        CODE.INVALID_ARGUMENT,
        lambda book: book.attach(ADMIN, Attachment("eu", EMP, columns=(column("id"),))),
    ),
    (CODE.INVALID_ARGUMENT, lambda book: book.attach(ADMIN, Attachment("eu"))),
    (CODE.INVALID_ARGUMENT, lambda book: book.attach(ADMIN, Attachment("eu", EMP, tag="t"))),
    (
        CODE.INVALID_ARGUMENT,
        lambda book: book.attach(ADMIN, Attachment("gone", tag="t", columns=(column("id"),))),
    ),
    (CODE.INVALID_ARGUMENT, lambda book: book.attach(ADMIN, Attachment("eu", Object.user("a")))),
    (CODE.INVALID_ARGUMENT, lambda book: book.detach(ADMIN, Attachment("eu"))),
    (CODE.POLICY_NOT_FOUND, lambda book: book.detach(ADMIN, Attachment("eu", table("lake.hr.x")))),
    (CODE.INVALID_ARGUMENT, lambda book: book.set_tag(ADMIN, Tag(" ", relation("lake.hr.emp")))),
]


@pytest.mark.parametrize(("code", "mistake"), MISTAKES)
def test_a_mistake_is_told_and_changes_nothing(
    book: GrantBook, code: ErrorCode, mistake: Callable[[GrantBook], None]
) -> None:
    book.create_role(ADMIN, "reader")
    book.create_policy(ADMIN, EU)
    book.create_policy(ADMIN, GONE)
    book.attach(ADMIN, Attachment("eu", EMP))
    before = book.changes(ADMIN)
    with pytest.raises(SqeError) as raised:
        mistake(book)
    assert raised.value.code is code
    assert book.changes(ADMIN) == before


@pytest.mark.parametrize(
    ("privileges", "words"), [((), "No privilege"), ((SELECT, Privilege.EXECUTE), "EXECUTE")]
)
def test_what_cannot_be_held_is_named(
    book: GrantBook, privileges: tuple[Privilege, ...], words: str
) -> None:
    with pytest.raises(UserError, match=f"^{words} cannot be held on a table"):
        book.grant(ADMIN, to(PUBLIC, privileges=privileges))


@pytest.mark.parametrize(("name", "words"), [("", "Nothing"), ("PUBLIC", "PUBLIC")])
def test_what_cannot_be_a_role_is_named(book: GrantBook, name: str, words: str) -> None:
    with pytest.raises(UserError, match=f"^{words} cannot be the name of a role"):
        book.create_role(ADMIN, name)


def test_doing_it_again_is_no_mistake(book: GrantBook) -> None:
    for _ in range(2):
        book.create_role(ADMIN, "reader", if_not_exists=True)
        book.grant_roles(ADMIN, ["reader"], [user("bob")])
        book.grant(ADMIN, to(user("bob")))
        book.create_policy(ADMIN, EU, or_replace=True)
        book.attach(ADMIN, Attachment("eu", EMP))
        book.set_tag(ADMIN, Tag("pii", relation("lake.hr.emp"), "name", 2, UUID))
    assert len(book.grants(ADMIN)) == len(book.role_grants(ADMIN)) == 1
    assert not book.role_grants(ADMIN)[0].admin_option
    assert len(book.attachments(ADMIN)) == len(book.tags(ADMIN, relation("lake.hr.emp"))) == 1
    for _ in range(2):
        book.revoke(ADMIN, away(user("bob")))
        book.revoke_roles(ADMIN, ["reader"], [user("bob")])
        book.unset_tag(ADMIN, Tag("pii", relation("lake.hr.emp"), "name", 2, UUID))
    for _ in range(2):
        book.drop_role(ADMIN, "reader", if_exists=True)
        book.drop_policy(ADMIN, "no", MaskPolicy, if_exists=True)


def test_a_policy_that_is_there_stays_as_it_is(book: GrantBook) -> None:
    book.create_policy(ADMIN, EU)
    before = book.policies(ADMIN)
    other = RowFilterPolicy("EU", RowFilter("region = 'US'"))
    book.create_policy(ADMIN, other, if_not_exists=True)
    assert book.policies(ADMIN) == before
    assert [one.name for one in before] == ["eu"]
    with pytest.raises(UserError) as raised:
        book.create_policy(ADMIN, replace(GONE, name="eu"), if_not_exists=True)
    assert raised.value.code is ErrorCode.POLICY_ALREADY_EXISTS
    book.create_policy(ADMIN, GONE, if_not_exists=True)
    assert [one.name for one in book.policies(ADMIN)] == ["eu", "gone"]


def test_a_policy_is_on_a_place_once_whoever_is_exempt(book: GrantBook, source: SqlGrants) -> None:
    book.create_policy(ADMIN, EU)
    book.grant(ADMIN, to(PUBLIC))
    for exempt in ((), (user("alice"),)):
        book.attach(ADMIN, Attachment("EU", table("lake.hr.EMP"), exempt=exempt))
    assert [one.exempt for one in book.attachments(ADMIN)] == [(user("alice"),)]
    assert isinstance(source.decide(ALICE, facts()), Allow)
    assert isinstance(source.decide(BOB, facts()), Restrict)
    book.create_policy(ADMIN, replace(EU, name="Eu", filter=RowFilter("a = 1")), or_replace=True)
    answer = source.decide(BOB, facts())
    assert isinstance(answer, Restrict)
    assert answer.filters == (RowFilter("a = 1"),)
    assert len(book.policies(ADMIN)) == 1


def test_a_policy_is_taken_off_the_place_that_is_meant(book: GrantBook) -> None:
    for policy in (EU, replace(EU, name="us"), GONE):
        book.create_policy(ADMIN, policy)
    places = [
        Attachment("eu", EMP),
        Attachment("us", EMP),
        Attachment("eu", schema("lake.hr")),
        Attachment("eu", tag="pii"),
        Attachment("eu", tag="secret"),
        Attachment("gone", EMP, columns=(column("id"),)),
        Attachment("gone", EMP, columns=(column("name"),)),
    ]
    for place in places:
        book.attach(ADMIN, place)
    for number, place in enumerate(places, 1):
        found = {replace(one, by="", at=0.0) for one in book.attachments(ADMIN)}
        assert found == set(places[number - 1 :])
        book.detach(ADMIN, place)
    assert book.attachments(ADMIN) == []


def test_a_policy_that_is_on_nothing_is_dropped(book: GrantBook) -> None:
    book.create_policy(ADMIN, EU)
    book.create_policy(ADMIN, GONE)
    book.attach(ADMIN, Attachment("eu", EMP))
    book.drop_policy(ADMIN, "GONE", MaskPolicy)
    assert [one.name for one in book.policies(ADMIN)] == ["eu"]


def test_a_tag_is_taken_from_the_column_it_is_on(book: GrantBook) -> None:
    name = relation("lake.hr.emp")
    tagged = Tag("pii", name, "name", 2, UUID)
    others = [
        Tag("secret", name, "name", 2, UUID),
        Tag("pii", name, "id", 1, UUID),
        Tag("pii", name, table_uuid=UUID),
        Tag("pii", relation("lake.hr.dept"), "name", 2, UUID),
    ]
    for unset in (
        tagged,
        replace(tagged, column="alias"),  # it has another name by now
        replace(tagged, table_uuid="of a later table"),
        replace(tagged, tag="PII", column="NAME"),
    ):
        for one in (tagged, *others):
            book.set_tag(ADMIN, one)
        book.unset_tag(ADMIN, unset)
        left = {*book.tags(ADMIN, name), *book.tags(ADMIN, relation("lake.hr.dept"))}
        assert {replace(one, by="", at=0.0) for one in left} == set(others)


def test_an_id_of_another_table_does_not_take_a_tag_away(book: GrantBook) -> None:
    name = relation("lake.hr.emp")
    book.set_tag(ADMIN, Tag("pii", name, "name", 2, UUID))
    book.unset_tag(ADMIN, Tag("pii", name, "alias", 2, "of a later table"))
    assert len(book.tags(ADMIN, name)) == 1


def test_only_what_is_named_is_revoked(book: GrantBook) -> None:
    dept = table("lake.hr.dept")
    for on in (EMP, dept):
        book.grant(ADMIN, to(user("bob"), user("carol"), on=on, privileges=(SELECT, INSERT)))
    book.revoke(ADMIN, away(user("bob")))
    left = {(one.on, one.to, one.privilege) for one in book.grants(ADMIN)}
    people = (user("bob"), user("carol"))
    every = {(on, to, what) for on in (EMP, dept) for to in people for what in (SELECT, INSERT)}
    assert left == every - {(EMP, user("bob"), SELECT)}


def test_only_the_role_that_is_named_is_revoked(book: GrantBook) -> None:
    for name in ("reader", "writer"):
        book.create_role(ADMIN, name)
        book.grant_roles(ADMIN, [name], [user("bob"), user("carol")])
    book.revoke_roles(ADMIN, ["reader"], [user("bob")])
    assert [(one.role, one.to.name) for one in book.role_grants(ADMIN)] == [
        ("reader", "carol"),
        ("writer", "bob"),
        ("writer", "carol"),
    ]


def test_with_and_without_the_option_are_one_grant(book: GrantBook) -> None:
    book.grant(ADMIN, to(user("bob")))
    book.grant(ADMIN, to(user("bob"), option=True))
    book.grant(ADMIN, to(user("bob")))
    assert [one.grant_option for one in book.grants(ADMIN)] == [True]
    book.revoke(ADMIN, away(user("bob"), option=True))
    assert [one.grant_option for one in book.grants(ADMIN)] == [False]


def test_roles_in_a_circle_are_refused(book: GrantBook) -> None:
    for name in ("a", "b", "c"):
        book.create_role(ADMIN, name)
    book.grant_roles(ADMIN, ["b"], [role("a")])
    book.grant_roles(ADMIN, ["c"], [role("b")])
    for roles, targets in ((["a"], ["c"]), (["b", "a"], ["c", "b"])):
        with pytest.raises(UserError, match="cannot have itself"):
            book.grant_roles(ADMIN, roles, [role(one) for one in targets])
    book.grant_roles(ADMIN, ["c"], [role("a")])  # twice is no circle
    book.grant_roles(ADMIN, ["a"], [user("c")])  # nor is a user of a role's name


def test_a_dropped_role_takes_its_rules_along(book: GrantBook, source: SqlGrants) -> None:
    book.create_role(ADMIN, "reader")
    book.create_role(ADMIN, "other")
    book.create_role(ADMIN, "base")
    book.grant_roles(ADMIN, ["base"], [role("reader")])
    book.grant_roles(ADMIN, ["reader"], [user("alice"), role("other")])
    book.grant_roles(ADMIN, ["other"], [user("dave")])
    book.grant(ADMIN, to(role("reader"), option=True))
    book.grant(ALICE, to(user("bob")))
    book.create_policy(ADMIN, EU)
    book.attach(ADMIN, Attachment("eu", EMP, exempt=(role("reader"), role("other"))))
    book.drop_role(ADMIN, "reader")
    book.create_role(ADMIN, "reader")
    book.grant_roles(ADMIN, ["reader"], [user("carol")])
    assert [(one.role, one.to) for one in book.role_grants(ADMIN)] == [
        ("other", user("dave")),
        ("reader", user("carol")),
    ]
    assert book.grants(ADMIN) == []
    assert [one.exempt for one in book.attachments(ADMIN)] == [(role("other"),)]
    for one in (ALICE, BOB):
        assert isinstance(source.decide(one, facts()), Deny)


def test_rules_go_where_their_table_goes(book: GrantBook, source: SqlGrants) -> None:
    book.create_policy(ADMIN, EU)
    book.grant(ADMIN, to(user("alice"), columns=(column("id"), column("name", NullMask()))))
    book.attach(ADMIN, Attachment("eu", EMP, table_uuid=UUID))
    book.set_tag(ADMIN, Tag("pii", relation("lake.hr.emp"), "name", 2, UUID))
    before = source.decide(ALICE, facts())
    book.move_table_rules(ALICE, relation("lake.hr.EMP"), relation("lake.hr.people"))
    after = source.decide(ALICE, facts("lake.hr.people"))
    assert isinstance(before, Restrict) and isinstance(after, Restrict)
    assert (after.filters, after.masks, after.hidden) == (
        before.filters,
        before.masks,
        before.hidden,
    )
    assert isinstance(source.decide(ALICE, facts()), Deny)
    assert [one.table for one in book.tags(ADMIN, relation("lake.hr.people"))] == [
        relation("lake.hr.people")
    ]
    assert book.changes(ADMIN)[0].what == (
        "rules of TABLE lake.hr.EMP are of TABLE lake.hr.people now"
    )


def test_a_new_name_is_no_way_out_of_what_is_hidden_and_denied(
    book: GrantBook, source: SqlGrants
) -> None:
    book.create_policy(ADMIN, EU)
    book.create_policy(ADMIN, GONE)
    book.attach(ADMIN, Attachment("eu", schema("lake.hr"), exempt=(user("carol"),)))
    book.attach(ADMIN, Attachment("gone", catalog("lake"), columns=(column("name"),)))
    book.attach(ADMIN, Attachment("gone", schema("lake.pay"), columns=(column("id"),)))
    book.deny(ADMIN, to(user("bob"), on=table("lake.hr.*")))
    book.deny(ADMIN, to(user("alice"), on=table("lake.pay.*")))
    book.grant(ADMIN, to(PUBLIC, on=catalog("lake")))
    book.grant(ADMIN, to(PUBLIC, on=schema("lake.hr"), privileges=(INSERT,)))
    before = source.decide(ALICE, facts())
    book.move_table_rules(ALICE, relation("lake.hr.emp"), relation("lake.open.emp"))
    after = source.decide(ALICE, facts("lake.open.emp"))
    assert isinstance(before, Restrict) and isinstance(after, Restrict)
    assert (after.filters, after.masks) == (before.filters, before.masks)
    assert isinstance(source.decide(BOB, facts("lake.open.emp")), Deny)
    assert isinstance(source.decide(ALICE, facts("lake.open.emp", INSERT)), Deny)
    on = [one.on for one in book.attachments(ADMIN)]
    assert len(on) == 4 and table("lake.open.emp") in on


def test_a_dropped_table_leaves_no_rules_to_the_next_of_its_name(
    book: GrantBook, source: SqlGrants
) -> None:
    book.create_policy(ADMIN, EU)
    book.grant(ADMIN, to(PUBLIC))
    book.grant(ADMIN, to(PUBLIC, on=table("lake.hr.dept")))
    book.grant(ADMIN, to(PUBLIC, on=schema("lake.old")))
    book.attach(ADMIN, Attachment("eu", EMP))
    book.attach(ADMIN, Attachment("eu", schema("lake.old")))
    book.set_tag(ADMIN, Tag("pii", relation("lake.hr.emp")))
    book.set_tag(ADMIN, Tag("pii", relation("lake.hr.dept")))
    book.drop_table_rules(BOB, relation("lake.hr.emp"))
    book.drop_schema_rules(BOB, SchemaName("lake", ("old",)))
    assert isinstance(source.decide(ALICE, facts()), Deny)
    assert [one.on for one in book.grants(ADMIN)] == [table("lake.hr.dept")]
    assert book.attachments(ADMIN) == []
    assert book.tags(ADMIN, relation("lake.hr.emp")) == []
    assert len(book.tags(ADMIN, relation("lake.hr.dept"))) == 1
    assert [(one.by, one.what) for one in book.changes(ADMIN)[:2]] == [
        ("bob", "rules of SCHEMA lake.old are dropped with it"),
        ("bob", "rules of TABLE lake.hr.emp are dropped with it"),
    ]


def test_what_becomes_of_a_table_or_schema_leaves_others_alone(book: GrantBook) -> None:
    book.create_policy(ADMIN, EU)
    places = [Attachment("eu", schema("lake.hr")), Attachment("eu", tag="pii")]
    for place in places:
        book.attach(ADMIN, place)
    before = book.changes(ADMIN)
    book.drop_table_rules(BOB, relation("lake.hr.emp"))
    book.move_table_rules(BOB, relation("lake.hr.emp"), relation("lake.hr.people"))
    book.drop_schema_rules(BOB, SchemaName("lake", ("old",)))
    assert {replace(one, by="", at=0.0) for one in book.attachments(ADMIN)} == set(places)
    assert book.changes(ADMIN) == before


@pytest.mark.parametrize("above", [True, False])
def test_rules_that_go_with_a_table_are_noted(book: GrantBook, above: bool) -> None:
    if above:
        book.deny(ADMIN, to(PUBLIC, on=schema("lake.hr")))
    else:
        book.grant(ADMIN, to(PUBLIC))
    book.move_table_rules(BOB, relation("lake.hr.emp"), relation("lake.open.emp"))
    assert book.changes(ADMIN)[0].by == "bob"


def test_nothing_is_noted_where_no_rule_was(book: GrantBook) -> None:
    book.drop_table_rules(BOB, relation("lake.hr.emp"))
    book.move_table_rules(BOB, relation("lake.hr.emp"), relation("lake.hr.people"))
    book.drop_schema_rules(BOB, SchemaName("lake", ("old",)))
    assert book.changes(ADMIN) == []


def test_every_change_is_noted_and_told(book: GrantBook, heard: list[RuleEvent]) -> None:
    book.create_role(ADMIN, "reader")
    book.grant_roles(ADMIN, ["reader"], [user("bob")], admin_option=True)
    book.grant(
        ADMIN,
        to(role("reader"), rows="a = 1", columns=(column("name", HashMask("k")),), option=True),
    )
    book.deny(ADMIN, to(group("staff"), privileges=(INSERT,), on=schema("lake.hr")))
    book.revoke(ADMIN, away(group("staff"), privileges=(INSERT,), on=schema("lake.hr")))
    book.create_policy(ADMIN, EU)
    book.attach(ADMIN, Attachment("eu", tag="pii", exempt=(role("reader"),)))
    book.set_tag(ADMIN, Tag("pii", relation("lake.hr.emp"), "name"))
    book.unset_tag(ADMIN, Tag("PII", relation("lake.hr.emp"), "NAME"))
    book.detach(ADMIN, Attachment("eu", tag="pii"))
    book.drop_policy(ADMIN, "eu", RowFilterPolicy)
    book.revoke_roles(ADMIN, ["reader"], [user("bob")])
    book.drop_role(ADMIN, "reader")
    told = [one.what for one in heard]
    assert told == [
        "CREATE ROLE reader",
        "GRANT ROLE reader TO USER bob WITH ADMIN OPTION",
        "GRANT SELECT ON TABLE lake.hr.emp TO ROLE reader ROWS WHERE (a = 1) "
        "COLUMNS (name MASKED WITH (hash(k))) WITH GRANT OPTION",
        "DENY INSERT ON SCHEMA lake.hr TO GROUP staff",
        "REVOKE INSERT ON SCHEMA lake.hr FROM GROUP staff",
        "CREATE ROW FILTER eu WHERE (region = 'EU')",
        "PUT ROW FILTER eu ON TAG pii EXCEPT ROLE reader",
        "SET TAG pii ON TABLE lake.hr.emp COLUMN name",
        "UNSET TAG pii ON TABLE lake.hr.emp COLUMN name",
        "TAKE OFF POLICY eu FROM TAG pii EXCEPT ROLE reader",
        "DROP ROW FILTER eu",
        "REVOKE ROLE reader FROM USER bob",
        "DROP ROLE reader",
    ]
    assert [one.what for one in reversed(book.changes(ADMIN))] == told
    assert {(one.user, one.at) for one in heard} == {
        (one.by, one.at) for one in book.changes(ADMIN)
    }
    assert {one.by for one in book.changes(ADMIN)} == {"root"}
    assert book.changes(ALICE) == []


def test_a_change_is_made_even_if_nobody_can_be_told(rules: GrantRules) -> None:
    def broken(event: RuleEvent) -> None:
        raise OSError("the disk is full")

    book = GrantBook(rules, broken)
    book.create_role(ADMIN, "reader")
    assert [one.name for one in book.roles(ADMIN)] == ["reader"]


def test_people_read_what_is_about_them_or_theirs(book: GrantBook, database: Database) -> None:
    for name in ("reader", "writer"):
        book.create_role(ADMIN, name)
    book.grant_roles(ADMIN, ["reader"], [group("staff")])
    book.grant_roles(ADMIN, ["writer"], [user("bob")], admin_option=True)
    book.grant(ADMIN, to(role("reader"), rows="secret = 1", columns=(column("id", HashMask()),)))
    book.grant(ADMIN, to(user("bob"), on=table("lake.hr.dept")))
    book.create_policy(ADMIN, EU)
    book.attach(ADMIN, Attachment("eu", EMP, table_uuid=UUID))
    book.set_tag(ADMIN, Tag("pii", relation("lake.hr.emp"), "name", 2, UUID))
    assert [one.name for one in book.roles(ALICE)] == ["reader"]
    assert [one.name for one in book.roles(BOB)] == ["writer"]
    assert [one.role for one in book.role_grants(ALICE)] == ["reader"]
    assert [one.role for one in book.role_grants(ADMIN, user("bob"))] == ["writer"]
    (mine,) = book.grants(ALICE)
    assert mine.rows == RowFilter("…")
    assert mine.columns == (replace(column("id"), mask=ExpressionMask("…")),)
    assert [one.on for one in book.grants(BOB)] == [table("lake.hr.dept")]
    assert len(book.grants(ADMIN)) == 2
    assert [one.to for one in book.grants(ADMIN, EMP)] == [role("reader")]
    assert [one.to for one in book.grants(ADMIN, subject=user("bob"))] == [user("bob")]
    assert book.policies(ADMIN) and not book.policies(ALICE)
    for identity, all_of_it in ((ADMIN, 1), (ALICE, 0)):
        assert len(book.attachments(identity, EMP)) == all_of_it
        assert len(book.tags(identity, relation("lake.hr.emp"), UUID)) == all_of_it
        assert book.may_administer(identity, EMP, UUID) is bool(all_of_it)
    Owners(database).set(relation("lake.hr.emp"), UUID, "alice")
    assert book.may_administer(ALICE, EMP, UUID)
    (theirs,) = book.grants(ALICE, EMP, table_uuid=UUID)
    assert theirs.rows == RowFilter("secret = 1")
    assert len(book.attachments(ALICE, EMP)) == 1
    assert len(book.tags(ALICE, relation("lake.hr.emp"), UUID)) == 1


def test_who_gives_by_an_option_reads_what_they_gave(book: GrantBook) -> None:
    book.grant(ADMIN, to(user("alice"), rows="a = 1", option=True))
    book.grant(ALICE, to(user("bob"), rows="a = 1"))
    assert [(one.to.name, one.rows) for one in book.grants(ALICE)] == [
        ("alice", RowFilter("…")),
        ("bob", RowFilter("a = 1")),
    ]


def test_owners_read_which_policies_are_on_what_is_theirs(
    book: GrantBook, database: Database
) -> None:
    Owners(database).set(relation("lake.hr.emp"), UUID, "alice")
    book.create_policy(ADMIN, EU)
    for place in (Attachment("eu", EMP, table_uuid=UUID), Attachment("eu", table("lake.hr.dept"))):
        book.attach(ADMIN, place)
    book.attach(ADMIN, Attachment("eu", tag="pii"))
    assert [one.on for one in book.attachments(ALICE)] == [EMP]
    assert [one.on for one in book.attachments(ADMIN, EMP)] == [EMP]
    assert len(book.attachments(ADMIN)) == 3


def test_owners_read_which_policies_there_are(book: GrantBook, database: Database) -> None:
    book.create_policy(ADMIN, EU)
    book.grant(ADMIN, to(user("bob"), user("alice")))
    book.deny(ADMIN, to(user("alice"), privileges=(OWN,)))
    assert book.policies(BOB) == book.policies(ALICE) == []
    Owners(database).set(relation("lake.hr.dept"), UUID, "carol")
    assert book.policies(BOB) == []
    book.grant(ADMIN, to(user("bob"), on=schema("lake.hr"), privileges=(OWN,)))
    Owners(database).set(relation("lake.hr.emp"), UUID, "alice")
    assert [one.name for one in book.policies(BOB)] == ["eu"]
    assert book.policies(BOB) == book.policies(ALICE)


def test_a_policy_is_told_to_those_who_may_put_it_there(
    book: GrantBook, database: Database
) -> None:
    book.create_policy(ADMIN, EU)
    Owners(database).set(relation("lake.hr.emp"), UUID, "alice")
    (eu,) = book.policies(ADMIN)
    assert book.policy(ADMIN, "EU") == book.policy(ADMIN, "eu", EMP, UUID) == eu
    assert book.policy(ALICE, "eu", EMP, UUID) == eu
    assert book.policy(ALICE, "eu") is None
    assert book.policy(ALICE, "eu", table("lake.hr.dept"), UUID) is None
    assert book.policy(BOB, "eu", EMP, UUID) is None
    assert book.policy(ADMIN, "other") is None


def test_all_tags_are_for_administrators(book: GrantBook) -> None:
    tags = [
        (tag, relation(name), place)
        for tag in ("a", "b")
        for name in ("lake.hr.dept", "lake.hr.emp")
        for place in ("", "x", "y")
    ]
    for one in reversed(tags):
        book.set_tag(ADMIN, Tag(*one))
    assert [(one.tag, one.table, one.column) for one in book.all_tags(ADMIN)] == tags
    assert book.all_tags(ALICE) == []


def test_lists_are_in_order(book: GrantBook) -> None:
    name = relation("lake.hr.emp")
    for one in ("b", "a"):
        book.create_role(ADMIN, one)
        book.create_policy(ADMIN, replace(GONE, name=one))
        for place in ("z", "y", ""):
            book.set_tag(ADMIN, Tag(one, name, place))
    people = [user("b"), user("a"), group("a")]
    book.grant_roles(ADMIN, ["b", "a"], people)
    for on in (table("lake.hr.b"), table("lake.hr.a"), schema("lake.hr")):
        book.grant(ADMIN, to(*people, on=on, privileges=(SELECT, INSERT)))
    subjects = [group("a"), user("a"), user("b")]
    assert [one.name for one in book.roles(ADMIN)] == ["a", "b"]
    assert [one.name for one in book.policies(ADMIN)] == ["a", "b"]
    assert [(one.role, one.to) for one in book.role_grants(ADMIN)] == [
        (held, one) for held in ("a", "b") for one in subjects
    ]
    assert [(one.on, one.to, one.privilege) for one in book.grants(ADMIN)] == [
        (on, one, privilege)
        for on in (schema("lake.hr"), table("lake.hr.a"), table("lake.hr.b"))
        for one in subjects
        for privilege in (INSERT, SELECT)
    ]
    assert [(one.column, one.tag) for one in book.tags(ADMIN, name)] == [
        (place, tag) for place in ("", "y", "z") for tag in ("a", "b")
    ]
