"""What a connection promises, over both transports. Nothing here needs Spark."""

from __future__ import annotations

import datetime
import threading
from decimal import Decimal
from zoneinfo import ZoneInfo

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sqe.client
from sqe.client.connection import Connection
from sqe.model.query import EngineKind, QueryState
from tests.embedded.client.conftest import Open
from tests.embedded.pipe.lake import Lake, until

UTC = ZoneInfo("UTC")
MANY = "SELECT id, id * 2 AS twice FROM range(300000)"
ENDLESS = "SELECT count(*) FROM range(1000000) a JOIN range(1000000) b ON a.id % 7 <> b.id % 5"


def test_rows_come_as_python(connection: Connection) -> None:
    cursor = connection.execute(
        "SELECT 1 AS a, 'x' AS b, CAST(1.5 AS DECIMAL(10, 2)) AS c, DATE '2024-01-02' AS d, "
        "TIMESTAMP '2024-01-02 03:04:05' AS e, 0.5D AS f, true AS g"
    )
    moment = datetime.datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC)
    assert cursor.fetchall() == [
        (1, "x", Decimal("1.50"), datetime.date(2024, 1, 2), moment, 0.5, True)
    ]
    assert cursor.fetchone() is None


def test_the_description_says_names_types_and_nulls(connection: Connection) -> None:
    cursor = connection.execute("SELECT * FROM VALUES (1BD, 'x'), (2BD, NULL) AS t(n, s)")
    assert cursor.description == [
        ("n", "decimal(1,0)", None, None, 1, 0, False),
        ("s", "string", None, None, None, None, True),
    ]
    assert cursor.description[0][1] == sqe.client.NUMBER


def test_every_way_to_fetch_goes_on_where_the_last_one_stopped(connection: Connection) -> None:
    cursor = connection.execute("SELECT id FROM range(10) ORDER BY id")
    assert cursor.fetchone() == (0,)
    assert cursor.fetchmany(2) == [(1,), (2,)]
    assert next(cursor) == (3,)
    assert [row for row, _ in zip(cursor, range(2), strict=False)] == [(4,), (5,)]
    assert len(cursor.fetchall()) >= 3
    assert cursor.fetchall() == cursor.fetchmany() == []


def test_arrow_takes_what_the_other_fetches_have_left(connection: Connection) -> None:
    cursor = connection.execute("SELECT id FROM range(5000) ORDER BY id")
    assert cursor.fetchmany(2) == [(0,), (1,)]
    with cursor.fetch_record_batches() as reader:
        first = reader.read_next_batch()
        assert first.column(0)[0].as_py() == 2
        rest = reader.read_all()
    assert first.num_rows + rest.num_rows == 4998
    assert cursor.fetchone() is None


def test_arrow_pandas_and_polars_get_the_same_rows(connection: Connection) -> None:
    text = "SELECT id AS n, CAST(id AS STRING) AS s FROM range(3) ORDER BY id"
    table = connection.execute(text).fetch_arrow_table()
    schema = [
        pa.field("n", pa.int64(), nullable=False),
        pa.field("s", pa.string(), nullable=False),
    ]
    expected = pa.table({"n": [0, 1, 2], "s": ["0", "1", "2"]}, schema=pa.schema(schema))
    assert table.equals(expected, check_metadata=True)
    frame = connection.execute(text).fetch_df()
    assert isinstance(frame, pd.DataFrame)
    assert frame["s"].tolist() == ["0", "1", "2"]
    assert (
        connection.execute(text)
        .fetch_polars()
        .equals(pl.DataFrame({"n": [0, 1, 2], "s": ["0", "1", "2"]}))
    )


def test_a_large_result_streams(connection: Connection) -> None:
    cursor = connection.execute(MANY)
    with cursor.fetch_record_batches() as reader:
        sizes = [batch.num_rows for batch in reader]
    assert sum(sizes) == 300_000
    assert len(sizes) > 1


def test_a_result_that_is_not_read_to_its_end_is_left(
    connection: Connection, shared_lake: Lake
) -> None:
    cursor = connection.execute("SELECT id FROM range(100000000)")
    assert cursor.fetchone() == (0,)
    cursor.close()
    assert until(lambda: all(r.state.ended for r in shared_lake.server.gateway.records()))
    with pytest.raises(sqe.client.InterfaceError):
        cursor.fetchone()


def test_a_cursor_runs_one_statement_after_the_other(connection: Connection) -> None:
    with connection.cursor() as cursor:
        cursor.execute(MANY)
        cursor.execute("SELECT 1 AS one")
        assert cursor.fetchall() == [(1,)]
        cursor.execute("USE lake.default")
        assert cursor.description is None
        with pytest.raises(sqe.client.ProgrammingError):
            cursor.fetchall()


