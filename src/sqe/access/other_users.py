"""Rights over other people: to act as them, to see their queries and to end them."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from sqe.audit.redact import redact
from sqe.model.administrators import NO_ADMINISTRATORS, Administrators
from sqe.model.decision import Allow
from sqe.model.identity import Identity
from sqe.model.query import EngineWork, Profile, QueryRecord, RelationUse
from sqe.model.rules import Object, Privilege
from sqe.policy.policy import Policy


class OtherUsers:
    """Users have all these rights over their own queries. Over those of others they have them only
    by a rule or as administrators."""

    def __init__(self, policy: Policy, administrators: Administrators = NO_ADMINISTRATORS) -> None:
        self._policy = policy
        self._administrators = administrators

    def may_act_as(self, identity: Identity, user: str) -> bool:
        return self._may(Privilege.IMPERSONATE, identity, user)

    def may_kill(self, identity: Identity, record: QueryRecord) -> bool:
        administers = self._administrators.has(identity)
        return administers or self._may(Privilege.KILL_QUERY, identity, record.user)

    def visible_users(self, identity: Identity, users: Iterable[str]) -> set[str]:
        """Those of ``users`` whose queries this user may see."""
        if self._administrators.has(identity):
            return set(users)
        return {user for user in users if self._may(Privilege.VIEW_QUERY, identity, user)}

    def list_visible(
        self, identity: Identity, records: Collection[QueryRecord]
    ) -> list[QueryRecord]:
        """The records that this user may see, each cut to what they may know of it."""
        shown = self.visible_users(identity, {record.user for record in records})
        return [redact_record(record, identity) for record in records if record.user in shown]

    def _may(self, privilege: Privilege, identity: Identity, user: str) -> bool:
        if user == identity.user:
            return True
        return isinstance(self._policy.permits(identity, privilege, Object.user(user)), Allow)


def _redact_profile(record: QueryRecord, own: bool) -> Profile:
    """A plan may quote values as well."""
    if record.restricted:
        return Profile()
    return record.profile if own else replace(record.profile, plan="")


def redact_record(record: QueryRecord, identity: Identity) -> QueryRecord:
    """What may be told of a query: nothing that a policy hides from the user who ran it, and to
    others no error's text and no plan, which may quote values."""
    own = record.user == identity.user
    return replace(
        record,
        text=redact(record.text),
        route=record.shown_route,
        error_message=redact(record.error_message) if own else "",
        relations=tuple(
            _redact_relation(use, record) for use in record.relations if not use.as_user
        ),
        work=EngineWork() if record.restricted else record.work,
        profile=_redact_profile(record, own),
    )


def _redact_relation(use: RelationUse, record: QueryRecord) -> RelationUse:
    return replace(use, rule="", snapshot_id=None if record.restricted else use.snapshot_id)
