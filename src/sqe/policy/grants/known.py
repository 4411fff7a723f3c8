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


def list_visible_grants(policy: Policy, identity: Identity, grants: Iterable[Grant]) -> list[Grant]:
    """One question to the policy, however many there are."""
    all_grants = list(grants)
    objects = [
        grant for grant in dict.fromkeys(grant.on for grant in all_grants) if _is_listed(grant)
    ]
    shown = policy.visible(identity, objects)
    unknown = {object_ for object_, yes in zip(objects, shown, strict=True) if not yes}
    return [grant for grant in all_grants if grant.on not in unknown]


def _is_listed(on: Object) -> bool:
    """A pattern names nothing that is there."""
    return on.kind in _LISTED and not any("*" in part for part in on.parts)


@dataclass(frozen=True)
class KnownRules:
    """Implements ``trino.metadata.access.AccessRules``."""

    book: GrantBook
    policy: Policy

    def roles(self, identity: Identity) -> Sequence[Role]:
        return self.book.roles(identity)

    def list_held_roles(self, identity: Identity) -> Collection[str]:
        return self.book.list_held_roles(identity)

    def role_grants(self, identity: Identity, subject: Subject | None) -> Sequence[RoleGrant]:
        return self.book.role_grants(identity, subject)

    def grants(
        self, identity: Identity, on: Object | None, subject: Subject | None
    ) -> Sequence[Grant]:
        return list_visible_grants(self.policy, identity, self.book.grants(identity, on, subject))
