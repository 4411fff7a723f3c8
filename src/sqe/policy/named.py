"""Whom and what rules name: over these they are compared and checked.

A ``*`` stands for everybody or everything that is not named: no rule names it, and all that fit
anything fit it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sqe.model.identity import Identity
from sqe.model.rules import PUBLIC, Object, ObjectKind, Subject, SubjectKind

OTHER = "*"
PLACES = (ObjectKind.CATALOG, ObjectKind.SCHEMA, ObjectKind.TABLE)


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


def with_others(
    subjects: Iterable[Subject], objects: Iterable[Object], columns: Iterable[str]
) -> Named:
    """With a table that is not named in each schema and catalog that is."""
    every = {Object(ObjectKind.TABLE, (OTHER,) * 3)}
    for place in objects:
        every |= {place, *_below(place)}
    return Named(frozenset(subjects), frozenset(every), frozenset(columns) - {OTHER})


def _below(on: Object) -> Iterator[Object]:
    if on.kind is ObjectKind.SCHEMA:
        yield Object(ObjectKind.TABLE, (*on.parts, OTHER))
    if on.kind is ObjectKind.CATALOG:
        yield Object(ObjectKind.TABLE, (*on.parts, OTHER, OTHER))
