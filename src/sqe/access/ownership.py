"""Tells the store whose tables and views are, once the catalog has made, renamed or dropped them.

Who makes a table or view owns it, where rules are made with SQL. Views that are read with their
owner's rights are remembered always: nobody else may say that they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqe.binding.bound import BoundAbsent, BoundReference, BoundTable, BoundTarget, BoundView
from sqe.catalog.materialized import is_materialized
from sqe.catalog.protocol import Catalogs, Ident
from sqe.catalog.views import digest_of
from sqe.errors import ABSENT, SqeError
from sqe.model.identity import Identity
from sqe.model.names import RelationName
from sqe.rewrite.guarded import GuardedStatement
from sqe.rewrite.needs import replaces
from sqe.sessions.session import Session
from sqe.sql.alter import ColumnsWithDefaults, RenameTable
from sqe.sql.materialized import CreateMaterializedView
from sqe.sql.statement import Access, Statement
from sqe.sql.views import ViewDefinition
from sqe.store.owners import Owners

if TYPE_CHECKING:
    from sqe.policy.grants.book import GrantBook


@dataclass(frozen=True)
class Ownership:
    """``book`` holds the rules that are made with SQL; None where that is turned off."""

    owners: Owners
    catalogs: Catalogs
    book: GrantBook | None = None

    def note(self, guarded: GuardedStatement, session: Session) -> None:
        """Records what the statement did to owners. Called after it has succeeded."""
        bound = guarded.bound
        if isinstance(bound.statement.command, ColumnsWithDefaults) and bound.inner is not None:
            bound = bound.inner
        statement, command = bound.statement, bound.statement.command
        if statement.traits.explains:
            return
        if isinstance(command, RenameTable):
            self._move_owner(bound.references[0], bound.references[1], session)
            return
        for reference in bound.references:
            name, access = reference.relation, reference.reference.access
            if name is None:
                continue
            if access is Access.DROP:
                self._forget_owner(reference, name, session)
            elif isinstance(command, ViewDefinition):
                self._record_view(reference, name, command, session)
            elif access is Access.CREATE:
                self._record_owner(statement, reference, name, session)

    def _record_owner(
        self, statement: Statement, reference: BoundReference, name: RelationName, session: Session
    ) -> None:
        """With IF NOT EXISTS, an owner who created the table first stays its owner; so does the
        owner of a table that somebody else replaces, since what it held stays in its history. That
        of a materialized view is recorded always, with what the view keeps: they lend it."""
        replaced, command = replaces(statement, reference), statement.command
        keeps_rows = isinstance(command, CreateMaterializedView)
        if self.book is None and not keeps_rows:
            return
        if not (replaced or isinstance(reference.target, BoundAbsent)):
            return
        uuid = self._uuid(name, session.identity)
        if not uuid:
            return
        owner = self.owners.of(name, uuid)
        if reference.reference.if_exists and not replaced and owner is not None:
            return
        if owner == session.identity.user or not _keeps_history(reference.target, uuid):
            digest = ""
            if isinstance(command, CreateMaterializedView):
                digest = digest_of(command.query_text, session.schema, uuid)
            self.owners.set(name, uuid, session.identity.user, digest)

    def _record_view(
        self,
        reference: BoundReference,
        name: RelationName,
        definition: ViewDefinition,
        session: Session,
    ) -> None:
        """Records the view with a digest of its text. If the catalog holds another text later, the
        digest does not match, and the view is read with its reader's rights."""
        target, user = reference.target, session.identity.user
        was = target.definer if isinstance(target, BoundView) else ""
        if definition.if_not_exists and isinstance(target, BoundView):
            return
        definer = is_definer(definition, target, user)
        if not (definer or was or (self.book is not None and not definition.alter)):
            return
        uuid = self._uuid(name, session.identity, view=True)
        if uuid:
            digest = digest_of(definition.query_text.strip(), session.schema, uuid)
            owner = was if definition.alter and was else user
            self.owners.set(name, uuid, owner, digest if definer else "")

    def _forget_owner(
        self, reference: BoundReference, name: RelationName, session: Session
    ) -> None:
        target = reference.target
        if isinstance(target, BoundAbsent):
            return
        if self.book is not None:
            self.book.drop_table_rules(session.identity, name)
        lends = isinstance(target, BoundView) and bool(target.definer)
        lends |= isinstance(target, BoundTable) and is_materialized(target.metadata)
        if self.book is not None or lends:
            self.owners.drop(name)

    def _move_owner(self, old: BoundReference, new: BoundReference, session: Session) -> None:
        if old.relation is None or new.relation is None:
            return
        if self.book is not None:
            self.book.move_table_rules(session.identity, old.relation, new.relation)
        if self.book is not None or (isinstance(old.target, BoundView) and old.target.definer):
            self.owners.move(old.relation, new.relation)

    def note_made(self, name: RelationName, identity: Identity, *, view: bool = False) -> None:
        """Of a table or view that no statement has made."""
        uuid = self._uuid(name, identity, view=view) if self.book is not None else ""
        if uuid:
            self.owners.set(name, uuid, identity.user)

    def note_dropped(self, name: RelationName, identity: Identity) -> None:
        if self.book is not None:
            self.book.drop_table_rules(identity, name)
        self.owners.drop(name)

    def note_renamed(self, old: RelationName, new: RelationName, identity: Identity) -> None:
        if self.book is not None:
            self.book.move_table_rules(identity, old, new)
        self.owners.move(old, new)

    def _uuid(self, name: RelationName, identity: Identity, *, view: bool = False) -> str:
        """Of what the catalog has there now; empty where that is nothing."""
        catalog = self.catalogs.open(name.catalog, identity)
        ident = Ident(name.schema.path, name.name)
        try:
            loaded = catalog.load_view(ident) if view else catalog.load_table(ident)
        except SqeError as error:
            if error.code not in ABSENT:
                raise
            return ""
        return str(loaded.metadata.get("view-uuid" if view else "table-uuid", ""))


def _keeps_history(target: BoundTarget, uuid: str) -> bool:
    """Whether the table that is there now is the one that was there before, with its snapshots."""
    return isinstance(target, BoundTable) and target.metadata.get("table-uuid") == uuid


def is_definer(definition: ViewDefinition, target: BoundTarget, user: str) -> bool:
    """ALTER keeps what CREATE said, for the owner alone: their rights are not lent to a query that
    somebody else has written."""
    kept = isinstance(target, BoundView) and bool(target.definer) and target.definer == user
    return definition.definer or (definition.alter and kept)
