"""What a policy's own expressions are read with."""

from __future__ import annotations

from typing import Protocol

from sqe.binding.bound import BoundTable, BoundTarget, BoundView
from sqe.model.identity import Identity, Secret
from sqe.model.names import SchemaName
from sqe.sql.statement import Reference, Statement


class Authority(Protocol):
    """No policy applies to what a policy reads, and the user's session has no say in it; but the
    catalogs are asked with the user's own credentials, and may refuse."""

    @property
    def time_zone(self) -> str:
        """The session's."""
        ...

    def reader(self, as_user: str) -> Identity:
        """Who reads, with all roles in force: the user, or ``as_user`` (see BoundReference)."""
        ...

    def find(self, statement: Statement, reference: Reference, schema: SchemaName) -> BoundTarget:
        """The relation that a name in a policy's text means; ``schema`` is its table's."""
        ...

    def translate(
        self, sql: str, dialect: str, kind: str, target: BoundTable | BoundView, identity: Identity
    ) -> str:
        """A policy's expression in another dialect, as Spark's SQL. ``kind`` is the type that is
        wanted: boolean of a filter, the column's of a mask. Raises Unfit."""
        ...

    def subkeys(self, name: str) -> tuple[Secret, Secret] | None:
        """Of the hash mask's key of that name; None: there is none."""
        ...
