"""A query's life: what was asked, the states it goes through, what is remembered of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum


class EngineKind(Enum):
    COORDINATOR = "coordinator"  # SQE itself: metadata, sessions, catalogue statements
    SPARK = "spark"
    LOCAL = "local"


@dataclass(frozen=True, slots=True)
class Route:
    """Which engine runs the statement, and why, in words for people.

    ``remedy`` says what would have to change for another engine to run it. ``fallback`` runs it if
    ``engine`` gives up before the first row.
    """

    engine: EngineKind
    reason: str
    remedy: str = ""
    fallback: EngineKind | None = None


@dataclass(frozen=True, slots=True)
class QueryRequest:
    """One statement as it came from a front end."""

    session_id: str
    text: str
    source: str = ""  # the client's own name for itself, for the record


class QueryState(Enum):
    QUEUED = "queued"
    PLANNING = "planning"
    RUNNING = "running"
    FINISHED = "finished"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def ended(self) -> bool:
        return self in (QueryState.FINISHED, QueryState.FAILED, QueryState.CANCELLED)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an engine is. ``fraction`` is between 0 and 1, or None where nobody knows."""

    stages: int = 0
    stages_done: int = 0
    tasks: int = 0
    tasks_done: int = 0
    bytes_read: int = 0

    @property
    def fraction(self) -> float | None:
        return self.tasks_done / self.tasks if self.tasks else None


@dataclass(frozen=True, slots=True)
class QueryRecord:
    """What is known of a query at one moment. Times are seconds since the epoch or durations."""

    query_id: str
    user: str
    text: str
    state: QueryState
    created: float
    session_id: str = ""
    source: str = ""
    kind: str = ""
    route: Route | None = None
    stage_seconds: dict[str, float] = field(default_factory=dict)
    ended: float | None = None
    rows: int = 0
    bytes: int = 0
    error_code: str = ""
    error_message: str = ""
    progress: Progress = Progress()


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a result or table. ``type`` is Spark's spelling, e.g. ``decimal(10,2)``."""

    name: str
    type: str
    nullable: bool = True
    comment: str = ""
