"""A query's life: what was asked, the states it goes through, what is remembered of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum


class EngineKind(Enum):
    COORDINATOR = "coordinator"  # SQE itself: metadata, sessions, catalogue statements
    SPARK = "spark"
    LOCAL = "local"


# In place of the reason of a route that is not shown.
NOT_SHOWN = "it may depend on rows that you do not see"


@dataclass(frozen=True, slots=True)
class Route:
    """Which engine runs the statement, and why, in words for people.

    ``remedy`` says what would have to change for another engine to run it. ``fallback`` runs it if
    ``engine`` gives up before the first row. ``hidden``: the choice may depend on rows that the
    user does not see, and is not shown to them.
    """

    engine: EngineKind
    reason: str
    remedy: str = ""
    fallback: EngineKind | None = None
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class Parameter:
    """The value of one marker: ``type`` in Spark's spelling, ``value`` as Python has it."""

    type: str
    value: object = field(repr=False)


@dataclass(frozen=True, slots=True)
class ClientState:
    """What a client of a protocol without sessions (Trino's) keeps itself and sends with every
    statement."""

    catalog: str = ""
    schema: str = ""
    path: str = ""
    time_zone: str = "UTC"
    role: str = ""
    properties: Mapping[str, str] = field(default_factory=dict)  # SET SESSION's
    prepared: Mapping[str, str] = field(default_factory=dict)  # name -> text
    capabilities: frozenset[str] = frozenset()
    dialect: str = "trino"  # what the client writes its SQL in


@dataclass(frozen=True, slots=True)
class ClientChanges:
    """What such a client shall keep from now on. None and empty: no change."""

    catalog: str | None = None
    schema: str | None = None
    path: str | None = None
    role: str | None = None
    set_properties: Mapping[str, str] = field(default_factory=dict)
    reset_properties: tuple[str, ...] = ()
    added_prepared: Mapping[str, str] = field(default_factory=dict)
    dropped_prepared: tuple[str, ...] = ()
    started_transaction: str | None = None
    ended_transaction: bool = False
    authorization_user: str | None = None
    reset_authorization_user: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a statement was besides its rows: ``update_type`` as Trino names it (CREATE TABLE),
    empty for a query."""

    update_type: str = ""
    changes: ClientChanges = ClientChanges()


@dataclass(frozen=True, slots=True)
class QueryRequest:
    """One statement as it came from a front end."""

    session_id: str
    text: str
    source: str = ""  # the client's own name for itself, for the record
    # Real paths of the caller's own files that this statement may load. Only a front end that runs
    # in the caller's own process knows whose they are; nothing from a wire goes in here.
    files: frozenset[str] = frozenset()
    # One for each ``?`` of the text, in order. None: only described, and nobody knows them yet.
    parameters: tuple[Parameter, ...] | None = None
    transaction: str = ""  # the id of the transaction it is part of; empty: it is one by itself
    # What a client without a session keeps; such a client may write in a dialect of its own.
    client: ClientState | None = None
    # SQL by the names of session functions, for the texts of views that were made in Trino's SQL:
    # the text is the translation of a statement that began then and there.
    session_values: Mapping[str, str] = field(default_factory=dict)
    # In place of ``parameters``, of an INSERT … VALUES (?, …): all of these rows are one statement.
    rows: tuple[tuple[Parameter, ...], ...] = field(default=(), repr=False)

    @property
    def dialect(self) -> str:
        return self.client.dialect if self.client is not None else "spark"


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
    phase: str = ""  # in words, what is waited for before there is any work

    @property
    def fraction(self) -> float | None:
        return self.tasks_done / self.tasks if self.tasks else None


@dataclass(frozen=True, slots=True)
class RowsAffected:
    """How many rows a write changed. None: the statement does nothing of that kind, or (the rows
    an INSERT OVERWRITE replaces) it is not counted."""

    inserted: int | None = None
    updated: int | None = None
    deleted: int | None = None

    @property
    def counts(self) -> dict[str, int]:
        """Those that are counted, by name."""
        named = {"inserted": self.inserted, "updated": self.updated, "deleted": self.deleted}
        return {name: count for name, count in named.items() if count is not None}

    def __add__(self, other: RowsAffected) -> RowsAffected:
        mine, theirs = self.counts, other.counts
        return RowsAffected(
            **{name: mine.get(name, 0) + theirs.get(name, 0) for name in {*mine, *theirs}}
        )

    @property
    def total(self) -> int:
        """The one number that protocols with a single update count tell."""
        return sum(self.counts.values())

    def __str__(self) -> str:
        """ "3 rows inserted", "2 rows updated, 1 deleted"."""
        counts = list(self.counts.items())
        told = [(name, count) for name, count in counts if count] or counts[:1]
        (first, count), *rest = told
        words = [f"{count:,} {'row' if count == 1 else 'rows'} {first}"]
        return ", ".join(words + [f"{count:,} {name}" for name, count in rest])


@dataclass(frozen=True, slots=True)
class RelationUse:
    """A table or view that a query touches. ``columns``: those that a read names, or all.
    ``snapshot_id``: the current one when a read was planned. ``rule``: why it was allowed.
    ``as_user``: whose rights a view reads it with, if not the user's."""

    name: str
    access: str  # read, write, create, alter, drop or describe
    columns: tuple[str, ...] = ()
    snapshot_id: int | None = None
    rule: str = ""
    as_user: str = ""


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
    affected: RowsAffected | None = None  # of a write, where it is known exactly
    error_code: str = ""
    error_message: str = ""
    progress: Progress = Progress()
    restricted: bool = False  # it reads something that its user sees in part
    relations: tuple[RelationUse, ...] = ()  # for operators: it tells what policies hide

    @property
    def shown_route(self) -> Route | None:
        """What the user may know of the route."""
        return self.route if self.route is not None and not self.route.hidden else None


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a result or table. ``type`` is Spark's spelling, e.g. ``decimal(10,2)``."""

    name: str
    type: str
    nullable: bool = True
    comment: str = ""
