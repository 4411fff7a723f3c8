"""Writes by statements: counts, parameters by the row, all of them or none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import adbc_driver_flightsql.dbapi as adbc
import adbc_driver_manager
import pyarrow as pa
import pyarrow.flight as pf
import pytest

from sqe.auth.anonymous import Anonymous
from sqe.auth.chain import Authenticators
from sqe.flight_messages import FlightSql_pb2 as sql
from sqe.protocols.flight_sql.options import FlightOptions
from sqe.protocols.flight_sql.server import FlightSqlServer
from sqe.protocols.flight_sql.wire import pack
from tests.embedded.flight.serving import ask
from tests.embedded.pipe.lake import Lake

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def address(shared_lake: Lake) -> Iterator[str]:
    gateway = shared_lake.server.gateway
    server = FlightSqlServer(gateway, Authenticators([Anonymous()]), FlightOptions())
    yield f"grpc://127.0.0.1:{server.start()}"
    server.stop()


@pytest.fixture(scope="module")
def connection(address: str, shared_lake: Lake) -> Iterator[adbc.Connection]:
    shared_lake.run("CREATE SCHEMA updates")
    with adbc.connect(address, autocommit=True) as opened:
        opened.adbc_current_db_schema = "updates"
        with opened.cursor() as cursor:
            cursor.execute("CREATE TABLE t (id INT, name STRING)")
        yield opened


def run(connection: adbc.Connection, text: str, parameters: Any = None) -> int:
    with connection.cursor() as cursor:
        cursor.execute(text, parameters)
        return cursor.rowcount


def test_a_batch_of_rows_is_all_or_nothing(connection: adbc.Connection) -> None:
    insert = "INSERT INTO t VALUES (?, ?)"
    rows = [(1, "a"), (2, None), (3, "O'Brien")]
    with connection.cursor() as cursor:
        cursor.executemany(insert, rows)
        assert cursor.rowcount == 3
    everything = "SELECT id, name FROM t ORDER BY id"
    assert ask(connection, everything) == rows
    assert ask(connection, "SELECT count(*) FROM t.snapshots") == [(1,)]
    bad = pa.record_batch({"p": pa.array(["4", "not a number"]), "q": pa.array(["d", "e"])})
    failing = "INSERT INTO t VALUES (CAST(? AS INT), ?)"
    with connection.cursor() as cursor, pytest.raises(adbc_driver_manager.Error, match="Row 2"):
        cursor.executemany(failing, bad)
    assert ask(connection, everything) == rows
    assert run(connection, "DELETE FROM t WHERE id >= ?", (2,)) == 2


def test_what_prepare_says_of_an_update(connection: adbc.Connection) -> None:
    """Without a schema, or JDBC would take it for a query; and nothing has run."""
    with connection.cursor() as cursor:
        schema = cursor.adbc_prepare("INSERT INTO t VALUES (?, ?)")
        assert schema is not None and schema.types == [pa.int32(), pa.string()]
    assert ask(connection, "SELECT count(*) FROM t WHERE id IS NULL") == [(0,)]


def test_counts_are_never_negative(connection: adbc.Connection, address: str) -> None:
    """Of a -1 JDBC makes a query and runs the statement again."""
    with pf.connect(address) as client:
        message = sql.CommandStatementUpdate(query="CREATE TABLE updates.made (id INT)")
        descriptor = pf.FlightDescriptor.for_command(pack(message))
        writer, reader = client.do_put(descriptor, pa.schema([]))
        writer.done_writing()
        answer = reader.read()
        writer.close()
    assert sql.DoPutUpdateResult.FromString(bytes(answer or b"")).record_count == 0
    with pytest.raises(adbc_driver_manager.Error, match="TABLE_ALREADY_EXISTS"):
        run(connection, "CREATE TABLE made (id INT)")


def test_an_update_may_come_as_a_query(connection: adbc.Connection) -> None:
    """ADBC does not know what a text is before it asks."""
    with connection.cursor() as cursor:
        cursor.adbc_statement.set_sql_query("CREATE TABLE as_query (id INT)")
        stream, _ = cursor.adbc_statement.execute_query()
        assert pa.RecordBatchReader.from_stream(stream).read_all().num_columns == 0
    assert ask(connection, "SELECT count(*) FROM as_query") == [(0,)]


def test_a_query_of_nothing_but_parameters_runs_for_each_row(connection: adbc.Connection) -> None:
    """Its columns have no names of their own: each run calls them after its values."""
    rows = pa.table({"p": pa.array([42, -42, None], pa.int64()), "q": pa.array(["", None, "bar"])})
    with connection.cursor() as cursor:
        statement = cursor.adbc_statement
        statement.set_sql_query("SELECT ?, ?")
        statement.prepare()
        statement.bind_stream(rows.to_reader())
        stream, _ = statement.execute_query()
        table = pa.RecordBatchReader.from_stream(stream).read_all()
    assert [column.to_pylist() for column in table.columns] == [
        column.to_pylist() for column in rows.columns
    ]
