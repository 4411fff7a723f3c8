"""The source of rules made with SQL. Denies what nothing grants.

Administrators (of the settings) may do everything and see everything: no denial, filter or mask
holds for them. For all others:

* Tables and views: a privilege is held by a grant on the table, its schema or its catalog, now or
  once the table is there; OWN holds all of them, and whoever made a table owns it. A denial of the
  privilege, or of OWN, takes it away whatever else grants it.
* SHOW is held by whoever holds any privilege on the object or, of catalogs and schemas, on
  something in it. CREATE and EXECUTE on a schema or catalog do not show the tables in it.
* Procedures need EXECUTE on the procedure, its schema or its catalog: some of them make tables out
  of files. Functions, session properties and queries at all are for everybody unless they are
  denied: which there are is the engine's own list.
* Of other users: one's own queries are one's own; everything else takes a grant.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqe.audit.events import RuleEvent
from sqe.model.decision import Allow, Decision, Deny, TableFacts
from sqe.model.identity import Identity
from sqe.model.names import RelationName, SchemaName
from sqe.model.rules import Object, ObjectKind, Privilege, SubjectKind
from sqe.policy.grants.book import GrantBook
from sqe.policy.grants.matching import Place
from sqe.policy.grants.rules import GrantRules, Rules
from sqe.policy.grants.ruling import Ruling, select_grants
from sqe.policy.grants.words import grant_words

_FOR_EVERYBODY = (ObjectKind.FUNCTION, ObjectKind.PROPERTY, ObjectKind.SYSTEM)
_ADMINISTRATOR = Allow("an administrator of the policy")


class SqlGrants:
    """Thread-safe. The rules are read when the store's version of them is another one."""

    name = "sql"

    def __init__(self, rules: GrantRules) -> None:
        self._rules = rules

    def book(self, heard: Callable[[RuleEvent], None] | None) -> GrantBook:
        return GrantBook(self._rules, heard)

    def version(self) -> int:
        return self._rules.current().version

    def roles_of(self, identity: Identity) -> frozenset[str]:
        """All that are in force: of the token, granted, and those that these have."""
        subjects = self._rules.current().subjects(identity)
        return frozenset(subject.name for subject in subjects if subject.kind is SubjectKind.ROLE)

    def decide(self, identity: Identity, table: TableFacts) -> Decision:
        rules = self._rules.current()
        if self._rules.administrator(identity):
            return _ADMINISTRATOR
        return Ruling(rules, identity, table).decision()

    def permits(self, identity: Identity, privilege: Privilege, on: Object) -> Allow | Deny:
        rules = self._rules.current()
        if self._rules.administrator(identity):
            return _ADMINISTRATOR
        if on.kind is ObjectKind.TABLE and privilege is not Privilege.SHOW:
            answer = Ruling(rules, identity, TableFacts(_relation(on), privilege)).decision()
            return answer if isinstance(answer, Allow) else Deny(answer.reason)
        return _decide_permission(rules, identity, privilege, on)

    def visible(self, identity: Identity, objects: Sequence[Object]) -> Sequence[bool]:
        return [
            isinstance(self.permits(identity, Privilege.SHOW, object_), Allow)
            for object_ in objects
        ]


def _decide_permission(
    rules: Rules, identity: Identity, privilege: Privilege, on: Object
) -> Allow | Deny:
    subjects, place = rules.subjects(identity), Place.of(on)
    shows = privilege is Privilege.SHOW
    grants = rules.grants(subjects, place)
    gives, denials = select_grants(
        grants + rules.list_owned(identity, place) * shows, privilege, on.kind
    )
    if denials:
        return Deny(grant_words(denials[0]))
    if gives:
        return Allow(grant_words(gives[0]))
    if on.kind in _FOR_EVERYBODY:
        return Allow("nothing denies it")
    if on == Object.user(identity.user):
        return Allow("oneself")
    if shows and _something_inside(rules, identity, place):
        return Allow("something in it is granted")
    return Deny(f"nothing grants {privilege.value}")


def _something_inside(rules: Rules, identity: Identity, container: Place) -> bool:
    """Something that is granted there and not denied again."""
    subjects = rules.subjects(identity)
    for grant in rules.grants_inside(identity, container):
        there = [*rules.grants(subjects, Place.of(grant.on)), grant]
        gives, denials = select_grants(there, Privilege.SHOW, grant.on.kind)
        if gives and not denials:
            return True
    return False


def _relation(on: Object) -> RelationName:
    catalog, *path, name = on.parts
    return RelationName(SchemaName(catalog, tuple(path)), name)
