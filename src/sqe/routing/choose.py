"""Which engine runs a statement, and why."""

from __future__ import annotations

from sqe.catalog.bound import BoundMetadata, BoundStatement
from sqe.errors import ErrorCode, UserError
from sqe.model.query import EngineKind, Route
from sqe.rewrite.guarded import GuardedStatement
from sqe.sql.statement import StatementKind

_BY_COORDINATOR = {
    StatementKind.COMMAND: "answered from the catalog and the session",
    StatementKind.EXPLAIN: "an explanation is put together by the coordinator",
    StatementKind.EXPLAIN_ANALYZE: "an explanation is put together by the coordinator",
    StatementKind.CREATE_VIEW: "SQE stores views itself",
    StatementKind.CREATE_TEMPORARY_VIEW: "SQE keeps temporary views in the session",
}


def choose(guarded: GuardedStatement, wanted: str = "auto") -> Route:
    """``wanted`` is the session's ``sqe.engine``: auto, local or spark."""
    statement = guarded.bound.statement
    if statement.kind in _BY_COORDINATOR:
        return Route(EngineKind.COORDINATOR, _BY_COORDINATOR[statement.kind])
    if wanted == "local":
        if statement.kind is not StatementKind.QUERY:
            raise UserError(
                ErrorCode.NOT_SUPPORTED,
                f"The local engine only reads; every {statement.kind.value} is Spark's.",
                hint="SET SESSION sqe.engine = 'auto'.",
            )
        return Route(EngineKind.LOCAL, "the session asks for the local engine")
    if wanted == "spark":
        return Route(EngineKind.SPARK, "the session asks for Spark")
    if statement.kind is StatementKind.QUERY and only_metadata(guarded.bound):
        return Route(EngineKind.COORDINATOR, "it reads nothing but information_schema")
    if statement.kind is StatementKind.QUERY:
        return Route(
            EngineKind.SPARK, "the local engine runs only where a session asks for it so far"
        )
    return Route(EngineKind.SPARK, f"Spark runs every {statement.kind.value}")


def only_metadata(bound: BoundStatement) -> bool:
    """At least one relation, and all of them ``information_schema``'s, named directly."""
    return bool(bound.references) and all(
        isinstance(reference.target, BoundMetadata) for reference in bound.references
    )
