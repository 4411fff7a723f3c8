"""``sqe sql --server``: the same as in process, but there."""

from __future__ import annotations

import gzip
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import sqe.client
from sqe.cli.exit_codes import ExitCode
from sqe.cli.invocation import Invocation
from sqe.cli.main import cli
from sqe.model.query import QueryState
from tests.embedded.client.conftest import PASSWORD, TOKEN, Served
from tests.embedded.client.test_behaviour import ENDLESS
from tests.embedded.pipe.kept import Kept
from tests.embedded.pipe.lake import Lake, until

_SECONDS = re.compile(r"\d+\.\d\d s")


def run(lake: Lake, *arguments: str, stdin: str | None = None, **env: str | None) -> Result:
    invocation = Invocation(build=lambda settings: Kept(lake.server.gateway))
    return CliRunner().invoke(cli, list(arguments), obj=invocation, input=stdin, env=env)


def as_ann(lake: Lake, served: Served, *arguments: str) -> Result:
    server = ["--server", served.url, "--user", "ann"]
    return run(lake, *arguments, *server, SQE_PASSWORD=PASSWORD)


def said(result: Result) -> tuple[int, str, str]:
    """Everything but how long it took."""
    return result.exit_code, result.stdout, _SECONDS.sub("… s", result.stderr)


@pytest.mark.parametrize(
    ("sql", "output"),
    [
        ("SELECT id, id * 1.5BD AS x, 'Ł' AS s, DATE '2024-05-01' AS d FROM range(3)", "table"),
        ("SELECT TIMESTAMP '2024-05-01 12:00:00' AS t", "json"),
        ("SELECT id FROM range(100000)", "csv"),
        ("SELECT 1 AS a; USE lake.default; SHOW SCHEMAS IN lake", "jsonl"),
        ("SELECT 1 AS a;\n  SELECT *\n  FROM nowhere", "table"),
        ("SELEC 1", "table"),
    ],
)
def test_a_server_answers_as_this_process_does(
    shared_lake: Lake, served: Served, sql: str, output: str
) -> None:
    here = run(shared_lake, "sql", sql, "-o", output)
    there = as_ann(shared_lake, served, "sql", sql, "-o", output)
    assert said(there) == said(here)


@pytest.mark.spark
@pytest.mark.java
@pytest.mark.timeout(300)
def test_a_write_on_a_server_says_what_it_changed(tables: Lake, served: Served) -> None:
    sql = "CREATE OR REPLACE TABLE client.of_cli (n INT); INSERT INTO client.of_cli VALUES (1), (2)"
    result = as_ann(tables, served, "sql", sql)
    assert "2 rows inserted" in result.stderr
    assert "Spark)" in result.stderr


@pytest.mark.spark
@pytest.mark.java
@pytest.mark.timeout(300)
def test_files_of_this_machine_are_loaded_there_as_here(
    tables: Lake, served: Served, tmp_path: Path
) -> None:
    """The server reads the very bytes, so that a file means the same wherever it is loaded."""
    good, bad = tmp_path / "good.csv.gz", tmp_path / "bad.csv"
    good.write_bytes(gzip.compress('n,s\n1,"O\'Brien, Łódź"\n2,\n'.encode()))
    bad.write_text("n,s\n3,c\nx,d\n")
    for name in ("sent_here", "sent_there"):
        tables.run(f"CREATE OR REPLACE TABLE client.{name} (n INT, s STRING)")

    def load(*arguments: str) -> tuple[Result, Result]:
        loads = ["load", *arguments, "--into"]
        here = run(tables, *loads, "client.sent_here")
        return here, as_ann(tables, served, *loads, "client.sent_there")

    for arguments in ([str(good)], [str(good)], [str(bad)], [str(good), "--again", "--json"]):
        here, there = load(*arguments)
        assert said(there) == tuple(
            str(one).replace("sent_here", "sent_there") if isinstance(one, str) else one
            for one in said(here)
        )
    assert str(bad) in load(str(bad))[1].stderr
    rows = [tables.rows(f"SELECT * FROM client.{name}") for name in ("sent_here", "sent_there")]
    assert sorted(map(str, rows[0])) == sorted(map(str, rows[1]))
    assert len(rows[0]) == 4
    left = tables.home / "uploads"
    assert until(lambda: not list(left.rglob("upload-*")))


