"""``sqe login``, ``whoami`` and ``logout`` with a real issuer: in a browser, and by a code."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from dev.stack.people import CLI, SQE
from dev.stack.places import ROOT, Places
from sqe.auth.oidc.provider import Client, GrantRefused, Provider, ProviderOptions
from sqe.model.identity import Secret
from sqe.server.build import build
from sqe.settings import Settings
from tests.stack.browser import Browser

pytestmark = pytest.mark.timeout(300)
ACCESS = 3  # exit code


@dataclass
class Shell:
    """A terminal of one person, with a state folder of their own."""

    server: str
    issuer: str
    state: Path
    said: list[str] = field(default_factory=list)

    @property
    def environ(self) -> dict[str, str]:
        program = f"{sys.executable} -m tests.stack.browser alice alice-pw %s"
        mine = {"XDG_STATE_HOME": str(self.state), "BROWSER": program, "PYTHONPATH": str(ROOT)}
        return {**os.environ, **mine, "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring"}

    @property
    def command(self) -> list[str]:
        return [sys.executable, "-m", "sqe.cli.main"]

    def run(self, name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        answer = subprocess.run(
            [*self.command, name, "--server", self.server, *arguments],
            capture_output=True,
            text=True,
            env=self.environ,
            stdin=subprocess.DEVNULL,
        )
        self.said.append(answer.stdout + answer.stderr)
        return answer

    @property
    def file(self) -> Path:
        return self.state / "sqe" / "logins.json"

    @property
    def kept(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.file.read_text())
        return found

    @property
    def login(self) -> dict[str, Any]:
        (only,) = self.kept.values()
        assert isinstance(only, dict)
        return only

    def expire(self) -> None:
        """As if the token's time were over."""
        (server,) = self.kept
        self.file.write_text(json.dumps({server: {**self.login, "expires_at": 1.0}}))


@pytest.fixture(scope="module")
def server(stack: Places, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    issuer = {
        "issuer": stack.issuer,
        "client_id": SQE.name,
        "client_secret": SQE.secret,
        "cli_client_id": CLI.name,
    }
    given = {
        "home": tmp_path_factory.mktemp("cli") / "lake",
        "flight": {"port": 0},
        "auth": {"oidc": {"keycloak": issuer}},
    }
    made = build(Settings.model_validate(given))
    yield made.listen()
    made.close()


@pytest.fixture
def shell(stack: Places, server: str, tmp_path: Path) -> Shell:
    return Shell(server, stack.issuer, tmp_path / "state")


def test_a_login_in_a_browser_serves_all_later_calls(shell: Shell) -> None:
    answer = shell.run("login", "--browser")
    assert answer.returncode == 0, answer.stderr
    assert "as alice" in answer.stderr
    assert shell.run("whoami").stdout == "alice\n"
    rows = shell.run("sql", "SELECT 1 AS one", "--output", "csv")
    assert rows.stdout.splitlines() == ["one", "1"], rows.stderr
    assert stat.S_IMODE(shell.file.stat().st_mode) == 0o600
    for secret in (shell.login["token"], shell.login["refresh"]):
        assert not any(secret in text for text in shell.said)


def test_a_login_on_another_device(shell: Shell) -> None:
    with subprocess.Popen(
        [*shell.command, "login", "--server", shell.server, "--device"],
        stderr=subprocess.PIPE,
        text=True,
        env=shell.environ,
    ) as process:
        assert process.stderr is not None
        said = [process.stderr.readline(), process.stderr.readline()]
        code = re.search(r"type the code (\S+)", said[0])
        address = re.search(r"http\S+", said[1])
        assert code is not None and address is not None, said
        with Browser() as browser:
            page = browser.log_in(address[0], "bob", "bob-pw")
            browser.fill(page, accept="Yes")
        assert "as bob" in process.stderr.read()
        assert process.wait(60) == 0
    assert shell.run("whoami").stdout == "bob\n"


def test_an_old_token_is_renewed_without_a_word(shell: Shell) -> None:
    shell.run("login", "--browser")
    before = shell.login
    shell.expire()
    answer = shell.run("whoami")
    assert (answer.stdout, answer.stderr) == ("alice\n", "")
    assert shell.login["token"] != before["token"]
    assert shell.login["expires_at"] > before["expires_at"] - 1


def test_a_login_that_the_issuer_has_ended_must_be_made_again(shell: Shell) -> None:
    shell.run("login", "--browser")
    public(shell).revoke(Secret(shell.login["refresh"]))
    shell.expire()
    answer = shell.run("whoami")
    assert answer.returncode == ACCESS
    assert "TOKEN_EXPIRED" in answer.stderr and "sqe login --server" in answer.stderr
    assert shell.kept == {}


def test_a_logout_ends_the_login_here_and_there(shell: Shell) -> None:
    shell.run("login", "--browser")
    refresh = Secret(shell.login["refresh"])
    public(shell).refresh(refresh)  # good until then
    assert "Logged out" in shell.run("logout").stderr
    assert shell.kept == {}
    with pytest.raises(GrantRefused):
        public(shell).refresh(refresh)
    answer = shell.run("whoami")
    assert answer.returncode == ACCESS
    assert "There is no login" in shell.run("logout").stderr


def test_without_a_login_the_server_lets_nobody_in(shell: Shell) -> None:
    answer = shell.run("whoami")
    assert answer.returncode == ACCESS
    assert "AUTHENTICATION_FAILED" in answer.stderr


def test_another_issuer_than_the_servers_is_of_no_use(shell: Shell, stack: Places) -> None:
    """Its tokens are good, but not here: nothing is kept."""
    answer = shell.run("login", "--browser", "--issuer", "http://127.0.0.1:9/realms/other")
    assert answer.returncode == 1
    assert stack.issuer in answer.stderr
    assert not shell.file.exists()


def public(shell: Shell) -> Provider:
    return Provider(ProviderOptions(shell.issuer, Client(CLI.name)))
