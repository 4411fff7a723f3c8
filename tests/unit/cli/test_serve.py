from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from sqe import __version__

ROOT = Path(__file__).parents[3]
PROGRAM = """
import sys
import time
from sqe.cli.invocation import Invocation
from sqe.cli.main import cli
from sqe.server.state import Part
from tests.unit.cli.fakes import FakeGateway, FakeServer

class Server(FakeServer):
    def drain(self, seconds):
        if sys.argv[1] == "busy":
            print("draining", flush=True)
            time.sleep(60)
    def parts(self):
        return [Part("queries", False, "SQE is stopping")]
    def status(self):
        if sys.argv[1] == "broken":
            raise RuntimeError("no")
        return {"spark": "starting"}
    def close(self, within=None):
        print("closed", flush=True)

server = Server(FakeGateway())
cli(["serve", "--port", sys.argv[2]], obj=Invocation(build=lambda settings: server))
"""


@contextmanager
def serving(how: str = "well", port: int = 0) -> Iterator[tuple[subprocess.Popen[str], str]]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, how, str(port)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    ) as process:
        assert process.stderr is not None
        try:
            yield process, process.stderr.readline().strip()
        finally:
            process.kill()


def get(url: str) -> tuple[int, dict[str, Any]]:
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


def test_serve_says_where_it_is_and_answers() -> None:
    with serving() as (_, line):
        url = line.removeprefix("sqe is ready on ")
        status, health = get(f"{url}/health")
        assert (status, health["status"], health["version"]) == (200, "ok", __version__)
        assert get(f"{url}/ready") == (200, {"status": "ready", "spark": "starting"})


def test_a_gateway_that_does_not_answer_is_not_ready() -> None:
    with serving("broken") as (_, line):
        url = line.removeprefix("sqe is ready on ")
        assert get(f"{url}/ready") == (503, {"status": "failed", "error": "RuntimeError"})
        assert get(f"{url}/health")[0] == 200


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_it_cleanly(number: signal.Signals) -> None:
    with serving() as (process, _):
        process.send_signal(number)
        stdout, stderr = process.communicate(timeout=10)
        assert (stdout, stderr, process.returncode) == ("closed\n", "sqe is stopping\n", 0)


def test_while_it_drains_it_says_so_and_a_second_signal_ends_it() -> None:
    with serving("busy") as (process, line):
        url = line.removeprefix("sqe is ready on ")
        process.send_signal(signal.SIGTERM)
        assert process.stdout is not None
        assert process.stdout.readline() == "draining\n"
        assert get(f"{url}/livez")[0] == 200
        status, said = get(f"{url}/readyz")
        assert (status, said["parts"]["queries"]["reason"]) == (503, "SQE is stopping")
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == 128 + signal.SIGTERM


def test_a_taken_port_is_said_in_words() -> None:
    with serving() as (_, line):
        port = int(line.rpartition(":")[2])
        with serving(port=port) as (process, error):
            assert error.startswith(f"error[PORT_IN_USE] Cannot listen on 127.0.0.1:{port}")
            assert error.rstrip().endswith("choose another one with serve.port.")
            assert process.wait(10) == 4
