"""Rights over other people: to act as them, to see their queries and to end them."""

from __future__ import annotations

from collections.abc import Iterable

from sqe.model.decision import Allow
from sqe.model.identity import Identity
from sqe.model.query import QueryRecord
from sqe.model.rules import Object, Privilege
from sqe.policy.policy import Policy


class OtherUsers:
    """Over themselves everybody has all of them. Without rules nobody has more."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy

    def may_act_as(self, identity: Identity, user: str) -> bool:
        return self._may(Privilege.IMPERSONATE, identity, user)

    def may_kill(self, identity: Identity, record: QueryRecord) -> bool:
        return self._may(Privilege.KILL_QUERY, identity, record.user)

    def may_view(self, identity: Identity, record: QueryRecord) -> bool:
        return self._may(Privilege.VIEW_QUERY, identity, record.user)

    def viewed(self, identity: Identity, records: Iterable[QueryRecord]) -> list[QueryRecord]:
        found = list(records)
        users = {record.user for record in found}
        shown = {user for user in users if self._may(Privilege.VIEW_QUERY, identity, user)}
        return [record for record in found if record.user in shown]

    def _may(self, privilege: Privilege, identity: Identity, user: str) -> bool:
        if user == identity.user:
            return True
        return isinstance(self._policy.permits(identity, privilege, Object.user(user)), Allow)
