"""What holds whatever the rules are.

A role may carry denials and filters as well as grants, so that losing one may well show more; what
never does is losing a role that only gives.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import TypeVar

from hypothesis import given, settings
from hypothesis import strategies as st

from sqe.model.decision import Allow, Decision, Deny, RowFilter, TableFacts
from sqe.model.grants import (
    Attachment,
    Grant,
    MaskPolicy,
    NamedPolicy,
    Role,
    RoleGrant,
    RowFilterPolicy,
    Tag,
)
from sqe.model.identity import Identity
from sqe.model.masks import ConstantMask, HashMask, Mask, NullMask, PartialMask, strictest
from sqe.model.rules import PUBLIC, Object, Privilege, Subject
from sqe.policy.grants.rules import Rules
from sqe.policy.grants.ruling import Ruling
from sqe.store.grants import KeptRules
from tests.unit.policy.grants.people import (
    COLUMNS,
    UUID,
    catalog,
    column,
    facts,
    group,
    relation,
    role,
    schema,
    table,
    user,
)

_T = TypeVar("_T")
PERSON = Identity("alice", groups=frozenset({"staff"}))
ROLES = ("a", "b", "c")
SUBJECTS = [user("alice"), group("staff"), PUBLIC, user("bob"), *map(role, ROLES)]
OBJECTS = [
    table("lake.hr.emp"),
    table("lake.hr.*"),
    table("lake.hr.e*"),
    schema("lake.hr"),
    catalog("lake"),
    table("lake.hr.dept"),
]
MASKS: list[Mask] = [NullMask(), ConstantMask("1"), PartialMask(last=1), HashMask()]
POLICIES: tuple[NamedPolicy, ...] = (
    RowFilterPolicy("filter", RowFilter("f = 1")),
    *(MaskPolicy(f"mask {number}", mask) for number, mask in enumerate(MASKS)),
)
FILTERS = [RowFilter("a = 1"), RowFilter("b = 2"), RowFilter("c = 3")]
PRIVILEGES = [Privilege.SELECT, Privilege.OWN, Privilege.INSERT]
TABLES = [facts("lake.hr.emp"), facts("lake.hr.dept"), facts(privilege=Privilege.INSERT)]

masks = st.none() | st.sampled_from(MASKS)
columns = st.builds(lambda one, mask: column(one.name, mask), st.sampled_from(COLUMNS), masks)


@st.composite
def grants(draw: st.DrawFn, plain: bool = False) -> Grant:
    privilege = draw(st.sampled_from(PRIVILEGES))
    on = draw(st.sampled_from(OBJECTS))
    given = Grant(draw(st.sampled_from(SUBJECTS)), privilege, on, table_uuid=UUID)
    if plain:
        return given
    if draw(st.integers(0, 5)) == 0:
        return replace(given, deny=True)
    if privilege is not Privilege.SELECT:
        return given
    chosen = draw(st.none() | st.lists(columns, min_size=1, max_size=3))
    return replace(
        given,
        rows=draw(st.none() | st.sampled_from(FILTERS)),
        columns=None if chosen is None else tuple(chosen),
    )


@st.composite
def role_grants(draw: st.DrawFn) -> RoleGrant:
    """Only downwards, as roles in a circle are refused."""
    place = draw(st.integers(0, 2))
    above = [role(name) for name in ROLES[:place]]
    return RoleGrant(ROLES[place], draw(st.sampled_from([*SUBJECTS[:4], *above])))


@st.composite
def attachments(draw: st.DrawFn) -> Attachment:
    exempt = tuple(draw(st.lists(st.sampled_from(SUBJECTS[:2] + SUBJECTS[3:]), max_size=2)))
    policy = draw(st.sampled_from([one.name for one in POLICIES]))
    if draw(st.booleans()):
        return Attachment(policy, tag="pii", exempt=exempt)
    on = draw(st.sampled_from(OBJECTS))
    chosen = (draw(columns),) if policy != "filter" else ()
    return Attachment(policy, on, columns=chosen, exempt=exempt, table_uuid="")


@st.composite
def books(draw: st.DrawFn) -> KeptRules:
    return KeptRules(
        version=1,
        roles=tuple(Role(name) for name in ROLES),
        role_grants=tuple(draw(st.lists(role_grants(), max_size=5))),
        grants=tuple(draw(st.lists(grants(), max_size=6))),
        policies=POLICIES,
        attachments=tuple(draw(st.lists(attachments(), max_size=4))),
        tags=(Tag("pii", relation("lake.hr.emp"), "name", 2, UUID),),
    )


def decided(kept: KeptRules, asked: TableFacts) -> Decision:
    return Ruling(Rules(kept), PERSON, asked).decision()


def shows_no_more(one: Decision, other: Decision) -> bool:
    """Whether whatever is seen with the first decision is seen with the second."""
    if isinstance(one, Deny):
        return True
    if isinstance(other, Deny):
        return False
    if isinstance(other, Allow):
        return True
    if isinstance(one, Allow):
        return False
    shown = [item.name for item in COLUMNS if item.name not in one.hidden]
    return (
        set(one.filters) >= set(other.filters)
        and one.hidden >= other.hidden
        and all(
            name not in other.masks
            or (
                name in one.masks
                and strictest(one.masks[name], other.masks[name]) == one.masks[name]
            )
            for name in shown
        )
    )


def never_shows_more(fewer: KeptRules, more: KeptRules) -> None:
    for asked in TABLES:
        assert shows_no_more(decided(fewer, asked), decided(more, asked))


@settings(max_examples=100, deadline=None)
@given(books(), st.sampled_from(SUBJECTS), st.sampled_from(OBJECTS), st.sampled_from(PRIVILEGES))
def test_one_more_denial_never_shows_more(
    kept: KeptRules, to: Subject, on: Object, privilege: Privilege
) -> None:
    denial = Grant(to, privilege, on, deny=True)
    never_shows_more(replace(kept, grants=(*kept.grants, denial)), kept)


@settings(max_examples=100, deadline=None)
@given(books(), attachments())
def test_one_more_filter_or_mask_never_shows_more(kept: KeptRules, place: Attachment) -> None:
    never_shows_more(replace(kept, attachments=(*kept.attachments, place)), kept)


@settings(max_examples=100, deadline=None)
@given(books(), st.integers(0, 5), st.sampled_from(FILTERS))
def test_a_grant_that_gets_a_filter_never_shows_more(
    kept: KeptRules, place: int, rows: RowFilter
) -> None:
    for number, one in enumerate(kept.grants):
        plain = one.privilege is Privilege.SELECT and not one.deny and one.rows is None
        if number == place and plain:
            limited = replace(one, rows=rows)
            others = kept.grants[:number] + kept.grants[number + 1 :]
            never_shows_more(replace(kept, grants=(*others, limited)), kept)


@settings(max_examples=100, deadline=None)
@given(books(), st.sampled_from(ROLES), st.lists(grants(plain=True), max_size=4))
def test_to_lose_a_role_that_only_gives_never_shows_more(
    kept: KeptRules, name: str, given_to_it: Sequence[Grant]
) -> None:
    others = tuple(one for one in kept.grants if one.to != role(name))
    gifts = tuple(replace(one, to=role(name)) for one in given_to_it)
    below = tuple(one for one in kept.role_grants if one.to != role(name))
    have = replace(
        kept, grants=others + gifts, role_grants=(*below, RoleGrant(name, user("alice")))
    )
    lost = tuple(one for one in have.role_grants if one.role != name)
    never_shows_more(replace(have, role_grants=lost), have)


@settings(max_examples=100, deadline=None)
@given(books(), st.randoms())
def test_the_order_of_rules_does_not_matter(kept: KeptRules, random: Random) -> None:
    def shuffled(things: tuple[_T, ...]) -> tuple[_T, ...]:
        return tuple(random.sample(things, len(things)))

    other = replace(
        kept,
        grants=shuffled(kept.grants),
        role_grants=shuffled(kept.role_grants),
        attachments=shuffled(kept.attachments),
    )
    for asked in TABLES:
        one, two = decided(kept, asked), decided(other, asked)
        assert type(one) is type(two)
        assert shows_no_more(one, two)
        assert shows_no_more(two, one)


@settings(max_examples=100, deadline=None)
@given(books())
def test_nothing_is_seen_without_a_grant(kept: KeptRules) -> None:
    left = tuple(one for one in kept.grants if one.deny)
    for asked in TABLES:
        assert isinstance(decided(replace(kept, grants=left), asked), Deny)
