"""API keys on a server, over both wires, made and revoked by the command line next to it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import trino
from click.testing import CliRunner
from trino.auth import BasicAuthentication, JWTAuthentication
from trino.exceptions import TrinoUserError

import sqe.client
from sqe.cli.main import cli
from sqe.client.exceptions import Error
from sqe.server.build import build
from sqe.settings import Settings


class Lake:
    """A server that listens, and the home that it shares with the command line."""

    def __init__(self, home: Path) -> None:
        self.home = home
        settings = {
            "home": home,
            "flight": {"port": 0},
            "trino": {"port": 0, "allow_plain_http_credentials": True, "impersonation": ["bot->*"]},
            "auth": {"api_keys": True},
        }
        self.server = build(Settings.model_validate(settings))
        self.flight = self.server.listen()
        self.trino = int(self.server.listen_trino().rpartition(":")[2])

    def command(self, *arguments: str) -> str:
        answer = CliRunner().invoke(cli, ["--home", str(self.home), "apikey", *arguments])
        assert answer.exit_code == 0, answer.stderr
        return answer.stdout.strip()

    def trino_user(self, key: str, text: str, user: str = "bot") -> object:
        connection = trino.dbapi.connect(  # type: ignore[no-untyped-call]
            host="127.0.0.1",
            port=self.trino,
            user=user,
            allow_insecure_auth=True,
            auth=JWTAuthentication(key),
        )
        return connection.cursor().execute(text).fetchall()[0][0]


@pytest.fixture
def lake(tmp_path: Path) -> Iterator[Lake]:
    made = Lake(tmp_path / "lake")
    yield made
    made.server.close()


def test_a_key_is_its_user_on_both_wires(lake: Lake) -> None:
    key = lake.command("create", "one", "--user", "bot")
    with sqe.client.connect(lake.flight, token=key) as by_token:
        assert by_token.transport.user() == "bot"
    with sqe.client.connect(lake.flight, user="bot", password=key) as by_password:
        assert by_password.transport.user() == "bot"
    assert lake.trino_user(key, "SELECT current_user") == "bot"
    basic = trino.dbapi.connect(  # type: ignore[no-untyped-call]
        host="127.0.0.1",
        port=lake.trino,
        user="bot",
        allow_insecure_auth=True,
        auth=BasicAuthentication("bot", key),
    )
    assert basic.cursor().execute("SELECT 1").fetchall() == [[1]]


def test_a_revoked_key_ends_what_it_has_begun(lake: Lake) -> None:
    key = lake.command("create", "one", "--user", "bot")
    with (
        sqe.client.connect(lake.flight, token=key) as by_token,
        sqe.client.connect(lake.flight, user="bot", password=key) as by_password,
    ):
        for connection in (by_token, by_password):
            connection.execute("SELECT 1").fetchall()
        assert lake.trino_user(key, "SELECT 1") == 1
        lake.command("revoke", "one")
        for connection in (by_token, by_password):
            with pytest.raises(Error) as raised:
                connection.execute("SELECT 1").fetchall()
            assert raised.value.code in ("AUTHENTICATION_FAILED", "TOKEN_EXPIRED")
    with pytest.raises(trino.exceptions.HttpError, match="401"):
        lake.trino_user(key, "SELECT 1")


def test_a_key_to_read_cannot_write_on_either_wire(lake: Lake) -> None:
    key = lake.command("create", "one", "--user", "bot", "--scope", "read")
    with sqe.client.connect(lake.flight, token=key) as connection:
        assert connection.execute("SELECT 1").fetchall() == [(1,)]
        with pytest.raises(Error, match="its scope is read") as raised:
            connection.execute("CREATE SCHEMA lake.other")
        assert raised.value.code == "ACCESS_DENIED"
    with pytest.raises(TrinoUserError, match="its scope is read"):
        lake.trino_user(key, "CREATE SCHEMA lake.other")
    with pytest.raises(TrinoUserError, match="its scope is read"):
        lake.trino_user(key, "CREATE SCHEMA lake.other", user="ann")  # as whom it may act
    all_of_it = lake.command("create", "two", "--user", "bot", "--scope", "all")
    with sqe.client.connect(lake.flight, token=all_of_it) as connection:
        connection.execute("CREATE SCHEMA lake.other")


def test_the_list_says_what_became_of_a_key(lake: Lake) -> None:
    key = lake.command("create", "one", "--user", "bot", "--expires", "12h", "--scope", "read")
    lake.command("create", "two", "--user", "ann", "--expires", "never")
    assert lake.trino_user(key, "SELECT 1") == 1
    lake.command("revoke", "two")
    head, one, two = lake.command("list").splitlines()
    assert head.split() == ["NAME", "ID", "USER", "SCOPES", "EXPIRES", "LAST", "USED", "STATE"]
    assert one.split()[0] == "one" and one.endswith("good") and "never" not in one
    assert two.split()[0] == "two" and two.endswith("revoked") and two.count("never") == 2
    assert key not in lake.command("list")
