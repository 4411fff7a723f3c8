"""Runs one statement for a person: progress while it runs, Ctrl-C to cancel it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqe.cli.interruption import Interruption, Keys
from sqe.cli.progress import ProgressLine
from sqe.errors import ErrorCode, UserError
from sqe.model.query import EngineKind, RowsAffected

if TYPE_CHECKING:
    import pyarrow as pa

    from sqe.cli.formats.writer import ResultWriter
    from sqe.client.transport import Running, Transport
    from sqe.results.stream import ResultStream


_ENGINES = {EngineKind.LOCAL: "local engine", EngineKind.SPARK: "Spark"}
_SCREEN_ROWS = 1000  # written at a time, so that a cancel does not wait for a large batch


@dataclass(frozen=True, slots=True)
class Outcome:
    rows: int
    seconds: float
    has_columns: bool
    engine: str = ""  # in words, where one of the two ran it
    affected: RowsAffected | None = None
    more: bool = False  # there are rows that were not asked for

    @property
    def summary(self) -> str:
        return self.describe(timing=True)

    def describe(self, *, timing: bool, hint: str = "") -> str:
        """``hint`` says how to see the rows that were left out."""
        time = f"{self.seconds:.2f} s" + (f", {self.engine}" if self.engine else "")
        if self.affected is not None:
            return f"{self.affected} ({time})" if timing else str(self.affected)
        if not self.has_columns:
            return f"ok ({time})" if timing else "ok"
        rows = f"{self.rows:,} {'row' if self.rows == 1 else 'rows'}"
        parts = [f"showing {self.rows:,} of more rows" if self.more else rows]
        parts += [time] if timing else []
        return f"({', '.join(parts)}{'; ' + hint if self.more and hint else ''})"


def run_statement(
    transport: Transport,
    text: str,
    writer: ResultWriter,
    limit: int = 0,
    keys: Keys | None = None,
) -> Outcome:
    """Runs it, streams every batch to the writer, and says how many rows came or changed. After
    ``limit`` rows, if that is not 0, the rest is not fetched and the query is cancelled."""
    started = time.monotonic()
    with ProgressLine() as progress, Interruption(keys) as interruption:
        writer.out.before_rows = progress.clear
        writer.out.before_pager = interruption.release_terminal
        running = transport.execute(text)
        progress.watch(running.progress)
        interruption.watch(running)
        try:
            with running.result() as result:
                rows, more = _stream(result, writer, limit, progress, interruption)
        except BaseException:
            if not interruption.asked:
                running.cancel()  # nobody reads the rest
            raise
        if more:
            running.cancel()
        progress.clear()
    seconds = time.monotonic() - started
    return Outcome(
        rows, seconds, bool(result.columns), _engine(running), result.rows_affected, more
    )


def _engine(running: Running) -> str:
    engine = running.progress().engine
    return _ENGINES.get(engine, "") if engine is not None else ""


def _stream(
    result: ResultStream,
    writer: ResultWriter,
    limit: int,
    progress: ProgressLine,
    interruption: Interruption,
) -> tuple[int, bool]:
    """How many rows were written, and whether there are more."""
    rows, more = 0, False
    if result.columns:
        writer.begin(result)
    for batch in _portions(result, on_screen=writer.out.width is not None):
        if interruption.asked:
            raise UserError(ErrorCode.CANCELLED, "The query was cancelled.")
        if limit and rows + batch.num_rows > limit:
            batch, more = batch.slice(0, limit - rows), True
        if batch.num_rows:
            writer.write(batch)
        rows += batch.num_rows
        progress.count(batch.num_rows)
        if more or writer.out.reader_left:
            more = True
            break
    if result.columns:
        writer.end()
    return rows, more


def _portions(result: ResultStream, *, on_screen: bool) -> Iterator[pa.RecordBatch]:
    for batch in result:
        if not on_screen:
            yield batch
            continue
        for start in range(0, batch.num_rows, _SCREEN_ROWS):
            yield batch.slice(start, _SCREEN_ROWS)
