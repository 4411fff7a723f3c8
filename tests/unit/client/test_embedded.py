"""``connect`` to a home in this process. The local engine answers; Spark is never started."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import sqe.client
from sqe.client import embedded


def test_a_path_opens_that_home(tmp_path: Path) -> None:
    with sqe.client.connect(tmp_path / "lake") as connection:
        assert connection.execute("SELECT 1 AS one").fetchall() == [(1,)]
        assert connection.execute("SHOW SCHEMAS").fetchall() == [("default",)]
    assert (tmp_path / "lake" / "lake.db").exists()


def test_without_a_path_it_is_the_usual_home(isolated_home: Path) -> None:
    with sqe.client.connect() as connection:
        assert str(connection.transport.schema()) == "lake.default"
    assert (isolated_home / "sqe" / "lake.db").exists()


def test_connections_to_one_home_share_what_runs_there(tmp_path: Path) -> None:
    first = sqe.client.connect(tmp_path)
    second = sqe.client.connect(str(tmp_path) + "/.")
    assert len(embedded._homes) == 1
    first.execute("SET SESSION sqe.time_zone = 'Europe/Vienna'")
    first.close()
    first.close()
    assert second.execute("SELECT 1 AS one").fetchall() == [(1,)]
    second.close()
    assert not embedded._homes
    with sqe.client.connect(tmp_path) as third:
        assert third.execute("SELECT 3 AS three").fetchall() == [(3,)]


def test_a_schema_that_is_not_there_leaves_nothing_open(tmp_path: Path) -> None:
    with pytest.raises(sqe.client.ProgrammingError) as raised:
        sqe.client.connect(tmp_path, schema="nowhere")
    assert raised.value.code == "SCHEMA_NOT_FOUND"
    assert not embedded._homes


def test_a_wrong_setting_is_an_error_of_the_client(tmp_path: Path) -> None:
    (tmp_path / "sqe.toml").write_text("[spark]\nmastr = 'local'\n")
    with pytest.raises(sqe.client.OperationalError) as raised:
        sqe.client.connect(tmp_path)
    assert raised.value.code == "INVALID_SETTINGS"
    assert raised.value.hint == "Did you mean master?"


def test_a_script_that_forgets_to_close_ends_all_the_same(tmp_path: Path) -> None:
    script = (
        "import sys, sqe.client\n"
        "cursor = sqe.client.connect(sys.argv[1]).execute('SELECT id FROM range(10000000)')\n"
        "print(cursor.fetchone())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, timeout=100
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "(0,)\n", "")


def test_a_connection_to_a_server_loads_neither_engines_nor_the_server() -> None:
    script = (
        "import sys, sqe.client, sqe.client.flight.transport\n"
        "print(*(name for name in sys.modules if name.startswith("
        "('sqe.server', 'sqe.engines', 'sqe.gateway', 'duckdb', 'pyspark', 'sqlglot'))))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stdout.strip()) == (0, ""), done.stderr
