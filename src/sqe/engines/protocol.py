"""What the gateway asks of an engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from sqe.broker.commits import CommitAddition
from sqe.errors import ErrorCode
from sqe.model.names import RelationName
from sqe.model.query import EngineWork, Profile, Progress, RelationUse, Route, WrittenSnapshot
from sqe.model.tracing import NO_SPAN, Span
from sqe.results.cancellation import Cancellation
from sqe.results.description import Description
from sqe.results.stream import ResultStream
from sqe.rewrite.guarded import GuardedStatement
from sqe.sessions.session import Session


class GaveUp(Exception):
    """An engine cannot run the statement after all, and no row has been given: another one can.

    The message says why and ``remedy`` what would have to change, in words for people.
    """

    refused = False  # it never takes such a statement; otherwise it took it and failed
    code = ErrorCode.ENGINE_ERROR  # what it is where there is no other engine to ask

    def __init__(self, reason: str, remedy: str = "") -> None:
        super().__init__(reason)
        self.remedy = remedy


def _ignore(*_: object) -> None:
    return None


@dataclass(frozen=True)
class Run:
    """One execution: its session, how to cancel it, and the callbacks that hear what happens."""

    query_id: str
    session: Session
    cancellation: Cancellation = field(default_factory=Cancellation)
    report: Callable[[Progress], None] = _ignore
    rerouted: Callable[[Route], None] = _ignore
    # It was planned again: what it touches now, and whether its user sees only part of that.
    note_replan: Callable[[tuple[RelationUse, ...], bool], None] = _ignore
    wrote: Callable[[Sequence[WrittenSnapshot]], None] = _ignore
    note_work: Callable[[EngineWork], None] = _ignore
    # Told how many bytes of tables it will read. ResourceError: that is too much.
    check_scan: Callable[[int], None] = _ignore
    # Told how to get the profile of what runs: called once at most, when that has ended.
    offer_profile: Callable[[Callable[[], Profile]], None] = _ignore
    # What SQE adds to the commits of a table, so that both are there or neither is.
    extras: Mapping[RelationName, CommitAddition] = field(default_factory=dict)
    files: frozenset[str] = frozenset()  # the caller's own, which COPY may read besides
    span: Span = field(default=NO_SPAN, compare=False, repr=False)  # what the work is part of


@dataclass(frozen=True, slots=True)
class Explanation:
    """What an engine would do: the text it gets (with real names) and its plan."""

    text: str
    plan: str


class Prepared(Protocol):
    """A statement in one engine's hands, for as long as its plan lives: one request.

    What was planned ahead may hold keys to files and lists of them, and follows the policy of its
    time. A statement that a client prepares and executes later is planned again.
    """

    def run(self, run: Run) -> ResultStream:
        """Starts the work; batches come as they are read. Errors are SqeErrors."""
        ...

    def describe(self, run: Run) -> Description:
        """The result's columns and schema, without running anything."""
        ...

    def explain(self, run: Run, mode: str = "") -> Explanation:
        """``mode`` is EXPLAIN's word: EXTENDED, FORMATTED, COST or nothing."""
        ...

    def analyze(self, run: Run) -> Explanation:
        """Runs the statement, throws its rows away and tells what really happened."""
        ...


class Engine(Protocol):
    """Safe to call from many threads."""

    def prepare(self, statement: GuardedStatement, session: Session) -> Prepared:
        """What the engine can do before the statement runs. Errors are SqeErrors, or GaveUp."""
        ...

    def close(self) -> None: ...
