"""Storage that refuses, is slow, hangs or drops connections: all rows, or an error in time that
says whose fault it is. Never some of the rows."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator

import pytest
from minio import Minio, MinioAdmin

import sqe.client
from dev.stack.places import Places
from tests.stack.own_lake import ROWS, OwnLake, own_lake
from tests.stack.proxy import Cut, Delay, Fault, Hang, Refuse
from tests.stack.serving import Serving, serving

FILES = 40
LIMIT_S = 30  # far more than the timeouts that are set, far less than what a hang would take


@pytest.fixture(scope="module")
def lake(
    stack: Places, minio_admin: MinioAdmin, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[OwnLake]:
    with own_lake(stack, minio_admin, tmp_path_factory.mktemp("own")) as lake:
        lake.write("a.small")
        lake.write("a.large", files=FILES)
        yield lake


@pytest.fixture(scope="module")
def served(
    _isolated_session: None,
    stack: Places,
    lake: OwnLake,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Serving]:
    local = {"storage_timeout_s": 2, "threads": 2}
    changes = {"catalogs": lake.settings(), "local": local}
    with serving(stack, tmp_path_factory.mktemp("home"), changes) as served:
        yield served


@pytest.fixture
def alice(lake: OwnLake, served: Serving) -> Iterator[sqe.client.Connection]:
    """On the local engine: Spark does not help out."""
    with served.connected("alice") as connection:
        connection.execute("SET SESSION sqe.engine = 'local'")
        yield connection
        lake.proxy.fault = None


def count(connection: sqe.client.Connection, table: str = "small") -> int:
    [(found,)] = connection.execute(f"SELECT count(DISTINCT n) FROM own.a.{table}").fetchall()
    return int(found)


def refused(connection: sqe.client.Connection, table: str = "small") -> sqe.client.Error:
    """How a query fails, and that it does so in time."""
    began = time.monotonic()
    with pytest.raises(sqe.client.Error) as raised:
        count(connection, table)
    assert time.monotonic() - began < LIMIT_S
    return raised.value


@pytest.mark.parametrize("known", [False, True], ids=["manifests", "data"])
@pytest.mark.parametrize("fault", [Hang(), Refuse(), Cut(0), Cut(700)], ids=repr)
def test_storage_that_does_not_answer_is_an_error_in_time(
    lake: OwnLake, served: Serving, alice: sqe.client.Connection, fault: Fault, known: bool
) -> None:
    """Which of a table's files are needed is remembered: of a new one it has to be read. What is in
    them, only by the session that has read it."""
    table = "small" if known else f"new_{uuid.uuid4().hex[:6]}"
    if known:
        with served.connected("alice") as another:
            another.execute("SET SESSION sqe.engine = 'local'")
            assert count(another) == ROWS
    else:
        lake.write(f"a.{table}")
    lake.proxy.fault = fault
    error = refused(alice, table)
    assert error.code == "STORAGE_UNAVAILABLE", error
    lake.proxy.fault = None
    assert count(alice, table) == ROWS


def test_slow_storage_is_waited_for(lake: OwnLake, alice: sqe.client.Connection) -> None:
    lake.proxy.fault = Delay(0.2)
    assert count(alice) == ROWS


@pytest.mark.parametrize("after", [0, 700, 20_000])
def test_a_connection_that_drops_once_is_not_noticed(
    lake: OwnLake, alice: sqe.client.Connection, after: int
) -> None:
    lake.proxy.fault = Cut(after, times=1)
    assert count(alice) == ROWS


@pytest.mark.parametrize("fault", [Hang(), Refuse(), Cut(5_000)], ids=repr)
def test_storage_that_fails_in_the_middle_ends_the_answer_with_an_error(
    lake: OwnLake, alice: sqe.client.Connection, fault: Fault
) -> None:
    cursor = alice.execute("SELECT n FROM own.a.large")
    assert len(cursor.fetchmany(1_000)) == 1_000
    lake.proxy.fault = fault
    with pytest.raises(sqe.client.Error) as raised:
        cursor.fetchall()
    assert raised.value.code == "STORAGE_UNAVAILABLE", raised.value


def test_keys_that_are_revoked_are_an_error_that_says_so(
    lake: OwnLake, alice: sqe.client.Connection
) -> None:
    """The catalog has no others, so nobody can help: not Spark either."""
    assert count(alice) == ROWS
    lake.admin.revoke_credentials("lake")
    try:
        error = refused(alice)
    finally:
        lake.admin.restore_credentials("lake")
    assert error.code in ("STORAGE_UNAVAILABLE", "CATALOG_UNAVAILABLE"), error
    assert count(alice) == ROWS


def test_keys_that_are_revoked_in_the_middle_end_the_answer_with_an_error(
    lake: OwnLake, alice: sqe.client.Connection
) -> None:
    cursor = alice.execute("SELECT n FROM own.a.large")
    assert len(cursor.fetchmany(1_000)) == 1_000
    lake.admin.revoke_credentials("lake")
    try:
        with pytest.raises(sqe.client.Error) as raised:
            cursor.fetchall()
    finally:
        lake.admin.restore_credentials("lake")
    assert raised.value.code in ("STORAGE_UNAVAILABLE", "CATALOG_UNAVAILABLE"), raised.value


def test_a_data_file_that_is_gone_is_named(
    lake: OwnLake, alice: sqe.client.Connection, storage: Minio
) -> None:
    lake.write("a.damaged")
    [task] = lake.client().load_table("a.damaged").scan().plan_files()
    bucket, name = task.file.file_path.removeprefix("s3://").split("/", 1)
    storage.remove_object(bucket, name)
    with pytest.raises(sqe.client.Error) as raised:
        alice.execute("SELECT n FROM own.a.damaged").fetchall()
    assert raised.value.code == "CORRUPT_DATA"
    assert name.rpartition("/")[2] in raised.value.message
