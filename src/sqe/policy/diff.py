"""Who gains or loses what, between two sets of rules: found by asking both."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqe.model.decision import Allow, ColumnFacts, Decision, Deny, Restrict, TableFacts
from sqe.model.identity import Identity
from sqe.model.names import RelationName, SchemaName, quote
from sqe.model.rules import Object, ObjectKind, Privilege, Subject
from sqe.policy.named import OTHER, Named, identity_of
from sqe.policy.policy import Policy
from sqe.policy.words import in_words

_OF_TABLES = (
    Privilege.SELECT,
    Privilege.INSERT,
    Privilege.UPDATE,
    Privilege.DELETE,
    Privilege.ALTER,
    Privilege.DROP,
    Privilege.OWN,
)
_OF_PLACES = (Privilege.CREATE, Privilege.DROP, Privilege.OWN)


@dataclass(frozen=True)
class Difference:
    subject: Subject
    privilege: Privilege
    on: Object
    before: Decision
    after: Decision

    @property
    def verb(self) -> str:
        """gains, loses, or sees other rows and values."""
        if isinstance(self.before, Deny):
            return "gains"
        return "loses" if isinstance(self.after, Deny) else "changes"

    def __str__(self) -> str:
        parts = ".".join(part if part == OTHER else quote(part) for part in self.on.parts)
        what = f"{self.privilege.value} on {self.on.kind.value} {parts}"
        detail = ""
        if self.verb == "changes":
            detail = f": {in_words(self.before)} -> {in_words(self.after)}"
        elif isinstance(self.after, Restrict):
            detail = f": {in_words(self.after)}"
        return f"{self.subject} {self.verb} {what}{detail}"


def differences(old: Policy, new: Policy, named: Named) -> Iterator[Difference]:
    """Over everybody and everything that either of them names, and one who is not named."""
    columns = tuple(
        ColumnFacts(name, "string", number) for number, name in enumerate(sorted(named.columns), 1)
    )
    for subject in sorted(named.subjects, key=lambda one: (one.kind.value, one.name)):
        identity = identity_of(subject)
        for on in sorted(named.objects, key=lambda one: (one.parts, one.kind.value)):
            privileges = _OF_TABLES if on.kind is ObjectKind.TABLE else _OF_PLACES
            for privilege in privileges:
                before, after = (
                    _ask(policy, identity, privilege, on, columns) for policy in (old, new)
                )
                if _comparable(before) != _comparable(after):
                    yield Difference(subject, privilege, on, before, after)


def _ask(
    policy: Policy,
    identity: Identity,
    privilege: Privilege,
    on: Object,
    columns: tuple[ColumnFacts, ...],
) -> Decision:
    if on.kind is not ObjectKind.TABLE:
        return policy.permits(identity, privilege, on)
    catalog, *path, name = on.parts
    facts = TableFacts(
        RelationName(SchemaName(catalog, tuple(path)), name), privilege, columns=columns
    )
    return policy.decide(identity, [facts])[facts]


def _comparable(decision: Decision) -> object:
    """Without the reason: the same may be allowed by another rule."""
    if isinstance(decision, Restrict):
        return frozenset(decision.filters), dict(decision.masks), decision.hidden
    return Allow if isinstance(decision, Allow) else Deny
