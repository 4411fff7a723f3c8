"""Lists of rules: none about what is not theirs to know of."""

from __future__ import annotations

import pytest

from sqe.model.rules import PUBLIC, SYSTEM, Object, Privilege
from sqe.policy.grants.book import GrantBook
from sqe.policy.grants.known import KnownRules
from sqe.policy.grants.source import SqlGrants
from sqe.policy.policy import Policy
from tests.unit.policy.grants.people import (
    ADMIN,
    ALICE,
    BOB,
    catalog,
    group,
    role,
    schema,
    table,
    to,
    user,
)


@pytest.fixture
def known(book: GrantBook, source: SqlGrants) -> KnownRules:
    return KnownRules(book, Policy([source]))


@pytest.mark.parametrize("on", [table("lake.hr.emp"), schema("lake.hr"), catalog("lake")])
def test_a_denial_does_not_tell_that_something_is_there(
    book: GrantBook, known: KnownRules, on: Object
) -> None:
    book.deny(ADMIN, to(user("alice"), on=on, privileges=(Privilege.SHOW,)))
    book.grant(ADMIN, to(user("alice"), on=table("lake.it.dept")))
    expected = [] if on == catalog("lake") else [table("lake.it.dept")]
    assert [one.on for one in known.grants(ALICE, None, None)] == expected
    assert len(known.grants(ADMIN, None, None)) == 2


def test_what_is_not_in_lists_is_told_to_those_it_is_about(
    book: GrantBook, known: KnownRules
) -> None:
    """A pattern names nothing that is there, and the system is no secret."""
    pattern = table("lake.h*.emp")
    book.deny(ADMIN, to(user("alice"), on=pattern, privileges=(Privilege.SELECT,)))
    book.grant(ADMIN, to(user("alice"), on=SYSTEM, privileges=(Privilege.EXECUTE,)))
    assert {one.on for one in known.grants(ALICE, None, None)} == {pattern, SYSTEM}
    assert known.grants(BOB, None, None) == []


def test_roles_are_told_as_the_book_does(book: GrantBook, known: KnownRules) -> None:
    book.create_role(ADMIN, "reader")
    book.grant_roles(ADMIN, ["reader"], [group("staff")])
    book.grant(ADMIN, to(role("reader"), PUBLIC))
    assert [one.name for one in known.roles(ALICE)] == ["reader"]
    assert list(known.list_held_roles(ALICE)) == ["reader"]
    assert not known.list_held_roles(BOB)
    assert [one.role for one in known.role_grants(ADMIN, group("staff"))] == ["reader"]
    assert known.role_grants(ADMIN, user("bob")) == []
    assert [one.to for one in known.grants(ALICE, None, PUBLIC)] == [PUBLIC]
