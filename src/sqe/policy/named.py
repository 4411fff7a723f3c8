"""Whom and what rules name: over these they are compared and checked.

A ``*`` stands for everybody or everything that is not named: no rule names it, and all that fit
anything fit it.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqe.model.identity import Identity
from sqe.model.rules import PUBLIC, Object, ObjectKind, Subject, SubjectKind
from sqe.policy.cedar.entities import NAMESPACE, named_object
from sqe.policy.cedar.policies import Policies

if TYPE_CHECKING:
    from sqe.store.grants import KeptRules

OTHER = "*"
_WORD = re.compile(r"[\w@-]+(?:\\?\.[\w@-]+)*")
_SUBJECTS = {
    f"{NAMESPACE}::User": SubjectKind.USER,
    f"{NAMESPACE}::Group": SubjectKind.GROUP,
    f"{NAMESPACE}::Role": SubjectKind.ROLE,
}
_PLACES = (ObjectKind.CATALOG, ObjectKind.SCHEMA, ObjectKind.TABLE)


@dataclass(frozen=True)
class Named:
    """``columns``: of any table."""

    subjects: frozenset[Subject] = frozenset({PUBLIC})
    objects: frozenset[Object] = frozenset()
    columns: frozenset[str] = frozenset()

    def __or__(self, other: Named) -> Named:
        return Named(
            self.subjects | other.subjects,
            self.objects | other.objects,
            self.columns | other.columns,
        )


def identity_of(subject: Subject) -> Identity:
    """Somebody who is nothing but that."""
    match subject.kind:
        case SubjectKind.USER:
            return Identity(subject.name)
        case SubjectKind.GROUP:
            return Identity(OTHER, frozenset({subject.name}))
        case SubjectKind.ROLE:
            return Identity(OTHER, roles=frozenset({subject.name}))
        case SubjectKind.PUBLIC:
            return Identity(OTHER)


def in_file_rules(content: bytes) -> Named:
    """Of a ``rules.json`` the names that its regular expressions spell out."""
    document: dict[str, Any] = json.loads(content)
    rules = [rule for section in document.values() for rule in section or ()]
    subjects = {PUBLIC}
    for rule, kind in itertools.product(rules, ("user", "group", "role")):
        subjects |= {Subject(SubjectKind(kind), name) for name in _spelled(rule, kind)}
    objects: set[Object] = set()
    for section, depth in (("catalogs", 1), ("schemas", 2), ("tables", 3)):
        for rule in document.get(section) or ():
            keys = ("catalog", "schema", "table")[:depth]
            parts = [_spelled(rule, key) or [OTHER] for key in keys]
            objects |= {_place(found) for found in itertools.product(*parts)}
    listed = (rule.get("columns") or () for rule in document.get("tables") or ())
    columns = {str(column["name"]).lower() for some in listed for column in some}
    return _with_others(subjects, objects, columns)


def in_cedar(policies: Policies) -> Named:
    subjects, objects, columns = {PUBLIC}, set(), set()
    for one in policies.by_id.values():
        if one.principal is not None and one.principal[0] in _SUBJECTS:
            subjects.add(Subject(_SUBJECTS[one.principal[0]], one.principal[1]))
        place = named_object(one.scope) if one.scope is not None else None
        if place is not None:
            objects.add(place)
        columns |= {*one.limits.masks, *one.limits.hidden, *(one.limits.only or ())}
    return _with_others(subjects, objects, columns)


def in_grants(rules: KeptRules) -> Named:
    subjects = {PUBLIC, *(one.to for one in rules.grants), *(one.to for one in rules.role_grants)}
    subjects |= {Subject(SubjectKind.ROLE, role.name) for role in rules.roles}
    subjects |= {subject for one in rules.attachments for subject in one.exempt}
    objects = {one.on for one in rules.grants if one.on.kind in _PLACES}
    objects |= {one.on for one in rules.attachments if one.on is not None}
    objects |= {Object.table(one.table) for one in rules.tags}
    columns = {rule.name for grant in rules.grants for rule in grant.columns or ()}
    columns |= {rule.name for one in rules.attachments for rule in one.columns}
    columns |= {one.column for one in rules.tags if one.column}
    return _with_others(subjects, objects, {name.lower() for name in columns})


def _with_others(
    subjects: Iterable[Subject], objects: Iterable[Object], columns: Iterable[str]
) -> Named:
    """With a table that is not named in each schema and catalog that is."""
    found = {Object(ObjectKind.TABLE, (OTHER,) * 3)}
    for one in objects:
        found |= {one, *_below(one)}
    return Named(frozenset(subjects), frozenset(found), frozenset(columns) - {OTHER})


def _below(on: Object) -> Iterator[Object]:
    if on.kind is ObjectKind.SCHEMA:
        yield Object(ObjectKind.TABLE, (*on.parts, OTHER))
    if on.kind is ObjectKind.CATALOG:
        yield Object(ObjectKind.TABLE, (*on.parts, OTHER, OTHER))


def _place(parts: tuple[str, ...]) -> Object:
    return Object(_PLACES[len(parts) - 1], parts)


def _spelled(rule: Mapping[str, Any], key: str) -> list[str]:
    """``a|b|(c)``: a, b, c. What is no name stands for many."""
    text = rule.get(key)
    if not isinstance(text, str):
        return []
    words = text.replace("(", "").replace(")", "").split("|")
    return [word.replace("\\.", ".") for word in words if _WORD.fullmatch(word)]
