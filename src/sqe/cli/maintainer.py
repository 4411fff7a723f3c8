"""Finds tables, asks how they are, and runs what they need, as the user."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from sqe.cli.formats.output import Output
from sqe.cli.running import run_statement
from sqe.client.transport import Transport
from sqe.errors import ErrorCode, SqeError
from sqe.maintenance.needs import Need, TableState, Thresholds, needs
from sqe.maintenance.questions import read_state, state_question
from sqe.model.names import quote
from sqe.results.stream import ResultStream


@dataclass
class Step:
    """One need, and what came of it: rows of the procedure, or an error."""

    need: Need
    sql: str
    result: list[dict[str, Any]] | None = None
    error: SqeError | None = None


@dataclass
class TableReport:
    """A table: how it is, what it needs, and how it was afterwards."""

    table: str
    before: TableState | None = None
    after: TableState | None = None
    steps: list[Step] = field(default_factory=list)
    error: SqeError | None = None

    @property
    def errors(self) -> list[SqeError]:
        errors = [self.error, *(step.error for step in self.steps)]
        return [error for error in errors if error is not None]


class Maintainer:
    def __init__(self, transport: Transport, thresholds: Thresholds) -> None:
        self._transport = transport
        self._thresholds = thresholds

    def tables(self, names: Sequence[str]) -> Iterator[str]:
        """Of the names, which are tables or schemas; all tables of the catalog without any."""
        if not names:
            names = [row["namespace"] for row in self._ask("SHOW SCHEMAS")]
        for name in names:
            try:
                rows = self._ask(f"SHOW TABLES IN {name}")
            except SqeError as error:
                if error.code is not ErrorCode.SCHEMA_NOT_FOUND:
                    raise
                yield name
                continue
            for row in rows:
                if not row["isTemporary"]:
                    yield f"{self._schema(name, row['namespace'])}.{quote(row['tableName'])}"

    def look(self, table: str) -> TableReport:
        """What the table needs. A table that cannot be looked at says why."""
        upkeep = TableReport(table)
        try:
            upkeep.before = self.state(table)
        except SqeError as error:
            upkeep.error = error
            return upkeep
        for need in needs(upkeep.before, self._thresholds):
            upkeep.steps.append(Step(need, need.call(table)))
        return upkeep

    def work(self, upkeep: TableReport) -> Iterator[Step]:
        """Runs the steps, giving each before it starts; one that fails does not stop the next."""
        for step in upkeep.steps:
            yield step
            try:
                step.result = self._ask(step.sql)
            except SqeError as error:
                step.error = error
                if error.code is ErrorCode.CANCELLED:
                    raise
        if upkeep.steps:
            upkeep.after = self.state(upkeep.table)

    def state(self, table: str) -> TableState:
        [row] = self._ask(state_question(table))
        return read_state(row, self._thresholds)

    def _schema(self, asked: str, namespace: str) -> str:
        """The schema with its catalog in front, as the user named it or as the session has it."""
        if asked.lower().endswith(f".{namespace.lower()}"):
            return asked
        return f"{quote(self._transport.schema().catalog)}.{namespace}"

    def _ask(self, sql: str) -> list[dict[str, Any]]:
        kept = _Kept()
        run_statement(self._transport, sql, kept)
        return kept.rows


class _Kept:
    """Takes a small result as rows. Implements ``ResultWriter``."""

    out = Output(io.BytesIO())  # nothing is written

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []

    def begin(self, result: ResultStream) -> None:
        return None

    def write(self, batch: pa.RecordBatch) -> None:
        self.rows += batch.to_pylist()

    def end(self) -> None:
        return None
