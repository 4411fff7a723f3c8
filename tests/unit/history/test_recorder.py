"""The history is written behind the queries' backs, and nothing that happens to it reaches them."""

from __future__ import annotations

import logging
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sqe.audit.events import QueryEvent
from sqe.errors import ErrorCode, UpstreamError
from sqe.history.recorder import HistoryLimits, HistoryRecorder
from sqe.model.query import QueryRecord, QueryState
from sqe.store.database import STORE_FILE, Database
from sqe.store.history import HistoryStore, Process, QueryFilter

QUICK = HistoryLimits(delay_s=0.02)
NOW = time.time()
RUNNING = QueryRecord("q1", "ann", "SELECT 1", QueryState.RUNNING, NOW)
ENDED = replace(RUNNING, state=QueryState.FINISHED, ended=NOW + 1)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[HistoryStore]:
    with closing(Database(tmp_path)) as database:
        yield HistoryStore(database)


@pytest.fixture
def logged(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    """What SQE logs, also where an earlier test has sent it elsewhere."""
    logger = logging.getLogger("sqe")
    logger.addHandler(caplog.handler)
    with caplog.at_level(logging.WARNING, logger="sqe"):
        yield caplog
    logger.removeHandler(caplog.handler)


@contextmanager
def recording(
    store: HistoryStore, limits: HistoryLimits = QUICK, **options: Any
) -> Iterator[HistoryRecorder]:
    with closing(HistoryRecorder(store, "home", limits, **options)) as recorder:
        recorder.start()
        yield recorder


def emit(recorder: HistoryRecorder, *records: QueryRecord, name: str = "") -> None:
    for record in records:
        recorder.emit(QueryEvent(name or record.state.value, time.time(), record))


def until(condition: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + 20
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.01)
    return condition()


def kept(store: HistoryStore) -> list[QueryRecord]:
    return store.search(QueryFilter(), 100_000)


def test_a_query_is_there_while_it_runs_and_when_it_has_ended(store: HistoryStore) -> None:
    with recording(store) as recorder:
        emit(recorder, RUNNING)
        assert until(lambda: kept(store) == [RUNNING])
        emit(recorder, replace(RUNNING, rows=99), name="progress")
        emit(recorder, ENDED)
        assert until(lambda: kept(store) == [ENDED])


def test_what_waits_is_written_at_the_end(store: HistoryStore) -> None:
    with recording(store, HistoryLimits(delay_s=60)) as recorder:
        emit(recorder, ENDED)
        assert kept(store) == []
    assert kept(store) == [ENDED]


def test_secrets_are_not_kept(store: HistoryStore) -> None:
    text = "COPY INTO t FROM 's3://x' (secret_access_key 'hunter2')"
    failed = replace(ENDED, text=text, error_message="password='hunter2' is wrong")
    with recording(store) as recorder:
        emit(recorder, failed)
    (record,) = kept(store)
    assert "secret_access_key '****'" in record.text
    assert "hunter2" not in f"{record}"


def test_a_process_that_serves_nobody_makes_no_database(tmp_path: Path) -> None:
    with closing(Database(tmp_path)) as database:
        recorder = HistoryRecorder(HistoryStore(database), "home", QUICK)
        emit(recorder, ENDED)  # not started
        recorder.close()
        with recording(HistoryStore(database), HistoryLimits(delay_s=60)):
            pass
    assert not (tmp_path / STORE_FILE).exists()


class Faulty(HistoryStore):
    """Refuses what a test says."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.down = False
        self.bad: set[str] = set()

    def write(self, process: Process, now: float, rows: Sequence[Mapping[str, Any]] = ()) -> None:
        if self.down or any(row["query_id"] in self.bad for row in rows):
            raise UpstreamError(ErrorCode.STORE_UNAVAILABLE, "no room")
        super().write(process, now, rows)


@pytest.fixture
def faulty(tmp_path: Path) -> Iterator[Faulty]:
    with closing(Database(tmp_path)) as database:
        yield Faulty(database)


def test_what_cannot_be_written_now_is_written_later(faulty: Faulty) -> None:
    faulty.down = True
    with recording(faulty) as recorder:
        emit(recorder, ENDED)
        time.sleep(0.1)
        faulty.down = False
        assert until(lambda: kept(faulty) == [ENDED])
        assert recorder.lost == 0


def test_one_row_that_no_database_takes_is_lost_alone(
    faulty: Faulty, logged: pytest.LogCaptureFixture
) -> None:
    faulty.bad = {"q7"}
    records = [replace(ENDED, query_id=f"q{n}", created=float(n)) for n in range(20)]
    with recording(faulty, HistoryLimits(delay_s=0.2)) as recorder:
        emit(recorder, *records)
        assert until(lambda: len(kept(faulty)) == 19)
        assert until(lambda: recorder.lost == 1)
    assert "1 queries are missing in the history" in logged.text


def test_a_full_queue_loses_and_counts_what_is_more(
    faulty: Faulty, logged: pytest.LogCaptureFixture
) -> None:
    faulty.down = True
    with recording(faulty, HistoryLimits(delay_s=0.02, waiting=3)) as recorder:
        emit(recorder, *(replace(ENDED, query_id=f"q{n}") for n in range(5)))
        assert recorder.lost == 2
        faulty.down = False
    assert len(kept(faulty)) == 3
    assert "2 queries are missing in the history" in logged.text


def test_what_waits_when_it_ends_without_a_database_is_counted(faulty: Faulty) -> None:
    faulty.down = True
    with recording(faulty) as recorder:
        emit(recorder, ENDED)
    assert recorder.lost == 1


def test_a_locked_database_holds_no_query_up(tmp_path: Path, store: HistoryStore) -> None:
    kept(store)  # it is there
    with (
        recording(store) as recorder,
        closing(sqlite3.connect(tmp_path / STORE_FILE, isolation_level=None)) as other,
    ):
        other.execute("BEGIN IMMEDIATE")
        began = time.monotonic()
        emit(recorder, *(replace(ENDED, query_id=f"q{n}") for n in range(1000)))
        assert time.monotonic() - began < 1
        other.execute("ROLLBACK")
        assert until(lambda: len(kept(store)) == 1000)


def test_what_is_too_old_is_deleted_also_where_the_clock_jumps(store: HistoryStore) -> None:
    clock = {"now": NOW}
    limits = replace(QUICK, keep_s=100.0)
    with recording(store, limits, clock=lambda: clock["now"]) as recorder:
        emit(recorder, ENDED)
        assert until(lambda: kept(store) == [ENDED])
        clock["now"] = NOW - 10_000  # back: nothing is too old
        emit(recorder, replace(ENDED, query_id="q2", created=NOW + 5_000))
        assert until(lambda: len(kept(store)) == 2)
        clock["now"] = NOW + 1_000
        assert until(lambda: [record.query_id for record in kept(store)] == ["q2"])


_KILLED = """
import os, signal, sys, time
from pathlib import Path
from sqe.audit.events import QueryEvent
from sqe.history.recorder import HistoryLimits, HistoryRecorder
from sqe.model.query import QueryRecord, QueryState
from sqe.store.database import Database
from sqe.store.history import HistoryStore, QueryFilter
store = HistoryStore(Database(Path(sys.argv[1])))
recorder = HistoryRecorder(store, "home", HistoryLimits(delay_s=0.02))
recorder.start()
record = QueryRecord("q0", "ann", "SELECT 0", QueryState.RUNNING, time.time())
recorder.emit(QueryEvent("running", time.time(), record))
while not store.search(QueryFilter(), 1):
    time.sleep(0.01)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_ran_in_a_process_that_was_killed_has_failed(
    tmp_path: Path, store: HistoryStore, logged: pytest.LogCaptureFixture
) -> None:
    killed = subprocess.run([sys.executable, "-c", _KILLED, str(tmp_path)], check=False)
    assert killed.returncode == -9
    assert kept(store)[0].state is QueryState.RUNNING
    with recording(store):
        assert until(lambda: kept(store)[0].state is QueryState.FAILED)
    (record,) = kept(store)
    assert (record.query_id, record.error_code) == ("q0", "SERVER_LOST")
    assert "1 queries ran when their server died" in logged.text
