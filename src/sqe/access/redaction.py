"""What a user sees of, and may do with, a stored table or view that no statement names."""

from __future__ import annotations

from sqe.access.view_disclosure import ViewDisclosure
from sqe.binding.bound import BoundReference, BoundStatement, BoundTable, BoundTarget, BoundView
from sqe.catalog.protocol import Ident, Json, Loaded
from sqe.catalog.redaction import redact_metadata, without_query
from sqe.catalog.schemas import columns_of_schema, current_schema
from sqe.errors import SqeError
from sqe.model.decision import Decision, Deny, Restrict
from sqe.model.identity import Identity
from sqe.model.names import RelationName
from sqe.model.query import Column
from sqe.policy.policy import Policy
from sqe.rewrite.needs import needs_of
from sqe.sql.statement import Access, Reference, Span, Statement, StatementKind

_NO_TEXT = Statement("", StatementKind.COMMAND)


class PolicyRedaction:
    """Implements ``catalog.seen.Redaction``: the same that DESCRIBE of it would show."""

    def __init__(self, policy: Policy, insides: ViewDisclosure) -> None:
        self._policy = policy
        self._insides = insides

    def __call__(
        self, identity: Identity, name: RelationName, loaded: Loaded, view: bool
    ) -> Json | None:
        if not self._policy.ruled and not loaded.restrictions:
            return loaded.metadata
        target = stored(name, loaded, view)
        decision = decided(self._policy, identity, target, Access.DESCRIBE)
        if isinstance(decision, Deny):
            return None
        metadata = loaded.metadata
        if isinstance(decision, Restrict):
            metadata = redact_metadata(metadata, decision)
        return self._of_view(identity, name, metadata) if view else metadata

    def _of_view(self, identity: Identity, name: RelationName, metadata: Json) -> Json | None:
        if not self._insides.readable(identity, name):
            return None
        alone = self._insides.readable_alone(identity, name)
        return metadata if alone else without_query(metadata)


def decided(policy: Policy, identity: Identity, target: BoundTarget, access: Access) -> Decision:
    """As a statement would be decided on that does this and nothing else."""
    reference = BoundReference(Reference((), Span(0, 0), access), target)
    [need] = needs_of(BoundStatement(_NO_TEXT, (reference,)))
    return need.decision(policy.decide(identity, dict.fromkeys(need.asked)))


def stored(name: RelationName, loaded: Loaded, view: bool) -> BoundTable | BoundView:
    columns = _columns(loaded.metadata)
    if not view:
        return BoundTable(name, Ident(name.schema.path, name.name), loaded, columns)
    unopened = BoundStatement(Statement("", StatementKind.QUERY), ())
    return BoundView(name.name, unopened, columns, name, metadata=loaded.metadata)


def _columns(metadata: Json) -> tuple[Column, ...]:
    """Also of a table with a type that nobody can read yet: its other columns are shown."""
    schema = current_schema(metadata)
    try:
        return columns_of_schema(schema)
    except SqeError:
        return tuple(Column(field["name"], "") for field in schema["fields"])