def test_parameters_are_values_and_never_text(connection: Connection) -> None:
    query = "SELECT schema_name FROM information_schema.schemata WHERE schema_name = ?"
    assert connection.execute(query, ["default"]).fetchall() == [("default",)]
    assert connection.execute(query, ["' OR true --"]).fetchall() == []
    named = query.replace("?", ":name")
    assert connection.execute(named, {"name": "default"}).fetchall() == [("default",)]


def test_an_error_has_a_code_a_hint_and_a_place(connection: Connection) -> None:
    with pytest.raises(sqe.client.ProgrammingError) as raised:
        connection.execute("SELECT *\nFROM no_such_table")
    error = raised.value
    assert error.code == "TABLE_NOT_FOUND"
    assert error.message == "Table or view lake.default.no_such_table does not exist."
    assert error.position is not None
    assert (error.position.line, error.position.column) == (2, 6)
    assert error.position.fragment == "no_such_table"


def test_an_error_in_the_middle_of_the_rows_reaches_the_reader(connection: Connection) -> None:
    with pytest.raises(sqe.client.DataError) as raised:
        connection.execute("SELECT 1 / (id - 250000) FROM range(300000)").fetchall()
    assert raised.value.code == "DIVISION_BY_ZERO"


def test_too_few_parameters_are_an_error(connection: Connection) -> None:
    query = "SELECT schema_name FROM information_schema.schemata WHERE schema_name IN (?, ?)"
    with pytest.raises(sqe.client.Error) as raised:
        connection.execute(query, ["default"]).fetchall()
    assert isinstance(raised.value, sqe.client.ProgrammingError)


def test_any_thread_may_cancel(connection: Connection, shared_lake: Lake) -> None:
    cursor = connection.cursor()
    outcome: list[BaseException] = []

    def run() -> None:
        try:
            cursor.execute(ENDLESS).fetchall()
        except sqe.client.Error as error:
            outcome.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    assert until(lambda: _state(cursor) is QueryState.RUNNING, 60)
    assert (cursor.progress() or pytest.fail()).engine is EngineKind.LOCAL
    cursor.cancel()
    thread.join(60)
    (error,) = outcome
    assert isinstance(error, sqe.client.OperationalError)
    assert error.code == "CANCELLED"
    assert until(lambda: all(r.state.ended for r in shared_lake.server.gateway.records()), 60)


def _state(cursor: sqe.client.Cursor) -> QueryState | None:
    progress = cursor.progress()
    return progress.state if progress is not None else None


def test_cancelling_what_has_ended_changes_nothing(connection: Connection) -> None:
    cursor = connection.cursor()
    cursor.cancel()
    assert cursor.progress() is None
    cursor.execute("SELECT 1 AS one")
    assert cursor.fetchall() == [(1,)]
    cursor.cancel()
    assert connection.execute("SELECT 2 AS two").fetchall() == [(2,)]


def test_every_connection_is_a_session_of_its_own(opened: Open) -> None:
    first, second = opened(), opened()
    first.execute("SET SESSION sqe.time_zone = 'Europe/Vienna'")
    zones = [dict(row[:2] for row in c.execute("SHOW SESSION")) for c in (first, second)]
    assert [zone["sqe.time_zone"] for zone in zones] == ["Europe/Vienna", "UTC"]
    first.close()
    assert second.execute("SELECT 1 AS one").fetchall() == [(1,)]


def test_threads_share_a_connection(connection: Connection) -> None:
    answers: dict[int, object] = {}

    def ask(n: int) -> None:
        answers[n] = connection.execute(f"SELECT {n} AS n, count(*) FROM range(1000)").fetchone()

    threads = [threading.Thread(target=ask, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert answers == {n: (n, 1000) for n in range(8)}


def test_what_is_closed_says_so(opened: Open) -> None:
    connection = opened()
    cursor = connection.cursor()
    with connection:
        connection.commit()
        with pytest.raises(sqe.client.NotSupportedError):
            connection.rollback()
    connection.close()
    for use in (connection.cursor, connection.commit, lambda: cursor.execute("SELECT 1")):
        with pytest.raises(sqe.client.InterfaceError):
            use()


def test_closing_a_connection_ends_its_session_and_what_runs_there(
    opened: Open, shared_lake: Lake
) -> None:
    connection = opened()
    cursor = connection.execute("SELECT id FROM range(100000000)")
    connection.close()
    assert until(lambda: all(r.state.ended for r in shared_lake.server.gateway.records()), 60)
    with pytest.raises(sqe.client.InterfaceError):
        cursor.fetchone()
