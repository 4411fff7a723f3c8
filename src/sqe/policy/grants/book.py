"""The book of grants: every change of rules made with SQL, checked and audited, and its readings.

``identity`` is always who asks. A change raises ACCESS_DENIED where they may not make it, and is
one transaction: all of it and its line in the store's list of changes, or nothing. The audit log
hears of it once it is there.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from sqe.audit.events import RuleEvent
from sqe.model.decision import TableFacts
from sqe.model.grants import (
    Attachment,
    EffectiveRule,
    Grant,
    GrantChange,
    GrantRequest,
    MaskPolicy,
    NamedPolicy,
    RevokeRequest,
    Role,
    RoleGrant,
    RowFilterPolicy,
    Tag,
)
from sqe.model.identity import Identity
from sqe.model.names import RelationName, SchemaName
from sqe.model.rules import Object, Subject, SubjectKind
from sqe.policy.grants import moves, place_changes, privilege_changes, role_changes
from sqe.policy.grants.authority import Authority
from sqe.policy.grants.effective import ADMINISTRATOR, effective_rules
from sqe.policy.grants.matching import covers
from sqe.policy.grants.rules import GrantRules, Rules
from sqe.policy.grants.ruling import Ruling
from sqe.policy.grants.step import Step
from sqe.policy.grants.words import without_texts

_log = logging.getLogger(__name__)


class GrantBook:
    """Thread-safe."""

    def __init__(self, rules: GrantRules, heard: Callable[[RuleEvent], None] | None = None) -> None:
        self._rules = rules
        self._heard = heard

    # Roles.

    def create_role(self, identity: Identity, name: str, if_not_exists: bool = False) -> None:
        with self._step(identity) as step:
            role_changes.create_role(step, name, if_not_exists=if_not_exists)

    def drop_role(self, identity: Identity, name: str, if_exists: bool = False) -> None:
        """With everything that was granted to it, and through it."""
        with self._step(identity) as step:
            role_changes.drop_role(step, name, if_exists=if_exists)

    def grant_roles(
        self,
        identity: Identity,
        roles: Sequence[str],
        to: Sequence[Subject],
        admin_option: bool = False,
    ) -> None:
        with self._step(identity) as step:
            role_changes.grant_roles(step, roles, to, admin_option=admin_option)

    def revoke_roles(
        self,
        identity: Identity,
        roles: Sequence[str],
        frm: Sequence[Subject],
        only_admin_option: bool = False,
    ) -> None:
        with self._step(identity) as step:
            role_changes.revoke_roles(step, roles, frm, only_admin_option=only_admin_option)

    # Privileges.

    def grant(self, identity: Identity, request: GrantRequest) -> None:
        with self._step(identity) as step:
            privilege_changes.grant(step, request)

    def deny(self, identity: Identity, request: GrantRequest) -> None:
        with self._step(identity) as step:
            privilege_changes.deny(step, request)

    def revoke(self, identity: Identity, request: RevokeRequest) -> None:
        """Grants and denials."""
        with self._step(identity) as step:
            privilege_changes.revoke(step, request)

    # Policies by name, and tags.

    def create_policy(
        self,
        identity: Identity,
        policy: NamedPolicy,
        replace: bool = False,
        if_not_exists: bool = False,
    ) -> None:
        with self._step(identity) as step:
            place_changes.create_policy(
                step, policy, or_replace=replace, if_not_exists=if_not_exists
            )

    def drop_policy(
        self,
        identity: Identity,
        name: str,
        kind: type[RowFilterPolicy] | type[MaskPolicy],
        if_exists: bool = False,
    ) -> None:
        """Refused while it is in use."""
        with self._step(identity) as step:
            place_changes.drop_policy(step, name, kind, if_exists=if_exists)

    def attach(self, identity: Identity, wanted: Attachment) -> None:
        """In place of the same policy there with other exemptions, and of another mask that was
        put on the same columns."""
        with self._step(identity) as step:
            place_changes.attach(step, wanted)

    def detach(self, identity: Identity, unwanted: Attachment) -> None:
        """Looks at the policy, the object or tag, and the names of columns."""
        with self._step(identity) as step:
            place_changes.detach(step, unwanted)

    def set_tag(self, identity: Identity, tag: Tag) -> None:
        with self._step(identity) as step:
            place_changes.set_tag(step, tag)

    def unset_tag(self, identity: Identity, tag: Tag) -> None:
        with self._step(identity) as step:
            place_changes.unset_tag(step, tag)

    # What the catalog has done: the rules follow, and nobody's right to change them is asked.

    def table_renamed(self, identity: Identity, old: RelationName, new: RelationName) -> None:
        with self._step(identity) as step:
            moves.table_renamed(step, old, new)

    def table_dropped(self, identity: Identity, name: RelationName) -> None:
        with self._step(identity) as step:
            moves.table_dropped(step, name)

    def schema_dropped(self, identity: Identity, name: SchemaName) -> None:
        with self._step(identity) as step:
            moves.schema_dropped(step, name)

    # Readings: administrators see all; others what is about them, or about what they own.

    def is_administrator(self, identity: Identity) -> bool:
        return self._rules.administrator(identity)

    def may_administer(self, identity: Identity, on: Object, table_uuid: str = "") -> bool:
        """Whether they may change the rules of the object."""
        return self._authority(self._rules.current(), identity).owns(on, table_uuid)

    def held_roles(self, identity: Identity) -> list[str]:
        """All that are in force for them, the roles of roles too."""
        subjects = self._rules.current().subjects(identity)
        return sorted(one.name for one in subjects if one.kind is SubjectKind.ROLE)

    def roles(self, identity: Identity) -> list[Role]:
        rules = self._rules.current()
        authority, held = self._authority(rules, identity), self.held_roles(identity)
        return sorted(
            (
                one
                for one in rules.kept.roles
                if one.name in held or authority.administers(one.name)
            ),
            key=lambda one: one.name,
        )

    def role_grants(self, identity: Identity, subject: Subject | None = None) -> list[RoleGrant]:
        rules = self._rules.current()
        authority = self._authority(rules, identity)
        return sorted(
            (
                one
                for one in rules.kept.role_grants
                if subject in (None, one.to)
                and (one.to in authority.subjects or authority.administers(one.role))
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
        found = []
        for one in rules.kept.grants:
            if subject not in (None, one.to) or not (on is None or covers(one.on, on)):
                continue
            if one.by == identity.user or authority.owns(one.on, table_uuid):
                found.append(one)
            elif one.to in authority.subjects:
                found.append(without_texts(one))
        return sorted(found, key=_order)

    def policies(self, identity: Identity) -> list[NamedPolicy]:
        """For administrators, and for those who may put them on something that they own."""
        rules = self._rules.current()
        authority = self._authority(rules, identity)
        found = rules.kept.policies if authority.owns_something() else ()
        return sorted(found, key=lambda one: one.name)

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
            one
            for one in rules.kept.attachments
            if (on is None or (one.on is not None and covers(one.on, on)))
            and (
                authority.administrator
                or (one.on is not None and authority.owns(one.on, one.table_uuid))
            )
        ]

    def tags(self, identity: Identity, table: RelationName, table_uuid: str = "") -> list[Tag]:
        rules = self._rules.current()
        if not self._authority(rules, identity).owns(Object.table(table), table_uuid):
            return []
        return sorted(rules.tags(table, table_uuid), key=lambda one: (one.column, one.tag))

    def all_tags(self, identity: Identity) -> list[Tag]:
        """For administrators."""
        found = self._rules.current().kept.tags if self.is_administrator(identity) else ()
        return sorted(found, key=lambda one: (one.tag, str(one.table), one.column))

    def effective(
        self, identity: Identity, table: TableFacts, texts: bool = False
    ) -> list[EffectiveRule]:
        """What decides for them. ``texts``: with conditions and masks, for those who may see
        them; the caller asks ``may_administer``."""
        rules = self._rules.current()
        if self.is_administrator(identity):
            return [ADMINISTRATOR]
        return list(effective_rules(Ruling(rules, identity, table), texts=texts))

    def changes(self, identity: Identity, most: int = 1000) -> list[GrantChange]:
        """For administrators, the latest first."""
        return self._rules.store.changes(most) if self.is_administrator(identity) else []

    @contextmanager
    def _step(self, identity: Identity) -> Iterator[Step]:
        at = time.time()
        with self._rules.store.change() as change:
            rules = Rules(change.rules)
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
