"""The book of grants: every change of rules made with SQL, checked and audited, and its readings.

``identity`` is always who asks. A change raises ACCESS_DENIED where they may not make it, and is
one transaction: all of it and its line in the store's list of changes, or nothing. The audit log
hears of it once it is there.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Concatenate, ParamSpec

from sqe.audit.events import RuleEvent
from sqe.model.grants import (
    Attachment,
    Grant,
    GrantChange,
    NamedPolicy,
    Role,
    RoleGrant,
    Tag,
)
from sqe.model.identity import Identity
from sqe.model.names import RelationName
from sqe.model.rules import Object, Subject, SubjectKind
from sqe.policy.grants import moves, place_changes, privilege_changes, role_changes
from sqe.policy.grants.authority import Authority
from sqe.policy.grants.matching import covers
from sqe.policy.grants.rules import GrantRules, Rules
from sqe.policy.grants.step import Step
from sqe.policy.grants.words import without_texts

_log = logging.getLogger(__name__)
_P = ParamSpec("_P")


def _by(
    change: Callable[Concatenate[Step, _P], None],
) -> Callable[Concatenate[GrantBook, Identity, _P], None]:
    def method(book: GrantBook, identity: Identity, /, *args: _P.args, **kwargs: _P.kwargs) -> None:
        with book.step(identity) as step:
            change(step, *args, **kwargs)

    return method


class GrantBook:
    """Thread-safe."""

    def __init__(self, rules: GrantRules, heard: Callable[[RuleEvent], None] | None = None) -> None:
        self._rules = rules
        self._heard = heard

    # Each of these is a change that the identity makes, with the arguments of the function behind.

    create_role = _by(role_changes.create_role)
    drop_role = _by(role_changes.drop_role)
    grant_roles = _by(role_changes.grant_roles)
    revoke_roles = _by(role_changes.revoke_roles)

    grant = _by(privilege_changes.grant)
    deny = _by(privilege_changes.deny)
    revoke = _by(privilege_changes.revoke)

    create_policy = _by(place_changes.create_policy)
    drop_policy = _by(place_changes.drop_policy)
    attach = _by(place_changes.attach)
    detach = _by(place_changes.detach)
    set_tag = _by(place_changes.set_tag)
    unset_tag = _by(place_changes.unset_tag)

    # What the catalog has done: the rules follow, and nobody's right to change them is asked.

    move_table_rules = _by(moves.move_table_rules)
    drop_table_rules = _by(moves.drop_table_rules)
    drop_schema_rules = _by(moves.drop_schema_rules)

    # Readings: administrators see all; others what is about them, or about what they own.

    def is_administrator(self, identity: Identity) -> bool:
        return self._rules.administrator(identity)

    def may_administer(self, identity: Identity, on: Object, table_uuid: str = "") -> bool:
        """Whether they may change the rules of the object."""
        return self._authority(self._rules.current(), identity).owns(on, table_uuid)

    def list_held_roles(self, identity: Identity) -> list[str]:
        """All that are in force for them, the roles of roles too."""
        subjects = self._rules.current().subjects(identity)
        return sorted(subject.name for subject in subjects if subject.kind is SubjectKind.ROLE)

    def roles(self, identity: Identity) -> list[Role]:
        rules = self._rules.current()
        authority, held = self._authority(rules, identity), self.list_held_roles(identity)
        return sorted(
            (
                role
                for role in rules.kept.roles
                if role.name in held or authority.administers(role.name)
            ),
            key=lambda one: one.name,
        )

    def role_grants(self, identity: Identity, subject: Subject | None = None) -> list[RoleGrant]:
        rules = self._rules.current()
        authority = self._authority(rules, identity)
        return sorted(
            (
                grant
                for grant in rules.kept.role_grants
                if subject in (None, grant.to)
                and (grant.to in authority.subjects or authority.administers(grant.role))
            ),
            key=lambda one: (one.role, one.to.kind.value, one.to.name),
        )

    def grants(
        self,
        identity: Identity,
        on: Object | None = None,
        subject: Subject | None = None,
        table_uuid: str = "",
    ) -> list[Grant]:
        """``on``: those that hold for all of the object. Whom one limits does not see how."""
        rules = self._rules.current()
        authority = self._authority(rules, identity)
        visible = []
        for grant in rules.kept.grants:
            if subject not in (None, grant.to) or not (on is None or covers(grant.on, on)):
                continue
            if grant.by == identity.user or authority.owns(grant.on, table_uuid):
                visible.append(grant)
            elif grant.to in authority.subjects:
                visible.append(without_texts(grant))
        return sorted(visible, key=_order)

    def policies(self, identity: Identity) -> list[NamedPolicy]:
        """For administrators, and for those who may put them on something that they own."""
        rules = self._rules.current()
        authority = self._authority(rules, identity)
        policies = rules.kept.policies if authority.owns_something() else ()
        return sorted(policies, key=lambda one: one.name)

    def policy(
        self, identity: Identity, name: str, on: Object | None = None, table_uuid: str = ""
    ) -> NamedPolicy | None:
        """The row filter or mask of the name, if the user may put it there. ``on``: without an
        object it is for administrators."""
        rules = self._rules.current()
        authority = self._authority(rules, identity)
        may = authority.owns(on, table_uuid) if on is not None else authority.administrator
        return rules.policies.get(name.lower()) if may else None

    def attachments(self, identity: Identity, on: Object | None = None) -> list[Attachment]:
        rules = self._rules.current()
        authority = self._authority(rules, identity)
        return [
            attachment
            for attachment in rules.kept.attachments
            if (on is None or (attachment.on is not None and covers(attachment.on, on)))
            and (
                authority.administrator
                or (
                    attachment.on is not None
                    and authority.owns(attachment.on, attachment.table_uuid)
                )
            )
        ]

    def tags(self, identity: Identity, table: RelationName, table_uuid: str = "") -> list[Tag]:
        rules = self._rules.current()
        if not self._authority(rules, identity).owns(Object.table(table), table_uuid):
            return []
        return sorted(rules.tags(table, table_uuid), key=lambda one: (one.column, one.tag))

    def all_tags(self, identity: Identity) -> list[Tag]:
        """For administrators."""
        tags = self._rules.current().kept.tags if self.is_administrator(identity) else ()
        return sorted(tags, key=lambda one: (one.tag, str(one.table), one.column))

    def changes(self, identity: Identity, most: int = 1000) -> list[GrantChange]:
        """For administrators, the latest first."""
        return self._rules.store.changes(most) if self.is_administrator(identity) else []

    @contextmanager
    def step(self, identity: Identity) -> Iterator[Step]:
        at = time.time()
        with self._rules.store.change() as change:
            rules = Rules(change.rules, at)
            step = Step(change, rules, self._authority(rules, identity), at)
            yield step
            for what in step.said:
                change.note(GrantChange(identity.user, at, what))
        for what in step.said:
            self._tell(RuleEvent(identity.user, at, what))

    def _tell(self, event: RuleEvent) -> None:
        try:
            if self._heard is not None:
                self._heard(event)
        except Exception:  # noqa: BLE001
            # The change is made and in the store's list: it must not look as if it had failed.
            _log.exception("a change of the rules could not be told")

    def _authority(self, rules: Rules, identity: Identity) -> Authority:
        administrator = self._rules.administrator(identity)
        return Authority(rules, identity, administrator=administrator)


def _order(grant: Grant) -> tuple[object, ...]:
    on = grant.on
    return on.kind.value, on.parts, grant.to.kind.value, grant.to.name, grant.privilege.value
