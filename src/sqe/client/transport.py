"""Where a statement runs: in a home of this process, or on a server.

Both ways raise ``SqeError``; the connection and the command line each say it in their own way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from sqe.model.names import SchemaName
from sqe.model.query import EngineKind, Parameter, Progress, QueryState

if TYPE_CHECKING:
    from sqe.results.stream import ResultStream


@dataclass(frozen=True, slots=True)
class Status:
    """How far a statement is."""

    state: QueryState = QueryState.QUEUED
    engine: EngineKind | None = None
    work: Progress = field(default_factory=Progress)

    @property
    def fraction(self) -> float | None:
        """Between 0 and 1, or None where nobody knows."""
        return self.work.fraction


class Running(Protocol):
    """One statement on its way. Any thread may cancel it or ask how far it is."""

    def result(self) -> ResultStream:
        """Waits until the columns are known. Called once."""
        ...

    def cancel(self) -> None:
        """Nothing happens to a statement that has ended."""
        ...

    def progress(self) -> Status: ...


class Transport(Protocol):
    """One session. ``execute`` answers at once; what goes wrong comes from the result."""

    def execute(
        self, text: str, parameters: Sequence[Parameter] = (), transaction: str = ""
    ) -> Running: ...

    def execute_rows(
        self, text: str, rows: Sequence[Sequence[Parameter]], transaction: str = ""
    ) -> Running:
        """For each row of parameters: all of them or, if one fails, none."""
        ...

    def offer(self, path: str, sent: Callable[[int], None]) -> str:
        """What COPY INTO takes for a file of this machine, by its real path. ``sent`` is told how
        many bytes more have gone where it has to be sent."""
        ...

    def begin(self) -> str:
        """A new transaction, for the statements that are part of it."""
        ...

    def commit(self, transaction: str) -> None: ...
    def rollback(self, transaction: str) -> None: ...

    def schema(self) -> SchemaName:
        """Where unqualified names are looked up."""
        ...

    def user(self) -> str:
        """Whom statements run as."""
        ...

    def close(self) -> None: ...
