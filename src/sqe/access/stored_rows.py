"""Who may read the rows that a materialized view keeps: those of others, written at some time.

They are whole rows of its sources, as only users who see all of them refresh it. So they are for
who may read all of the sources today, and for others only while the owner of the view may read all
of them and may let others do so (decision 0021). Who owns it is in SQE's own store.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sqe.binding.binder import Binder
from sqe.binding.bound import BoundAbsent, BoundReference, BoundStatement, BoundTable
from sqe.catalog.materialized import is_materialized
from sqe.errors import ErrorCode, SqeError, UserError
from sqe.model.decision import Allow, Decision, Deny
from sqe.model.names import RelationName
from sqe.policy.policy import Policy
from sqe.rewrite.needs import Key, identity_as, key_of, needs_of
from sqe.sessions.session import Session
from sqe.sql.statement import Access

_NOT_LENT = Deny(
    "what the materialized view keeps is not lent",
    hint="It is a materialized view. Its rows are for who may read all of what it was made of; for"
    " others its owner needs SELECT with the grant option on all of that, or must own it.",
)

_Inside = tuple[RelationName, ...]


@dataclass(frozen=True)
class StoredRows:
    binder: Binder
    policy: Policy

    def limit(
        self, bound: BoundStatement, decisions: Mapping[Key, Decision], session: Session
    ) -> Mapping[Key, Decision]:
        """The decisions, with a denial of each materialized view whose rows are not this
        reader's."""
        if not self.policy.ruled:
            return decisions
        denied: dict[Key, Decision] = {}
        for reference, view in _reads_of_stored_rows(bound):
            key = key_of(reference)
            if key is None or key in denied or isinstance(decisions[key], Deny):
                continue
            if not self._may_read(reference, view, session, ()):
                denied[key] = _NOT_LENT
        return {**decisions, **denied}

    def _may_read(
        self, reference: BoundReference, view: BoundTable, session: Session, inside: _Inside
    ) -> bool:
        if view.name in inside:
            return False
        inside = (*inside, view.name)
        reader = reference.as_user
        if self._sees_all(view, session, reader, inside, lends=bool(reader)):
            return True
        owner = self.binder.owner_of_kept_query(view)
        if not owner or owner in (reader, session.identity.user):
            return False
        # An older state may hold the rows of another query, which somebody else has lent.
        older = reference.reference.temporal is not None or bool(view.suffix)
        return not older and self._sees_all(view, session, owner, inside, lends=True)

    def _sees_all(
        self, view: BoundTable, session: Session, who: str, inside: _Inside, *, lends: bool
    ) -> bool:
        """``lends``: and may let others do so. If a source is gone, nobody knows what was hidden in
        it."""
        try:
            query = self.binder.bind_kept_query(view, session, who)
        except SqeError as error:
            if error.code is ErrorCode.CORRUPT_DATA or isinstance(error, UserError):
                return False  # what it was made of cannot be known
            raise
        if lends and any(isinstance(place.target, BoundAbsent) for place in query.walk()):
            return False
        needs = needs_of(query)
        for name in {need.as_user for need in needs}:
            asked = [fact for need in needs if need.as_user == name for fact in need.asked_facts]
            answers = self.policy.decide(identity_as(session.identity, name), dict.fromkeys(asked))
            if not all(isinstance(answer, Allow) for answer in answers.values()):
                return False
        return all(
            self._may_read(place, source, session, inside)
            for place, source in _reads_of_stored_rows(query)
        )


def _reads_of_stored_rows(bound: BoundStatement) -> Iterator[tuple[BoundReference, BoundTable]]:
    for reference in bound.walk():
        table = reference.target
        reads = reference.reference.access is Access.READ
        if reads and isinstance(table, BoundTable) and is_materialized(table.metadata):
            yield reference, table
