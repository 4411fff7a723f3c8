"""Rules in a file or folder, whatever their kind, opened to be compared and checked."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from sqe.errors import ErrorCode, UserError
from sqe.model.rules import Object
from sqe.policy.cedar.policies import Policies
from sqe.policy.file_lint import lint_file_rules
from sqe.policy.lint import Finding, cedar_places, lint_cedar, lint_grants, named_places
from sqe.policy.named import OTHER, Named, in_cedar, in_file_rules, in_grants
from sqe.policy.source import PolicySource
from sqe.store.grants import KeptRules

CEDAR = ".cedar"
ENTITIES = "entities.json"  # beside the policies of a folder


@dataclass(frozen=True)
class RuleSet:
    """``places``: what each rule names that a catalog should have."""

    source: PolicySource
    named: Named
    findings: tuple[Finding, ...]
    places: tuple[tuple[str, Object], ...] = ()


def open_rules(path: Path) -> RuleSet:
    """A ``rules.json``, a file or folder of Cedar's, or what ``sqe policy export`` wrote."""
    if path.is_dir() or path.suffix == CEDAR:
        entities = path / ENTITIES
        return cedar_rules(path, entities if entities.is_file() else None)
    try:
        content = path.read_bytes()
        document = json.loads(content)
    except OSError as error:
        raise _unreadable(path, error.strerror or "it cannot be read") from None
    except ValueError:
        raise _unreadable(path, "it is neither JSON nor Cedar") from None
    if isinstance(document, dict) and "format" in document:
        from sqe.store.grant_export import imported

        try:
            return grant_rules(imported(content.decode()))
        except ValueError as error:
            raise _unreadable(path, str(error)) from None
    return file_rules(path)


def file_rules(path: Path) -> RuleSet:
    from sqe.policy.file_rules.source import FileRules

    source = FileRules(path)  # checks its form first
    content = path.read_bytes()
    named = in_file_rules(content)
    places = tuple((path.name, on) for on in named.objects if OTHER not in on.parts)
    return RuleSet(source, named, tuple(lint_file_rules(content)), places)


def cedar_rules(path: Path, entities: Path | None) -> RuleSet:
    from sqe.policy.cedar.source import CedarSource

    source = CedarSource(path, entities)
    policies: Policies = source.policies
    return RuleSet(
        source, in_cedar(policies), tuple(lint_cedar(policies)), tuple(cedar_places(policies))
    )


def grant_rules(rules: KeptRules) -> RuleSet:
    from sqe.policy.grants.rules import GrantRules
    from sqe.policy.grants.source import SqlGrants
    from sqe.store.grant_export import ExportedGrants

    source = SqlGrants(GrantRules(ExportedGrants(rules)))
    found = tuple(lint_grants(rules))
    return RuleSet(source, in_grants(rules), found, tuple(named_places(rules)))


def _unreadable(path: Path, why: str) -> UserError:
    return UserError(ErrorCode.INVALID_ARGUMENT, f"{path}: {why}.")
