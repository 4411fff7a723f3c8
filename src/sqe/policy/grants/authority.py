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
        mine = [grant for grant in rules.kept.grants if grant.to in self.subjects]
        self._given = [grant for grant in mine if not grant.deny]
        self._denials = [grant for grant in mine if grant.deny]

    def owns(self, on: Object, uuid: str) -> bool:
        """``uuid``: of the table, if it is one; what was made under its name before is not it."""
        if self.administrator:
            return True
        if self._is_denied(Privilege.OWN, on):
            return False
        made = on.kind is ObjectKind.TABLE and self._rules.owner(on.parts, uuid) == self.user
        return made or any(
            grant.privilege is Privilege.OWN and covers(grant.on, on) for grant in self._given
        )

    def owns_something(self) -> bool:
        """For lists of what owners may use."""
        if self.administrator or any(item.user == self.user for item in self._rules.kept.owned):
            return True
        return any(item.privilege is Privilege.OWN for item in self._given)

    def must_own(self, on: Object, uuid: str) -> None:
        if not self.owns(on, uuid):
            raise refusal(f"change the rules of {object_words(on)}")

    def must_be_administrator(self, what: str) -> None:
        if not self.administrator:
            raise refusal(what)

    def may_lift(self, by: str) -> bool:
        """What ``by`` has laid on something."""
        return self.administrator or by == self.user

    def administers(self, role: str) -> bool:
        return self.administrator or any(
            grant.role == role and grant.admin_option and grant.to in self.subjects
            for grant in self._rules.kept.role_grants
        )

    def must_administer(self, role: str) -> None:
        if not self.administers(role):
            raise refusal(f"change who has the role {role}")

    def grant_option_of(self, request: GrantRequest, privilege: Privilege) -> Subject | None:
        """Whose grant option the person gives it by; None: their own right."""
        if request.reads:
            self.must_be_administrator("use other tables in a rule")
        if self.owns(request.on, request.table_uuid):
            return None
        options = sorted(
            grant.to
            for grant in self._given
            if grant.grant_option and grant.privilege is privilege and covers(grant.on, request.on)
        )
        limits = self._limits(request.on) if privilege is Privilege.SELECT else set()
        wider = bool(limits) and limits != {_limits(request)}
        if not options or wider or self._is_denied(privilege, request.on):
            raise refusal(f"grant {privilege.value.upper()} on {object_words(request.on)}")
        return options[0]

    def _is_denied(self, privilege: Privilege, on: Object) -> bool:
        return any(
            denial.privilege in (privilege, Privilege.OWN) and touches(denial.on, on)
            for denial in self._denials
        )

    def _limits(self, on: Object) -> set[_Limits]:
        """Of what the person sees there themselves."""
        return {
            _limits(given_grant)
            for given_grant in self._given
            if given_grant.limited and touches(given_grant.on, on)
        }


def _limits(rule: Grant | GrantRequest) -> _Limits:
    return rule.rows, None if rule.columns is None else frozenset(rule.columns)


def refusal(what: str) -> AccessError:
    """The same words whether what it is about is there or not."""
    return AccessError(
        ErrorCode.ACCESS_DENIED,
        f"You may not {what}.",
        hint="An administrator of the policy, or the owner, can.",
    )
