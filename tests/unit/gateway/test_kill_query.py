"""Whoever may end a query can say so in SQL, and its reader hears who it was and why."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import pytest

from sqe.errors import ErrorCode, SqeError
from sqe.model.identity import Identity
from sqe.model.query import ClientState, QueryOrigin, QueryRequest, QueryState
from sqe.server.build import Server, build
from sqe.settings import Settings

_TEN = ", ".join(f"({n})" for n in range(10))
# It runs on the local engine for as long as nobody reads it.
ENDLESS = "SELECT " + ", ".join(f"t{n}.n AS c{n}" for n in range(7)) + " FROM "
ENDLESS += " CROSS JOIN ".join(f"(VALUES {_TEN}) AS t{n}(n)" for n in range(7))
TRINO = ClientState(catalog="lake", schema="default")
TRINO_KILL = "CALL system.runtime.kill_query(query_id => '{}', message => 'enough')"
KILLS = [("KILL QUERY '{}' MESSAGE 'enough'", None), (TRINO_KILL, TRINO)]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    given = {
        "home": tmp_path_factory.mktemp("home"),
        "spark": {"remote": "sc://127.0.0.1:9"},
        "trino": {"administrators": ["root"]},
    }
    with closing(build(Settings.model_validate(given))) as made:
        yield made


def submit(server: Server, user: str, text: str, client: ClientState | None = None) -> str:
    session = server.gateway.open_session(Identity(user))
    return server.gateway.submit(QueryRequest(session.id, text, client=client))


def ask(server: Server, user: str, text: str, client: ClientState | None = None) -> Any:
    with server.gateway.fetch(submit(server, user, text, client)) as result:
        return [tuple(row.values()) for row in result.read_all().to_pylist()]


def until(condition: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + 20
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.01)
    return condition()


def running(server: Server, user: str) -> str:
    query_id = submit(server, user, ENDLESS)
    assert until(lambda: server.gateway.record(query_id).state is QueryState.RUNNING)
    return query_id


@pytest.mark.parametrize(("kill", "client"), KILLS)
@pytest.mark.parametrize("user", ["ann", "root"])
def test_its_owner_and_administrators_end_it(
    server: Server, user: str, kill: str, client: ClientState | None
) -> None:
    query_id = running(server, "ann")
    answered = ask(server, user, kill.format(query_id), client)
    assert answered == ([] if client else [(query_id, "killed")])
    with pytest.raises(SqeError) as raised, server.gateway.fetch(query_id) as result:
        result.read_all()
    assert raised.value.code is ErrorCode.KILLED
    assert raised.value.message == f"Query killed by {user}. Message: enough"
    assert until(lambda: server.gateway.record(query_id).state is QueryState.FAILED)
    assert server.gateway.record(query_id).error_code == "KILLED"


@pytest.mark.parametrize(("kill", "client"), KILLS)
def test_of_anybody_elses_it_is_said_what_is_said_of_none(
    server: Server, kill: str, client: ClientState | None
) -> None:
    query_id = running(server, "ann")
    told = []
    for named in (query_id, "20200101_000000_00000_aaaaa"):
        with pytest.raises(SqeError) as raised:
            ask(server, "bob", kill.format(named), client)
        assert raised.value.code is ErrorCode.QUERY_NOT_FOUND
        told.append(raised.value.message.replace(named, "…"))
    assert told == ["Target query not found: …"] * 2
    assert server.gateway.record(query_id).state is QueryState.RUNNING
    server.gateway.cancel(query_id)


def test_one_that_has_ended_stays_as_it_is(server: Server) -> None:
    query_id = submit(server, "ann", "SHOW CATALOGS")
    server.gateway.fetch(query_id).read_all()
    assert until(lambda: server.gateway.record(query_id).state.ended)
    assert ask(server, "ann", f"KILL QUERY '{query_id}'") == [(query_id, "finished")]
    assert server.gateway.record(query_id).state is QueryState.FINISHED


def test_what_others_see_of_a_query_quotes_no_values(server: Server) -> None:
    """Errors do, and texts may have secrets in them."""
    query_id = submit(server, "ann", "SELECT 'Bearer hunter2hunter2' FROM s3cr3t")
    with pytest.raises(SqeError, match="s3cr3t"):
        server.gateway.fetch(query_id).read_all()
    assert until(lambda: server.gateway.record(query_id).state.ended)

    def seen(user: str) -> Any:
        records = server.gateway.records_for(Identity(user))
        return next((record for record in records if record.query_id == query_id), None)

    assert seen("bob") is None
    assert "s3cr3t" in seen("ann").error_message
    assert seen("root").error_code == seen("ann").error_code != ""
    assert seen("root").error_message == ""
    assert "hunter2" not in f"{seen('ann')}{seen('root')}"


def test_a_kill_that_is_no_statement_is_in_the_audit_log(server: Server) -> None:
    query_id, here = running(server, "ann"), QueryOrigin("trino", "192.0.2.7", "svc")
    with pytest.raises(SqeError):
        server.gateway.kill(Identity("bob"), query_id, origin=here)
    server.gateway.kill(Identity("root"), query_id, origin=here)
    lines = (server.settings.home / "logs" / "audit.jsonl").read_text().splitlines()
    kills = [line for line in map(json.loads, lines) if line["event"].startswith("kill")]
    told = [(line["event"], line["user"], line["owner"], line["query_id"]) for line in kills]
    assert told == [("kill_refused", "bob", "ann", query_id), ("kill", "root", "ann", query_id)]
    assert (kills[0]["address"], kills[0]["principal"]) == ("192.0.2.7", "svc")
