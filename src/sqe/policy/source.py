"""Where decisions come from."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from sqe.model.decision import Allow, Decision, Deny, TableFacts
from sqe.model.identity import Identity
from sqe.model.rules import Object, Privilege

if TYPE_CHECKING:
    from sqe.audit.events import RuleEvent
    from sqe.policy.grants.book import GrantBook


class PolicySource(Protocol):
    """One source of rules. Thread-safe. An exception means deny; see ``Policy``."""

    @property
    def name(self) -> str:
        """A short word for reasons and messages: sql, file, opa."""
        ...

    def version(self) -> Hashable:
        """Another one whenever an answer may be another one: it is in the key of what is kept."""
        ...

    def decide(self, identity: Identity, table: TableFacts) -> Decision:
        """About a table or view and one privilege. Restrict is for SELECT; other privileges are
        held or not."""
        ...

    def permits(self, identity: Identity, privilege: Privilege, on: Object) -> Allow | Deny:
        """About everything that is not a table or view."""
        ...

    def visible(self, identity: Identity, objects: Sequence[Object]) -> Sequence[bool]:
        """Which catalogs, schemas, tables (views are among them) the user may know of."""
        ...


# The names of sources that have no rules of their own: nothing at all, and what catalogs demand.
RULELESS = ("none", "catalog")
# Rights over other people, which nobody has without a rule.
OVER_OTHERS = (Privilege.IMPERSONATE, Privilege.VIEW_QUERY, Privilege.KILL_QUERY)


@runtime_checkable
class KnowsRoles(Protocol):
    """A source that gives people roles, beside those that their login has."""

    def roles_of(self, identity: Identity) -> frozenset[str]: ...


@runtime_checkable
class ChangedWithSql(Protocol):
    """A source whose rules are made with GRANT, REVOKE and DENY. ``heard``: who is told of each
    change."""

    def book(self, heard: Callable[[RuleEvent], None] | None) -> GrantBook: ...


class AllowAll:
    """No policy is configured: the catalog's own grants are the only gate."""

    name = "none"

    def version(self) -> Hashable:
        return 0

    def decide(self, identity: Identity, table: TableFacts) -> Decision:
        return Allow("no policy source is configured")

    def permits(self, identity: Identity, privilege: Privilege, on: Object) -> Allow | Deny:
        if privilege in OVER_OTHERS:
            return Deny("no policy source is configured")
        return Allow("no policy source is configured")

    def visible(self, identity: Identity, objects: Sequence[Object]) -> Sequence[bool]:
        return [True] * len(objects)
