"""Trino's JDBC driver: what every Java tool for Trino is built on."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from py4j.protocol import Py4JJavaError

from tests.embedded.trino_clients.conftest import SCHEMA, Address
from tests.flight_clients.jdbc import Jdbc, JdbcError, ask, change, errors, prepared, rows

# The first run on a machine fetches the driver.
pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(600)]


@pytest.fixture(params=["true", "false"], ids=["explicit-prepare", "immediate"])
def either(request: pytest.FixtureRequest, trino_jdbc: Jdbc, trino: Address) -> Iterator[Any]:
    """Prepared statements are PREPARE and EXECUTE, or EXECUTE IMMEDIATE."""
    with _opened(trino_jdbc, trino, explicitPrepare=request.param) as connection:
        yield connection


@pytest.fixture
def connection(trino_jdbc: Jdbc, trino: Address) -> Iterator[Any]:
    with _opened(trino_jdbc, trino) as connection:
        yield connection


@contextmanager
def _opened(jdbc: Jdbc, trino: Address, **options: object) -> Iterator[Any]:
    where = f"trino://{trino.host}:{trino.port}/lake/{SCHEMA}"
    connection = jdbc.open(where, {"user": "ann", **options})
    try:
        yield connection
    finally:
        connection.close()


def test_rows_come_with_their_types(connection: Any) -> None:
    found = ask(connection, "SELECT n_nationkey, n_name, n_comment FROM nation ORDER BY 1")
    assert found == [(0, "ALGERIA", "x"), (1, "ARGENTINA", "y"), (2, "BRAZIL", None)]


def test_every_type_is_read_by_the_driver(connection: Any) -> None:
    text = """SELECT true, TINYINT '1', SMALLINT '2', 3, BIGINT '4', REAL '1.5', 2.5e0,
        DECIMAL '1.50', 'v', CAST('c' AS char(3)), DATE '2020-01-02', TIME '10:11:12.123',
        TIMESTAMP '2020-01-02 03:04:05.678', TIMESTAMP '2020-01-02 03:04:05.678 UTC',
        INTERVAL '1' DAY, INTERVAL '14' MONTH, JSON '{"a":1}',
        UUID '00000000-0000-0000-0000-000000000001', ARRAY[1, NULL], MAP(ARRAY['k'], ARRAY[1]),
        CAST(ROW(1, 'x') AS row(a integer, b varchar)), NULL"""
    with errors():
        result = connection.createStatement().executeQuery(text)
        result.next()
        described = result.getMetaData()
        names = [described.getColumnTypeName(i + 1) for i in range(described.getColumnCount())]
        texts = [str(result.getObject(i + 1)) for i in range(described.getColumnCount())]
        array = [str(one) for one in result.getArray(19).getArray()]
        result.close()
    assert names == [
        "boolean", "tinyint", "smallint", "integer", "bigint", "real", "double", "decimal(3,2)",
        "varchar(1)", "char(3)", "date", "time(3)", "timestamp(3)", "timestamp(3) with time zone",
        "interval day to second", "interval year to month", "json", "uuid", "array(integer)",
        "map(varchar(1),integer)", "row(a integer,b varchar)", "unknown",
    ]  # fmt: skip
    assert texts[:18] == [
        "True", "1", "2", "3", "4", "1.5", "2.5", "1.50", "v", "c  ", "2020-01-02", "10:11:12",
        "2020-01-02 03:04:05.678", "2020-01-02 03:04:05.678", "1 00:00:00.000", "1-2",
        '{"a":1}', "00000000-0000-0000-0000-000000000001",
    ]  # fmt: skip
    assert array == ["1", "None"]
    assert texts[20:] == ["{a=1, b=x}", "None"]


def test_a_mistake_has_trinos_code_and_place(connection: Any) -> None:
    with pytest.raises(Py4JJavaError) as failed:
        connection.createStatement().executeQuery("SELECT nosuch FROM nation")
    error = failed.value.java_exception
    assert "line 1:8: Column 'nosuch' cannot be resolved" in error.getMessage()
    assert error.getErrorCode() == 47  # COLUMN_NOT_FOUND


def test_parameters_of_every_kind_are_bound(either: Any, trino_jdbc: Jdbc) -> None:
    sql = trino_jdbc.java.sql
    decimal = trino_jdbc.java.math.BigDecimal("1.50")
    with prepared(either, "SELECT ?, ?, ?, ?, ?, ?, ?, ?") as statement, errors():
        statement.setLong(1, 2**40)
        statement.setString(2, "it's ? here")
        statement.setDouble(3, 2.5)
        statement.setBigDecimal(4, decimal)
        statement.setBoolean(5, True)
        statement.setDate(6, sql.Date.valueOf("2020-01-02"))
        statement.setTimestamp(7, sql.Timestamp.valueOf("2020-01-02 03:04:05.678"))
        statement.setNull(8, sql.Types.INTEGER)
        (row,) = rows(statement.executeQuery())
    assert [str(value) for value in row] == [
        str(2**40), "it's ? here", "2.5", "1.50", "True", "2020-01-02", "2020-01-02 03:04:05.678",
        "None",
    ]  # fmt: skip


def test_a_prepared_statement_is_run_again_with_other_values(either: Any) -> None:
    with prepared(either, "SELECT n_name FROM nation WHERE n_nationkey = ?") as statement:
        found = []
        for key in (2, 0, 9):
            with errors():
                statement.setLong(1, key)
                found.append(rows(statement.executeQuery()))
    assert found == [[("BRAZIL",)], [("ALGERIA",)], []]


def test_a_prepared_statement_is_described(connection: Any) -> None:
    text = "SELECT n_name, n_nationkey + ? AS k FROM nation WHERE n_name = ?"
    with prepared(connection, text) as statement, errors():
        described = statement.getMetaData()
        columns = [(described.getColumnName(i), described.getColumnTypeName(i)) for i in (1, 2)]
        parameters = statement.getParameterMetaData()
        assert parameters.getParameterCount() == 2
        kinds = [parameters.getParameterTypeName(i) for i in (1, 2)]
    assert columns == [("n_name", "varchar"), ("k", "bigint")]
    assert kinds == ["bigint", "varchar"]


def test_writes_tell_their_counts(either: Any) -> None:
    assert change(either, "CREATE TABLE jdbc_t (a integer, b varchar)") == 0
    try:
        with prepared(either, "INSERT INTO jdbc_t VALUES (?, ?), (?, ?)") as statement, errors():
            for place, value in enumerate((1, "x", 2, "y"), 1):
                statement.setObject(place, value)
            assert statement.executeUpdate() == 2
        assert change(either, "UPDATE jdbc_t SET b = 'z' WHERE a = 1") == 1
        assert change(either, "DELETE FROM jdbc_t WHERE a = 2") == 1
        assert ask(either, "SELECT a, b FROM jdbc_t") == [(1, "z")]
    finally:
        change(either, "DROP TABLE jdbc_t")


def test_a_batch_of_parameters_is_run(connection: Any) -> None:
    change(connection, "CREATE TABLE jdbc_batch (a integer)")
    try:
        with prepared(connection, "INSERT INTO jdbc_batch VALUES (?)") as statement, errors():
            for value in (1, 2, 3):
                statement.setInt(1, value)
                statement.addBatch()
            assert list(statement.executeBatch()) == [1, 1, 1]
        assert ask(connection, "SELECT sum(a) FROM jdbc_batch") == [(6,)]
    finally:
        change(connection, "DROP TABLE jdbc_batch")


def test_a_running_query_is_cancelled(connection: Any) -> None:
    name = f"endless_{secrets.token_hex(4)}"
    endless = f"SELECT count(*) AS {name} FROM TABLE(sequence(start => 1, stop => {10**15}))"
    with errors():
        statement = connection.createStatement()
    timer = threading.Timer(2, statement.cancel)
    timer.start()
    with pytest.raises(JdbcError), errors():
        rows(statement.executeQuery(endless))
    timer.join()
    state = (
        f"SELECT state, error_code FROM system.runtime.queries WHERE query LIKE '%AS {name}%' "
        "AND query NOT LIKE '%runtime%'"
    )
    end = time.monotonic() + 60
    while (found := ask(connection, state)) == [("RUNNING", None)] and time.monotonic() < end:
        time.sleep(0.2)
    assert found == [("FAILED", "USER_CANCELED")]


def test_catalog_schema_and_settings_are_kept_by_the_connection(connection: Any) -> None:
    with errors():
        assert (connection.getCatalog(), connection.getSchema()) == ("lake", SCHEMA)
        connection.setSchema("nosuch")
        with pytest.raises(JdbcError, match="nosuch"):
            ask(connection, "SELECT * FROM nation")
        connection.setSchema(SCHEMA)
        connection.setSessionProperty("query_max_run_time", "5m")
        found = ask(connection, "SHOW SESSION LIKE 'query_max_run_time'")
    assert found[0][:2] == ("query_max_run_time", "5m")
    change(connection, "USE lake.information_schema")
    assert connection.getSchema() == "information_schema"


def test_a_transaction_reads_and_ends(connection: Any) -> None:
    with errors():
        connection.setAutoCommit(False)
        assert ask(connection, "SELECT count(*) FROM nation") == [(3,)]
        connection.commit()
        assert ask(connection, "SELECT count(*) FROM region") == [(3,)]
        connection.rollback()
        connection.setAutoCommit(True)
