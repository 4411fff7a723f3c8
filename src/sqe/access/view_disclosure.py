"""What views are made of, and who may know of it.

A view's columns and its query name what it reads, so they are shown only to users who may read
that. Of a view that they cannot read, users see the name alone. The query of a view that is read
with its owner's rights is shown only to users who have those rights themselves.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from sqe.access.statement_guard import StatementGuard
from sqe.binding.statement_cache import statement_cache
from sqe.errors import AccessError, ErrorCode, UserError
from sqe.model.decision import Allow
from sqe.model.identity import Identity
from sqe.model.names import RelationName
from sqe.sessions.session import Session
from sqe.sql.statement import Access, statement_about

_READABLE = Allow("what is asked is only what it is made of")
# A view that has lost a table or a column can still be looked at, and mended; so can one whose
# query is in another dialect, but nobody can say who may know that query.
_BROKEN = (
    ErrorCode.TABLE_NOT_FOUND,
    ErrorCode.VIEW_NOT_FOUND,
    ErrorCode.SCHEMA_NOT_FOUND,
    ErrorCode.CATALOG_NOT_FOUND,
    ErrorCode.COLUMN_NOT_FOUND,
)


@dataclass(frozen=True)
class ViewDisclosure:
    """Whether users may read the tables and views that a view is made of."""

    guard: StatementGuard

    @cached_property
    def _without_owners(self) -> StatementGuard:
        return self.guard.without_owners()

    def readable(self, identity: Identity, view: RelationName) -> bool:
        """With the rights that the view is read with: the user's, or its owner's."""
        return _reads(self.guard, identity, view, (*_BROKEN, ErrorCode.NOT_SUPPORTED))

    def readable_alone(self, identity: Identity, view: RelationName) -> bool:
        """With the user's own rights alone."""
        return _reads(self._without_owners, identity, view, _BROKEN)


def _reads(
    guard: StatementGuard, identity: Identity, view: RelationName, broken: tuple[ErrorCode, ...]
) -> bool:
    session = Session(identity, view.schema, lambda _: None)
    with statement_cache():
        try:
            decided = guard.decide(statement_about(view, Access.READ), session)
        except AccessError:
            return False
        decisions = {**decided.decisions, (view, Access.READ, ""): _READABLE}
        try:
            guard.guard(replace(decided, decisions=decisions), session)
        except AccessError:
            return False
        except UserError as error:
            unrestricted = all(isinstance(decision, Allow) for decision in decisions.values())
            return unrestricted and error.code in broken
        return True
