"""The bar on stderr for a query that takes more than a second."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, TextIO

from sqe.model.query import QueryState

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from sqe.client.transport import Status

_PATIENCE_S = 1.0
_REFRESH_S = 0.1


class ProgressLine:
    """Asks how far a statement is, and shows it; but not where the screen is no terminal."""

    def __init__(self, screen: TextIO | None = None, patience_s: float = _PATIENCE_S) -> None:
        self._screen = screen or sys.stderr
        self._patience_s = patience_s
        self._ask: Callable[[], Status] | None = None
        self._rows = 0
        self._done = threading.Event()
        self._thread: threading.Thread | None = None

    def watch(self, ask: Callable[[], Status]) -> None:
        self._ask = ask

    def count(self, rows: int) -> None:
        """``rows`` more have been written."""
        self._rows += rows

    def __enter__(self) -> ProgressLine:
        if self._screen.isatty():
            self._thread = threading.Thread(target=self._show, name="progress", daemon=True)
            self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.clear()

    def clear(self) -> None:
        """Takes the bar away for good: rows follow on the same screen."""
        self._done.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _show(self) -> None:
        if self._done.wait(self._patience_s):
            return
        with _new_bar(self._screen) as bar:
            task = bar.add_task("starting", total=None, detail="")
            while not self._done.wait(_REFRESH_S):
                if self._ask is not None:
                    status = self._ask()
                    fraction = status.fraction
                    bar.update(
                        task,
                        description=_headline(status),
                        total=None if fraction is None else 1.0,
                        completed=fraction or 0.0,
                        detail=self._detail(status),
                    )

    def _detail(self, status: Status) -> str:
        progress = status.work
        parts = []
        if progress.tasks:
            parts.append(f"{progress.tasks_done / progress.tasks:.0%}")
            parts.append(f"stage {progress.stages_done}/{progress.stages}")
            parts.append(f"task {progress.tasks_done}/{progress.tasks}")
        if progress.bytes_read:
            parts.append(f"{readable_bytes(progress.bytes_read)} read")
        if self._rows:
            parts.append(f"{self._rows:,} rows")
        return "  ".join(parts)


def _new_bar(screen: TextIO) -> Bar:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=30),
        TextColumn("{task.fields[detail]}"),
        TimeElapsedColumn(),
        console=Console(file=screen),
        transient=True,
    )


def _headline(status: Status) -> str:
    if status.state is QueryState.RUNNING and status.engine is not None:
        return f"running on {status.engine.value}"
    return status.state.value


def readable_bytes(count: float) -> str:
    for unit in ("B", "KiB", "MiB", "GiB"):
        if count < 1024:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1024
    return f"{count:.1f} TiB"
