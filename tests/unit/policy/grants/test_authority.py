"""Who may change which rule."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from sqe.errors import AccessError, ErrorCode
from sqe.model.decision import Allow, Deny, Restrict, RowFilter
from sqe.model.grants import Attachment, GrantRequest, MaskPolicy, RowFilterPolicy, Tag
from sqe.model.identity import Identity
from sqe.model.masks import NullMask
from sqe.model.rules import PUBLIC, Object, Privilege
from sqe.policy.grants.book import GrantBook
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
    relation,
    role,
    schema,
    table,
    to,
    user,
)

CAROL = Identity("carol")
SELECT, INSERT, OWN = Privilege.SELECT, Privilege.INSERT, Privilege.OWN
POLICY = RowFilterPolicy("eu", RowFilter("region = 'EU'"))
TAG = Tag("pii", relation("lake.hr.emp"), "name", 2, UUID)


def refused(change: Callable[[], None]) -> None:
    with pytest.raises(AccessError) as raised:
        change()
    assert raised.value.code is ErrorCode.ACCESS_DENIED


def sees(source: SqlGrants, identity: Identity) -> bool:
    return not isinstance(source.decide(identity, facts()), Deny)


CHANGES: list[Callable[[GrantBook], None]] = [
    lambda book: book.create_role(ALICE, "mine"),
    lambda book: book.drop_role(ALICE, "reader"),
    lambda book: book.drop_role(ALICE, "nobody", if_exists=True),
    lambda book: book.grant_roles(ALICE, ["reader"], [user("alice")]),
    lambda book: book.revoke_roles(ALICE, ["reader"], [user("bob")]),
    lambda book: book.grant(ALICE, to(user("alice"))),
    lambda book: book.grant(ALICE, to(user("alice"), on=table("lake.no.such"))),
    lambda book: book.deny(ALICE, to(user("bob"))),
    lambda book: book.revoke(ALICE, away(user("bob"))),
    lambda book: book.revoke(ALICE, away(user("nobody"))),
    lambda book: book.create_policy(ALICE, MaskPolicy("m", NullMask())),
    lambda book: book.drop_policy(ALICE, "eu", RowFilterPolicy),
    lambda book: book.attach(ALICE, Attachment("eu", table("lake.pay.slip"))),
    lambda book: book.attach(ALICE, Attachment("eu", tag="pii")),
    lambda book: book.detach(ALICE, Attachment("eu", EMP)),
    lambda book: book.detach(ALICE, Attachment("eu", table("lake.no.such"))),
    lambda book: book.detach(ALICE, Attachment("eu", tag="pii")),
    lambda book: book.set_tag(ALICE, TAG),
    lambda book: book.unset_tag(ALICE, TAG),
]


@pytest.mark.parametrize("change", CHANGES)
def test_who_has_no_right_changes_nothing(
    book: GrantBook, change: Callable[[GrantBook], None]
) -> None:
    book.create_role(ADMIN, "reader")
    book.grant_roles(ADMIN, ["reader"], [user("bob"), user("alice")])
    book.grant(ADMIN, to(user("bob"), user("alice")))
    book.create_policy(ADMIN, POLICY)
    book.attach(ADMIN, Attachment("eu", EMP))
    before = book.changes(ADMIN)
    refused(lambda: change(book))
    assert book.changes(ADMIN) == before


@pytest.mark.parametrize("how", ["made it", "granted", "granted above"])
def test_owners_rule_over_what_is_theirs(
    book: GrantBook, source: SqlGrants, database: Database, how: str
) -> None:
    if how == "made it":
        Owners(database).set(relation("lake.hr.emp"), UUID, "alice")
    else:
        on = EMP if how == "granted" else schema("lake.hr")
        book.grant(ADMIN, to(user("alice"), privileges=(OWN,), on=on))
    book.grant(ALICE, to(user("bob"), privileges=(SELECT, INSERT)))
    assert sees(source, BOB)
    book.deny(ALICE, to(user("bob")))
    assert not sees(source, BOB)
    book.revoke(ALICE, away(user("bob")))
    assert not sees(source, BOB)  # both are gone
    assert isinstance(source.decide(BOB, facts(privilege=INSERT)), Allow)
    refused(lambda: book.grant(ALICE, to(user("bob"), on=table("lake.pay.slip"))))
    refused(lambda: book.grant(ALICE, to(user("bob"), on=catalog("lake"))))
    refused(lambda: book.grant(ALICE, to(user("bob"), on=table("lake.*.emp"))))


def test_the_maker_of_an_earlier_table_of_the_name_owns_nothing(
    book: GrantBook, database: Database
) -> None:
    Owners(database).set(relation("lake.hr.emp"), UUID, "alice")
    refused(lambda: book.grant(ALICE, to(user("bob"), uuid="a later one")))
    refused(lambda: book.grant(ALICE, to(user("bob"), uuid="")))


def test_the_maker_of_a_table_does_not_own_a_schema_of_its_name(
    book: GrantBook, database: Database
) -> None:
    Owners(database).set(relation("lake.hr.emp"), UUID, "alice")
    refused(lambda: book.grant(ALICE, to(user("bob"), on=schema("lake.hr.emp"))))


def test_an_owner_who_is_denied_it_is_none(book: GrantBook, database: Database) -> None:
    book.grant(ADMIN, to(user("alice"), privileges=(OWN,), on=schema("lake.hr")))
    book.deny(ADMIN, to(user("alice"), privileges=(OWN,)))
    refused(lambda: book.grant(ALICE, to(user("bob"))))
    refused(lambda: book.grant(ALICE, to(user("bob"), on=schema("lake.hr"))))
    book.grant(ALICE, to(user("bob"), on=table("lake.hr.dept")))


def test_owners_lift_what_they_laid_and_nothing_else(
    book: GrantBook, source: SqlGrants, database: Database
) -> None:
    Owners(database).set(relation("lake.hr.emp"), UUID, "alice")
    book.create_policy(ADMIN, POLICY)
    book.create_policy(ADMIN, MaskPolicy("gone", NullMask()))
    masked = Attachment("gone", EMP, columns=(column("name"),), table_uuid=UUID)
    book.attach(ADMIN, Attachment("eu", EMP, table_uuid=UUID))
    book.attach(ALICE, masked)
    book.set_tag(ADMIN, TAG)
    book.deny(ADMIN, to(user("alice"), user("bob")))
    refused(lambda: book.detach(ALICE, Attachment("eu", EMP, table_uuid=UUID)))
    exempt = Attachment("eu", EMP, table_uuid=UUID, exempt=(user("alice"),))
    refused(lambda: book.attach(ALICE, exempt))
    refused(lambda: book.unset_tag(ALICE, TAG))
    refused(lambda: book.revoke(ALICE, away(user("alice"))))
    book.detach(ALICE, masked)
    assert not sees(source, ALICE)
    book.revoke(ADMIN, away(user("alice")))
    answer = source.decide(ALICE, facts())
    assert isinstance(answer, Restrict)
    assert answer.masks == {}


def test_a_denial_has_no_option_to_take_away(book: GrantBook) -> None:
    book.grant(ADMIN, to(user("alice"), privileges=(OWN,)))
    book.deny(ADMIN, to(user("bob")))
    book.revoke(ALICE, away(user("bob"), option=True))
    assert [one.deny for one in book.grants(ADMIN, subject=user("bob"))] == [True]


def test_administrators_lift_what_owners_laid(book: GrantBook, database: Database) -> None:
    Owners(database).set(relation("lake.hr.emp"), UUID, "alice")
    book.create_policy(ADMIN, POLICY)
    book.attach(ALICE, Attachment("eu", EMP, table_uuid=UUID))
    book.set_tag(ALICE, TAG)
    book.deny(ALICE, to(user("bob")))
    book.detach(ADMIN, Attachment("eu", EMP))
    book.unset_tag(ADMIN, TAG)
    book.revoke(ADMIN, away(user("bob")))
    assert not book.attachments(ADMIN) and not book.grants(ADMIN)
    assert not book.tags(ADMIN, relation("lake.hr.emp"), UUID)


def test_a_grant_option_passes_on_what_is_held(book: GrantBook, source: SqlGrants) -> None:
    book.grant(ADMIN, to(user("alice"), on=schema("lake.hr"), option=True))
    book.grant(ALICE, to(user("bob")))
    assert sees(source, BOB)
    for request in (
        to(user("bob"), privileges=(INSERT,)),
        to(user("bob"), privileges=(SELECT, INSERT)),
        to(user("bob"), privileges=(OWN,)),
        to(user("bob"), on=catalog("lake")),
        to(user("bob"), on=table("lake.pay.slip")),
    ):
        refused(lambda request=request: book.grant(ALICE, request))  # type: ignore[misc]
    refused(lambda: book.grant(BOB, to(user("carol"))))
    refused(lambda: book.deny(ALICE, to(user("carol"))))
    refused(lambda: book.revoke(ALICE, away(user("alice"), on=schema("lake.hr"))))
    book.revoke(ALICE, away(user("bob")))
    assert not sees(source, BOB)


@pytest.mark.parametrize(
    "limits",
    [{"rows": "a = 1"}, {"columns": (column("id"),)}, {"columns": (column("name", NullMask()),)}],
)
def test_a_limited_grant_is_passed_on_with_its_limits_only(
    book: GrantBook, source: SqlGrants, limits: dict[str, object]
) -> None:
    book.grant(ADMIN, to(user("alice"), option=True, **limits))  # type: ignore[arg-type]
    refused(lambda: book.grant(ALICE, to(user("bob"))))
    refused(lambda: book.grant(ALICE, to(user("bob"), rows="a = 2")))
    refused(lambda: book.grant(ALICE, to(user("bob"), columns=(column("salary"),))))
    book.grant(ALICE, to(user("bob"), **limits))  # type: ignore[arg-type]
    mine, theirs = source.decide(ALICE, facts()), source.decide(BOB, facts())
    assert isinstance(mine, Restrict) and isinstance(theirs, Restrict)
    assert (mine.filters, mine.masks, mine.hidden) == (theirs.filters, theirs.masks, theirs.hidden)


def test_a_filter_that_comes_by_another_grant_limits_what_is_passed_on(book: GrantBook) -> None:
    book.create_role(ADMIN, "reader")
    book.grant_roles(ADMIN, ["reader"], [user("alice")])
    book.grant(ADMIN, to(user("alice"), option=True))
    book.grant(ADMIN, to(role("reader"), on=table("lake.hr.*"), rows="a = 1"))
    refused(lambda: book.grant(ALICE, to(user("bob"))))
    book.grant(ALICE, to(user("bob"), rows="a = 1"))


def test_a_filter_on_another_table_limits_nothing_here(book: GrantBook, source: SqlGrants) -> None:
    book.grant(ADMIN, to(user("alice"), option=True))
    book.grant(ADMIN, to(user("alice"), on=table("lake.hr.dept"), rows="a = 1"))
    book.grant(ALICE, to(user("bob")))
    assert isinstance(source.decide(BOB, facts()), Allow)


@pytest.mark.parametrize("denied", [SELECT, OWN])
def test_a_denied_option_is_none(book: GrantBook, denied: Privilege) -> None:
    book.grant(ADMIN, to(user("alice"), option=True))
    book.deny(ADMIN, to(PUBLIC, on=schema("lake.hr"), privileges=(denied,)))
    refused(lambda: book.grant(ALICE, to(user("bob"))))


def test_rules_that_ask_other_tables_are_for_administrators(
    book: GrantBook, database: Database
) -> None:
    Owners(database).set(relation("lake.hr.emp"), UUID, "alice")
    request = to(user("bob"), rows="id IN (SELECT id FROM lake.pay.secret)")
    asks = replace(request, reads=(relation("lake.pay.secret"),))
    refused(lambda: book.grant(ALICE, asks))
    book.grant(ADMIN, asks)


def test_what_was_given_by_an_option_goes_with_it(book: GrantBook, source: SqlGrants) -> None:
    book.grant(ADMIN, to(user("alice"), option=True))
    book.grant(ALICE, to(user("bob"), option=True))
    book.grant(BOB, to(user("carol")))
    book.grant(BOB, to(user("alice"), option=True))  # rests on itself: on nothing
    book.revoke(ADMIN, away(user("alice"), option=True))
    assert [sees(source, one) for one in (ALICE, BOB, CAROL)] == [True, False, False]
    assert [one.to for one in book.grants(ADMIN)] == [user("alice")]
    assert (
        "taken back, for USER bob may not grant it any more: "
        "GRANT SELECT ON TABLE lake.hr.emp TO USER carol"
    ) in [one.what for one in book.changes(ADMIN)]


def test_an_option_for_something_else_does_not_hold_it(book: GrantBook, source: SqlGrants) -> None:
    book.grant(ADMIN, to(user("alice"), option=True, on=schema("lake.hr")))
    book.grant(ADMIN, to(user("alice"), option=True, on=table("lake.pay.slip")))
    book.grant(ALICE, to(user("bob")))
    book.grant(ALICE, to(user("bob"), on=table("lake.pay.slip")))
    book.revoke(ADMIN, away(user("alice"), on=schema("lake.hr")))
    assert not sees(source, BOB)
    slip = table("lake.pay.slip")
    assert [one.on for one in book.grants(ADMIN)] == [slip, slip]


@pytest.mark.parametrize(
    "other",
    [
        to(user("alice"), privileges=(INSERT,), option=True),
        to(user("carol"), option=True),
    ],
)
def test_an_option_of_something_or_somebody_else_does_not_hold_it(
    book: GrantBook, source: SqlGrants, other: GrantRequest
) -> None:
    book.grant(ADMIN, to(user("alice"), option=True))
    book.grant(ADMIN, other)
    book.grant(ALICE, to(user("bob")))
    book.revoke(ADMIN, away(user("alice")))
    assert not sees(source, BOB)


def test_an_option_takes_back_only_what_one_has_given_by_it(
    book: GrantBook, source: SqlGrants
) -> None:
    book.grant(ADMIN, to(user("alice"), user("carol"), option=True))
    book.grant(ALICE, to(user("bob")))
    refused(lambda: book.revoke(CAROL, away(user("bob"))))
    assert sees(source, BOB)


def test_who_is_no_owner_any_more_takes_nothing_back(book: GrantBook, source: SqlGrants) -> None:
    book.create_policy(ADMIN, POLICY)
    book.grant(ADMIN, to(user("alice"), privileges=(OWN,)))
    book.attach(ALICE, Attachment("eu", EMP))
    book.set_tag(ALICE, TAG)
    book.grant(ALICE, to(user("bob")))
    book.deny(ALICE, to(user("carol")))
    book.revoke(ADMIN, away(user("alice"), privileges=(OWN,)))
    for name in ("bob", "carol"):
        refused(lambda name=name: book.revoke(ALICE, away(user(name))))  # type: ignore[misc]
    refused(lambda: book.detach(ALICE, Attachment("eu", EMP)))
    refused(lambda: book.unset_tag(ALICE, TAG))
    assert isinstance(source.decide(BOB, facts()), Restrict)


def test_what_an_administrator_gave_stays(book: GrantBook, source: SqlGrants) -> None:
    book.grant(ADMIN, to(user("alice"), option=True))
    book.grant(ALICE, to(user("bob")))
    book.grant(ADMIN, to(user("bob")))
    book.revoke(ADMIN, away(user("alice")))
    assert [sees(source, one) for one in (ALICE, BOB)] == [False, True]


def test_role_admins_give_and_take_their_role(book: GrantBook) -> None:
    for name in ("reader", "writer"):
        book.create_role(ADMIN, name)
    book.grant_roles(ADMIN, ["reader"], [user("alice")], admin_option=True)
    book.grant_roles(ALICE, ["reader"], [user("bob")])
    assert book.list_held_roles(BOB) == ["reader"]
    refused(lambda: book.grant_roles(BOB, ["reader"], [user("carol")]))
    refused(lambda: book.grant_roles(ALICE, ["reader", "writer"], [user("carol")]))
    book.revoke_roles(ALICE, ["reader"], [user("bob")])
    assert book.list_held_roles(BOB) == []
    refused(lambda: book.drop_role(ALICE, "reader"))
    book.grant_roles(ALICE, ["reader"], [user("alice")])  # keeps the option
    book.grant_roles(ALICE, ["reader"], [user("carol")])
    refused(lambda: book.grant_roles(CAROL, ["reader"], [user("bob")]))
    book.revoke_roles(ADMIN, ["reader"], [user("alice")], only_admin_option=True)
    assert book.list_held_roles(ALICE) == ["reader"]
    refused(lambda: book.grant_roles(ALICE, ["reader"], [user("bob")]))


def test_impersonation_is_given_by_administrators(book: GrantBook) -> None:
    request = to(user("bob"), privileges=(Privilege.IMPERSONATE,), on=Object.user("root"))
    refused(lambda: book.grant(ALICE, request))
    book.grant(ADMIN, request)
