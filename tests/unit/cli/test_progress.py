from __future__ import annotations

import io
import time

import pytest

from sqe.cli.progress import ProgressLine, readable_bytes
from sqe.client.transport import Status
from sqe.model.query import EngineKind, Progress, QueryState

RUNNING = Status(
    QueryState.RUNNING,
    EngineKind.SPARK,
    Progress(stages=3, stages_done=1, tasks=8, tasks_done=2, bytes_read=5 << 20),
)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    return Terminal()


def test_a_slow_query_shows_stages_tasks_percent_and_bytes(terminal: Terminal) -> None:
    with ProgressLine(terminal, patience_s=0.05) as line:
        line.watch(lambda: RUNNING)
        deadline = time.monotonic() + 10
        while "task 2/8" not in terminal.getvalue() and time.monotonic() < deadline:
            time.sleep(0.05)
    shown = terminal.getvalue()
    assert "running on spark" in shown
    assert "25%  stage 1/3  task 2/8  5.0 MiB read" in shown


def test_a_quick_query_shows_nothing(terminal: Terminal) -> None:
    with ProgressLine(terminal, patience_s=5) as line:
        line.watch(lambda: RUNNING)
    assert terminal.getvalue() == ""


def test_nothing_appears_where_the_screen_is_no_terminal() -> None:
    screen = io.StringIO()
    with ProgressLine(screen, patience_s=0.01):
        time.sleep(0.1)
    assert screen.getvalue() == ""


def test_bytes_are_readable() -> None:
    assert [readable_bytes(n) for n in (12, 2048, 3 << 30, 5 << 40)] == [
        "12 B",
        "2.0 KiB",
        "3.0 GiB",
        "5.0 TiB",
    ]
