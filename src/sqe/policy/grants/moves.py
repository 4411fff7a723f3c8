"""What becomes of the rules when a table gets another name, or is no more."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sqe.model.grants import Attachment, Grant, Tag
from sqe.model.names import RelationName, SchemaName
from sqe.model.rules import Object
from sqe.policy.grants.matching import Place
from sqe.policy.grants.step import Step

_Laid = Grant | Attachment | Tag


def move_table_rules(step: Step, old: RelationName, new: RelationName) -> None:
    """Rules of this one table go with it. Of those of its schema or catalog, or with wildcards,
    what is denied and hidden there stays so; what is granted there stays behind."""
    moved = list(_of_table(step, old))
    for rule in moved:
        step.change.remove(rule)
    left = list(_list_rules_above(step, Place.of(Object.table(old)), Place.of(Object.table(new))))
    for rule in (*moved, *left):
        if isinstance(rule, Tag):
            step.change.put(replace(rule, table=new))
        else:
            step.change.put(replace(rule, on=Object.table(new)))
    if moved or left:
        step.say(f"rules of TABLE {old} are of TABLE {new} now")


def drop_table_rules(step: Step, name: RelationName) -> None:
    """Another table that gets the name must not get its rules."""
    gone = list(_of_table(step, name))
    for rule in gone:
        step.change.remove(rule)
    if gone:
        step.say(f"rules of TABLE {name} are dropped with it")


def drop_schema_rules(step: Step, name: SchemaName) -> None:
    place = Place.of(Object.schema(name))
    gone: list[_Laid] = [grant for grant in step.rules.kept.grants if Place.of(grant.on) == place]
    for attachment in step.rules.kept.attachments:
        if attachment.on is not None and Place.of(attachment.on) == place:
            gone.append(attachment)
    for rule in gone:
        step.change.remove(rule)
    if gone:
        step.say(f"rules of SCHEMA {name} are dropped with it")


def _list_rules_above(step: Step, old: Place, new: Place) -> Iterator[Grant | Attachment]:
    """Denials and policies that a table would slip out of under its new name."""
    kept = step.rules.kept
    rules: list[Grant | Attachment] = [grant for grant in kept.grants if grant.deny]
    for rule in (*rules, *kept.attachments):
        place = None if rule.on is None else Place.of(rule.on)
        if place is not None and place.covers(old) and not place.covers(new):
            yield rule


def _of_table(step: Step, name: RelationName) -> Iterator[_Laid]:
    place, kept = Place.of(Object.table(name)), step.rules.kept
    yield from (grant for grant in kept.grants if Place.of(grant.on) == place)
    for attachment in kept.attachments:
        if attachment.on is not None and Place.of(attachment.on) == place:
            yield attachment
    yield from (tag for tag in kept.tags if Place.of(Object.table(tag.table)) == place)
