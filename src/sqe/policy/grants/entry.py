"""``policy.sql``: rules made with GRANT, REVOKE and DENY, kept in SQE's own database."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from sqe.model.administrators import administrators_of
from sqe.policy.rule_set import RuleFile, RuleSet
from sqe.policy.source_type import SourceParts, SourceType

if TYPE_CHECKING:
    from sqe.policy.grants.source import SqlGrants
    from sqe.store.grants import KeptRules


def _make(on: bool, parts: SourceParts) -> SqlGrants:
    from sqe.policy.grants.rules import GrantRules
    from sqe.policy.grants.source import SqlGrants
    from sqe.store.grants import GrantStore

    administrators = administrators_of(parts.settings.policy)
    return SqlGrants(GrantRules(GrantStore(parts.store), administrators))


def _rules(on: bool, parts: SourceParts) -> RuleSet:
    from sqe.policy.grants.lint import grant_rules

    return grant_rules(_read_kept(parts))


def _read(file: RuleFile) -> RuleSet | None:
    """What ``sqe policy export`` wrote."""
    if not isinstance(file.document, dict) or "format" not in file.document:
        return None
    from sqe.policy.grants.lint import grant_rules
    from sqe.store.grant_export import import_rules

    return grant_rules(import_rules(json.dumps(file.document)))


def _export(parts: SourceParts) -> str:
    from sqe.store.grant_export import export_rules

    return export_rules(_read_kept(parts))


def _read_kept(parts: SourceParts) -> KeptRules:
    from sqe.store.grants import GrantStore

    return GrantStore(parts.store).read()


SQL = SourceType("sql", _make, _rules, _read, {"rules": _export}, in_store=True)
