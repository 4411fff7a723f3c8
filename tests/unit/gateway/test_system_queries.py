"""``system.runtime.queries`` and ``system.history.queries``: who sees what, by either dialect."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sqe.errors import ErrorCode, SqeError
from sqe.model.identity import Identity
from sqe.model.query import ClientState, QueryRecord, QueryRequest, QueryState
from sqe.server.build import Server, build
from sqe.settings import Settings
from sqe.store.database import Database
from sqe.store.history import HistoryStore, Process, QueryFilter
from sqe.store.query_rows import row_of

TRINO = ClientState(catalog="lake", schema="default")
DIALECTS = pytest.mark.parametrize("client", [None, TRINO], ids=["spark", "trino"])
NOWHERE = "sc://127.0.0.1:9"  # a statement that needs Spark fails


@contextmanager
def serving(home: Path, **given: Any) -> Iterator[Server]:
    given = {
        "home": home,
        "spark": {"remote": NOWHERE},
        "history": {"delay_s": 0.02, "keep_days": 0},
        "flight": {"enabled": False},
        "trino": {"port": 0, "administrators": ["root"]},
        **given,
    }
    with closing(build(Settings.model_validate(given))) as server:
        server.listen_trino()
        yield server


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with serving(tmp_path) as made:
        yield made


def ask(server: Server, user: str, text: str, client: ClientState | None = None) -> Any:
    session = server.gateway.open_session(Identity(user, frozenset({"staff"})))
    request = QueryRequest(session.id, text, "test", client=client)
    query_id = server.gateway.submit(request)
    with server.gateway.fetch(query_id) as result:
        rows = [tuple(row.values()) for row in result.read_all().to_pylist()]
    deadline = time.monotonic() + 20
    while not server.gateway.record(query_id).state.ended and time.monotonic() < deadline:
        time.sleep(0.001)  # it ends behind its reader's back
    return rows


def store_of(home: Path) -> tuple[Database, HistoryStore]:
    database = Database(home)
    return database, HistoryStore(database)


def keep(home: Path, *records: QueryRecord) -> None:
    with closing(Database(home)) as database:
        rows = [row_of(record, "p") for record in records]
        HistoryStore(database).write(Process("p", "elsewhere"), time.time(), rows)


def ended(query_id: str, user: str = "ann", ago: float = 60.0, **given: Any) -> QueryRecord:
    created = time.time() - ago
    state = given.pop("state", QueryState.FINISHED)
    text = given.pop("text", f"SELECT {query_id}")
    return QueryRecord(query_id, user, text, state, created, ended=created + 2, **given)


@DIALECTS
def test_users_see_their_own_and_administrators_all(
    tmp_path: Path, server: Server, client: ClientState | None
) -> None:
    keep(tmp_path, ended("a1"), ended("b1", "bob"))
    for schema in ("runtime", "history"):
        text = f"SELECT query_id FROM system.{schema}.queries WHERE query_id IN ('a1', 'b1')"
        assert ask(server, "ann", text, client) == [("a1",)]
        assert ask(server, "eve", text, client) == []
        assert sorted(ask(server, "root", text, client)) == [("a1",), ("b1",)]


@DIALECTS
def test_what_runs_is_among_them(server: Server, client: ClientState | None) -> None:
    text = "SELECT state, source FROM system.runtime.queries WHERE query LIKE '%of this one%'"
    assert ask(server, "ann", text + " AND 'of this one' <> ''", client) == [("RUNNING", "test")]


def test_what_the_process_knows_is_newer_than_what_is_stored(
    tmp_path: Path, server: Server
) -> None:
    ask(server, "ann", "SELECT 7 AS seven")
    (record,) = (one for one in server.gateway.records() if "seven" in one.text)
    keep(tmp_path, replace(record, state=QueryState.RUNNING, ended=None))
    text = "SELECT state FROM system.history.queries WHERE query = 'SELECT 7 AS seven'"
    assert ask(server, "ann", text) == [("FINISHED",)]
    assert ask(server, "ann", text + " AND state = 'RUNNING'") == []


@DIALECTS
def test_ended_queries_are_there_after_a_restart(
    tmp_path: Path, client: ClientState | None
) -> None:
    with serving(tmp_path) as server:
        assert ask(server, "ann", "SELECT 7 AS seven", client) == [(7,)]
    with serving(tmp_path) as server:
        text = (
            "SELECT state, kind, engine, rows, protocol, dialect, groups FROM"
            " system.history.queries WHERE query = 'SELECT 7 AS seven'"
        )
        dialect = "trino" if client else "spark"
        assert ask(server, "ann", text, client) == [
            ("FINISHED", "query", "local", 1, "embedded", dialect, "staff")
        ]


@DIALECTS
@pytest.mark.parametrize(
    ("condition", "found"),
    [
        ("created >= TIMESTAMP '2001-01-01 00:00:00'", ["new", "old"]),
        ("created < TIMESTAMP '2001-01-01 00:00:00'", ["ancient"]),
        ("created > current_timestamp - INTERVAL '1' DAY", ["new"]),
        ("state = 'FAILED'", ["old"]),
        ("state IN ('FINISHED', 'CANCELLED')", ["ancient", "new"]),
        ('"end" IS NULL', []),
        ("query_id LIKE 'n%'", ["new"]),
        ("query_id = 'old' OR query_id = 'new'", ["new", "old"]),
    ],
)
def test_conditions_admit_what_they_say(
    tmp_path: Path, server: Server, client: ClientState | None, condition: str, found: list[str]
) -> None:
    failed = ended("old", ago=90_000, state=QueryState.FAILED, error_code="TIMEOUT")
    keep(tmp_path, ended("ancient", ago=time.time()), failed, ended("new"))
    text = f"SELECT query_id FROM system.history.queries WHERE \"user\" = 'ann' AND {condition}"
    text += " AND source IS NULL ORDER BY 1"
    if client is None:
        text = text.replace('"', "`")
    assert [row[0] for row in ask(server, "ann", text, client)] == found


def test_the_newest_are_in_runtime_and_the_long_term_is_in_history(
    tmp_path: Path, server: Server
) -> None:
    keep(tmp_path, ended("a1"), ended("a2", ago=100_000))
    text = "SELECT query_id FROM system.{}.queries WHERE query_id LIKE 'a%' ORDER BY 1"
    assert ask(server, "ann", text.format("runtime")) == [("a1",)]
    assert ask(server, "ann", text.format("history")) == [("a1",), ("a2",)]


def test_secrets_and_hidden_values_are_in_nothing_that_is_shown(
    tmp_path: Path, server: Server
) -> None:
    with pytest.raises(SqeError, match="s3cr3t"):
        ask(server, "ann", "SELECT 'Bearer hunter2hunter2' FROM s3cr3t")
    database, store = store_of(tmp_path)
    with closing(database):
        deadline = time.monotonic() + 20
        wanted = QueryFilter(states=frozenset({QueryState.FAILED}))
        while not store.search(wanted, 9) and time.monotonic() < deadline:
            time.sleep(0.01)
        assert "hunter2" not in f"{store.search(wanted, 9)}"
    text = (
        "SELECT query, error_code, error_message FROM system.history.queries"
        " WHERE error_code = 'TABLE_NOT_FOUND'"
    )
    for user, told in (("ann", True), ("root", False)):
        ((query, code, message),) = ask(server, user, text)
        assert (query, code) == ("SELECT 'Bearer ****' FROM s3cr3t", "TABLE_NOT_FOUND")
        assert ("s3cr3t" in (message or "")) is told


def test_in_trino_errors_have_trinos_names(tmp_path: Path, server: Server) -> None:
    keep(tmp_path, ended("a1", state=QueryState.CANCELLED, error_code="CANCELLED"))
    text = "SELECT state, error_type, error_code FROM system.runtime.queries WHERE query_id = 'a1'"
    assert ask(server, "ann", text, TRINO) == [("FAILED", "USER_ERROR", "USER_CANCELED")]
    assert ask(server, "ann", text) == [("FAILED", "USER", "CANCELLED")]


def test_too_much_is_refused_with_what_to_do(tmp_path: Path, server: Server) -> None:
    records = [ended(f"a{n}", ago=3600.0 + n) for n in range(100_001)]
    for start in range(0, len(records), 10_000):
        keep(tmp_path, *records[start : start + 10_000])
    with pytest.raises(SqeError, match="More than 100,000 queries") as raised:
        ask(server, "ann", "SELECT count(*) FROM system.history.queries")
    assert raised.value.code is ErrorCode.NOT_SUPPORTED
    assert "created > current_timestamp()" in raised.value.hint
    text = "SELECT count(*) FROM system.history.queries WHERE query_id IN ('a1', 'a2')"
    assert ask(server, "ann", text) == [(2,)]
    text = (
        "SELECT count(*) FROM system.history.queries"
        " WHERE created > current_timestamp - INTERVAL '5' MINUTE AND query_id LIKE 'a%'"
    )
    assert ask(server, "ann", text) == ask(server, "ann", text, TRINO) == [(0,)]
    text = "SELECT count(*) FROM system.runtime.queries WHERE query_id LIKE 'a%'"
    assert 900 < ask(server, "ann", text)[0][0] <= 1_000  # the newest


def test_without_a_history_there_is_what_the_process_knows(tmp_path: Path) -> None:
    with serving(tmp_path, history={"enabled": False}) as server:
        ask(server, "ann", "SELECT 7 AS seven")
        text = "SELECT state FROM system.history.queries WHERE query = 'SELECT 7 AS seven'"
        assert ask(server, "ann", text) == [("FINISHED",)]
    assert not (tmp_path / "sqe.db").exists()


def test_a_schema_of_the_users_own_may_be_called_system(server: Server) -> None:
    catalog = server.catalogs.open("lake", Identity("ann"))
    catalog.create_namespace(("system",), {})
    fields = [{"id": 1, "name": "id", "type": "int", "required": False}]
    schema = {"type": "struct", "schema-id": 0, "fields": fields}
    catalog.create_table(("system",), {"name": "t", "schema": schema})
    assert ask(server, "ann", "DESCRIBE system.t")[0][:2] == ("id", "int")
    with pytest.raises(SqeError) as raised:
        ask(server, "ann", "SELECT * FROM system.runtime.nothing")
    assert raised.value.code in (ErrorCode.SCHEMA_NOT_FOUND, ErrorCode.TABLE_NOT_FOUND)
    with pytest.raises(SqeError):
        ask(server, "ann", "DELETE FROM system.history.queries")
    assert ask(server, "ann", "DESCRIBE system.history.queries")[0][:2] == ("query_id", "string")
