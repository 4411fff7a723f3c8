"""Which engine runs a statement, and why."""

from __future__ import annotations

from sqe.binding.bound import BoundMetadata, BoundStatement
from sqe.errors import ErrorCode, InternalError, UserError
from sqe.model.query import EngineKind, Route, RouteCause
from sqe.model.sizes import size_words
from sqe.rewrite.guarded import GuardedStatement
from sqe.routing.facts import LocalFacts, RoutingLimits
from sqe.sql.statement import StatementKind
from sqe.sql.traits import RunsOn

_BY_COORDINATOR = "answered from the catalog and the session"
# Of other kinds than commands, why it is the coordinator that runs them.
_REASONS = {
    StatementKind.EXPLAIN: "an explanation is put together by the coordinator",
    StatementKind.EXPLAIN_ANALYZE: "an explanation is put together by the coordinator",
    StatementKind.CREATE_VIEW: "SQE stores views itself",
    StatementKind.CREATE_TEMPORARY_VIEW: "SQE keeps temporary views in the session",
}
_AUTO = "SET SESSION sqe.engine = 'auto'"
_LIST = "Write it without that; docs/reference/local-engine.md lists what runs locally."
_TURNED_OFF = LocalFacts(
    "the local engine is turned off",
    "Set local.enabled in the settings.",
    cause=RouteCause.TURNED_OFF,
)


def choose(
    guarded: GuardedStatement, wanted: str, facts: LocalFacts | None, limits: RoutingLimits
) -> Route:
    """``wanted`` is the session's ``sqe.engine``: auto, local or spark. ``facts`` are needed where
    ``asks_for_facts`` says so."""
    statement = guarded.bound.statement
    traits = statement.traits
    if traits.by_coordinator:
        return Route(EngineKind.COORDINATOR, _REASONS.get(statement.kind, _BY_COORDINATOR))
    if traits.runs_on is RunsOn.SPARK:
        return _only_spark(statement.kind, wanted)
    if traits.runs_on is not RunsOn.ANY_ENGINE:
        raise InternalError(ErrorCode.INTERNAL_ERROR, f"No engine runs {statement.label}.")
    if wanted == "spark":
        return Route(EngineKind.SPARK, "the session asks for Spark", f"{_AUTO}.")
    if only_metadata(guarded.bound) and wanted == "auto":
        return Route(EngineKind.COORDINATOR, "it reads nothing but information_schema")
    return _query(facts or _TURNED_OFF, wanted, limits)


def asks_for_facts(guarded: GuardedStatement, wanted: str) -> bool:
    """Facts cost a look at the tables' metadata; most statements are decided without."""
    statement = guarded.bound.statement
    return (
        statement.traits.runs_on is RunsOn.ANY_ENGINE
        and wanted != "spark"
        and not (wanted == "auto" and only_metadata(guarded.bound))
    )


def only_metadata(bound: BoundStatement) -> bool:
    """At least one relation, and all of them ``information_schema``'s, named directly."""
    return bool(bound.references) and all(
        isinstance(reference.target, BoundMetadata) for reference in bound.references
    )


def _only_spark(kind: StatementKind, wanted: str) -> Route:
    if wanted == "local":
        raise UserError(
            ErrorCode.NOT_SUPPORTED,
            f"The local engine only reads; every {kind.label} is Spark's.",
            hint=f"{_AUTO}.",
        )
    return Route(EngineKind.SPARK, f"Spark runs every {kind.label}")


def _query(facts: LocalFacts, wanted: str, limits: RoutingLimits) -> Route:
    obstacle, remedy, cause = facts.obstacle, facts.remedy or _LIST, facts.cause
    if not obstacle and wanted == "auto":
        obstacle, remedy = _too_much(facts, limits)
        cause = RouteCause.SIZE
    if not obstacle:
        if wanted == "local":
            return Route(EngineKind.LOCAL, "the session asks for the local engine")
        reason = f"everything in it is proven, and it reads {size_words(facts.bytes)}"
        return Route(EngineKind.LOCAL, reason, fallback=EngineKind.SPARK)
    if wanted == "local":
        raise not_taken(obstacle)
    return Route(EngineKind.SPARK, obstacle, remedy, cause=cause)


def not_taken(reason: str) -> UserError:
    """For a session that asked for the local engine and nothing else."""
    return UserError(
        ErrorCode.NOT_SUPPORTED,
        f"The local engine does not take this query: {reason}.",
        hint=f"{_AUTO}.",
    )


def _too_much(facts: LocalFacts, limits: RoutingLimits) -> tuple[str, str]:
    remedy = "Filter by a partition column, or raise local.max_{} in the settings."
    if facts.bytes > limits.max_bytes:
        size, most = size_words(facts.bytes), size_words(limits.max_bytes)
        reason = f"it reads {size}; the local engine takes {most}"
        return reason, remedy.format("bytes")
    if facts.files > limits.max_files:
        reason = f"it reads {facts.files:,} files; the local engine takes {limits.max_files:,}"
        return reason, remedy.format("files")
    return "", ""
