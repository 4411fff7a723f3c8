"""Rules made with SQL to be compared and checked: what they name, and which give nothing."""

from __future__ import annotations

from collections.abc import Iterator

from sqe.model.grants import Grant
from sqe.model.rules import PUBLIC, Object, Subject, SubjectKind
from sqe.policy.grants.matching import covers
from sqe.policy.grants.rules import GrantRules
from sqe.policy.grants.source import SqlGrants
from sqe.policy.grants.words import grant_words
from sqe.policy.named import PLACES, Named, with_others
from sqe.policy.rule_set import Finding, RuleSet
from sqe.store.grant_export import ExportedGrants
from sqe.store.grants import KeptRules


def grant_rules(rules: KeptRules) -> RuleSet:
    source = SqlGrants(GrantRules(ExportedGrants(rules)))
    findings = tuple(lint_grants(rules))
    return RuleSet(source, in_grants(rules), findings, tuple(list_places(rules)))


def in_grants(rules: KeptRules) -> Named:
    subjects = {PUBLIC, *(grant.to for grant in rules.grants)}
    subjects |= {grant.to for grant in rules.role_grants}
    subjects |= {Subject(SubjectKind.ROLE, role.name) for role in rules.roles}
    subjects |= {subject for place in rules.attachments for subject in place.exempt}
    objects = {grant.on for grant in rules.grants if grant.on.kind in PLACES}
    objects |= {place.on for place in rules.attachments if place.on is not None}
    objects |= {Object.table(tag.table) for tag in rules.tags}
    columns = {rule.name for grant in rules.grants for rule in grant.columns or ()}
    columns |= {rule.name for place in rules.attachments for rule in place.columns}
    columns |= {tag.column for tag in rules.tags if tag.column}
    return with_others(subjects, objects, {name.lower() for name in columns})


def lint_grants(rules: KeptRules) -> Iterator[Finding]:
    denials = [entry for entry in rules.grants if entry.deny]
    for grant in rules.grants:
        for denial in denials:
            if not grant.deny and _denies_all_of(denial, grant):
                words = f"gives nothing: {grant_words(denial)}"
                yield Finding(grant_words(grant), "shadowed", words)
                break
    held = {entry.role for entry in rules.role_grants}
    for role in rules.roles:
        if role.name not in held:
            subject = Subject(SubjectKind.ROLE, role.name)
            words = "nobody has it here; only a login that brings it is in it"
            yield Finding(str(subject), "unheld", words)


def _denies_all_of(denial: Grant, grant: Grant) -> bool:
    same = denial.privilege is grant.privilege and denial.to in (grant.to, PUBLIC)
    return same and covers(denial.on, grant.on)


def list_places(rules: KeptRules) -> Iterator[tuple[str, Object]]:
    """Each grant with what it is on, for those who know what there is."""
    for grant in rules.grants:
        yield grant_words(grant), grant.on
