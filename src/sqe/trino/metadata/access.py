"""Rows about roles and privileges, where SQE keeps them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any, Protocol

from sqe.model.grants import Grant, Role, RoleGrant
from sqe.model.identity import Identity
from sqe.model.rules import Object, ObjectKind, Subject

Row = tuple[Any, ...]


class AccessRules(Protocol):
    """What of the rules one user may know."""

    def roles(self, identity: Identity) -> Sequence[Role]: ...
    def list_held_roles(self, identity: Identity) -> Collection[str]: ...
    def role_grants(self, identity: Identity, subject: Subject | None) -> Sequence[RoleGrant]: ...
    def grants(
        self, identity: Identity, on: Object | None, subject: Subject | None
    ) -> Sequence[Grant]: ...


def role_rows(rules: AccessRules, identity: Identity) -> Iterator[Row]:
    for role in rules.roles(identity):
        yield (role.name,)


def rows_of_enabled_roles(rules: AccessRules, identity: Identity) -> Iterator[Row]:
    """All that a user has are in force."""
    for role in sorted(rules.list_held_roles(identity)):
        yield (role,)


def applicable_role_rows(rules: AccessRules, identity: Identity) -> Iterator[Row]:
    for grant in rules.role_grants(identity, None):
        yield *_subject(grant.to), grant.role, _yes(grant.admin_option)


def privilege_rows(rules: AccessRules, identity: Identity, catalog: str) -> Iterator[Row]:
    """Those on single tables: what holds for a whole schema or catalog is not a table's, and
    who compares a table's grants with a list must not take it back."""
    for grant in rules.grants(identity, None, None):
        table = grant.on.kind is ObjectKind.TABLE and not any(
            "*" in part for part in grant.on.parts
        )
        if grant.deny or not table or grant.on.parts[0].lower() != catalog:
            continue
        grantor = (grant.by, "USER") if grant.by else (None, None)
        path = [part.lower() for part in grant.on.parts]
        named = (path[0], ".".join(path[1:-1]), path[-1])
        words = grant.privilege.value.upper()
        yield *grantor, *_subject(grant.to), *named, words, _yes(grant.grant_option), None


def _subject(one: Subject) -> tuple[str, str]:
    return one.name or one.kind.value, one.kind.name


def _yes(answer: bool) -> str:
    return "YES" if answer else "NO"
