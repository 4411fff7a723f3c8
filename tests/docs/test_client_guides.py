"""The snippets of the client's guides, run in order against a server of our own."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from sqe.auth.configured import authenticators
from sqe.auth.hashing import hash_password
from sqe.model.identity import Secret
from sqe.model.password_hash import ScryptCost
from sqe.protocols.flight_sql.options import FlightOptions
from sqe.protocols.flight_sql.server import FlightSqlServer
from sqe.server.build import build
from sqe.settings import Settings
from sqe.settings.access import AuthSettings, UserSettings

GUIDES = Path(__file__).parents[2] / "docs" / "guides"
PASSWORD = "correct horse"
_PYTHON = re.compile(r"```python\n(.*?)```(?:\n\n```text\n(.*?)```)?", re.DOTALL)
_CONSOLE = re.compile(r"```console\n(.*?)```", re.DOTALL)
_SUMMARY = re.compile(r"^\(\d+ rows?, .*\)\n", re.MULTILINE)  # says how long it took


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    hashed = hash_password(Secret(PASSWORD), ScryptCost(p=1)).write()
    auth = AuthSettings(users={"ann": UserSettings(password=SecretStr(hashed))})
    server = build(Settings(home=tmp_path_factory.mktemp("served")))
    flight = FlightSqlServer(server.gateway, authenticators(auth), FlightOptions(port=0))
    yield str(flight.start())
    flight.stop()
    server.close()


@pytest.fixture(autouse=True)
def _somewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SQE_PASSWORD", PASSWORD)


@pytest.mark.parametrize("page", ["python.md", "sqlalchemy.md"])
def test_the_snippets_print_what_the_page_says(page: str, port: str) -> None:
    names: dict[str, Any] = {}
    for code, expected in _PYTHON.findall((GUIDES / page).read_text()):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code.replace("32010", port), names)
        assert printed.getvalue() == expected, code


def test_the_commands_print_what_the_page_says(port: str) -> None:
    (block,) = _CONSOLE.findall((GUIDES / "cli.md").read_text())
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, expected = part.partition("\n")
        done = subprocess.run(
            shlex.split(command.replace("32010", port)),
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
        )
        assert done.stdout + _SUMMARY.sub("", done.stderr) == expected
