"""The commands of the quickstart are run as its page has them, and their answers compared."""

from __future__ import annotations

import contextlib
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from dev.stack.places import ROOT, Places
from tests.docs.console import sessions

PAGE = (ROOT / "docs" / "guides" / "quickstart-identity.md").read_text()
PORT = "32010"  # what the page says; the test takes a free one instead
READY_S = 120


@pytest.mark.timeout(600)
def test_the_page_does_what_it_says(
    stack: Places, stack_environ: Mapping[str, str], tmp_path: Path
) -> None:
    (tmp_path / ".venv").symlink_to(Path(sys.executable).parent.parent)
    port = str(_free_port())
    environment = {
        **stack_environ,
        "PYTHONPATH": str(ROOT),
        "SQE_HOME": str(tmp_path / "home"),
        "SQE_FLIGHT__PORT": port,
        "SQE_TRINO__PORT": "0",
        "SQE_SERVE__PORT": "0",
    }
    exports = ""
    with contextlib.ExitStack() as running:
        for command, expected in [one for session in sessions(PAGE) for one in session]:
            if command.startswith("export "):
                exports += command
            elif command.rstrip().endswith(" serve"):
                running.enter_context(_server(command, tmp_path, environment, int(port)))
            elif not command.startswith("make "):  # the stack is up: these tests are on it
                script = exports + command.replace(PORT, port)
                assert _said(script, tmp_path, environment) == expected.replace(PORT, port)


def _said(script: str, folder: Path, environment: Mapping[str, str]) -> str:
    done = subprocess.run(
        ["bash", "-c", script], cwd=folder, env=environment, capture_output=True, text=True
    )
    return done.stdout if done.returncode == 0 else done.stderr


@contextlib.contextmanager
def _server(
    command: str, folder: Path, environment: Mapping[str, str], port: int
) -> Iterator[None]:
    with (
        (folder / "serve.log").open("wb") as log,
        subprocess.Popen(
            ["bash", "-c", f"exec {command}"], cwd=folder, env=environment, stdout=log, stderr=log
        ) as process,
    ):
        try:
            end = time.monotonic() + READY_S
            while not _listens(port):
                assert process.poll() is None, (folder / "serve.log").read_text()
                assert time.monotonic() < end, (folder / "serve.log").read_text()
                time.sleep(0.1)
            yield
        finally:
            process.send_signal(signal.SIGTERM)


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
