"""The rules that a user may know of: none about a table, schema or catalog that is not theirs to
know of. That somebody was denied one would tell that it is there."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqe.model.grants import Grant, Role, RoleGrant
from sqe.model.identity import Identity
from sqe.model.rules import Object, ObjectKind, Subject
from sqe.policy.policy import Policy

if TYPE_CHECKING:
    from sqe.policy.grants.book import GrantBook

_LISTED = (ObjectKind.TABLE, ObjectKind.SCHEMA, ObjectKind.CATALOG)


def known_grants(policy: Policy, identity: Identity, grants: Iterable[Grant]) -> list[Grant]:
    """One question to the policy, however many there are."""
    found = list(grants)
    objects = [one for one in dict.fromkeys(one.on for one in found) if _is_listed(one)]
    shown = policy.visible(identity, objects)
    unknown = {one for one, yes in zip(objects, shown, strict=True) if not yes}
    return [one for one in found if one.on not in unknown]


def _is_listed(on: Object) -> bool:
    """A pattern names nothing that is there."""
    return on.kind in _LISTED and not any("*" in part for part in on.parts)


@dataclass(frozen=True)
class KnownRules:
    """Implements ``catalog.trino_metadata.access.AccessRules``."""

    book: GrantBook
    policy: Policy

    def roles(self, identity: Identity) -> Sequence[Role]:
        return self.book.roles(identity)

    def held_roles(self, identity: Identity) -> Collection[str]:
        return self.book.held_roles(identity)

    def role_grants(self, identity: Identity, subject: Subject | None) -> Sequence[RoleGrant]:
        return self.book.role_grants(identity, subject)

    def grants(
        self, identity: Identity, on: Object | None, subject: Subject | None
    ) -> Sequence[Grant]:
        return known_grants(self.policy, identity, self.book.grants(identity, on, subject))
