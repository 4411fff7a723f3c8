"""Who may change which rule.

Administrators may everything. Owners may grant and deny on what they own. Who has WITH GRANT
OPTION may pass on what they hold, and no more; who has WITH ADMIN OPTION, the role. What somebody
else has laid on a table (a denial, a policy, a tag) is lifted by them or by an administrator, not
by the owner: an owner who could would see what it hides.
"""

from __future__ import annotations

from sqe.errors import AccessError, ErrorCode
from sqe.model.grants import ColumnRule, Grant, GrantRequest
from sqe.model.identity import Identity
from sqe.model.rules import Object, ObjectKind, Privilege, Subject
from sqe.policy.grants.matching import covers, touches
from sqe.policy.grants.rules import Rules
from sqe.policy.grants.words import object_words

_Limits = tuple[object, frozenset[ColumnRule] | None]


class Authority:
    """Of one person, under one version of the rules."""

    def __init__(self, rules: Rules, identity: Identity, *, administrator: bool) -> None:
        self.administrator = administrator
        self.user = identity.user
        self.subjects = rules.subjects(identity)
        self._rules = rules
        mine = [one for one in rules.kept.grants if one.to in self.subjects]
        self._given = [one for one in mine if not one.deny]
        self._denials = [one for one in mine if one.deny]

    def owns(self, on: Object, uuid: str) -> bool:
        """``uuid``: of the table, if it is one; what was made under its name before is not it."""
        if self.administrator:
            return True
        if self._denied(Privilege.OWN, on):
            return False
        made = on.kind is ObjectKind.TABLE and self._rules.owner(on.parts, uuid) == self.user
        return made or any(
            one.privilege is Privilege.OWN and covers(one.on, on) for one in self._given
        )

    def owns_something(self) -> bool:
        """For lists of what owners may use."""
        if self.administrator or any(one.user == self.user for one in self._rules.kept.owned):
            return True
        return any(one.privilege is Privilege.OWN for one in self._given)

    def must_own(self, on: Object, uuid: str) -> None:
        if not self.owns(on, uuid):
            raise refused(f"change the rules of {object_words(on)}")

    def must_be_administrator(self, what: str) -> None:
        if not self.administrator:
            raise refused(what)

    def may_lift(self, by: str) -> bool:
        """What ``by`` has laid on something."""
        return self.administrator or by == self.user

    def administers(self, role: str) -> bool:
        return self.administrator or any(
            one.role == role and one.admin_option and one.to in self.subjects
            for one in self._rules.kept.role_grants
        )

    def must_administer(self, role: str) -> None:
        if not self.administers(role):
            raise refused(f"change who has the role {role}")

    def giving(self, request: GrantRequest, privilege: Privilege) -> Subject | None:
        """Whose grant option the person gives it by; None: their own right."""
        if request.reads:
            self.must_be_administrator("use other tables in a rule")
        if self.owns(request.on, request.table_uuid):
            return None
        options = sorted(
            one.to
            for one in self._given
            if one.grant_option and one.privilege is privilege and covers(one.on, request.on)
        )
        limits = self._limits(request.on) if privilege is Privilege.SELECT else set()
        wider = bool(limits) and limits != {_limits(request)}
        if not options or wider or self._denied(privilege, request.on):
            raise refused(f"grant {privilege.value.upper()} on {object_words(request.on)}")
        return options[0]

    def _denied(self, privilege: Privilege, on: Object) -> bool:
        return any(
            one.privilege in (privilege, Privilege.OWN) and touches(one.on, on)
            for one in self._denials
        )

    def _limits(self, on: Object) -> set[_Limits]:
        """Of what the person sees there themselves."""
        return {_limits(one) for one in self._given if one.limited and touches(one.on, on)}


def _limits(rule: Grant | GrantRequest) -> _Limits:
    return rule.rows, None if rule.columns is None else frozenset(rule.columns)


def refused(what: str) -> AccessError:
    """The same words whether what it is about is there or not."""
    return AccessError(
        ErrorCode.ACCESS_DENIED,
        f"You may not {what}.",
        hint="An administrator of the policy, or the owner, can.",
    )
