"""What a Trino statement becomes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqe.model.query import ClientChanges
from sqe.model.trino_types import TrinoType
from sqe.trino.dialect.scope import UNKNOWN, Origin

Rows = Sequence[Sequence[Any]]


@dataclass(frozen=True, slots=True)
class OutputColumn:
    """A column of the answer, as Trino names and types it."""

    name: str
    type: TrinoType
    origin: Origin = field(default=UNKNOWN, compare=False)


@dataclass(frozen=True, slots=True)
class Translated:
    """``text`` is Spark's, its columns those of ``columns`` by position; empty: nothing is run,
    only ``changes`` are told. ``then`` are further texts of the same statement, run after it: all
    of them change the tables, or none does. ``counts``: the answer is one row, how many rows were
    changed."""

    text: str
    columns: tuple[OutputColumn, ...] = ()
    update_type: str = ""
    changes: ClientChanges = field(default_factory=ClientChanges)
    then: tuple[str, ...] = ()
    counts: bool = False
    # What the gateway itself does: "start", "start read only", "commit" or "rollback".
    transaction: str = ""
    # SQL of what session functions in the texts of views are in this statement.
    session_values: Mapping[str, str] = field(default_factory=dict)
    # What the engine's rows become before they are shown, of answers known to be small.
    reshape: Callable[[Rows], Rows] | None = None

    @property
    def is_many(self) -> bool:
        """Several statements for the engines that must be one for everybody else."""
        return bool(self.text and self.then and not self.columns)
