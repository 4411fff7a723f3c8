"""Cedar policies to be compared and checked: what they name, and which of them permit nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from sqe.model.rules import PUBLIC, Object, Subject, SubjectKind
from sqe.policy.cedar.entities import NAMESPACE, object_of_scope
from sqe.policy.cedar.policies import Policies, Written
from sqe.policy.cedar.source import CedarSource
from sqe.policy.named import Named, with_others
from sqe.policy.rule_set import Finding, RuleSet

_SUBJECTS = {
    f"{NAMESPACE}::User": SubjectKind.USER,
    f"{NAMESPACE}::Group": SubjectKind.GROUP,
    f"{NAMESPACE}::Role": SubjectKind.ROLE,
}


def cedar_rules(path: Path, entities: Path | None) -> RuleSet:
    source = CedarSource(path, entities)
    policies = source.policies
    return RuleSet(
        source, in_cedar(policies), tuple(lint_cedar(policies)), tuple(cedar_places(policies))
    )


def in_cedar(policies: Policies) -> Named:
    subjects, objects, columns = {PUBLIC}, set(), set()
    for one in policies.by_id.values():
        if one.principal is not None and one.principal[0] in _SUBJECTS:
            subjects.add(Subject(_SUBJECTS[one.principal[0]], one.principal[1]))
        place = object_of_scope(one.scope) if one.scope is not None else None
        if place is not None:
            objects.add(place)
        columns |= {*one.limits.masks, *one.limits.hidden, *(one.limits.only or ())}
    return with_others(subjects, objects, columns)


def lint_cedar(policies: Policies) -> Iterator[Finding]:
    forbids = [policy for policy in policies.by_id.values() if not policy.permits and policy.always]
    for policy in policies.by_id.values():
        if not policy.permits:
            continue
        for forbid in forbids:
            if _forbids_all_of(forbid, policy):
                words = f"permits nothing: {forbid.label} forbids all of it"
                yield Finding(policy.label, "shadowed", words)
                break


def _forbids_all_of(forbid: Written, permit: Written) -> bool:
    who = forbid.principal is None or (
        forbid.principal == permit.principal and permit.exact[0] >= forbid.exact[0]
    )
    actions = not forbid.actions or (
        bool(permit.actions) and set(permit.actions) <= set(forbid.actions)
    )
    return who and actions and _within(forbid, permit)


def _within(forbid: Written, permit: Written) -> bool:
    if forbid.scope is None:
        return True
    if permit.scope is None:
        return False
    wide, narrow = object_of_scope(forbid.scope), object_of_scope(permit.scope)
    if forbid.exact[1] or wide is None or narrow is None:
        return forbid.scope == permit.scope and permit.exact[1] >= forbid.exact[1]
    return narrow.parts[: len(wide.parts)] == wide.parts


def cedar_places(policies: Policies) -> Iterator[tuple[str, Object]]:
    for policy in policies.by_id.values():
        place = object_of_scope(policy.scope) if policy.scope is not None else None
        if place is not None:
            yield policy.label, place
