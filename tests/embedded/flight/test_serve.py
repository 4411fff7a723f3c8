"""``sqe serve`` as a process: where it listens, and that it always ends."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import adbc_driver_flightsql.dbapi as adbc
import pyarrow.flight as pf
import pytest
from adbc_driver_manager import Error

from tests.embedded.flight.serving import ENDLESS, ask, query


@contextmanager
def serving(home: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The process, and what it says first: the lines up to the address of Flight SQL."""
    environment = {
        **os.environ,
        "SQE_HOME": str(home),
        "SQE_SPARK__REMOTE": "sc://127.0.0.1:1",
        "SQE_SERVE__DRAIN_S": "0",
    }
    ports = ["--port", "0", "--flight-port", "0", "--trino-port", "0"]
    with subprocess.Popen(
        [sys.executable, "-m", "sqe", "serve", *ports, *arguments],
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    ) as process:
        try:
            assert process.stderr is not None
            first = process.stderr.readline()
            yield process, first + (process.stderr.readline() if "ready" in first else "")
        finally:
            process.kill()


def flight_address(said: str) -> str:
    found = re.search(r"Flight SQL is at (grpc://127\.0\.0\.1:\d+)", said)
    assert found is not None, said
    return found[1]


def test_it_says_where_flight_sql_is_and_answers_there(flight_home: Path) -> None:
    with serving(flight_home) as (process, said):
        with adbc.connect(flight_address(said), autocommit=True) as connection:
            assert ask(connection, "SELECT 1") == [(1,)]
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
    log = (flight_home / "logs" / "sqe.log").read_text()
    for line in ("sqe is ready on http", flight_address(said), "Trino's protocol is at"):
        assert line in log
    assert "sqe is stopping" in log and "sqe has stopped" in log


def test_a_hangup_takes_up_changed_settings(tmp_path: Path) -> None:
    file, log = tmp_path / "sqe.toml", tmp_path / "logs" / "sqe.log"
    file.write_text("")
    with (
        serving(tmp_path) as (process, said),
        adbc.connect(flight_address(said), autocommit=True) as connection,
    ):
        assert ask(connection, "SELECT 1") == [(1,)]
        file.write_text("[limits]\nresult_rows = 1\n")
        process.send_signal(signal.SIGHUP)
        waiting = threading.Event()
        for _ in range(3_000):
            if "changed settings are in force: limits.result_rows" in log.read_text():
                break
            waiting.wait(0.01)
        with pytest.raises(Error, match=r"limits\.result_rows"):
            ask(connection, "SELECT 1 UNION ALL SELECT 2")
        assert ask(connection, "SELECT 1") == [(1,)]


@pytest.mark.timeout(180)
def test_it_ends_although_a_client_never_reads(flight_home: Path) -> None:
    with serving(flight_home) as (process, said), pf.connect(flight_address(said)) as client:
        reader = client.do_get(client.get_flight_info(query(ENDLESS)).endpoints[0].ticket)
        reader.read_chunk()
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0


def test_a_taken_port_is_said_in_words(flight_home: Path, tmp_path: Path) -> None:
    with serving(flight_home) as (_, said):
        port = flight_address(said).rpartition(":")[2]
        with serving(tmp_path / "another", "--flight-port", port) as (process, error):
            assert "PORT_IN_USE" in error and port in error
            assert process.wait(60) == 4
