"""Types that only Spark makes, and writes, over both transports."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest

import sqe.client
from sqe.client.connection import Connection
from tests.embedded.client.conftest import Open
from tests.embedded.pipe.lake import Lake

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(300)]
UTC = ZoneInfo("UTC")
NOON = datetime.datetime(2024, 5, 1, 12)


def test_every_type_comes_as_python(connection: Connection, tables: Lake) -> None:
    first, second = connection.execute("SELECT * FROM client.people ORDER BY id").fetchall()
    assert first == (
        1,
        "Ann",
        Decimal("1.70"),
        datetime.date(1990, 5, 1),
        NOON.replace(tzinfo=UTC),
        NOON,
        ["a", None],
        {"city": "Wien", "zip": 1010},
        {"x": 1},
        b"\x00\xff",
    )
    assert second == (2, *[None] * 9)


def test_intervals_come_as_python(connection: Connection) -> None:
    (row,) = connection.execute(
        "SELECT INTERVAL '1 02:03:04.5' DAY TO SECOND, INTERVAL '1-2' YEAR TO MONTH, "
        "make_interval(0, 1, 0, 2, 0, 0, 3), NULL"
    )
    assert row == (
        datetime.timedelta(days=1, hours=2, minutes=3, seconds=4, milliseconds=500),
        pa.MonthDayNano([14, 0, 0]),
        pa.MonthDayNano([1, 2, 3_000_000_000]),
        None,
    )


@pytest.mark.parametrize(
    ("value", "sql_type"),
    [
        (None, "void"),
        (True, "boolean"),
        (7, "int"),
        (2**40, "bigint"),
        (2**70, "decimal(22,0)"),
        (0.5, "double"),
        ("O'Brien \\' ? -- /* Ł 🦆", "string"),
        (b"\x00\xff", "binary"),
        (Decimal("-12.340"), "decimal(5,3)"),
        (datetime.date(2024, 2, 29), "date"),
        (NOON, "timestamp_ntz"),
        (NOON.replace(tzinfo=UTC), "timestamp"),
        (datetime.timedelta(days=1, seconds=2), "interval day to second"),
        ([1, None, 3], "array<int>"),
    ],
    ids=str,
)
def test_a_parameter_comes_back_as_it_was(
    connection: Connection, value: Any, sql_type: str
) -> None:
    assert connection.execute("SELECT ?, typeof(?)", [value, value]).fetchall() == [
        (value, sql_type)
    ]


def test_a_write_says_how_many_rows_it_changed(connection: Connection, tables: Lake) -> None:
    with connection.cursor() as cursor:
        cursor.execute("CREATE OR REPLACE TABLE client.written (n INT, s STRING)")
        cursor.execute("INSERT INTO client.written VALUES (?, ?)", [1, "a"])
        assert (cursor.rowcount, cursor.description) == (1, None)
        cursor.executemany(
            "INSERT INTO client.written (n, s) VALUES (?, ?)", [(2, "b"), (3, None), (4, "d")]
        )
        assert cursor.rowcount == 3
        cursor.executemany("UPDATE client.written SET s = ? WHERE n = ?", [("x", 1), ("y", 2)])
        assert cursor.rowcount == 2
        cursor.execute("DELETE FROM client.written WHERE n = ?", [4])
        assert cursor.rowcount == 1
        cursor.execute("SELECT * FROM client.written ORDER BY n")
        assert cursor.fetchall() == [(1, "x"), (2, "y"), (3, None)]


def test_rows_of_one_insert_are_one_commit(connection: Connection, tables: Lake) -> None:
    cursor = connection.cursor()
    cursor.execute("DROP TABLE IF EXISTS client.together")
    cursor.execute("CREATE TABLE client.together (n INT)")
    cursor.executemany("INSERT INTO client.together VALUES (?)", [[n] for n in range(200)])
    cursor.execute("SELECT count(*) FROM client.together.snapshots")
    assert cursor.fetchall() == [(1,)]


def test_a_refused_write_is_an_error_of_its_kind(connection: Connection, tables: Lake) -> None:
    with pytest.raises(sqe.client.DatabaseError) as raised:
        connection.execute("INSERT INTO client.people (id, name) VALUES (NULL, 'x')")
    assert raised.value.code


def test_a_transaction_is_seen_by_others_when_it_is_committed(opened: Open, tables: Lake) -> None:
    writer, reader = opened(), opened()
    writer.execute("CREATE OR REPLACE TABLE client.together (n INT)")
    count = "SELECT count(*) FROM client.together"
    writer.begin()
    writer.execute("INSERT INTO client.together VALUES (?), (?)", [1, 2])
    assert writer.execute(count).fetchall() == [(2,)]
    assert reader.execute(count).fetchall() == [(0,)]
    writer.rollback()
    assert writer.execute(count).fetchall() == [(0,)]
    writer.autocommit = False
    writer.execute("INSERT INTO client.together VALUES (3)")
    assert reader.execute(count).fetchall() == [(0,)]
    writer.commit()
    assert reader.execute(count).fetchall() == [(1,)]
    writer.rollback()
    assert reader.execute(count).fetchall() == [(1,)]
