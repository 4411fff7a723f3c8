"""The rules in memory: read once for each version of them, found by subject and object."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from math import inf
from typing import TypeVar

from sqe.errors import SqeError
from sqe.model.administrators import NO_ADMINISTRATORS, Administrators
from sqe.model.grants import Attachment, Grant, NamedPolicy, Tag
from sqe.model.identity import Identity
from sqe.model.names import RelationName
from sqe.model.rules import Object, Privilege, Subject, SubjectKind
from sqe.policy.grants.matching import ByObject, Place, subjects_of, with_roles
from sqe.store.grants import GrantStore, KeptRules

_Laid = TypeVar("_Laid", Attachment, Tag)
_FRESH_S = 0.5  # how long another server's change may stay unseen
_NOTHING: ByObject[Grant] = ByObject()
_ENDED = 40  # bits for the store's own version
_IDENTITIES = 10_000  # whose subjects are kept


class Rules:
    """One version of all rules, at one time. Nobody changes it. Grants that have ended are not
    among them; ``ends``: when the next one does."""

    def __init__(self, kept: KeptRules, now: float = 0.0) -> None:
        self.whole = kept
        valid = tuple(grant for grant in kept.grants if grant.until is None or now < grant.until)
        self.ends = min((grant.until for grant in valid if grant.until is not None), default=inf)
        # Answers by the version before are not good any more once one has ended.
        self.version = kept.version + ((len(kept.grants) - len(valid)) << _ENDED)
        self.kept = kept = replace(kept, grants=valid)
        self.policies: dict[str, NamedPolicy] = {
            policy.name.lower(): policy for policy in kept.policies
        }
        self._roles: dict[Subject, frozenset[str]] = {}
        for held in kept.role_grants:
            self._roles[held.to] = self._roles.get(held.to, frozenset()) | {held.role}
        self._grants: defaultdict[Subject, ByObject[Grant]] = defaultdict(ByObject)
        for grant in kept.grants:
            self._grants[grant.to].add(grant.on, grant)
        self._attached = ByObject(
            (item.on, item) for item in kept.attachments if item.on is not None
        )
        self._attached_by_uuid = _by_uuid(kept.attachments)
        self._by_tag: defaultdict[str, list[Attachment]] = defaultdict(list)
        for attachment in kept.attachments:
            if attachment.tag:
                self._by_tag[attachment.tag.lower()].append(attachment)
        self._tags: defaultdict[tuple[str, ...], list[Tag]] = defaultdict(list)
        for tag in kept.tags:
            self._tags[_key(tag.table)].append(tag)
        self._tags_by_uuid = _by_uuid(kept.tags)
        self._owned = {_key(item.name): item for item in kept.owned}
        self._made_by: dict[str, ByObject[Grant]] = {}
        for owned in kept.owned:
            to, on = Subject(SubjectKind.USER, owned.user), Object.table(owned.name)
            index = self._made_by.setdefault(owned.user, ByObject())
            index.add(on, Grant(to, Privilege.OWN, on))
        self._subjects: dict[Identity, frozenset[Subject]] = {}

    def subjects(self, identity: Identity) -> frozenset[Subject]:
        """All that a rule for the person may name."""
        subjects = self._subjects.get(identity)
        if subjects is None:
            if len(self._subjects) >= _IDENTITIES:
                self._subjects.clear()
            subjects = self._subjects[identity] = subjects_of(identity, self._roles)
        return subjects

    def roles_with(self, role: str) -> frozenset[str]:
        """The role and those that it has."""
        held = with_roles([Subject(SubjectKind.ROLE, role)], self._roles)
        return frozenset(held_role.name for held_role in held)

    def grants(self, subjects: frozenset[Subject], on: Place) -> list[Grant]:
        """Grants and denials to any of them that hold for all of the object."""
        indexes = (self._grants[subject] for subject in subjects if subject in self._grants)
        return [grant for index in indexes for grant in index.list_covering(on)]

    def grants_inside(self, identity: Identity, container: Place) -> Iterator[Grant]:
        """Grants and denials that may be about something in the catalog or schema."""
        for subject in self.subjects(identity):
            if subject in self._grants:
                yield from self._grants[subject].inside(container)
        yield from self._made_by.get(identity.user, _NOTHING).inside(container)

    def list_attached(self, on: Place, uuid: str) -> list[Attachment]:
        """Policies on the table, or on the schema or catalog it is in."""
        attachments = [*self._attached.list_covering(on), *self._attached_by_uuid.get(uuid, ())]
        return list(dict.fromkeys(attachments))

    def list_attached_to_tag(self, tag: str) -> list[Attachment]:
        return self._by_tag.get(tag.lower(), [])

    def tags(self, table: RelationName, uuid: str) -> list[Tag]:
        """Of the table and its columns."""
        tags = [*self._tags.get(_key(table), ()), *self._tags_by_uuid.get(uuid, ())]
        return list(dict.fromkeys(tags))

    def owner(self, parts: tuple[str, ...], uuid: str) -> str | None:
        """Who made the table or view, if it is still the one they made."""
        owned = self._owned.get(tuple(part.lower() for part in parts))
        return owned.user if owned is not None and owned.uuid in ("", uuid) else None

    def list_owned(self, identity: Identity, on: Place) -> list[Grant]:
        """The same as a grant, for those who ask by name and only whether there is one."""
        return list(self._made_by.get(identity.user, _NOTHING).list_covering(on))


class GrantRules:
    """The rules of now. Thread-safe. Raises where they cannot be read, which denies."""

    def __init__(
        self,
        store: GrantStore,
        administrators: Administrators = NO_ADMINISTRATORS,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], float] = time.time,
    ) -> None:
        self.store = store
        self._clock = clock
        self._now = now
        self._administrators = administrators
        self._lock = threading.Lock()
        self._rules: Rules | None = None
        self._fresh_until = 0.0
        self._failure: SqeError | None = None
        self._seen = 0  # of the changes that this process has made

    def administrator(self, identity: Identity) -> bool:
        return self._administrators.has(identity)

    def current(self) -> Rules:
        with self._lock:
            rules, asked, seen = self._rules, self._clock(), self.store.changes_here
            now = self._now()
            if rules is not None and rules.ends <= now:
                self._rules = rules = Rules(rules.whole, now)
            if asked < self._fresh_until and seen == self._seen:
                if self._failure is not None:
                    raise self._failure.with_traceback(None)
                if rules is not None:
                    return rules
            self._seen = seen
            try:
                if rules is None or rules.kept.version != self.store.version():
                    self._rules = rules = Rules(self.store.read(), now)
            except SqeError as error:
                # Those who wait for the answer must not each wait for a database that is down.
                self._failure, self._fresh_until = error, self._clock() + _FRESH_S
                raise
            self._failure, self._fresh_until = None, asked + _FRESH_S
            return rules


def _key(table: RelationName) -> tuple[str, ...]:
    return tuple(part.lower() for part in table.parts)


def _by_uuid(things: tuple[_Laid, ...]) -> dict[str, list[_Laid]]:
    """A table that another program has renamed keeps what is laid on it."""
    by_uuid: dict[str, list[_Laid]] = {}
    for thing in things:
        if thing.table_uuid:
            by_uuid.setdefault(thing.table_uuid, []).append(thing)
    return by_uuid
