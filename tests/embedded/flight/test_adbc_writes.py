"""The ADBC driver writes: bulk loads in every mode, and transactions, over the wire."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest
from adbc_driver_flightsql import dbapi
from google.protobuf.any_pb2 import Any as Packed

from sqe.auth.anonymous import Anonymous
from sqe.auth.chain import Authenticators
from sqe.errors import ErrorCode
from sqe.flight_messages import FlightSql_pb2 as sql
from sqe.protocols.flight_sql.options import FlightOptions
from sqe.protocols.flight_sql.server import FlightSqlServer
from tests.embedded.pipe.lake import Lake, until

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(300)]
_NUMBERS = itertools.count(1)
TWO = pa.table({"id": [1, 2], "v": ["a", None]})


@pytest.fixture(scope="module")
def writing(shared_lake: Lake) -> Lake:
    shared_lake.run("CREATE SCHEMA IF NOT EXISTS adbc")
    return shared_lake


@pytest.fixture(scope="module")
def address(writing: Lake) -> Iterator[str]:
    server = FlightSqlServer(writing.server.gateway, Authenticators([Anonymous()]), FlightOptions())
    yield f"grpc://127.0.0.1:{server.start()}"
    server.stop()


@pytest.fixture
def connection(address: str) -> Iterator[Any]:
    with dbapi.connect(address, autocommit=True) as opened:
        yield opened


@pytest.fixture
def by_hand(address: str) -> Iterator[Any]:
    """As Python programs connect if they say nothing: every change waits for ``commit``."""
    with dbapi.connect(address) as opened:
        yield opened


def new_name() -> str:
    return f"t{next(_NUMBERS)}"


def ingest(connection: Any, name: str, data: Any, mode: str, **given: Any) -> int:
    with connection.cursor() as cursor:
        return int(cursor.adbc_ingest(name, data, mode=mode, db_schema_name="adbc", **given))


def rows(connection: Any, text: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(text)
        return list(cursor.fetchall())


def uploads(lake: Lake) -> list[str]:
    found = [name for _, _, names in os.walk(lake.home / "uploads") for name in names]
    return [name for name in found if name != "lock"]


def test_every_mode_of_a_bulk_load(connection: Any, writing: Lake) -> None:
    name = new_name()
    with pytest.raises(connection.ProgrammingError, match="does not exist"):
        ingest(connection, name, TWO, "append")
    assert ingest(connection, name, TWO, "create") == 2
    with pytest.raises(connection.Error, match="already exists"):
        ingest(connection, name, TWO, "create")
    assert ingest(connection, name, TWO.slice(1), "append") == 1
    assert ingest(connection, name, TWO, "create_append", catalog_name="lake") == 2
    ids = rows(connection, f"SELECT id FROM adbc.{name} ORDER BY id")
    assert ids == [(1,), (1,), (2,), (2,), (2,)]
    assert ingest(connection, name, pa.table({"other": [1.5]}), "replace") == 1
    assert rows(connection, f"SELECT * FROM adbc.{name}") == [(1.5,)]
    with pytest.raises(connection.NotSupportedError, match="emporary"):
        ingest(connection, name, TWO, "append", temporary=True)
    assert uploads(writing) == []


def test_a_reader_of_many_batches_is_one_commit(connection: Any, writing: Lake) -> None:
    name = new_name()
    schema = pa.schema([("id", pa.int64()), ("text", pa.string())])

    def batches() -> Iterator[pa.RecordBatch]:
        for start in range(0, 200_000, 10_000):
            ids = range(start, start + 10_000)
            yield pa.record_batch([ids, [f"row {i}" for i in ids]], schema=schema)

    reader = pa.RecordBatchReader.from_batches(schema, batches())
    assert ingest(connection, name, reader, "create") == 200_000
    found = rows(connection, f"SELECT count(*), sum(id), max(text) FROM adbc.{name}")
    assert found == [(200_000, sum(range(200_000)), "row 99999")]
    assert writing.value(f"SELECT count(*) FROM adbc.{name}.snapshots") == 1


GOES_AWAY = """
import sys, time
import pyarrow as pa, pyarrow.flight as flight
address, command = sys.argv[1], bytes.fromhex(sys.argv[2])
schema = pa.schema([("id", pa.int64())])
writer, _ = flight.connect(address).do_put(flight.FlightDescriptor.for_command(command), schema)
writer.write_batch(pa.record_batch([[1, 2, 3]], schema=schema))
print("sent", flush=True)
time.sleep(600)
"""


def test_a_client_that_goes_away_in_the_middle_leaves_nothing(address: str, writing: Lake) -> None:
    name = new_name()
    options = sql.CommandStatementIngest.TableDefinitionOptions(
        if_not_exist=sql.CommandStatementIngest.TableDefinitionOptions.TABLE_NOT_EXIST_OPTION_CREATE,
        if_exists=sql.CommandStatementIngest.TableDefinitionOptions.TABLE_EXISTS_OPTION_FAIL,
    )
    message = sql.CommandStatementIngest(
        table=name, schema="adbc", table_definition_options=options
    )
    command = Packed(
        type_url=f"type.googleapis.com/{message.DESCRIPTOR.full_name}",
        value=message.SerializeToString(),
    )
    program = [sys.executable, "-c", GOES_AWAY, address, command.SerializeToString().hex()]
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as client:
        assert client.stdout is not None
        assert client.stdout.readline() == "sent\n"
        assert until(lambda: uploads(writing), 60)
        client.kill()
    assert until(lambda: not uploads(writing), 60)
    assert writing.fails(f"SELECT * FROM adbc.{name}").code is ErrorCode.TABLE_NOT_FOUND


def test_changes_wait_for_commit_and_are_undone_by_rollback(
    by_hand: Any, connection: Any, writing: Lake
) -> None:
    name, made = new_name(), new_name()
    ingest(connection, name, TWO, "create")
    with by_hand.cursor() as cursor:
        cursor.execute(f"INSERT INTO adbc.{name} VALUES (3, 'c')")
        cursor.execute(f"UPDATE adbc.{name} SET v = 'changed' WHERE id = 1")
    ingest(by_hand, made, TWO, "create")
    ingest(by_hand, name, pa.table({"id": [4]}), "append")
    mine = [(1, "changed"), (2, None), (3, "c"), (4, None)]
    assert rows(by_hand, f"SELECT * FROM adbc.{name} ORDER BY id") == mine
    assert rows(connection, f"SELECT id FROM adbc.{name} ORDER BY id") == [(1,), (2,)]
    by_hand.rollback()
    assert rows(by_hand, f"SELECT id FROM adbc.{name} ORDER BY id") == [(1,), (2,)]
    ingest(by_hand, made, TWO, "create")
    ingest(by_hand, name, pa.table({"id": [5]}), "append")
    by_hand.commit()
    assert rows(connection, f"SELECT id FROM adbc.{name} ORDER BY id") == [(1,), (2,), (5,)]
    assert rows(connection, f"SELECT count(*) FROM adbc.{made}") == [(2,)]


def test_a_conflict_is_told_at_commit(by_hand: Any, connection: Any) -> None:
    name = new_name()
    ingest(connection, name, TWO, "create")
    ingest(by_hand, name, TWO, "append")
    ingest(connection, name, pa.table({"id": [9]}), "append")
    with pytest.raises(by_hand.Error, match="changed by someone else"):
        by_hand.commit()
    assert rows(connection, f"SELECT count(*) FROM adbc.{name}") == [(3,)]


def test_what_cannot_be_undone_runs_at_once_or_says_what_to_do(by_hand: Any) -> None:
    name = new_name()
    with by_hand.cursor() as cursor:
        cursor.execute("CREATE SCHEMA adbc_made")
        cursor.execute("DROP SCHEMA adbc_made")
        ingest(by_hand, name, TWO, "create")
        with pytest.raises(by_hand.NotSupportedError, match="roll back first"):
            cursor.execute("CREATE SCHEMA adbc_never")
    by_hand.rollback()


def test_a_connection_that_is_closed_rolls_back(address: str, connection: Any) -> None:
    name = new_name()
    ingest(connection, name, TWO, "create")
    with dbapi.connect(address) as gone:
        ingest(gone, name, TWO, "append")
    assert rows(connection, f"SELECT count(*) FROM adbc.{name}") == [(2,)]
