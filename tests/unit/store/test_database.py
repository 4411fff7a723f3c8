"""SQE's own database: made at first use, brought up to date, shared by processes."""

from __future__ import annotations

import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import text

from sqe.errors import ErrorCode, ResourceError, SqeError, UpstreamError, UserError
from sqe.model.identity import Secret
from sqe.store.database import Database
from sqe.store.versions import VERSIONS


def test_nothing_is_made_before_the_first_use(tmp_path: Path) -> None:
    made = Database(tmp_path)
    made.close()
    assert not (tmp_path / "sqe.db").exists()


def test_the_file_is_its_owners_alone(tmp_path: Path) -> None:
    made = Database(tmp_path)
    with made.begin() as connection:
        connection.execute(text("SELECT 1"))
    made.close()
    assert stat.S_IMODE((tmp_path / "sqe.db").stat().st_mode) == 0o600


def test_a_full_disk_is_said_to_be_full(tmp_path: Path) -> None:
    made = Database(tmp_path)
    with pytest.raises(ResourceError) as raised, made.begin() as connection:
        connection.execute(text("PRAGMA max_page_count = 1"))  # SQLite has no room for more
        connection.execute(text("CREATE TABLE big AS SELECT randomblob(1000000) AS b"))
    made.close()
    assert raised.value.code is ErrorCode.DISK_FULL


def test_every_version_is_applied_once(tmp_path: Path, url: Secret | None) -> None:
    for _ in range(2):
        made = Database(tmp_path, url)
        with made.begin() as connection:
            found = connection.execute(text("SELECT version FROM sqe_version")).scalars().all()
        made.close()
        assert list(found) == list(range(1, len(VERSIONS) + 1))


def test_servers_that_start_at_once_do_not_get_in_each_others_way(
    tmp_path: Path, url: Secret | None
) -> None:
    def start(_: int) -> int:
        made = Database(tmp_path, url)
        try:
            with made.begin() as connection:
                return int(connection.execute(text("SELECT count(*) FROM api_keys")).scalar() or 0)
        finally:
            made.close()

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(start, range(8))) == [0] * 8


def test_a_database_of_a_newer_sqe_is_left_alone(database: Database) -> None:
    with database.begin() as connection:
        connection.execute(text("INSERT INTO sqe_version VALUES (999)"))
    database.close()
    with pytest.raises(UserError, match="newer") as raised, database.begin():
        pass
    assert raised.value.code is ErrorCode.INVALID_SETTINGS


def test_an_error_undoes_the_whole_transaction(database: Database) -> None:
    with pytest.raises(ZeroDivisionError), database.begin() as connection:
        connection.execute(text("CREATE TABLE other (a INTEGER)"))
        connection.execute(text("INSERT INTO sqe_version VALUES (5)"))
        raise ZeroDivisionError
    with database.begin() as connection:
        assert connection.execute(text("SELECT max(version) FROM sqe_version")).scalar() == len(
            VERSIONS
        )
        connection.execute(text("CREATE TABLE other (a INTEGER)"))  # it is not there


def test_a_database_that_is_down_says_so_and_nothing_of_its_password(tmp_path: Path) -> None:
    made = Database(tmp_path, Secret("postgresql+psycopg://sqe:hunter2@127.0.0.1:1/sqe"))
    with pytest.raises(UpstreamError) as raised, made.begin():
        pass
    assert raised.value.code is ErrorCode.STORE_UNAVAILABLE
    assert "hunter2" not in f"{raised.value}{raised.value!r}{raised.value.__cause__}"
    assert raised.value.__suppress_context__


@pytest.mark.parametrize("address", ["x", "mysql://u:hunter2@h/d", "nosuch://u:hunter2@h/d"])
def test_an_address_that_is_none_is_refused_without_being_repeated(
    tmp_path: Path, address: str
) -> None:
    made = Database(tmp_path, Secret(address))
    with pytest.raises(SqeError) as raised, made.begin():
        pass
    assert raised.value.code is ErrorCode.INVALID_SETTINGS
    assert "hunter2" not in f"{raised.value} {raised.value.hint}"


def test_commands_that_need_no_store_do_not_load_what_it_needs() -> None:
    code = (
        "import sqe.store.api_keys, sqe.server.build, sys; assert 'sqlalchemy' not in sys.modules"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
