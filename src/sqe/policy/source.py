"""Where decisions come from."""

from __future__ import annotations

from typing import Protocol

from sqe.model.decision import Allow, Decision, TableFacts
from sqe.model.identity import Identity


class PolicySource(Protocol):
    """One source of rules. An exception means deny; see ``decide``."""

    def decide(self, identity: Identity, table: TableFacts) -> Decision: ...


class AllowAll:
    """No policy is configured: the catalog's own grants are the only gate."""

    def decide(self, identity: Identity, table: TableFacts) -> Decision:
        return Allow("no policy source is configured")
