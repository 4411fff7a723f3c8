"""A statement that may go to an engine: bound, decided, with its guards in place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqe.catalog.bound import BoundReference, BoundStatement, BoundTable
from sqe.model.decision import Allow, Decision, Restrict
from sqe.model.names import RelationName
from sqe.model.query import Parameter
from sqe.sql.statement import Access


@dataclass(frozen=True)
class GuardedStatement:
    """Only ``rewrite.guard`` makes one. No Deny is among the decisions."""

    bound: BoundStatement
    decisions: Mapping[tuple[RelationName, Access], Decision]
    parameters: tuple[Parameter, ...] = ()  # one for each marker, from ``rewrite.parameters``

    def restriction(self, reference: BoundReference) -> Restrict | None:
        """The guard this reference must be read through, if any."""
        if not isinstance(reference.target, BoundTable):
            return None
        decision = self.decisions[(reference.target.name, reference.reference.access)]
        if isinstance(decision, Restrict):
            return decision
        assert isinstance(decision, Allow)  # noqa: S101  guard() lets no Deny through
        return None
