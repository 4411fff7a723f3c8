"""Where decisions come from, by the settings. Each source is imported where it is configured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqe.audit.events import RuleEvent
from sqe.policy.policy import Policy
from sqe.policy.read_restrictions import ReadRestrictions
from sqe.policy.source import AllowAll, PolicySource
from sqe.settings import Settings
from sqe.settings.policy import PolicySettings
from sqe.store.database import Database

if TYPE_CHECKING:
    from sqe.policy.grants.book import GrantBook
    from sqe.policy.grants.rules import GrantRules


@dataclass(frozen=True)
class Policies:
    """``grants``: the rules made with SQL; None where the settings do not have them."""

    policy: Policy
    grants: GrantRules | None = None

    def book(self, heard: Callable[[RuleEvent], None] | None) -> GrantBook | None:
        """Where rules are changed. ``heard``: who is told of each change."""
        if self.grants is None:
            return None
        from sqe.policy.grants.book import GrantBook

        return GrantBook(self.grants, heard)

    def close(self) -> None:
        """Ends the connections that sources have."""
        for source in self.policy.sources:
            close = getattr(source, "close", None)
            if close is not None:
                close()


def policies_of(
    settings: Settings, store: Database, sources: Sequence[PolicySource] | None = None
) -> Policies:
    """``sources``: instead of those of the settings. What the catalogs demand of their readers is
    always among them, unless there are none at all, which denies everything. Wrong rules refuse
    the start: what they would have allowed or denied is not known."""
    grants = _grants(settings.policy, store) if settings.policy.sql else None
    found = list(sources) if sources is not None else _configured(settings, grants)
    if found:
        found.append(ReadRestrictions())
    return Policies(Policy(found, settings.policy.cache_s), grants)


def _configured(settings: Settings, grants: GrantRules | None) -> list[PolicySource]:
    policy = settings.policy
    found: list[PolicySource] = []
    if grants is not None:
        from sqe.policy.grants.source import SqlGrants

        found.append(SqlGrants(grants))
    if policy.file is not None:
        from sqe.policy.file_rules.source import FileRules

        found.append(FileRules(settings.in_home(policy.file.path)))
    if policy.cedar is not None:
        from sqe.policy.cedar.source import CedarSource

        entities = policy.cedar.entities
        found.append(
            CedarSource(
                settings.in_home(policy.cedar.policies),
                settings.in_home(entities) if entities is not None else None,
            )
        )
    if policy.opa is not None:  # last: it holds connections, which a refusal would leave open
        from sqe.policy.opa.source import OpaSource

        found.append(OpaSource(policy.opa))
    return found or [AllowAll()]


def _grants(policy: PolicySettings, store: Database) -> GrantRules:
    from sqe.policy.grants.rules import GrantRules
    from sqe.store.grants import GrantStore

    people, groups = frozenset(policy.administrators), frozenset(policy.administrator_groups)
    return GrantRules(GrantStore(store), people, groups)
