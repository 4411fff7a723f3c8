"""Spark dies, does not start, is cancelled or not read: a clear error, and the next query works."""

from __future__ import annotations

import os
import signal
import socket
import sqlite3
import time
from pathlib import Path

import pytest

from sqe.errors import ErrorCode, ResourceError, SqeError, UpstreamError
from sqe.server.build import build
from sqe.settings import LimitSettings, ServeSettings, Settings, SparkSettings
from tests.embedded.conftest import Another
from tests.embedded.pipe.lake import Lake, query_threads, until

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(300)]

ENDLESS = "SELECT sum(hash(id)) FROM range(0, 10000000000000, 1, 8)"
# In small parts: Spark holds a whole one before it sends it.
LONG = "SELECT id, uuid() AS u FROM range(0, 100000000, 1, 2000)"


def started(lake: Lake, sql: str) -> str:
    """The query's id, once Spark works on it."""
    query_id = lake.submit(sql)
    assert until(lambda: lake.record(query_id).progress.tasks > 0, 60), lake.record(query_id)
    return query_id


def error_of_fetch(lake: Lake, query_id: str) -> SqeError:
    with pytest.raises(SqeError) as raised, lake.server.gateway.fetch(query_id) as result:
        result.read_all()
    return raised.value


def test_a_cancel_reaches_the_reader_at_once_and_stops_the_job(mine: Lake) -> None:
    query_id = started(mine, ENDLESS)
    before = time.monotonic()
    mine.server.gateway.cancel(query_id)
    assert error_of_fetch(mine, query_id).code is ErrorCode.CANCELLED
    assert time.monotonic() - before < 1
    # Both cores were busy: what needs a task can run only if the job was stopped.
    assert mine.value("SELECT count(*) FROM range(0, 10, 1, 2)") == 10
    assert until(lambda: mine.record(query_id).state.ended)


def test_closing_a_session_cancels_its_queries(lake: Lake) -> None:
    other = lake.another_session()
    query_id = started(other, ENDLESS)
    other.close()
    assert error_of_fetch(other, query_id).code is ErrorCode.CANCELLED
    assert other.fails("SELECT 1").code is ErrorCode.SESSION_NOT_FOUND
    assert lake.value("SELECT count(*) FROM range(0, 10, 1, 2)") == 10


def test_a_reader_that_goes_away_frees_the_thread_and_spark(mine: Lake) -> None:
    query_id = mine.submit(LONG)
    with mine.server.gateway.fetch(query_id) as result:
        assert next(iter(result)).num_rows > 0
    assert until(lambda: mine.record(query_id).state.ended, 30)
    assert until(lambda: f"query-{query_id}" not in query_threads())
    assert mine.value("SELECT count(*) FROM range(0, 10, 1, 2)") == 10


def test_a_query_over_its_time_is_stopped(another: Another) -> None:
    slow = another(Settings(limits=LimitSettings(query_timeout_s=6)))
    before = time.monotonic()
    error = slow.fails(ENDLESS)
    assert (error.code, error.category.value) == (ErrorCode.TIMEOUT, "resources")
    assert time.monotonic() - before < 15
    assert slow.rows("SHOW CATALOGS") == [("lake",)]


def test_the_brokers_port_being_taken_is_said_and_the_rest_works(another: Another) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        lake = another(Settings(serve=ServeSettings(broker_port=port)))
        error = lake.fails("SELECT 1")
        assert isinstance(error, ResourceError)
        assert f"127.0.0.1:{port}" in str(error)
        lake.run("CREATE SCHEMA works")
        assert ("works",) in lake.rows("SHOW SCHEMAS")
    assert lake.value("SELECT 1") == 1  # the port is free again


def test_a_locked_catalog_file_is_said_in_bounded_time(mine: Lake) -> None:
    lock = sqlite3.connect(mine.home / "lake.db", isolation_level=None)
    lock.execute("BEGIN IMMEDIATE")
    before = time.monotonic()
    error = mine.fails("CREATE SCHEMA while_locked")
    assert error.code is ErrorCode.HOME_IN_USE
    assert time.monotonic() - before < 20
    assert mine.rows("SHOW SCHEMAS LIKE 'default'") == [("default",)]  # readers go on
    lock.execute("ROLLBACK")
    lock.close()
    mine.all("CREATE SCHEMA while_locked", "DROP SCHEMA while_locked")


def test_a_commit_that_finds_the_catalog_locked_changes_nothing(mine: Lake) -> None:
    mine.run("CREATE TABLE locked AS SELECT 1 AS a")
    lock = sqlite3.connect(mine.home / "lake.db", isolation_level=None)
    lock.execute("BEGIN IMMEDIATE")
    error = mine.fails("INSERT INTO locked VALUES (2)")
    lock.execute("ROLLBACK")
    lock.close()
    assert "catalog file" in str(error)
    assert error.code in (ErrorCode.HOME_IN_USE, ErrorCode.COMMIT_CONFLICT)
    mine.run("INSERT INTO locked VALUES (3)")
    assert mine.rows("SELECT a FROM locked ORDER BY a") == [(1,), (3,)]


def test_a_spark_that_cannot_start_is_said_and_the_rest_works(tmp_path: Path) -> None:
    spark = SparkSettings(java="/nonexistent/java", jars=tmp_path)
    server = build(Settings(home=tmp_path / "home", spark=spark))
    lake = Lake.open(server)
    error = lake.fails("SELECT 1")
    assert isinstance(error, UpstreamError)
    assert error.code is ErrorCode.ENGINE_UNAVAILABLE
    assert "Java" in str(error)
    assert lake.rows("SHOW CATALOGS") == [("lake",)]
    server.close()


def test_a_killed_spark_is_noticed_and_the_session_goes_on(mine: Lake) -> None:
    mine.run("CREATE TEMPORARY VIEW kept AS SELECT 7 AS n")
    spark = mine.server.spark
    assert spark is not None
    query_id = started(mine, ENDLESS)
    assert spark.pid is not None
    os.kill(spark.pid, signal.SIGKILL)
    before = time.monotonic()
    error = error_of_fetch(mine, query_id)
    assert (error.code, error.category.value) == (ErrorCode.ENGINE_LOST, "upstream")
    assert time.monotonic() - before < 15
    assert mine.value("SELECT n FROM kept") == 7
    assert mine.record(query_id).error_code == "ENGINE_LOST"
