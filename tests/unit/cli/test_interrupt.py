"""Ctrl-C, with a real process and a real signal."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sqe.cli.exit_codes import ExitCode

ROOT = Path(__file__).parents[3]
PROGRAM = """
import sys
from sqe.cli.invocation import Invocation
from sqe.cli.main import cli
from tests.unit.cli.fakes import FakeGateway, FakeServer

class Gateway(FakeGateway):
    def submit(self, request, listener=None):
        query_id = super().submit(request, listener)
        print("submitted", file=sys.stderr, flush=True)
        return query_id
    def cancel(self, query_id):
        print("cancelled", query_id, file=sys.stderr, flush=True)
        if sys.argv[1] == "obedient":
            super().cancel(query_id)

gateway = Gateway()
cli(["sql", "WAIT"], obj=Invocation(build=lambda settings: FakeServer(gateway)))
"""


def start(how: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, how], stderr=subprocess.PIPE, text=True, env=environment
    )
    assert process.stderr is not None
    assert process.stderr.readline() == "submitted\n"
    time.sleep(0.2)
    return process


def test_the_first_ctrl_c_cancels_the_query() -> None:
    process = start("obedient")
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=10)
    assert stderr == "cancelled q1\nerror[CANCELLED] The query was cancelled.\n"
    assert process.returncode == ExitCode.CANCELLED


def test_the_second_ctrl_c_does_not_wait_for_a_query_that_will_not_stop() -> None:
    process = start("deaf")
    process.send_signal(signal.SIGINT)
    assert process.stderr is not None
    assert process.stderr.readline() == "cancelled q1\n"
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=10)[1] == ""
    assert process.returncode == ExitCode.CANCELLED


@pytest.mark.parametrize("output", ["csv", "table"])
def test_a_reader_that_leaves_early_is_no_error(output: str) -> None:
    program = """
import sys
import pyarrow as pa
from sqe.cli.invocation import Invocation
from sqe.cli.main import cli
from tests.unit.cli.fakes import FakeGateway, FakeServer
server = FakeServer(FakeGateway({"A": pa.table({"x": range(1_000_000)})}))
cli(["sql", "A", "-o", sys.argv[1]], obj=Invocation(build=lambda settings: server))
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    process = subprocess.Popen(
        [sys.executable, "-c", program, output],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(10) == ExitCode.OK
