"""Row filters and masks by name, where they are put to use, and tags."""

from __future__ import annotations

from dataclasses import replace

from sqe.errors import ErrorCode, UserError
from sqe.model.grants import (
    Attachment,
    ColumnRule,
    MaskPolicy,
    NamedPolicy,
    RowFilterPolicy,
    Tag,
)
from sqe.model.names import quote
from sqe.model.rules import Object, ObjectKind
from sqe.policy.grants.authority import refusal
from sqe.policy.grants.matching import Place
from sqe.policy.grants.step import Step, argument_error
from sqe.policy.grants.words import place_words, policy_words, words_of_attachment

_PLACES = (ObjectKind.TABLE, ObjectKind.SCHEMA, ObjectKind.CATALOG)


def create_policy(
    step: Step, policy: NamedPolicy, *, or_replace: bool = False, if_not_exists: bool = False
) -> None:
    """By administrators: its expression may read any table, under the policy's authority."""
    step.authority.must_be_administrator("make row filters and column masks")
    if not policy.name.strip():
        raise argument_error("A policy has a name.")
    before = step.rules.policies.get(policy.name.lower())
    if if_not_exists and type(before) is type(policy):
        return
    if before is not None and not (or_replace and type(before) is type(policy)):
        raise UserError(
            ErrorCode.POLICY_ALREADY_EXISTS, f"There is a {policy_words(before)} already."
        )
    if before is not None:
        policy = replace(policy, name=before.name)  # places know it by this one
    step.put(policy)
    step.say(f"CREATE {'OR REPLACE ' * (before is not None)}{policy_words(policy, texts=True)}")


def drop_policy(
    step: Step,
    name: str,
    kind: type[RowFilterPolicy] | type[MaskPolicy],
    *,
    if_exists: bool = False,
) -> None:
    """Not while it is on anything: that would lift it without a word."""
    step.authority.must_be_administrator("drop row filters and column masks")
    policy = step.rules.policies.get(name.lower())
    if not isinstance(policy, kind):
        if if_exists:
            return
        raise _unknown_policy(name)
    places = [
        attachment
        for attachment in step.rules.kept.attachments
        if attachment.policy.lower() == name.lower()
    ]
    if places:
        raise argument_error(
            f"{policy_words(policy)} is on {place_words(places[0])}.",
            hint="Take it off there first.",
        )
    step.change.remove(policy)
    step.say(f"DROP {policy_words(policy)}")


def attach(step: Step, wanted: Attachment) -> None:
    _must_be_place(wanted)
    if wanted.on is None:
        step.authority.must_be_administrator("put policies on tags")
    else:
        step.authority.must_own(wanted.on, wanted.table_uuid)
    policy = step.rules.policies.get(wanted.policy.lower())
    if policy is None:
        raise _unknown_policy(wanted.policy)
    filters = isinstance(policy, RowFilterPolicy)
    if wanted.on is not None and filters is bool(wanted.columns):
        raise argument_error("A column mask is put on columns, a row filter on tables.")
    step.must_know(wanted.exempt)
    for before in step.rules.kept.attachments:
        if _same_place(before, wanted) or _same_columns(before, wanted):
            _must_lift(step, before)
            step.change.remove(before)
    step.put(wanted)
    step.say(f"PUT {words_of_attachment(policy, wanted)}")


def detach(step: Step, unwanted: Attachment) -> None:
    """Whoever is exempt there."""
    _must_be_place(unwanted)
    if unwanted.on is None:
        step.authority.must_be_administrator("take policies off tags")
    else:
        step.authority.must_own(unwanted.on, unwanted.table_uuid)
    attached = [
        attachment
        for attachment in step.rules.kept.attachments
        if _same_place(attachment, unwanted)
    ]
    if not attached:
        raise _unknown_policy(unwanted.policy)
    for attachment in attached:
        _must_lift(step, attachment)
        step.change.remove(attachment)
        step.say(f"TAKE OFF POLICY {quote(attachment.policy)} FROM {place_words(attachment)}")


def set_tag(step: Step, tag: Tag) -> None:
    step.authority.must_own(Object.table(tag.table), tag.table_uuid)
    if not tag.tag.strip():
        raise argument_error("A tag has a name.")
    earlier = (candidate for candidate in step.rules.kept.tags if _same_tag(candidate, tag))
    if tag.table_uuid not in (candidate.table_uuid for candidate in earlier):
        step.put(tag)
    step.say(f"SET TAG {_tag_words(tag)}")


def unset_tag(step: Step, tag: Tag) -> None:
    step.authority.must_own(Object.table(tag.table), tag.table_uuid)
    for candidate in step.rules.kept.tags:
        if _same_tag(candidate, tag):
            if not step.authority.may_lift(candidate.by):
                raise refusal(f"take away the tag {candidate.tag} of another user")
            step.change.remove(candidate)
            step.say(f"UNSET TAG {_tag_words(candidate)}")


def _unknown_policy(name: str) -> UserError:
    return UserError(ErrorCode.POLICY_NOT_FOUND, f"There is no policy {name} there.")


def _must_be_place(place: Attachment) -> None:
    if (place.on is None) is not bool(place.tag) or (place.tag and place.columns):
        raise argument_error("A policy is put on an object or on a tag.")
    if place.on is not None and place.on.kind not in _PLACES:
        raise argument_error("Policies are put on tables, schemas, catalogs and tags.")


def _must_lift(step: Step, place: Attachment) -> None:
    if not step.authority.may_lift(place.by):
        raise refusal("change a policy's place that another user has chosen")


def _same_place(one: Attachment, other: Attachment) -> bool:
    return _place_key(one) == _place_key(other)


def _same_columns(one: Attachment, other: Attachment) -> bool:
    """Masks on the same columns of the same table: a column has one mask of its own."""
    if (
        one.on is None
        or other.on is None
        or not one.columns
        or len(one.columns) != len(other.columns)
    ):
        return False
    same_table = Place.of(one.on) == Place.of(other.on)
    return same_table and all(
        any(_is_same(rule, mine, one.table_uuid == other.table_uuid) for mine in one.columns)
        for rule in other.columns
    )


def _is_same(one: ColumnRule, other: ColumnRule, same_table: bool) -> bool:
    """Under its name, or under its id if it has got another one since."""
    ids = same_table and one.field_id is not None and one.field_id == other.field_id
    return ids or one.name.lower() == other.name.lower()


def _place_key(place: Attachment) -> tuple[object, ...]:
    on = None if place.on is None else Place.of(place.on)
    columns = frozenset(column.name.lower() for column in place.columns)
    return place.policy.lower(), on, place.tag.lower(), columns


def _same_tag(one: Tag, other: Tag) -> bool:
    mine, theirs = (ColumnRule(tag.column, tag.field_id) for tag in (one, other))
    column = _is_same(mine, theirs, one.table_uuid == other.table_uuid)
    return column and _tag_key(one) == _tag_key(other)


def _tag_key(tag: Tag) -> tuple[object, ...]:
    return tag.tag.lower(), Place.of(Object.table(tag.table))


def _tag_words(tag: Tag) -> str:
    column = f" COLUMN {quote(tag.column)}" if tag.column else ""
    return f"{quote(tag.tag)} ON TABLE {tag.table}{column}"
