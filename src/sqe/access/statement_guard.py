"""The one place where a statement is bound, decided on and guarded: the pipe's, and also that of
questions about one relation, which are answered as the statement would be that uses it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from sqe.access.changed_answers import refuse_changed_answers
from sqe.access.control import AccessControl
from sqe.access.guards import Guards
from sqe.access.relations import SeenRelation
from sqe.access.stored_rows import StoredRows
from sqe.binding.binder import Binder
from sqe.binding.bound import BoundAbsent, BoundReference, BoundStatement
from sqe.errors import AccessError, ErrorCode
from sqe.model.decision import Decision, Deny
from sqe.model.names import RelationName
from sqe.model.stages import Stage, do_not_time
from sqe.rewrite.guarded import GuardedStatement
from sqe.rewrite.needs import Key, key_of
from sqe.rewrite.refusals import list_hidden_columns
from sqe.rewrite.write_variables import write_variables
from sqe.sessions.session import Session
from sqe.sql.statement import Access, Statement, statement_about


@dataclass(frozen=True)
class DecidedStatement:
    """``decisions``: on each table and view that it touches."""

    bound: BoundStatement
    decisions: Mapping[Key, Decision]


@dataclass(frozen=True)
class StatementGuard:
    binder: Binder
    access: AccessControl
    guards: Guards

    def without_owners(self) -> StatementGuard:
        """One for which no view is read with its owner's rights."""
        binder = self.binder.without_owners()
        return replace(self, binder=binder, guards=self.guards.with_binder(binder))

    def decide(
        self,
        statement: Statement,
        session: Session,
        stage: Stage = do_not_time,
        values: Mapping[str, str] | None = None,
    ) -> DecidedStatement:
        """``values``: see ``QueryRequest.session_values``."""
        with stage("bind"):
            bound = self.binder.bind(statement, session, values)
        with stage("decide"):
            decisions = self.access.decide(bound, session)
            decisions = StoredRows(self.binder, self.access.policy).limit(bound, decisions, session)

            def list_hidden(reference: BoundReference) -> Collection[str]:
                return list_hidden_columns(reference, decisions)

            limits = self.binder.limits
            written = write_variables(bound, list_hidden, session.variables, limits)
            return DecidedStatement(written, decisions)

    def guard(
        self, decided: DecidedStatement, session: Session, stage: Stage = do_not_time
    ) -> GuardedStatement:
        with stage("guard"):
            guarded = self.guards.guard(decided.bound, decided.decisions, session)
            refuse_changed_answers(guarded, session.changed_answers)
            return guarded


@dataclass(frozen=True)
class SessionRelations:
    """Implements ``Relations`` for a session's user."""

    guard: StatementGuard
    session: Session

    def read(self, name: RelationName) -> SeenRelation:
        decided = self.guard.decide(statement_about(name, Access.READ), self.session)
        self.guard.guard(decided, self.session)  # refuses what may not be read, in views too
        [reference] = decided.bound.references
        key = key_of(reference)
        return SeenRelation(reference.target, decided.decisions[key] if key is not None else None)

    def change(self, name: RelationName) -> SeenRelation:
        asked = statement_about(name, Access.DESCRIBE)  # whatever it is made of
        [reference] = self.guard.binder.bind(asked, self.session).references
        target = reference.target
        decision = self.guard.access.decide_change(target, self.session)
        if isinstance(decision, Deny):
            hint = decision.reason if decision.unanswered else ""
            message = f"You may not change {name}, or it does not exist."
            raise AccessError(ErrorCode.ACCESS_DENIED, message, hint=hint)
        if isinstance(target, BoundAbsent) and target.problem is not None:
            raise target.problem
        return SeenRelation(target, decision)
