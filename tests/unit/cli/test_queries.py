"""``sqe queries`` and ``sqe top``: over Flight SQL, and in the process of the command itself."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from sqe.cli.exit_codes import ExitCode
from sqe.cli.main import cli
from sqe.client.embedded import current_user
from sqe.model.identity import Identity
from sqe.model.query import EngineKind, QueryRecord, QueryRequest, QueryState, Route
from sqe.server.build import Server, build
from sqe.settings import Settings
from sqe.store.database import Database
from sqe.store.history import HistoryStore, Process
from sqe.store.query_rows import row_of
from tests.unit.cli.terminal import Terminal
from tests.unit.gateway.test_kill_query import ENDLESS

USER = "anonymous"  # as whom a server knows who shows nothing
NOW = time.time()
DONE = QueryRecord(
    "q_done",
    USER,
    "SELECT\n  1",
    QueryState.FINISHED,
    NOW - 60,
    route=Route(EngineKind.LOCAL, "because"),
    ended=NOW - 58.5,
    rows=1_234,
)
RECORDS = (
    DONE,
    replace(DONE, query_id="q_failed", state=QueryState.FAILED, error_code="TIMEOUT"),
    replace(DONE, query_id="q_old", created=NOW - 3 * 86_400, ended=NOW - 3 * 86_400 + 90),
    replace(DONE, query_id="q_bobs", user="bob"),
    replace(DONE, query_id="q_spark", route=Route(EngineKind.SPARK, "large")),
    replace(DONE, query_id="q_odd", text="SELECT '\x1b[31m'"),
)


def keep(home: Path, *records: QueryRecord) -> None:
    with closing(Database(home)) as database:
        rows = [row_of(record, "p") for record in records]
        HistoryStore(database).write(Process("p", "elsewhere"), time.time(), rows)


@dataclass
class Served:
    server: Server
    url: str

    def run(self, *arguments: str) -> Result:
        return CliRunner().invoke(cli, [*arguments, "--server", self.url])


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    home = tmp_path_factory.mktemp("home")
    given = {
        "home": home,
        "spark": {"remote": "sc://127.0.0.1:9"},
        "flight": {"port": 0},
        "history": {"keep_days": 0},
    }
    with closing(build(Settings.model_validate(given))) as server:
        keep(home, *RECORDS)
        yield Served(server, server.listen())


def listed(result: Result) -> set[str]:
    assert result.exit_code == 0, result.output
    return {line.split()[0] for line in result.stdout.splitlines()[1:] if line.startswith("q_")}


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ((), {"q_done", "q_failed", "q_spark", "q_odd"}),
        (("--since", "7d"), {"q_done", "q_failed", "q_spark", "q_odd", "q_old"}),
        (("--since", "30s"), set()),
        (("--state", "failed"), {"q_failed"}),
        (("--engine", "spark"), {"q_spark"}),
        (("--of", "bob"), set()),
        (("--of", USER, "--engine", "spark"), {"q_spark"}),
    ],
)
def test_queries_are_listed_as_far_as_they_are_asked_for_and_may_be_seen(
    served: Served, options: tuple[str, ...], found: set[str]
) -> None:
    assert listed(served.run("queries", "list", *options)) == found


def test_a_line_says_what_counts(served: Served) -> None:
    result = served.run("queries", "list", "--since", "7d")
    lines = {line.split()[0]: line.split() for line in result.stdout.splitlines()}
    assert lines["ID"][1:4] == ["USER", "STATE", "ENGINE"]
    assert lines["q_done"][1:4] == [USER, "finished", "local"]
    assert lines["q_done"][6:] == ["1.5s", "1,234", "SELECT", "1"]
    assert lines["q_old"][6] == "1m30s"
    assert "TIMEOUT" in lines["q_failed"]
    assert "\x1b" not in result.stdout


def test_programs_get_lines_of_json(served: Served) -> None:
    result = served.run("queries", "list", "--state", "failed", "--json")
    (row,) = map(json.loads, result.stdout.splitlines())
    assert (row["query_id"], row["rows"], row["error_code"]) == ("q_failed", 1234, "TIMEOUT")


def test_one_query_is_shown_with_all_that_is_known(served: Served) -> None:
    result = served.run("queries", "show", "q_done")
    lines = result.stdout.splitlines()
    shown = {line.split()[0]: line[line.index("  ") :].strip() for line in lines if line[0] != " "}
    assert shown["engine_reason"] == "because"
    assert shown["elapsed_time_ms"] == "1500"
    assert shown["query"] == "SELECT"
    after = lines[[line.split()[0] for line in lines].index("query") + 1]
    assert after.strip() == "1" and after.startswith("   ")


@pytest.mark.parametrize("query_id", ["q_bobs", "q_none"])
def test_what_one_may_not_see_is_not_there(served: Served, query_id: str) -> None:
    result = served.run("queries", "show", query_id)
    assert result.exit_code == ExitCode.USER_ERROR
    assert f"There is no query {query_id}" in result.stderr


def test_a_running_query_is_killed(served: Served) -> None:
    session = served.server.gateway.open_session(Identity(USER))
    query_id = served.server.gateway.submit(QueryRequest(session.id, ENDLESS))
    result = served.run("queries", "kill", query_id, "--message", "it's enough")
    assert (result.exit_code, result.stdout) == (0, f"{query_id} was killed\n")
    deadline = time.monotonic() + 20
    while not (record := served.server.gateway.record(query_id)).state.ended:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert record.error_message == f"Query killed by {USER}. Message: it's enough"
    again = served.run("queries", "kill", query_id)
    assert again.stdout == f"{query_id} had failed already\n"


def test_an_age_that_is_none_is_refused(served: Served) -> None:
    result = served.run("queries", "list", "--since", "yesterday")
    assert result.exit_code == ExitCode.USER_ERROR
    assert "90m" in result.stderr


def test_without_a_server_it_is_the_history_of_the_home(tmp_path: Path) -> None:
    keep(tmp_path, replace(DONE, user=current_user()))
    result = CliRunner().invoke(cli, ["--home", str(tmp_path), "queries", "list"])
    assert listed(result) == {"q_done"}


def test_top_looks_once_where_there_is_no_terminal(served: Served) -> None:
    session = served.server.gateway.open_session(Identity(USER))
    query_id = served.server.gateway.submit(QueryRequest(session.id, ENDLESS))
    result = served.run("top")
    served.server.gateway.cancel(query_id)
    assert result.exit_code == 0, result.output
    (line,) = (line for line in result.stdout.splitlines() if line.strip().startswith(query_id))
    assert line.split()[1] == USER
    assert "sqe-top" not in result.stdout and "system.history" not in result.stdout


def test_top_goes_on_until_q_is_pressed() -> None:
    terminal = Terminal("top", "--every", "0.5")
    try:
        terminal.expect("0 running")
        assert not terminal.echoes()
        terminal.expect("0 running")  # it looks again
        terminal.type("q")
        assert terminal.wait() == 0
        assert terminal.echoes()
    finally:
        terminal.close()
