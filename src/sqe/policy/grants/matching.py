"""Which objects a rule is about, and which subjects somebody is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from sqe.model.decision import ColumnFacts, TableFacts
from sqe.model.grants import ColumnRule
from sqe.model.identity import Identity
from sqe.model.rules import PUBLIC, Object, ObjectKind, Subject, SubjectKind

T = TypeVar("T")

ANY = "*"
_IN_SCHEMAS = (ObjectKind.TABLE, ObjectKind.PROCEDURE, ObjectKind.FUNCTION)


@dataclass(frozen=True, slots=True)
class Place:
    """An object as it is compared."""

    kind: ObjectKind
    parts: tuple[str, ...]

    @classmethod
    def of(cls, on: Object) -> Place:
        return cls(on.kind, tuple(_normal(on.kind, part) for part in on.parts))

    @property
    def literal(self) -> int:
        """How many of the first parts have no wildcard."""
        wild = (place for place, part in enumerate(self.parts) if ANY in part)
        return next(wild, len(self.parts))

    @property
    def endless(self) -> bool:
        """Its last ``*`` is everything below."""
        return self.parts[-1:] == (ANY,)

    def covers(self, other: Place) -> bool:
        """Whether all of the other is within this one. Of a wildcard there, everything that it
        stands for must be."""
        mine, theirs = len(self.parts), len(other.parts)
        if self.kind is not other.kind:
            return _within(other.kind, self.kind) and theirs > mine and self._fits(other)
        if self.endless or self.kind is ObjectKind.SCHEMA:  # a schema holds its nested ones
            return theirs >= mine and self._fits(other)
        return theirs == mine and self._fits(other)

    def reaches_into(self, container: Place) -> bool:
        """Whether it may be, or have, something inside the catalog or schema."""
        deep = len(self.parts) > len(container.parts) or self.endless
        return _within(self.kind, container.kind) and deep and self._fits(container)

    def _fits(self, other: Place) -> bool:
        """As far as both go."""
        pairs = zip(self.parts, other.parts, strict=False)
        return all(pattern == part or _glob(pattern, part) for pattern, part in pairs)


def covers(rule: Object, on: Object) -> bool:
    """Whether all of ``on`` is within the rule's object. Both may have wildcards."""
    return Place.of(rule).covers(Place.of(on))


def touches(one: Object, other: Object) -> bool:
    """Whether something may be in both. Says yes when in doubt."""
    first, second = Place.of(one), Place.of(other)
    if first.covers(second) or second.covers(first):
        return True
    wild = all(place.literal < len(place.parts) for place in (first, second))
    kinds = one.kind, other.kind
    return wild and (one.kind is other.kind or _within(*kinds) or _within(*reversed(kinds)))


def _normal(kind: ObjectKind, part: str) -> str:
    """People's names are what the identity provider says; others are the same in any case."""
    text = part if kind is ObjectKind.USER else part.lower()
    while ANY + ANY in text:
        text = text.replace(ANY + ANY, ANY)
    return text


def _within(kind: ObjectKind, container: ObjectKind) -> bool:
    if kind is ObjectKind.SCHEMA:
        return container in (ObjectKind.CATALOG, ObjectKind.SCHEMA)
    return kind in _IN_SCHEMAS and container in (ObjectKind.CATALOG, ObjectKind.SCHEMA)


def _glob(pattern: str, part: str) -> bool:
    """A wildcard in ``part`` is like a letter that only a wildcard of the pattern fits, so that
    what fits is fitted by everything the part stands for. Linear, whatever the pattern."""
    if ANY not in pattern:
        return False
    first, *middle, last = pattern.split(ANY)
    if len(part) < len(first) + len(last):
        return False
    if not part.startswith(first) or not part.endswith(last):
        return False
    place, end = len(first), len(part) - len(last)
    for piece in middle:
        position = part.find(piece, place, end)
        if position < 0:
            return False
        place = position + len(piece)
    return True


class ByObject(Generic[T]):
    """Things by the object they are about, found without looking at all of them."""

    def __init__(self, things: Iterable[tuple[Object, T]] = ()) -> None:
        self._here: dict[tuple[str, ...], list[tuple[Place, T]]] = {}
        self._below: dict[tuple[str, ...], list[tuple[Place, T]]] = {}
        for on, thing in things:
            self.add(on, thing)

    def add(self, on: Object, thing: T) -> None:
        place = Place.of(on)
        literal = place.literal
        self._here.setdefault(place.parts[:literal], []).append((place, thing))
        for length in range(literal):
            self._below.setdefault(place.parts[:length], []).append((place, thing))

    def list_covering(self, on: Place) -> Iterator[T]:
        """Those whose object holds all of ``on``."""
        for length in range(len(on.parts) + 1):
            for place, thing in self._here.get(on.parts[:length], ()):
                if place.covers(on):
                    yield thing

    def inside(self, container: Place) -> Iterator[T]:
        """Those that may be about something in the catalog or schema."""
        for place, thing in self._below.get(container.parts, ()):
            if place.reaches_into(container):
                yield thing
        for length in range(len(container.parts) + 1):
            for place, thing in self._here.get(container.parts[:length], ()):
                if place.reaches_into(container):
                    yield thing


def subjects_of(identity: Identity, roles: Mapping[Subject, frozenset[str]]) -> frozenset[Subject]:
    """The user, the groups, all roles that these have (those of the token too, and roles of
    roles) and PUBLIC. ``roles``: who has which, directly."""
    subjects = {PUBLIC, Subject(SubjectKind.USER, identity.user)}
    subjects |= {Subject(SubjectKind.GROUP, name) for name in identity.groups}
    subjects |= {Subject(SubjectKind.ROLE, name) for name in identity.roles}
    return with_roles(subjects, roles)


def with_roles(
    subjects: Iterable[Subject], roles: Mapping[Subject, frozenset[str]]
) -> frozenset[Subject]:
    reached = set(subjects)
    waiting = list(reached)
    while waiting:
        held = {Subject(SubjectKind.ROLE, name) for name in roles.get(waiting.pop(), ())}
        waiting += held - reached
        reached |= held
    return frozenset(reached)


def may_be(rule: ColumnRule, uuid: str, column: ColumnFacts, table: TableFacts) -> bool:
    """For rules that hide: by id or by name, so that neither a rename nor another column under
    the old name lifts a mask."""
    return _same_field(rule, uuid, column, table) or rule.name.lower() == column.name.lower()


def surely_is(rule: ColumnRule, uuid: str, column: ColumnFacts, table: TableFacts) -> bool:
    """For rules that show: by id where there is one, so that another column that gets the name
    is not shown."""
    known = rule.field_id is not None and column.field_id is not None
    if known and uuid and uuid == table.uuid:
        return rule.field_id == column.field_id
    return rule.name.lower() == column.name.lower()


def _same_field(rule: ColumnRule, uuid: str, column: ColumnFacts, table: TableFacts) -> bool:
    same_table = bool(uuid) and uuid == table.uuid
    return same_table and rule.field_id is not None and rule.field_id == column.field_id
