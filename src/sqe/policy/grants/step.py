"""One change of the rules while it is made: who makes it, what they may, what is noted of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TypeVar

from sqe.errors import ErrorCode, UserError
from sqe.model.grants import Attachment, Grant, NamedPolicy, Role, RoleGrant, Tag
from sqe.model.rules import Subject, SubjectKind
from sqe.policy.grants.authority import Authority
from sqe.policy.grants.rules import Rules
from sqe.store.grants import RuleChange

_Rule = TypeVar("_Rule", Role, RoleGrant, Grant, NamedPolicy, Attachment, Tag)


@dataclass(frozen=True)
class Step:
    """``rules``: as they were when it began."""

    change: RuleChange
    rules: Rules
    authority: Authority
    at: float
    said: list[str] = field(default_factory=list)

    def put(self, rule: _Rule) -> None:
        """As the person's own."""
        self.change.put(replace(rule, by=self.authority.user, at=self.at))

    def say(self, what: str) -> None:
        self.said.append(what)

    def must_know(self, subjects: Iterable[Subject]) -> None:
        """Users and groups are the identity provider's; roles are made here."""
        for subject in subjects:
            if subject.kind is SubjectKind.ROLE:
                self.must_have_role(subject.name)

    def must_have_role(self, name: str) -> None:
        if not self.has_role(name):
            raise UserError(
                ErrorCode.ROLE_NOT_FOUND, f"There is no role {name}.", hint="CREATE ROLE makes one."
            )

    def has_role(self, name: str) -> bool:
        return any(role.name == name for role in self.rules.kept.roles)


def argument_error(message: str, hint: str = "") -> UserError:
    return UserError(ErrorCode.INVALID_ARGUMENT, message, hint=hint)
