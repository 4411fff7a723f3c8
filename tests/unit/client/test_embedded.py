"""``connect`` to a home in this process. The local engine answers; Spark is never started."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import sqe.client
from sqe.client import embedded


def test_a_path_opens_that_home(tmp_path: Path) -> None:
    with sqe.client.connect(tmp_path / "lake", create=True) as connection:
        assert connection.execute("SELECT 1 AS one").fetchall() == [(1,)]
        assert connection.execute("SHOW SCHEMAS").fetchall() == [("default",)]
    assert (tmp_path / "lake" / "lake.db").exists()


def test_a_lakehouse_is_made_only_where_that_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "notes.txt").write_text("mine")
    for folder in (tmp_path / "lke", tmp_path / "papers"):
        with pytest.raises(sqe.client.ProgrammingError, match=f"There is no .* {folder}") as raised:
            sqe.client.connect(folder)
        assert raised.value.code == "INVALID_ARGUMENT" and "create=True" in raised.value.hint
    assert not (tmp_path / "lke").exists()
    assert [path.name for path in (tmp_path / "papers").iterdir()] == ["notes.txt"]
    (tmp_path / "empty").mkdir()
    sqe.client.connect(tmp_path / "empty").close()
    sqe.client.connect(tmp_path / "empty").close()


@pytest.mark.parametrize(
    ("target", "hint"),
    [
        ("localhost:32010", "Write grpc+tls://localhost:32010, or grpc://localhost:32010 "),
        ("[::1]:8080", "Write grpc+tls://[::1]:8080, or"),
        ("ann@lake.example:32010/default", "Write grpc+tls://lake.example:32010/default, or"),
    ],
)
def test_a_server_without_its_scheme_is_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: str, hint: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for create in (False, True):
        with pytest.raises(sqe.client.ProgrammingError) as raised:
            sqe.client.connect(target, create=create)
        assert raised.value.hint.startswith(hint)
    assert [path.name for path in tmp_path.iterdir()] == ["home"]


def test_the_package_itself_connects(tmp_path: Path) -> None:
    script = (
        "import sys, sqe\n"
        "print('sqe.client' in sys.modules, sqe.connect is sqe.client.connect)\n"
        "print(sqe.connect(sys.argv[1], create=True).execute('SELECT 1 AS one').fetchall())\n"
    )
    command = [sys.executable, "-c", script, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert (done.stdout, done.stderr) == ("False True\n[(1,)]\n", "")
    with pytest.raises(AttributeError, match="no attribute 'conect'"):
        sqe.conect  # noqa: B018


def test_without_a_path_it_is_the_usual_home(isolated_home: Path) -> None:
    with sqe.client.connect() as connection:
        assert str(connection.transport.schema()) == "lake.default"
    assert (isolated_home / "sqe" / "lake.db").exists()


def test_connections_to_one_home_share_what_runs_there(tmp_path: Path) -> None:
    first = sqe.client.connect(tmp_path, create=True)
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
        sqe.client.connect(tmp_path, schema="nowhere", create=True)
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
        "lake = sqe.client.connect(sys.argv[1], create=True)\n"
        "cursor = lake.execute('SELECT id FROM range(10000000)')\n"
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
