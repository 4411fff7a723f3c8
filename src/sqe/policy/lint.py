"""Rules that cannot do what whoever wrote them may think: found by reading the rules alone.

Only what is certain is said; a rule without a finding may still be wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqe.model.rules import PUBLIC, Object, Subject, SubjectKind
from sqe.policy.cedar.entities import named_object
from sqe.policy.cedar.policies import Policies, Written
from sqe.policy.grants.matching import covers
from sqe.policy.grants.words import grant_words

if TYPE_CHECKING:
    from sqe.model.grants import Grant
    from sqe.store.grants import KeptRules


@dataclass(frozen=True, order=True)
class Finding:
    """``kind`` is a stable word: shadowed, never, absent, mask, filter, column, unheld."""

    where: str
    kind: str
    words: str

    def __str__(self) -> str:
        return f"{self.where}: {self.words} [{self.kind}]"


def lint_cedar(policies: Policies) -> Iterator[Finding]:
    forbids = [one for one in policies.by_id.values() if not one.permits and one.always]
    for one in policies.by_id.values():
        if not one.permits:
            continue
        for forbid in forbids:
            if _forbids_all_of(forbid, one):
                words = f"permits nothing: {forbid.label} forbids all of it"
                yield Finding(one.label, "shadowed", words)
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
    wide, narrow = named_object(forbid.scope), named_object(permit.scope)
    if forbid.exact[1] or wide is None or narrow is None:
        return forbid.scope == permit.scope and permit.exact[1] >= forbid.exact[1]
    return narrow.parts[: len(wide.parts)] == wide.parts


def lint_grants(rules: KeptRules) -> Iterator[Finding]:
    denials = [one for one in rules.grants if one.deny]
    for grant in rules.grants:
        for denial in denials:
            if not grant.deny and _denies_all_of(denial, grant):
                words = f"gives nothing: {grant_words(denial)}"
                yield Finding(grant_words(grant), "shadowed", words)
                break
    held = {one.role for one in rules.role_grants}
    for role in rules.roles:
        if role.name not in held:
            subject = Subject(SubjectKind.ROLE, role.name)
            words = "nobody has it here; only a login that brings it is in it"
            yield Finding(str(subject), "unheld", words)


def _denies_all_of(denial: Grant, grant: Grant) -> bool:
    same = denial.privilege is grant.privilege and denial.to in (grant.to, PUBLIC)
    return same and covers(denial.on, grant.on)


def named_places(rules: KeptRules) -> Iterator[tuple[str, Object]]:
    """Each grant with what it is on, for those who know what there is."""
    for grant in rules.grants:
        yield grant_words(grant), grant.on


def cedar_places(policies: Policies) -> Iterator[tuple[str, Object]]:
    for one in policies.by_id.values():
        place = named_object(one.scope) if one.scope is not None else None
        if place is not None:
            yield one.label, place
