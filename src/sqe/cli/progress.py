"""On stderr, what a query waits for and how far it is: a bar, or plain lines for what starts."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, TextIO

from sqe.model.query import QueryState

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from sqe.client.transport import Status

_PATIENCE_S = 1.0
_REFRESH_S = 0.1


class ProgressLine:
    """Asks how far a statement is, and shows it if that takes more than a second, or at once if an
    engine has to be started. Where the screen is no terminal, only what is started is said."""

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
        show = self._show if self._screen.isatty() else self._say
        self._thread = threading.Thread(target=show, name="progress", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def clear(self) -> None:
        """Takes the bar away for good: rows follow on the same screen."""
        self._done.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _say(self) -> None:
        """A line for each thing that is waited for, without how far it is."""
        before = ""
        while not self._done.wait(_REFRESH_S):
            phase = self._phase().partition(",")[0]
            if phase and phase != before:
                print(f"{phase} …", file=self._screen, flush=True)
            before = phase or before

    def _phase(self) -> str:
        return self._ask().work.phase if self._ask is not None else ""

    def _wait(self) -> None:
        """Until there is something to say."""
        until = time.monotonic() + self._patience_s
        while time.monotonic() < until and not self._phase():
            if self._done.wait(min(_REFRESH_S, self._patience_s)):
                return

    def _show(self) -> None:
        self._wait()
        if self._done.is_set():
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
        if progress.stages:
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
    if status.work.phase:
        return status.work.phase
    if status.state is QueryState.RUNNING and status.engine is not None:
        return f"running on {status.engine.value}"
    return status.state.value


def readable_bytes(count: float) -> str:
    for unit in ("B", "KiB", "MiB", "GiB"):
        if count < 1024:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1024
    return f"{count:.1f} TiB"
