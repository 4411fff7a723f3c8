from __future__ import annotations

import io
import time
from collections.abc import Callable

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


STARTING = [
    Status(QueryState.RUNNING, EngineKind.SPARK, Progress(phase=phase))
    for phase in ("fetching Spark's libraries, 1 of 9 MB", "fetching Spark's libraries, 5 of 9 MB")
] + [Status(QueryState.RUNNING, EngineKind.SPARK, Progress(phase="starting Spark"))]


def test_the_start_of_an_engine_is_shown_at_once(terminal: Terminal) -> None:
    with ProgressLine(terminal, patience_s=60) as line:
        line.watch(lambda: STARTING[1])
        assert until(lambda: "fetching Spark's libraries, 5 of 9 MB" in terminal.getvalue())


def test_without_a_terminal_each_thing_that_is_started_is_a_line() -> None:
    screen, asked = io.StringIO(), iter([*STARTING, RUNNING])
    last = [STARTING[0]]

    def ask() -> Status:
        last[0] = next(asked, RUNNING)
        return last[0]

    with ProgressLine(screen) as line:
        line.watch(ask)
        assert until(lambda: last[0] is RUNNING)
    assert screen.getvalue() == "fetching Spark's libraries …\nstarting Spark …\n"


def until(condition: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + 20
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.02)
    return condition()


def test_bytes_are_readable() -> None:
    assert [readable_bytes(n) for n in (12, 2048, 3 << 30, 5 << 40)] == [
        "12 B",
        "2.0 KiB",
        "3.0 GiB",
        "5.0 TiB",
    ]
