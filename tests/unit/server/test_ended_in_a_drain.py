"""A real server that is ended while it drains: at once, and what it ran is told afterwards."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from contextlib import closing, suppress
from pathlib import Path

import pytest

import sqe.client
from sqe.model.identity import Identity
from sqe.model.query import QueryRequest
from sqe.server.build import Server, build
from sqe.settings import Settings
from tests.unit.server.test_front import until

NOWHERE = "sc://127.0.0.1:9"
LONG = "SELECT sum(a.id * b.id % 7) FROM range(1000000) a CROSS JOIN range(1000000) b"
STATE = f"SELECT state, error_code FROM system.history.queries WHERE query = '{LONG}'"
SETTINGS = {
    "SQE_SPARK__REMOTE": NOWHERE,
    "SQE_SERVE__PORT": "0",
    "SQE_SERVE__DRAIN_S": "120",
    "SQE_FLIGHT__PORT": "0",
    "SQE_TRINO__ENABLED": "false",
    "SQE_HISTORY__DELAY_S": "0.02",
}


def status_of(url: str) -> int:
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code


def ask_for_long(address: str) -> None:
    with suppress(sqe.client.Error), sqe.client.connect(address) as connection:
        connection.execute(LONG).fetchall()


def kept(server: Server, text: str) -> list[tuple[object, ...]]:
    session = server.gateway.open_session(Identity("anonymous"))
    with server.gateway.fetch(server.gateway.submit(QueryRequest(session.id, text))) as result:
        return [tuple(row.values()) for row in result.read_all().to_pylist()]


@pytest.mark.timeout(120)
@pytest.mark.parametrize("ended_by", [signal.SIGTERM, signal.SIGKILL])
def test_what_ran_is_told_of_after_the_next_start(tmp_path: Path, ended_by: signal.Signals) -> None:
    environment = {**os.environ, **SETTINGS, "SQE_HOME": str(tmp_path)}
    command = [sys.executable, "-m", "sqe", "serve"]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            lines = [process.stderr.readline() for _ in range(2)]
            url, flight = (re.findall(r"\S+://\S+", line)[0] for line in lines)
            threading.Thread(target=ask_for_long, args=(flight,), daemon=True).start()
            with closing(build(settings(tmp_path / "reader", tmp_path))) as reader:
                assert until(lambda: kept(reader, STATE) == [("RUNNING", None)], 60)
            process.send_signal(signal.SIGTERM)
            assert until(lambda: status_of(f"{url}/readyz") == 503, 30)
            assert process.poll() is None  # it waits for the query
            began = time.monotonic()
            process.send_signal(ended_by)
            ended = process.wait(30)
            assert time.monotonic() - began < 10
            assert ended == (-9 if ended_by is signal.SIGKILL else 128 + ended_by)
        finally:
            process.kill()
    with closing(build(settings(tmp_path, tmp_path))) as server:
        server.listen()
        assert until(lambda: kept(server, STATE) == [("FAILED", "SERVER_LOST")], 30)


def settings(home: Path, store: Path) -> Settings:
    values = {
        "home": home,
        "spark": {"remote": NOWHERE},
        "flight": {"port": 0},
        "store": {"url": f"sqlite:///{store}/sqe.db"},
    }
    return Settings.model_validate(values)
