"""``sqe password`` and ``sqe token``: secrets by prompt or stdin, hashes on stdout."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from sqe.auth.configured import authenticators
from sqe.auth.protocol import Bearer, Password
from sqe.cli.main import cli
from sqe.errors import AccessError
from sqe.model.identity import Secret
from sqe.settings import Settings


def run(*arguments: str, typed: str | None = None) -> Result:
    return CliRunner().invoke(cli, list(arguments), input=typed)


def users(toml: str) -> Settings:
    return Settings.model_validate(tomllib.loads(toml))


def test_a_piped_password_becomes_a_line_that_lets_its_user_in() -> None:
    answer = run("password", "ann", typed="correct horse \n")
    assert answer.exit_code == 0
    assert "correct horse" not in answer.output
    chain = authenticators(users(answer.stdout).auth)
    assert chain.identify(Password("ann", Secret("correct horse "))).user == "ann"
    with pytest.raises(AccessError):
        chain.identify(Password("ann", Secret("correct horse")))


@pytest.mark.parametrize(
    ("second", "said"), [("correct horse", 'password = "$argon2'), ("wrong horse", "do not match")]
)
def test_a_typed_password_is_asked_for_twice_and_not_shown(second: str, said: str) -> None:
    """At a terminal of its own, which would echo what is typed."""
    ours, theirs = os.openpty()
    command = [sys.executable, "-m", "sqe.cli.main", "password"]
    with subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
    ) as process:
        try:
            screen = read_until(
                ours, "Password: "
            )  # the blank comes when nothing is echoed any more
            os.write(ours, b"correct horse\n")
            screen += read_until(ours, "Repeat for confirmation: ")
            os.write(ours, second.encode() + b"\n")
            screen += read_until(ours, said)
        finally:
            process.kill()
    os.close(ours)
    os.close(theirs)
    assert "horse" not in screen


def read_until(terminal: int, words: str) -> str:
    seen = ""
    while words not in seen:
        seen += os.read(terminal, 4096).decode()
    return seen


@pytest.mark.parametrize("typed", ["", "\n", "short\n"])
def test_a_short_password_is_refused_without_being_repeated(typed: str) -> None:
    answer = run("password", typed=typed)
    assert answer.exit_code == 1
    assert answer.stdout == ""
    assert "at least 8" in answer.stderr
    assert "short" not in answer.stderr.replace("shortest", "")


def test_a_new_token_is_shown_once_and_its_hash_lets_its_user_in() -> None:
    answer = run("token", "ann the bot")
    token = answer.stderr.split()[-1]
    assert token not in answer.stdout
    chain = authenticators(users(answer.stdout).auth)
    assert chain.identify(Bearer(Secret(token))).user == "ann the bot"
    assert run("token").stdout != run("token").stdout


def test_a_token_can_go_to_a_new_file_of_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "ann.token"
    answer = run("token", "ann", "--out", str(path))
    assert answer.stderr == ""
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    token = Secret(path.read_text().strip())
    assert authenticators(users(answer.stdout).auth).identify(Bearer(token)).user == "ann"
    again = run("token", "ann", "--out", str(path))
    assert again.exit_code == 1
    assert "File exists" in again.stderr


def test_a_given_token_must_be_long() -> None:
    token = "t" * 32
    answer = run("token", "ann", "--stdin", typed=token + "\n")
    assert token not in answer.output
    assert authenticators(users(answer.stdout).auth).identify(Bearer(Secret(token))).user == "ann"
    assert run("token", "--stdin", typed="t" * 31).exit_code == 1
