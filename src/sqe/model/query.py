"""A query's life: what was asked, the states it goes through, what is remembered of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from sqe.model.tracing import NO_TRACE, ClientTrace


class EngineKind(Enum):
    COORDINATOR = "coordinator"  # SQE itself: metadata, sessions, catalogue statements
    SPARK = "spark"
    LOCAL = "local"


class RouteCause(Enum):
    """Why a query went where it went, in kinds that can be counted."""

    CHOSEN = "chosen"  # nothing else was asked
    UNPROVEN = "unproven"  # the local engine does not take such a query
    SIZE = "size"  # it reads too much for the local engine
    TURNED_OFF = "turned off"  # the local engine is
    GAVE_UP = "gave up"  # the local engine found out while it ran that it does not take it
    FAILED = "failed"  # the local engine did


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
    cause: RouteCause = RouteCause.CHOSEN


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
    tags: frozenset[str] = frozenset()  # for resource groups
    estimates: Mapping[str, str] = field(default_factory=dict)  # likewise, of the statement
    prepared: Mapping[str, str] = field(default_factory=dict)  # name -> text
    capabilities: frozenset[str] = frozenset()
    transactions: bool = True  # whether it would send the id of its transaction
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
class QueryOrigin:
    """Where a statement comes from. ``principal``: who has logged in, where that is not the user
    that it runs as."""

    protocol: str = "embedded"  # flight, trino, iceberg, or embedded: the caller's own process
    address: str = ""  # of the client, as the server sees it
    principal: str = ""


EMBEDDED = QueryOrigin()


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
    origin: QueryOrigin | None = None  # None: that of the session
    trace: ClientTrace = NO_TRACE  # what the client says of the trace that this is part of

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
    ``as_user``: whose rights a view reads it with, if not the user's. ``in_part``: rules leave out
    rows or columns, or mask them."""

    name: str
    access: str  # read, write, create, alter, drop or describe
    columns: tuple[str, ...] = ()
    snapshot_id: int | None = None
    rule: str = ""
    as_user: str = ""
    in_part: bool = False


@dataclass(frozen=True, slots=True)
class WrittenSnapshot:
    """A snapshot that a query has added to a table, and that everybody sees now. ``operation`` is
    Iceberg's word: append, overwrite, replace or delete. ``query_id`` says which statement made it,
    where that is not the one that committed it. ``files`` and ``bytes`` are what it added, as far
    as its summary tells."""

    table: str
    snapshot_id: int
    operation: str
    query_id: str = ""
    files: int = field(default=0, compare=False)
    bytes: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class EngineWork:
    """What an engine did for a query. None: it does not tell.

    ``files`` and ``bytes`` are the data files of its scans after pruning, and their size. ``rows``
    are those of the scans: Spark counts what came out of them, the local engine what their files
    hold. ``bytes_read`` is what tasks have read of files, where the file system counts it: of a
    write Spark tells nothing else.
    """

    files: int | None = None
    bytes: int | None = None
    rows: int | None = None
    bytes_read: int | None = None
    spilled_bytes: int | None = None

    def __add__(self, other: EngineWork) -> EngineWork:
        """Of two runs that are one statement."""
        mine, theirs = self.figures, other.figures
        return EngineWork(
            **{name: mine.get(name, 0) + theirs.get(name, 0) for name in {*mine, *theirs}}
        )

    @property
    def figures(self) -> dict[str, int]:
        """Those that the engine tells, by name."""
        named = {
            "files": self.files,
            "bytes": self.bytes,
            "rows": self.rows,
            "bytes_read": self.bytes_read,
            "spilled_bytes": self.spilled_bytes,
        }
        return {name: figure for name, figure in named.items() if figure is not None}


@dataclass(frozen=True, slots=True)
class Profile:
    """What an engine made of a statement. ``plan`` may quote values of it; ``operators`` are names
    and figures only."""

    plan: str = field(default="", repr=False)
    operators: str = ""


@dataclass(frozen=True, slots=True)
class QueryRecord:
    """What is known of a query at one moment. Times are seconds since the epoch; those that end
    in ``_s`` are durations, by a clock that nobody sets."""

    query_id: str
    user: str
    text: str
    state: QueryState
    created: float
    session_id: str = ""
    source: str = ""
    resource_group: str = ""
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
    elapsed_s: float = 0.0  # from its arrival to its last change
    first_row_s: float | None = None  # from its arrival to its first rows
    reruns: int = 0  # of a write that others' commits came before
    restricted: bool = False  # it reads something that its user sees in part
    groups: tuple[str, ...] = ()  # of the user, when it began
    dialect: str = "spark"  # what the text is written in
    origin: QueryOrigin = EMBEDDED
    trace_id: str = ""  # of the trace that the query is part of, where queries are traced
    profile: Profile = Profile()
    # For operators: these tell what policies hide.
    relations: tuple[RelationUse, ...] = ()
    written: tuple[WrittenSnapshot, ...] = ()
    work: EngineWork = EngineWork()

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
