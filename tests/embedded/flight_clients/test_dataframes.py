"""pandas, Polars and DuckDB through the ADBC driver."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pytest
from adbc_driver_flightsql import dbapi

from tests.embedded.flight.serving import ROWS, VALUES
from tests.embedded.flight_clients.conftest import PASSWORD, SCHEMA, Reachable

LOGIN = {"username": "ann", "password": PASSWORD}


@pytest.fixture
def connection(reading: Reachable) -> Iterator[Any]:
    with dbapi.connect(reading.uri, db_kwargs=LOGIN, autocommit=True) as opened:
        yield opened


@pytest.fixture
def changing(writing: Reachable) -> Iterator[Any]:
    with dbapi.connect(writing.uri, db_kwargs=LOGIN) as opened:
        yield opened


def test_pandas_reads_a_query(connection: Any) -> None:
    query = "SELECT n, t FROM shop.numbers WHERE n < 3 ORDER BY n"
    frame = pd.read_sql(query, connection)  # it takes no params with ADBC
    assert frame.to_dict("list") == {"n": [0, 1, 2], "t": ["row 0", "row 1", "row 2"]}


def test_pandas_keeps_the_types(connection: Any) -> None:
    frame = pd.read_sql("SELECT * FROM shop.types", connection, dtype_backend="pyarrow")
    assert list(frame.columns) == list(VALUES)
    assert [dtype.pyarrow_dtype for dtype in frame.dtypes] == [kind for kind, _ in VALUES.values()]
    assert frame.isna().all(axis=1).tolist() == [False, True]


def test_polars_reads_a_table_and_in_batches(connection: Any) -> None:
    query = "SELECT n, t FROM shop.numbers"
    frame = pl.read_database(query, connection)
    assert (frame.shape, frame["n"].sum()) == ((ROWS, 2), ROWS * (ROWS - 1) // 2)
    parts = pl.read_database(query, connection, iter_batches=True, batch_size=50_000)
    assert sum(part.height for part in parts) == ROWS


def test_polars_keeps_the_types(connection: Any) -> None:
    frame = pl.read_database("SELECT * FROM shop.types", connection)
    assert frame.row(0, named=True) == {name: value for name, (_, value) in VALUES.items()}
    assert frame.row(1) == (None,) * len(VALUES)
    assert frame.schema["n"] == pl.Decimal(20, 4)
    assert frame.schema["ts"] == pl.Datetime("us", "UTC")


def test_duckdb_joins_what_comes_from_sqe_with_its_own(connection: Any) -> None:
    with connection.cursor() as cursor, duckdb.connect() as database:
        cursor.execute("SELECT n, t FROM shop.numbers")
        database.register("numbers", cursor.fetch_record_batch())
        found = database.sql("SELECT t FROM numbers JOIN range(2) r(n) USING (n) ORDER BY n")
        assert found.fetchall() == [("row 0",), ("row 1",)]


@pytest.mark.java
@pytest.mark.spark
@pytest.mark.timeout(300)
def test_pandas_and_polars_write_and_read_again(changing: Any) -> None:
    frame = pd.DataFrame({"id": [1, 2], "name": ["a", None]})
    frame.to_sql("pandas_made", changing, schema=SCHEMA, index=False)
    more = pl.DataFrame({"id": [3], "name": ["c"]})
    more.write_database(f"{SCHEMA}.pandas_made", changing, if_table_exists="append", engine="adbc")
    changing.commit()
    found = pd.read_sql(f"SELECT id, name FROM {SCHEMA}.pandas_made ORDER BY id", changing)
    assert found["id"].tolist() == [1, 2, 3]
    assert found["name"].tolist()[::2] == ["a", "c"]
