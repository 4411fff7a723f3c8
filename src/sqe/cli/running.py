"""Runs one statement for a person: progress while it runs, Ctrl-C to cancel it."""

from __future__ import annotations

import signal
import threading
import time
from dataclasses import dataclass
from types import FrameType
from typing import TYPE_CHECKING

from sqe.cli.progress import ProgressLine
from sqe.model.query import EngineKind, RowsAffected

if TYPE_CHECKING:
    from sqe.cli.formats.writer import ResultWriter
    from sqe.client.transport import Running, Transport


_ENGINES = {EngineKind.LOCAL: "local engine", EngineKind.SPARK: "Spark"}


@dataclass(frozen=True, slots=True)
class Outcome:
    rows: int
    seconds: float
    has_columns: bool
    engine: str = ""  # in words, where one of the two ran it
    affected: RowsAffected | None = None

    @property
    def summary(self) -> str:
        time = f"{self.seconds:.2f} s" + (f", {self.engine}" if self.engine else "")
        if self.affected is not None:
            return f"{self.affected} ({time})"
        if not self.has_columns:
            return f"ok ({time})"
        return f"({self.rows:,} {'row' if self.rows == 1 else 'rows'}, {time})"


def run_statement(transport: Transport, text: str, writer: ResultWriter) -> Outcome:
    """Runs it, streams every batch to the writer, and says how many rows came or changed."""
    started = time.monotonic()
    rows = 0
    with ProgressLine() as progress, _Interruption() as interruption:
        running = transport.execute(text)
        progress.watch(running.progress)
        interruption.watch(running)
        with running.result() as result:
            if result.columns:
                writer.begin(result)
            for batch in result:
                if writer.on_screen:
                    progress.clear()
                writer.write(batch)
                rows += batch.num_rows
                progress.count(batch.num_rows)
            progress.clear()
            if result.columns:
                writer.end()
    seconds = time.monotonic() - started
    ran_on = running.progress().engine
    engine = _ENGINES.get(ran_on, "") if ran_on is not None else ""
    return Outcome(rows, seconds, bool(result.columns), engine, result.affected)


class _Interruption:
    """While a query runs, the first Ctrl-C cancels it and the second one gives up waiting.

    A signal handler runs in the middle of whatever the main thread does, maybe inside a lock of
    the gateway; so the handler itself only starts a thread, and that one cancels.
    """

    def __init__(self) -> None:
        self._running: Running | None = None
        self._asked = False

    def __enter__(self) -> _Interruption:
        self._main = threading.current_thread() is threading.main_thread()
        if self._main:
            self._previous = signal.signal(signal.SIGINT, self._on_signal)
        return self

    def __exit__(self, *exc: object) -> None:
        if self._main:
            signal.signal(signal.SIGINT, self._previous)

    def watch(self, running: Running) -> None:
        self._running = running
        if self._asked:
            self._cancel()

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        if self._asked:
            raise KeyboardInterrupt
        self._asked = True
        self._cancel()

    def _cancel(self) -> None:
        if self._running is not None:
            threading.Thread(target=self._running.cancel, name="cancel", daemon=True).start()
