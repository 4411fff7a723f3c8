"""Decisions on a stored table or view that no statement names."""

from __future__ import annotations

from sqe.binding.bound import BoundReference, BoundStatement, BoundTable, BoundTarget, BoundView
from sqe.catalog.protocol import Ident, Json, Loaded
from sqe.catalog.schemas import columns_of_schema, current_schema
from sqe.errors import SqeError
from sqe.model.decision import Decision
from sqe.model.identity import Identity
from sqe.model.names import RelationName
from sqe.model.query import Column
from sqe.policy.policy import Policy
from sqe.rewrite.needs import needs_of
from sqe.sql.statement import Access, Reference, Span, Statement, StatementKind

_NO_TEXT = Statement("", StatementKind.COMMAND)


def decide_access(
    policy: Policy, identity: Identity, target: BoundTarget, access: Access
) -> Decision:
    """The decision that a statement would get that does this and nothing else."""
    reference = BoundReference(Reference((), Span(0, 0), access), target)
    [need] = needs_of(BoundStatement(_NO_TEXT, (reference,)))
    return need.decision(policy.decide(identity, dict.fromkeys(need.asked_facts)))


def relation_of_loaded(name: RelationName, loaded: Loaded, view: bool) -> BoundTable | BoundView:
    columns = _columns(loaded.metadata)
    if not view:
        return BoundTable(name, Ident(name.schema.path, name.name), loaded, columns)
    unopened = BoundStatement(Statement("", StatementKind.QUERY), ())
    return BoundView(name.name, unopened, columns, name, metadata=loaded.metadata)


def _columns(metadata: Json) -> tuple[Column, ...]:
    """The columns that can be read. A table may also have columns of types that are not
    supported."""
    schema = current_schema(metadata)
    try:
        return columns_of_schema(schema)
    except SqeError:
        return tuple(Column(field["name"], "") for field in schema["fields"])
