"""Relations that are looked up by name outside a statement, as one user may use them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from sqe.binding.bound import BoundTarget
from sqe.model.decision import Decision
from sqe.model.names import RelationName


@dataclass(frozen=True)
class SeenRelation:
    """``decision``: what the user sees of it; None for a relation that takes no decision."""

    target: BoundTarget
    decision: Decision | None


class Relations(Protocol):
    """Relations by their full names. Both methods raise the error that a statement would get."""

    def read(self, name: RelationName) -> SeenRelation:
        """For a user who may read everything that it is made of."""
        ...

    def change(self, name: RelationName) -> SeenRelation:
        """For a user who may change it in some way, or create it where it does not exist. They need
        not be allowed to read it."""
        ...
