"""A statement that may go to an engine: bound, decided, with its guards in place."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field

from sqe.binding.bound import BoundReference, BoundStatement, BoundTable, BoundView
from sqe.errors import ErrorCode, InternalError
from sqe.model.decision import Allow, Decision, Restrict
from sqe.model.query import Parameter
from sqe.rewrite.needs import Key, key_of
from sqe.sql.statement import Access, Statement, StatementKind

LOOKING = (Access.READ, Access.DESCRIBE)


@dataclass(frozen=True, slots=True)
class ParameterRows:
    """Values of an INSERT's markers for many rows: by marker its type, and a value for each row."""

    types: tuple[str, ...]
    columns: tuple[tuple[object, ...], ...] = field(repr=False)


@dataclass(frozen=True)
class GuardedStatement:
    """Only ``rewrite`` makes one: ``guard``, and the functions below. No Deny is among the
    decisions."""

    bound: BoundStatement
    decisions: Mapping[Key, Decision]
    parameters: tuple[Parameter, ...] = ()  # one for each marker, from ``rewrite.parameters``
    rows: ParameterRows | None = None  # in place of ``parameters``, of an INSERT of many rows

    @property
    def decided(self) -> Hashable:
        """The decisions as a key: equal where the same was decided on the same relations."""
        return frozenset((key, _key_of(decision)) for key, decision in self.decisions.items())

    @property
    def value_rows(self) -> tuple[tuple[Parameter, ...], ...]:
        """``rows`` as they were asked for."""
        if self.rows is None:
            return ()
        return tuple(
            tuple(map(Parameter, self.rows.types, row))
            for row in zip(*self.rows.columns, strict=True)
        )

    @property
    def restricted(self) -> bool:
        """Whether any relation is seen only in part: then nothing may be told of all of it."""
        return any(
            reference.as_user or self._limits(reference) is not None
            for reference in self.bound.walk()
        )

    def _limits(self, reference: BoundReference) -> Restrict | None:
        """What it is looked at through, or written under."""
        key = key_of(reference)
        decision = self.decisions.get(key) if key is not None else None
        return decision if isinstance(decision, Restrict) else None

    def restriction(self, reference: BoundReference) -> Restrict | None:
        """What this reference is looked at through, if anything. Writes are refused or rewritten
        before there is a guarded statement."""
        key = key_of(reference)
        if key is None or reference.reference.access not in LOOKING:
            return None
        if not isinstance(reference.stored_target, BoundTable | BoundView):
            return None
        decision = self.decisions[key]
        if isinstance(decision, Restrict):
            return decision
        assert isinstance(decision, Allow)  # noqa: S101  guard() lets no Deny through
        return None


def _key_of(decision: Decision) -> Hashable:
    if not isinstance(decision, Restrict):
        return decision
    masks = frozenset(decision.masks.items())
    return (decision.reason, decision.filters, masks, decision.hidden)


def inner_statement(guarded: GuardedStatement) -> GuardedStatement:
    """The statement inside, under the same decisions: they were made for it too."""
    inner = guarded.bound.inner
    if inner is None:
        raise InternalError(ErrorCode.INTERNAL_ERROR, "The statement holds no other statement.")
    return GuardedStatement(inner, guarded.decisions, guarded.parameters)


def replace_statement(guarded: GuardedStatement, bound: BoundStatement) -> GuardedStatement:
    """SQE's own statement in place of the user's. It may touch only what was decided on."""
    for reference in bound.walk():
        key = key_of(reference)
        if key is not None and key not in guarded.decisions:
            raise InternalError(ErrorCode.INTERNAL_ERROR, f"No decision was made on {key[0]}.")
    return GuardedStatement(bound, guarded.decisions)


def guard_constant(statement: Statement) -> GuardedStatement:
    """A query that reads no relation: there is nothing to decide on."""
    if statement.kind is not StatementKind.QUERY or statement.references:
        raise InternalError(ErrorCode.INTERNAL_ERROR, "Only a query without relations is constant.")
    return GuardedStatement(BoundStatement(statement, ()), {})
