"""Asks Cedar. What a policy permits, its annotations may limit; a forbid always wins."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sqe.errors import ErrorCode, InternalError
from sqe.model.decision import Allow, Decision, Deny, TableFacts
from sqe.model.identity import Identity
from sqe.model.rules import Object, ObjectKind, Privilege
from sqe.policy.cedar.entities import Json, action, object_of_scope, objects, resource, uid, user
from sqe.policy.cedar.policies import (
    Known,
    Policies,
    Written,
    know_nobody,
    library,
    read_entities,
    read_policies,
)
from sqe.policy.policy import combine
from sqe.settings.watched import Watched

if TYPE_CHECKING:
    from cedarpy import AuthzResult

# Who may do anything with a thing may know of it.
_SHOWN_BY = (
    Privilege.SHOW,
    Privilege.SELECT,
    Privilege.INSERT,
    Privilege.UPDATE,
    Privilege.DELETE,
    Privilege.ALTER,
    Privilege.DROP,
    Privilege.CREATE,
    Privilege.OWN,
)
_OF_QUERIES = (Privilege.VIEW_QUERY, Privilege.KILL_QUERY)
_CONTAINERS = (ObjectKind.CATALOG, ObjectKind.SCHEMA)


@dataclass(frozen=True, slots=True)
class _Answer:
    """``forbidden``: by a policy, not only for want of one. ``by``: the policies that decided."""

    allowed: bool
    forbidden: bool
    by: tuple[Written, ...]


class CedarSource:
    """``policies``: a file, or a folder of ``*.cedar``; ``entities``: which users, groups and
    roles are in which groups and roles. Both are read again when they change."""

    name = "cedar"

    def __init__(self, policies: Path, entities: Path | None = None) -> None:
        library()
        self._policies = Watched(policies, read_policies, "*.cedar")
        self._known = Watched(entities, read_entities) if entities is not None else None
        self._nobody = know_nobody()

    @property
    def problem(self) -> str:
        """What is wrong with the files as they are now; the last good ones hold."""
        return self._policies.problem or (self._known.problem if self._known is not None else "")

    @property
    def policies(self) -> Policies:
        """As they hold now."""
        return self._policies.value

    def version(self) -> Hashable:
        return self._policies.version, self._known.version if self._known is not None else 0

    def decide(self, identity: Identity, table: TableFacts) -> Decision:
        answer = self._first_answer(identity, table.privilege, Object.table(table.name))
        if not answer.allowed:
            return _deny(answer)
        reason = _reason(answer)
        if table.privilege is not Privilege.SELECT:
            return Allow(reason)
        limits = [
            policy_id.limits.restriction(f"cedar: {policy_id.label}", table)
            for policy_id in answer.by
        ]
        restrictions = [limit for limit in limits if limit is not None]
        return combine(restrictions) if restrictions else Allow(reason)

    def permits(self, identity: Identity, privilege: Privilege, on: Object) -> Allow | Deny:
        if privilege in _OF_QUERIES and on == Object.user(identity.user):
            return Allow("one's own queries")
        answer = self._first_answer(identity, privilege, on)
        return Allow(_reason(answer)) if answer.allowed else _deny(answer)

    def visible(self, identity: Identity, objects: Sequence[Object]) -> Sequence[bool]:
        seen = dict.fromkeys(objects, False)
        left: Iterable[Object] = seen
        for privilege in _SHOWN_BY:
            asked = list(left)
            answers = self._ask(identity, [(privilege, candidate) for candidate in asked])
            pairs = list(zip(asked, answers, strict=True))
            seen |= {candidate: True for candidate, answer in pairs if answer.allowed}
            # What is forbidden to be shown is not, whatever else may be done with it.
            hides = privilege is Privilege.SHOW
            done = {
                candidate
                for candidate, answer in pairs
                if answer.allowed or (hides and answer.forbidden)
            }
            left = [candidate for candidate in asked if candidate not in done]
        for candidate in left:
            if candidate.kind in _CONTAINERS:
                seen[candidate] = self._something_inside(identity, candidate)
        return [seen[object_] for object_ in objects]

    def _something_inside(self, identity: Identity, on: Object) -> bool:
        """Whether a policy names something in it that this user may use."""
        scopes = {policy.scope for policy in self._policies.value.by_id.values() if policy.permits}
        named = [object_of_scope(scope) for scope in scopes if scope is not None]
        depth, place = len(on.parts), tuple(part.lower() for part in on.parts)
        inside = [
            policy
            for policy in named
            if policy and len(policy.parts) > depth and policy.parts[:depth] == place
        ]
        return any(
            self._first_answer(identity, Privilege.SHOW, policy).allowed for policy in inside
        )

    def _first_answer(self, identity: Identity, privilege: Privilege, on: Object) -> _Answer:
        """By the privilege itself, or else by one that holds it. What is forbidden stays so."""
        holding = _SHOWN_BY if privilege is Privilege.SHOW else (privilege, Privilege.OWN)
        answers = self._ask(
            identity, [(held_privilege, on) for held_privilege in dict.fromkeys(holding)]
        )
        if answers[0].forbidden:
            return answers[0]
        return next((answer for answer in answers if answer.allowed), answers[0])

    def _ask(
        self, identity: Identity, questions: Sequence[tuple[Privilege, Object]]
    ) -> list[_Answer]:
        if not questions:
            return []
        policies = self._policies.value
        known = self._known.value if self._known is not None else self._nobody
        principal = uid("User", identity.user)
        requests = [
            {"principal": principal, "action": action(privilege), "resource": resource(on)}
            for privilege, on in questions
        ]
        about = [on for _, on in questions]
        entities = known.graph.with_added_json_str(json.dumps(_entities(identity, about, known)))
        results = library().is_authorized_batch(requests, policies.judged, entities)
        return [_answer(policies, result) for result in results]


def _entities(identity: Identity, about: Sequence[Object], known: Known) -> list[Json]:
    asking = user(identity, known.parents)
    others = objects(about, known.parents)
    return [asking, *(other for other in others if other["uid"] != asking["uid"])]


def _answer(policies: Policies, result: AuthzResult) -> _Answer:
    """A policy that could not be judged may have been the one that forbids: fail closed."""
    diagnostics = result.diagnostics
    if diagnostics.errors:
        raise InternalError(ErrorCode.INTERNAL_ERROR, "A Cedar policy could not be judged.")
    by = tuple(policies.by_id[reason] for reason in sorted(diagnostics.reasons))
    allowed = result.allowed
    return _Answer(allowed, not allowed and bool(by), by)


def _reason(found: _Answer) -> str:
    return "cedar: " + "; ".join(policy_id.label for policy_id in found.by)


def _deny(found: _Answer) -> Deny:
    return Deny(_reason(found) if found.forbidden else "cedar: no policy permits it")