@pytest.mark.spark
@pytest.mark.java
@pytest.mark.timeout(300)
def test_what_one_session_has_sent_no_other_one_loads(
    tables: Lake, served: Served, tmp_path: Path
) -> None:
    file = tmp_path / "mine.csv"
    file.write_text("n\n1\n")
    with served.connect() as mine, served.connect() as other:
        source = mine.transport.offer(str(file), lambda count: None)
        copy = f"COPY INTO client.of_other FROM '{source}' FILEFORMAT = CSV"
        copy += " FORMAT_OPTIONS ('header' = 'true') COPY_OPTIONS ('create' = 'true')"
        with pytest.raises(sqe.client.DatabaseError, match="was not sent in this session"):
            other.execute(copy)
        assert mine.execute(copy).rowcount == 1
    tables.run("DROP TABLE client.of_other")


def test_tables_of_a_server_are_looked_at_from_here(tables: Lake, served: Served) -> None:
    here = run(tables, "maintain", "client.people", "--dry-run")
    there = as_ann(tables, served, "maintain", "client.people", "--dry-run")
    assert said(there) == said(here)
    assert there.stdout.startswith("client.people: 2 data files")


def test_a_file_written_from_a_server_is_the_same(
    shared_lake: Lake, served: Served, tmp_path: Path
) -> None:
    one, two = tmp_path / "here.arrow", tmp_path / "there.arrow"
    sql = ["sql", "SELECT id, 'x' AS s FROM range(10)", "-o", "arrow", "--output-file"]
    run(shared_lake, *sql, str(one))
    as_ann(shared_lake, served, *sql, str(two))
    assert one.read_bytes() == two.read_bytes()


def test_a_password_comes_from_stdin_and_statements_after_it(
    shared_lake: Lake, served: Served
) -> None:
    arguments = ["--server", served.url, "--user", "ann", "--password-stdin"]
    for command in ("sql", "shell"):
        stdin = f"{PASSWORD}\nSELECT 1 AS a;\nSELECT 2 AS b;\n"
        result = run(shared_lake, command, "-o", "csv", *arguments, stdin=stdin)
        assert (result.exit_code, result.stdout_bytes) == (0, b"a\r\n1\r\nb\r\n2\r\n"), (
            result.stderr
        )


def test_a_token_comes_from_a_file(shared_lake: Lake, served: Served, tmp_path: Path) -> None:
    (tmp_path / "token").write_text(TOKEN + "\n")
    token = ["--token-file", str(tmp_path / "token")]
    result = run(shared_lake, "sql", "SELECT 1 AS a", "--server", served.url, *token)
    assert result.exit_code == 0, result.stderr
    assert shared_lake.last_record().user == "ben"


def test_who_is_not_known_is_told_so(shared_lake: Lake, served: Served) -> None:
    arguments = ["sql", "SELECT 1", "--server", served.url]
    wrong = run(shared_lake, *arguments, "--user", "ann", SQE_PASSWORD="wrong")
    nobody = run(shared_lake, *arguments)
    for result in (wrong, nobody):
        assert result.exit_code == ExitCode.ACCESS
        assert result.stderr.startswith("error[AUTHENTICATION_FAILED]")
    unasked = run(shared_lake, *arguments, "--user", "ann", stdin="")
    assert unasked.exit_code == ExitCode.USER_ERROR
    assert "SQE_PASSWORD" in unasked.stderr


