"""A changed sqe.toml is taken up by a running server: all of it that can be, or nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import sqe.client
from sqe.auth.hashing import hash_token, new_token
from sqe.client import Connection
from sqe.client.exceptions import Error
from sqe.model.identity import Secret
from sqe.server.build import Server, build
from sqe.settings import find_settings
from tests.unit.auth.oidc.issuer import CLIENT, LocalIssuer, issuing
from tests.unit.backup.homes import SCHEMA, open_catalog, rows_of

ANN, BOB, NEW = new_token(), new_token(), new_token()
BASE = "[flight]\nport = 0\n[trino]\nenabled = false\n"


def user(name: str, token: Secret, more: str = "") -> str:
    return f'[auth.users.{name}]\ntokens = ["sha256:{hash_token(token).hex()}"]\n{more}'


USERS = user("ann", ANN) + user("bob", BOB)


class Served:
    def __init__(self, home: Path, text: str) -> None:
        self.file = home / "sqe.toml"
        home.mkdir(exist_ok=True)
        self.file.write_text(BASE + text)
        source = find_settings(None, {"home": str(home)}, {})
        self.server: Server = build(source.load())
        self.address = self.server.listen()
        self.server.follow(source)

    def change(self, text: str) -> None:
        self.file.write_text(BASE + text)
        self.server.reread_settings()

    def connect(self, token: Secret) -> Connection:
        return sqe.client.connect(self.address, token=token)

    def part(self, name: str) -> str:
        return next(part.reason for part in self.server.parts() if part.name == name)

    @property
    def audited(self) -> list[str]:
        lines = (self.file.parent / "logs" / "audit.jsonl").read_text().splitlines()
        events = [json.loads(line) for line in lines]
        return [event["what"] for event in events if event["event"] == "settings_changed"]


@contextmanager
def serving(home: Path, text: str = USERS) -> Iterator[Served]:
    served = Served(home, text)
    try:
        yield served
    finally:
        served.server.close()


def rows(connection: Connection, sql: str) -> list[tuple[Any, ...]]:
    connection.execute("SET SESSION sqe.engine = 'local'")
    return connection.execute(sql).fetchall()


def refused(connection: Connection, sql: str = "SELECT 1") -> str:
    with pytest.raises(Error) as caught:
        connection.execute(sql).fetchall()
    return str(caught.value)


def test_users_come_and_go_while_the_others_work(tmp_path: Path) -> None:
    with serving(tmp_path) as served, served.connect(ANN) as ann, served.connect(BOB) as bob:
        assert rows(ann, "SELECT 1") == rows(bob, "SELECT 1") == [(1,)]
        served.change(user("ann", ANN) + user("eve", NEW))
        assert rows(ann, "SELECT 2") == [(2,)]
        with served.connect(NEW) as eve:
            assert rows(eve, "SELECT 3") == [(3,)]
        refused(bob)
        with pytest.raises(Error):
            rows(served.connect(BOB), "SELECT 1")
        assert served.audited == ["auth.users.bob, auth.users.eve"]
        log = (served.file.parent / "logs" / "sqe.log").read_text()
        assert "changed settings are in force: auth.users.bob, auth.users.eve" in log
        audit = (served.file.parent / "logs" / "audit.jsonl").read_text()
        assert hash_token(NEW).hex() not in log + audit


def test_other_groups_or_another_token_end_what_was_begun_before(tmp_path: Path) -> None:
    with serving(tmp_path) as served, served.connect(ANN) as ann, served.connect(BOB) as bob:
        assert rows(ann, "SELECT 1") == rows(bob, "SELECT 1") == [(1,)]
        served.change(user("ann", ANN, 'groups = ["staff"]\n') + user("bob", NEW))
        refused(bob)
        assert served.audited == ["auth.users.ann.groups, auth.users.bob.tokens"]


@pytest.mark.parametrize(
    "wrong",
    ["[limits]\nresult_row = 1\n", "[", '[policy.file]\npath = "none.json"\n', "[auth.users.x"],
)
def test_a_wrong_file_changes_nothing_and_is_told_of(tmp_path: Path, wrong: str) -> None:
    with serving(tmp_path) as served, served.connect(ANN) as ann:
        served.change(user("eve", NEW) + wrong)
        assert rows(ann, "SELECT 1") == [(1,)]
        assert "settings" in served.part("files")
        assert served.server.state.broken_files()["settings"] == 1
        assert 'sqe_broken_files{file="settings"} 1.0' in _metrics(served)
        with pytest.raises(Error):
            rows(served.connect(NEW), "SELECT 1")
        assert served.audited == []
        served.change(USERS)
        assert served.server.state.broken_files()["settings"] == 0


def _metrics(served: Served) -> str:
    exposition = served.server.exposition()
    assert exposition is not None
    return exposition[0].decode()


def test_a_file_that_is_gone_changes_nothing(tmp_path: Path) -> None:
    with serving(tmp_path) as served, served.connect(ANN) as ann:
        served.file.unlink()
        served.server.reread_settings()
        assert rows(ann, "SELECT 1") == [(1,)]
        assert served.server.state.broken_files()["settings"] == 1


def test_what_needs_a_restart_is_told_by_its_key(tmp_path: Path) -> None:
    with serving(tmp_path) as served, served.connect(ANN) as ann:
        assert served.part("settings") == "are in force"
        served.change(USERS + "[limits]\nresult_rows = 1\nnesting = 7\n[serve]\nport = 1\n")
        assert served.part("settings") == (
            "hold from the next start on: limits.nesting, serve.port"
        )
        assert rows(ann, "SELECT 1") == [(1,)]
        two_rows = "SELECT 1 UNION ALL SELECT 2"
        assert "limits.result_rows allows no more" in refused(ann, two_rows)
        assert served.audited == ["limits.result_rows"]
        served.change(USERS)
        assert served.part("settings") == "are in force"


def test_a_change_that_would_let_everybody_in_from_anywhere_is_refused(tmp_path: Path) -> None:
    """As at a start: nobody could connect."""
    with serving(tmp_path) as served, served.connect(ANN) as ann:
        served.change("[auth]\nanonymous = false\n")
        assert served.server.state.broken_files()["settings"] == 1
        assert rows(ann, "SELECT 1") == [(1,)]


def test_a_policy_is_in_force_for_the_next_statement(tmp_path: Path) -> None:
    with open_catalog(tmp_path) as catalog:
        catalog.create_namespace("sales")
        catalog.create_table("sales.t", SCHEMA).append(rows_of(1, 2, 3))
    table = {"privileges": ["SELECT"], "columns": [{"name": "note", "allow": False}]}
    rules = {"catalogs": [{"allow": "all"}], "schemas": [{"owner": True}], "tables": [table]}
    (tmp_path / "some.json").write_text(json.dumps(rules))
    (tmp_path / "none.json").write_text(json.dumps({"tables": []}))
    policy = '[policy.file]\npath = "{}.json"\n'
    with serving(tmp_path) as served, served.connect(ANN) as ann:
        sql = "SELECT note FROM sales.t WHERE id = 2"
        assert rows(ann, sql) == [("n2",)]
        served.change(USERS + policy.format("some"))
        assert rows(ann, "SELECT * FROM sales.t WHERE id = 2") == [(2,)]
        assert "note" in refused(ann, sql)
        served.change(USERS + policy.format("none"))
        assert "sales.t" in refused(ann, sql)
        served.change(USERS)
        assert rows(ann, sql) == [("n2",)]
        assert served.audited == ["policy.file", "policy.file.path", "policy.file"]


OTHER = '[catalogs.lake]\n[catalogs.other]\ntype = "embedded"\n'


def test_a_catalog_comes_and_goes_with_what_runs_on_it(tmp_path: Path) -> None:
    with open_catalog(tmp_path, "other") as catalog:
        catalog.create_namespace("sales")
        table = catalog.create_table("sales.t", SCHEMA)
        for _ in range(3):
            table.append(rows_of(*range(100_000)))
    with serving(tmp_path) as served, served.connect(ANN) as ann:
        assert rows(ann, "SHOW CATALOGS") == [("lake",)]
        served.change(USERS + OTHER)
        assert rows(ann, "SHOW CATALOGS") == [("lake",), ("other",)]
        gateway = served.server.gateway
        cursor = ann.execute("SELECT id, note FROM other.sales.t")
        running = next(r for r in gateway.records() if "other" in r.text)
        assert not running.state.ended
        served.change(USERS)
        with pytest.raises(Error, match="taken out of the settings"):
            cursor.fetchall()
        assert rows(ann, "SHOW CATALOGS") == [("lake",)]
        assert "does not exist" in refused(ann, "SELECT id FROM other.sales.t")
        assert served.audited == ["catalogs.other", "catalogs.other"]


def _issuer(issuer: LocalIssuer, more: str = "") -> str:
    return (
        f'[auth.oidc.one]\nissuer = "{issuer.url}"\naudience = ["{CLIENT}"]\nskew_s = 0\n{more}'
        "[auth]\nanonymous = false\n"
    )


def test_an_issuer_comes_and_goes_with_its_logins(tmp_path: Path) -> None:
    with issuing() as issuer, serving(tmp_path) as served, served.connect(ANN) as ann:
        token = Secret(issuer.token("alice"))
        with pytest.raises(Error):
            rows(served.connect(token), "SELECT 1")
        served.change(USERS + _issuer(issuer))
        with served.connect(token) as alice:
            assert rows(alice, "SELECT 1") == [(1,)]
            served.change(USERS + _issuer(issuer) + "[limits]\nresult_rows = 9\n")
            assert rows(alice, "SELECT 2") == [(2,)]
            served.change(USERS)
            refused(alice)
        assert rows(ann, "SELECT 1") == [(1,)]


def test_limits_of_sessions_and_of_the_queue_are_taken_up(tmp_path: Path) -> None:
    with serving(tmp_path) as served, served.connect(ANN) as ann:
        rows(ann, "SELECT 1")
        served.change(USERS + "[limits]\nsessions_per_user = 1\nqueries_per_minute = 1\n")
        with pytest.raises(Error, match=r"limits\.sessions_per_user"):
            served.connect(ANN)
        ann.execute("SELECT 1").fetchall()
        assert "limits.queries_per_minute" in refused(ann)


def test_attached_catalogs_stay_and_the_settings_have_the_last_word(tmp_path: Path) -> None:
    def files(name: str) -> str:
        (tmp_path / name).mkdir(exist_ok=True)
        return f'type = "files"\nauth = "shared"\nwarehouse = "{tmp_path / name}"\n'

    def catalogs() -> list[str]:
        return [row[0] for row in ann.execute("SHOW CATALOGS").fetchall()]

    users = '[policy]\nadministrators = ["ann"]\n' + USERS + '[catalogs.lake]\ntype = "embedded"\n'
    create = f"USING files WITH (auth = 'shared', warehouse = '{tmp_path / 'books'}')"
    (tmp_path / "books").mkdir()
    with serving(tmp_path / "home", users) as served, served.connect(ANN) as ann:
        ann.execute(f"CREATE CATALOG books {create}")
        served.change(users + "[catalogs.other]\n" + files("other"))
        assert catalogs() == ["books", "lake", "other"]
        served.change(users + "[catalogs.books]\n" + files("books"))
        assert catalogs() == ["books", "lake"]
        assert "in sqe.toml" in refused(ann, "DROP CATALOG books")
        served.change(users + "[catalogs.near]\n" + files("books"))
        assert catalogs() == ["lake", "near"]
