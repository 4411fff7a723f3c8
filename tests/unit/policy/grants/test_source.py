"""Decisions by rules made with SQL."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sqe.model.decision import Allow, ColumnFacts, Deny, Restrict, RowFilter
from sqe.model.grants import THE_COLUMN, Attachment, ColumnRule, MaskPolicy, RowFilterPolicy, Tag
from sqe.model.identity import Identity
from sqe.model.masks import ConstantMask, ExpressionMask, HashMask, NullMask, PartialMask
from sqe.model.rules import PUBLIC, SYSTEM, Object, ObjectKind, Privilege, Subject
from sqe.policy.grants.book import GrantBook
from sqe.policy.grants.source import SqlGrants
from sqe.store.database import Database
from sqe.store.owners import Owners
from tests.unit.policy.grants.people import (
    ADMIN,
    ALICE,
    BOB,
    COLUMNS,
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

EU = RowFilter("region = 'EU'")
SELECT, INSERT, OWN, SHOW = Privilege.SELECT, Privilege.INSERT, Privilege.OWN, Privilege.SHOW


def restricted(source: SqlGrants, identity: Identity = ALICE) -> Restrict:
    answer = source.decide(identity, facts())
    assert isinstance(answer, Restrict), answer
    return answer


def test_nothing_is_allowed_that_nothing_grants(source: SqlGrants) -> None:
    for privilege in Privilege:
        assert isinstance(source.decide(ALICE, facts(privilege=privilege)), Deny)


@pytest.mark.parametrize("identity", [ADMIN, Identity("eve", frozenset({"guardians"}))])
def test_administrators_see_everything(
    source: SqlGrants, book: GrantBook, identity: Identity
) -> None:
    book.create_policy(ADMIN, RowFilterPolicy("eu", EU))
    book.attach(ADMIN, Attachment("eu", EMP))
    book.deny(ADMIN, to(PUBLIC))
    for privilege in Privilege:
        assert isinstance(source.decide(identity, facts(privilege=privilege)), Allow)
        assert isinstance(source.permits(identity, privilege, catalog("lake")), Allow)
    assert source.visible(identity, [EMP, catalog("sea")]) == [True, True]


@pytest.mark.parametrize("subject", [user("alice"), group("staff"), role("reader"), PUBLIC])
@pytest.mark.parametrize(
    "on", [EMP, table("lake.hr.e*"), table("lake.*"), schema("lake.hr"), catalog("lake")]
)
@pytest.mark.parametrize("privilege", [SELECT, OWN])
def test_a_grant_holds_for_its_subject_on_what_is_within_its_object(
    source: SqlGrants, book: GrantBook, subject: Subject, on: Object, privilege: Privilege
) -> None:
    book.create_role(ADMIN, "reader")
    book.grant_roles(ADMIN, ["reader"], [user("alice")])
    book.grant(ADMIN, to(subject, on=on, privileges=(privilege,)))
    assert isinstance(source.decide(ALICE, facts()), Allow)
    assert isinstance(source.decide(BOB, facts()), Allow) is (subject == PUBLIC)
    assert isinstance(source.decide(ALICE, facts("sea.hr.emp")), Deny)
    owns = privilege is OWN
    assert isinstance(source.decide(ALICE, facts(privilege=INSERT)), Allow) is owns


def test_any_denial_denies_whatever_grants(source: SqlGrants, book: GrantBook) -> None:
    book.grant(ADMIN, to(user("alice"), privileges=(SELECT, INSERT, OWN)))
    book.deny(ADMIN, to(group("staff"), on=catalog("lake")))
    assert isinstance(source.decide(ALICE, facts()), Deny)
    assert isinstance(source.decide(ALICE, facts(privilege=INSERT)), Allow)
    book.deny(ADMIN, to(group("staff"), privileges=(OWN,), on=catalog("lake")))
    assert isinstance(source.decide(ALICE, facts(privilege=INSERT)), Deny)
    book.revoke(ADMIN, away(group("staff"), privileges=(SELECT, OWN), on=catalog("lake")))
    assert isinstance(source.decide(ALICE, facts()), Allow)


def test_row_filters_of_all_grants_hold(source: SqlGrants, book: GrantBook) -> None:
    book.grant(ADMIN, to(user("alice"), rows="a = 1"))
    book.grant(ADMIN, to(group("staff"), rows=RowFilter("b = 2", check=True)))
    book.grant(ADMIN, to(PUBLIC))
    assert set(restricted(source).filters) == {RowFilter("a = 1"), RowFilter("b = 2", check=True)}
    assert isinstance(source.decide(BOB, facts()), Allow)


def test_row_filters_are_in_order(source: SqlGrants, book: GrantBook) -> None:
    ordered = [RowFilter(name, check=check) for name in "abcde" for check in (False, True)]
    for one in reversed(ordered):
        book.grant(ADMIN, to(user("alice"), rows=one))
    assert list(restricted(source).filters) == ordered


def test_columns_of_all_grants_are_seen_and_no_others(source: SqlGrants, book: GrantBook) -> None:
    book.grant(ADMIN, to(user("alice"), columns=(column("id"),)))
    assert restricted(source).hidden == {"name", "salary"}
    book.grant(ADMIN, to(group("staff"), columns=(column("name", NullMask()),)))
    answer = restricted(source)
    assert answer.hidden == {"salary"}
    assert answer.masks == {"name": NullMask()}
    book.grant(ADMIN, to(PUBLIC))
    answer = restricted(source)
    assert answer.hidden == frozenset()
    assert answer.masks == {"name": NullMask()}


def test_columns_that_are_not_known_are_not_shown(source: SqlGrants, book: GrantBook) -> None:
    book.grant(ADMIN, to(user("alice"), columns=(column("id"),)))
    assert isinstance(source.decide(ALICE, facts(columns=())), Deny)
    book.grant(ADMIN, to(group("staff")))  # all of them, whichever they are
    assert isinstance(source.decide(ALICE, facts(columns=())), Allow)


def test_a_renamed_column_keeps_its_mask_and_gives_its_name_to_nobody(
    source: SqlGrants, book: GrantBook
) -> None:
    book.grant(ADMIN, to(user("alice"), columns=(column("id"), column("name", NullMask()))))
    renamed = (ColumnFacts("id", "bigint", 3), ColumnFacts("alias", "string", 2))
    answer = source.decide(ALICE, facts(columns=renamed))
    assert isinstance(answer, Restrict)
    assert answer.masks == {"alias": NullMask()}
    assert answer.hidden == {"id"}  # another column of a granted name
    other = source.decide(ALICE, facts(columns=renamed, uuid="another table"))
    assert isinstance(other, Restrict)
    assert other.hidden == {"alias"}


def test_the_strictest_mask_wins_and_two_unranked_ones_deny(
    source: SqlGrants, book: GrantBook
) -> None:
    book.grant(ADMIN, to(user("alice"), columns=(column("name", PartialMask(last=4)),)))
    book.grant(ADMIN, to(user("alice"), columns=(column("NAME", PartialMask(last=2)),)))
    assert restricted(source).masks == {"name": PartialMask(last=2)}
    book.grant(ADMIN, to(group("staff"), columns=(column("name", HashMask()),)))
    assert isinstance(source.decide(ALICE, facts()), Deny)
    book.grant(ADMIN, to(PUBLIC, columns=(column("name", NullMask()),)))
    assert isinstance(source.decide(ALICE, facts()), Deny)  # one more mask shows no more


@pytest.mark.parametrize("on", [EMP, table("lake.hr.*"), schema("lake.hr"), catalog("lake")])
def test_policies_hold_for_everybody_but_the_exempt(
    source: SqlGrants, book: GrantBook, on: Object
) -> None:
    book.create_role(ADMIN, "payroll")
    book.create_policy(ADMIN, RowFilterPolicy("eu", EU))
    book.create_policy(ADMIN, MaskPolicy("last4", PartialMask(last=4)))
    exempt = (role("payroll"),)
    book.attach(ADMIN, Attachment("EU", on, exempt=exempt))
    book.attach(ADMIN, Attachment("last4", on, columns=(ColumnRule("name"),), exempt=exempt))
    assert isinstance(source.decide(ALICE, facts()), Deny)  # a policy is no grant
    book.grant(ADMIN, to(PUBLIC))
    answer = restricted(source)
    assert answer.filters == (EU,)
    assert answer.masks == {"name": PartialMask(last=4)}
    assert isinstance(source.decide(ALICE, facts(privilege=INSERT)), Deny)
    book.grant_roles(ADMIN, ["payroll"], [group("staff")])
    assert isinstance(source.decide(ALICE, facts()), Allow)
    assert isinstance(source.decide(BOB, facts()), Restrict)
    assert isinstance(source.decide(replace(BOB, roles=frozenset({"payroll"})), facts()), Allow)


def test_a_policy_stays_on_a_table_that_another_program_has_renamed(
    source: SqlGrants, book: GrantBook
) -> None:
    book.create_policy(ADMIN, RowFilterPolicy("eu", EU))
    book.attach(ADMIN, Attachment("eu", EMP, table_uuid=UUID))
    book.grant(ADMIN, to(PUBLIC, on=catalog("lake")))
    answer = source.decide(ALICE, facts("lake.open.emp"))
    assert isinstance(answer, Restrict)
    assert isinstance(source.decide(ALICE, facts("lake.open.emp", uuid="another")), Allow)


def test_a_tag_stays_on_a_table_that_another_program_has_renamed(
    source: SqlGrants, book: GrantBook
) -> None:
    book.create_policy(ADMIN, RowFilterPolicy("eu", EU))
    book.attach(ADMIN, Attachment("eu", tag="pii"))
    book.set_tag(ADMIN, Tag("pii", relation("lake.hr.emp"), table_uuid=UUID))
    book.grant(ADMIN, to(PUBLIC, on=catalog("lake")))
    assert isinstance(source.decide(ALICE, facts("lake.open.emp")), Restrict)
    assert isinstance(source.decide(ALICE, facts("lake.open.emp", uuid="another")), Allow)


def test_without_a_uuid_a_policy_is_on_the_table_of_its_name_alone(
    source: SqlGrants, book: GrantBook
) -> None:
    book.create_policy(ADMIN, RowFilterPolicy("eu", EU))
    book.attach(ADMIN, Attachment("eu", table("lake.pay.slip")))
    book.grant(ADMIN, to(PUBLIC))
    assert isinstance(source.decide(ALICE, facts(uuid="")), Allow)


def test_a_mask_by_tag_is_on_every_column_with_the_tag(source: SqlGrants, book: GrantBook) -> None:
    upper = ExpressionMask(f"upper({THE_COLUMN})")
    book.create_policy(ADMIN, MaskPolicy("shout", upper))
    book.attach(ADMIN, Attachment("shout", tag="pii", exempt=(user("bob"),)))
    book.set_tag(ADMIN, Tag("PII", relation("lake.hr.emp"), "name", 2, UUID))
    book.grant(ADMIN, to(PUBLIC))
    assert restricted(source).masks == {"name": ExpressionMask("upper(name)")}
    assert isinstance(source.decide(BOB, facts()), Allow)
    renamed = (ColumnFacts("full name", "string", 2),)
    answer = source.decide(ALICE, facts(columns=renamed))
    assert isinstance(answer, Restrict)
    assert answer.masks == {"full name": ExpressionMask("upper(`full name`)")}
    assert isinstance(source.decide(ALICE, facts(columns=renamed, uuid="another")), Allow)
    book.unset_tag(ADMIN, Tag("pii", relation("lake.hr.emp"), "name", 2, UUID))
    assert isinstance(source.decide(ALICE, facts()), Allow)


def test_a_tag_of_a_table_is_of_all_its_columns(source: SqlGrants, book: GrantBook) -> None:
    book.create_policy(ADMIN, MaskPolicy("gone", NullMask()))
    book.create_policy(ADMIN, RowFilterPolicy("eu", EU))
    book.attach(ADMIN, Attachment("gone", tag="secret"))
    book.attach(ADMIN, Attachment("eu", tag="secret"))
    book.set_tag(ADMIN, Tag("secret", relation("lake.hr.emp"), table_uuid=UUID))
    book.grant(ADMIN, to(PUBLIC))
    answer = restricted(source)
    assert answer.masks == dict.fromkeys(("id", "name", "salary"), NullMask())
    assert answer.filters == (EU,)


def test_a_mask_is_on_each_of_the_columns_it_is_put_on(source: SqlGrants, book: GrantBook) -> None:
    book.create_policy(ADMIN, MaskPolicy("gone", NullMask()))
    book.attach(ADMIN, Attachment("gone", EMP, columns=(column("id"), column("salary"))))
    book.grant(ADMIN, to(PUBLIC))
    assert restricted(source).masks == dict.fromkeys(("id", "salary"), NullMask())


def test_masks_of_hidden_columns_are_left_out(source: SqlGrants, book: GrantBook) -> None:
    book.create_policy(ADMIN, MaskPolicy("one", ConstantMask("1")))
    book.attach(ADMIN, Attachment("one", EMP, columns=(column("salary"),)))
    book.grant(ADMIN, to(PUBLIC, columns=(column("id"),)))
    assert restricted(source).masks == {}


def test_the_owner_of_a_table_owns_that_one_and_no_later_one(
    source: SqlGrants, database: Database
) -> None:
    Owners(database).set(relation("lake.hr.emp"), UUID, "alice")
    for privilege in (SELECT, INSERT, OWN, SHOW, Privilege.DROP):
        assert isinstance(source.decide(ALICE, facts(privilege=privilege)), Allow)
        assert isinstance(source.decide(BOB, facts(privilege=privilege)), Deny)
    assert isinstance(source.decide(ALICE, facts(uuid="a later one")), Deny)
    assert source.visible(ALICE, [EMP, schema("lake.hr"), schema("lake.pay")]) == [
        True,
        True,
        False,
    ]
    assert source.visible(BOB, [EMP, schema("lake.hr")]) == [False, False]


def test_what_has_no_uuid_is_owned_by_its_name(source: SqlGrants, database: Database) -> None:
    Owners(database).set(relation("lake.hr.emp"), "", "alice")
    for uuid in ("", UUID):
        assert isinstance(source.decide(ALICE, facts(uuid=uuid)), Allow)


def test_a_denial_holds_for_owners_too(
    source: SqlGrants, book: GrantBook, database: Database
) -> None:
    Owners(database).set(relation("lake.hr.emp"), UUID, "alice")
    book.deny(ADMIN, to(user("alice")))
    assert isinstance(source.decide(ALICE, facts()), Deny)
    assert isinstance(source.decide(ALICE, facts(privilege=INSERT)), Allow)


def test_what_is_visible_is_what_something_is_granted_on_or_in(
    source: SqlGrants, book: GrantBook
) -> None:
    things = [catalog("lake"), schema("lake.hr"), EMP, table("lake.hr.dept"), schema("lake.pay")]
    assert source.visible(ALICE, things) == [False] * 5
    book.grant(ADMIN, to(user("alice"), privileges=(INSERT,)))
    assert source.visible(ALICE, things) == [True, True, True, False, False]
    assert isinstance(source.decide(ALICE, facts(privilege=SHOW)), Allow)
    book.deny(ADMIN, to(user("alice"), privileges=(INSERT,)))
    assert source.visible(ALICE, things) == [False] * 5
    book.grant(ADMIN, to(user("alice")))
    assert source.visible(ALICE, things) == [True, True, True, False, False]
    book.deny(ADMIN, to(user("alice"), privileges=(SHOW,), on=EMP))
    assert source.visible(ALICE, things) == [False] * 5
    book.grant(ADMIN, to(user("alice"), on=schema("lake.hr")))
    assert source.visible(ALICE, things) == [True, True, False, True, False]


def test_what_is_granted_in_a_schema_gives_nothing_but_its_sight(
    source: SqlGrants, book: GrantBook
) -> None:
    book.grant(ADMIN, to(user("alice"), privileges=(SELECT, OWN)))
    for privilege in (Privilege.CREATE, Privilege.DROP, OWN):
        assert isinstance(source.permits(ALICE, privilege, schema("lake.hr")), Deny)


@pytest.mark.parametrize("privilege", [Privilege.CREATE, Privilege.EXECUTE])
def test_who_may_add_to_a_schema_is_not_told_of_the_tables_in_it(
    source: SqlGrants, book: GrantBook, privilege: Privilege
) -> None:
    things = [catalog("lake"), schema("lake.hr"), EMP]
    book.grant(ADMIN, to(user("alice"), privileges=(privilege,), on=schema("lake.hr")))
    assert source.visible(ALICE, things) == [True, True, False]
    assert isinstance(source.decide(ALICE, facts(privilege=SHOW)), Deny)
    book.grant(ADMIN, to(user("alice"), privileges=(Privilege.CREATE,)))
    assert source.visible(ALICE, things) == [True, True, True]


def test_what_is_not_a_table(source: SqlGrants, book: GrantBook) -> None:
    procedure = Object(ObjectKind.PROCEDURE, ("lake", "system", "rewrite_data_files"))
    function = Object(ObjectKind.FUNCTION, ("upper",))
    timezone = Object(ObjectKind.PROPERTY, ("timezone",))
    execute, change = Privilege.EXECUTE, Privilege.SET
    open_ones = [(execute, function), (change, timezone), (execute, SYSTEM)]
    for privilege, on in open_ones:
        assert isinstance(source.permits(ALICE, privilege, on), Allow)
        book.deny(ADMIN, to(group("staff"), privileges=(privilege,), on=on))
        assert isinstance(source.permits(ALICE, privilege, on), Deny)
        assert isinstance(source.permits(BOB, privilege, on), Allow)
    assert isinstance(source.permits(ALICE, execute, procedure), Deny)
    book.grant(ADMIN, to(user("alice"), privileges=(execute,), on=schema("lake.system")))
    assert isinstance(source.permits(ALICE, execute, procedure), Allow)
    assert isinstance(source.permits(ALICE, Privilege.CREATE, schema("lake.new")), Deny)
    book.grant(ADMIN, to(user("alice"), privileges=(Privilege.CREATE,), on=catalog("lake")))
    assert isinstance(source.permits(ALICE, Privilege.CREATE, schema("lake.new")), Allow)
    assert isinstance(source.permits(ALICE, Privilege.CREATE, catalog("lake")), Allow)


@pytest.mark.parametrize(
    "privilege", [Privilege.IMPERSONATE, Privilege.VIEW_QUERY, Privilege.KILL_QUERY]
)
def test_rights_over_other_users_are_granted(
    source: SqlGrants, book: GrantBook, privilege: Privilege
) -> None:
    assert isinstance(source.permits(ALICE, privilege, Object.user("alice")), Allow)
    assert isinstance(source.permits(ALICE, privilege, Object.user("bob")), Deny)
    book.grant(ADMIN, to(user("alice"), privileges=(privilege,), on=Object.user("b*")))
    assert isinstance(source.permits(ALICE, privilege, Object.user("bob")), Allow)
    assert isinstance(source.permits(ALICE, privilege, Object.user("root")), Deny)


def test_a_table_asked_about_by_name_alone(source: SqlGrants, book: GrantBook) -> None:
    book.grant(ADMIN, to(user("alice"), privileges=(SELECT, INSERT), rows="a = 1"))
    assert isinstance(source.permits(ALICE, INSERT, EMP), Allow)
    assert isinstance(source.permits(ALICE, SELECT, EMP), Deny)  # only some rows: not this way
    assert isinstance(source.permits(ALICE, SHOW, EMP), Allow)


def test_roles_in_force(source: SqlGrants, book: GrantBook) -> None:
    for name in ("reader", "writer"):
        book.create_role(ADMIN, name)
    book.grant_roles(ADMIN, ["reader"], [role("writer")])
    book.grant_roles(ADMIN, ["writer"], [group("staff")])
    assert source.roles_of(ALICE) == {"reader", "writer"}
    assert source.roles_of(replace(BOB, roles=frozenset({"x"}))) == {"x"}


def test_reasons_name_the_rules_and_not_what_they_hide(source: SqlGrants, book: GrantBook) -> None:
    book.create_policy(ADMIN, RowFilterPolicy("eu", EU))
    book.attach(ADMIN, Attachment("eu", EMP))
    book.grant(ADMIN, to(PUBLIC, rows="a = 1", columns=(column("name", ConstantMask("zzz")),)))
    reason = restricted(source).reason
    assert "GRANT SELECT ON TABLE lake.hr.emp TO PUBLIC ROWS WHERE (…) COLUMNS (…)" in reason
    assert "ROW FILTER eu ON TABLE lake.hr.emp" in reason
    for hidden in ("EU", "a = 1", "zzz"):
        assert hidden not in reason


def test_reasons_are_those_that_hold_for_the_person(
    source: SqlGrants, book: GrantBook, database: Database
) -> None:
    Owners(database).set(relation("lake.hr.emp"), UUID, "alice")
    book.create_policy(ADMIN, RowFilterPolicy("eu", EU))
    book.attach(ADMIN, Attachment("eu", EMP, exempt=(user("alice"),)))
    book.grant(ADMIN, to(user("bob")))
    assert source.decide(ALICE, facts()).reason == "the owner"
    granted = "GRANT SELECT ON TABLE lake.hr.emp TO USER bob"
    filtered = "ROW FILTER eu ON TABLE lake.hr.emp EXCEPT USER alice"
    assert restricted(source, BOB).reason == f"{granted}; {filtered}"


def test_a_view_is_decided_by_its_name(source: SqlGrants, book: GrantBook) -> None:
    view = replace(
        facts("lake.hr.v", columns=tuple(ColumnFacts(one.name) for one in COLUMNS)), view=True
    )
    book.grant(ADMIN, to(user("alice"), on=table("lake.hr.v"), columns=(column("id"),)))
    answer = source.decide(ALICE, view)
    assert isinstance(answer, Restrict)
    assert answer.hidden == {"name", "salary"}


def test_who_may_grant_may_lend(source: SqlGrants, book: GrantBook) -> None:
    def lends(identity: Identity) -> bool:
        return isinstance(source.decide(identity, facts(privilege=Privilege.LEND)), Allow)

    book.grant(ADMIN, to(user("alice")))
    book.grant(ADMIN, to(user("alice"), privileges=(INSERT,), option=True))
    assert not lends(ALICE)
    book.grant(ADMIN, to(user("alice"), option=True))
    assert lends(ALICE) and not lends(BOB)
    book.grant(ADMIN, to(user("bob"), privileges=(OWN,), on=schema("lake.hr")))
    assert lends(BOB)
    book.deny(ADMIN, to(user("alice")))
    book.deny(ADMIN, to(user("bob"), privileges=(OWN,)))
    assert not lends(ALICE) and not lends(BOB)
