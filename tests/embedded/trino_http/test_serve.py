"""`sqe serve` listens for Trino's clients, too."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import trino

from tests.embedded.trino_http.serving import ask


@contextmanager
def serving(home: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The process, and what it says up to the address of Trino's protocol or its end."""
    environment = {**os.environ, "SQE_HOME": str(home), "SQE_SPARK__REMOTE": "sc://127.0.0.1:1"}
    ports = ["--port", "0", "--flight-port", "0", "--trino-port", "0"]
    with subprocess.Popen(
        [sys.executable, "-m", "sqe", "serve", *ports, *arguments],
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    ) as process:
        said = ""
        try:
            for line in process.stderr or ():
                said += line
                if "Trino" in line:
                    break
            yield process, said
        finally:
            process.kill()


def port_of(said: str) -> str:
    found = re.search(r"Trino's protocol is at http://127\.0\.0\.1:(\d+)", said)
    assert found is not None, said
    return found[1]


def test_it_says_where_it_is_and_answers_there(trino_home: Path) -> None:
    with serving(trino_home) as (process, said):
        with trino.dbapi.Connection("127.0.0.1", int(port_of(said)), user="lab") as connection:
            assert ask(connection, "SELECT 1") == [[1]]
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0


def test_a_taken_port_is_said_in_words(trino_home: Path, tmp_path: Path) -> None:
    with serving(trino_home) as (_, said):
        port = port_of(said)
        with serving(tmp_path / "another", "--trino-port", port) as (process, error):
            assert "PORT_IN_USE" in error and port in error
            assert process.wait(60) == 4