def test_a_server_that_is_away_is_an_error_of_its_own(shared_lake: Lake) -> None:
    result = run(shared_lake, "sql", "SELECT 1", "--server", "grpc://127.0.0.1:1")
    assert result.exit_code == ExitCode.UPSTREAM
    assert "error[SERVER_UNAVAILABLE] No SQE server answers at 127.0.0.1:1." in result.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["--user", "ann"],
        ["--server", "grpc://localhost", "--password", "secret"],
        ["--server", "grpc://localhost", "--password-stdin"],
        ["--server", "grpc://localhost", "--user", "ann", "--token-file", __file__],
    ],
)
def test_options_that_do_not_fit_are_refused(shared_lake: Lake, arguments: list[str]) -> None:
    assert run(shared_lake, "sql", "SELECT 1", *arguments).exit_code == ExitCode.USAGE


def test_ctrl_c_cancels_the_query_on_the_server(shared_lake: Lake, served: Served) -> None:
    command = [sys.executable, "-m", "sqe", "sql", ENDLESS, "--server", served.url, "--user", "ann"]
    process = subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, env={**os.environ, "SQE_PASSWORD": PASSWORD}
    )
    assert until(lambda: _running(shared_lake), 60)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=60)
    assert stderr == "error[CANCELLED] The query was cancelled.\n"
    assert process.returncode == ExitCode.CANCELLED
    assert until(lambda: not _running(shared_lake))
    assert shared_lake.last_record().state is QueryState.CANCELLED


def _running(lake: Lake) -> bool:
    record = lake.last_record()
    return record.text == ENDLESS and record.state is QueryState.RUNNING


ON_A_TERMINAL = """
import os, sys
terminal = os.open(sys.argv[1], os.O_RDWR)  # of a new session, it becomes the controlling one
for stream in range(3):
    os.dup2(terminal, stream)
os.execv(sys.executable, [sys.executable, "-m", "sqe", *sys.argv[2:]])
"""


@pytest.mark.parametrize("command", ["sql", "shell"])
def test_a_terminal_is_asked_for_the_password(
    shared_lake: Lake, served: Served, command: str
) -> None:
    master, slave = os.openpty()
    screen = Screen(master)
    arguments = [command, "--server", served.url, "--user", "ann"]
    if command == "sql":
        arguments.insert(1, "SELECT 41 + 1 AS answer")
    process = subprocess.Popen(
        [sys.executable, "-c", ON_A_TERMINAL, os.ttyname(slave), *arguments],
        start_new_session=True,
        env={**os.environ, "PROMPT_TOOLKIT_NO_CPR": "1"},
    )
    try:
        screen.expect("Password of ann: ")
        os.write(master, f"{PASSWORD}\n".encode())
        if command == "shell":
            screen.expect("lake.default>")
            os.write(master, b"SELECT 41 + 1 AS answer;\r")
        screen.expect(" 42")
        if command == "shell":
            screen.expect("lake.default>")
            os.write(master, b"\\dn\r")
            screen.expect("(")
            os.write(master, b"\\limit 5\r")
            screen.expect("At most 5 rows")
            os.write(master, b"SELECT id FROM range(100000000000);\r")
            screen.expect("showing 5 of more rows")
            assert until(lambda: shared_lake.last_record().state.ended)
            os.write(master, b"\\q\r")
        assert process.wait(60) == 0
    finally:
        process.kill()
        process.wait()
        os.close(slave)
        os.close(master)
    assert PASSWORD not in screen.seen


class Screen:
    """What a terminal shows. One read may bring more than the words that are waited for."""

    def __init__(self, terminal: int) -> None:
        self.seen = ""
        self._terminal = terminal
        self._passed = 0  # how much of it is before what is waited for

    def expect(self, words: str) -> None:
        """Waits for the words; the test's own time limit ends the wait."""
        while (place := self.seen.find(words, self._passed)) < 0:
            self.seen += os.read(self._terminal, 4096).decode(errors="replace")
        self._passed = place + len(words)
