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
from sqe.model.decision import Deny, Restrict, RowFilter
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
        cursor.executemany(
            "UPDATE client.written SET s = :s WHERE n = :n",
            [{"n": 1, "s": "x"}, {"n": 2, "s": "y"}],
        )
        assert cursor.rowcount == 2
        cursor.execute("DELETE FROM client.written WHERE n = ?", [4])
        assert cursor.rowcount == 1
        cursor.execute("SELECT * FROM client.written ORDER BY n")
        assert cursor.fetchall() == [(1, "x"), (2, "y"), (3, None)]


def test_rows_of_one_insert_are_one_commit(connection: Connection, tables: Lake) -> None:
    cursor = connection.cursor()
    cursor.execute("DROP TABLE IF EXISTS client.many")
    cursor.execute("CREATE TABLE client.many (n INT, s STRING, x DECIMAL(9, 2))")
    rows = [(n, f"O'Brien {n}", Decimal(n) / 4) for n in range(2_000)]
    cursor.executemany(
        "INSERT INTO client.many (s, x, n) VALUES (?, CAST(? AS DECIMAL(9, 2)), ?)",
        [(s, x, n) for n, s, x in rows],
    )
    assert cursor.rowcount == 2_000
    assert cursor.execute("SELECT * FROM client.many ORDER BY n").fetchall() == rows
    cursor.execute("SELECT count(*) FROM client.many.snapshots")
    assert cursor.fetchall() == [(1,)]


MOMENT = NOON.replace(tzinfo=UTC)
# By the type of a column, values of many kinds: together they must be stored as one by one.
VALUES: dict[str, list[Any]] = {
    "BIGINT": [1, None, 2**40, Decimal("7"), -3],
    "DOUBLE": [1, None, 0.25, 3, 2**31],
    "DECIMAL(12, 3)": [Decimal("1.5"), None, 2, Decimal("3.125"), Decimal("1E+3")],
    "STRING": ["", None, "Ł '' ? :x", "NULL", "\\n"],
    "BOOLEAN": [True, None, False, True, False],
    "BINARY": [b"", None, b"\x00\xff", b"a", b"b"],
    "DATE": [NOON.date(), None, datetime.date(1, 1, 1), NOON.date(), NOON.date()],
    "TIMESTAMP": [MOMENT, None, MOMENT.replace(year=1900), MOMENT, MOMENT],
    "TIMESTAMP_NTZ": [NOON, None, NOON.replace(microsecond=1), NOON, NOON],
    "ARRAY<INT>": [[1, None], None, [], [2], [3]],
}


def test_rows_together_are_what_they_are_one_by_one(connection: Connection, tables: Lake) -> None:
    kinds = ", ".join(f"c{n} {kind}" for n, kind in enumerate(VALUES))
    rows = list(zip(range(5), *VALUES.values(), strict=True))
    insert = f"INSERT INTO client.%s VALUES ({', '.join('?' * len(rows[0]))})"
    plain = list(VALUES).index("ARRAY<INT>")
    for name in ("batch", "single"):
        connection.execute(f"CREATE OR REPLACE TABLE client.{name} (id INT, {kinds})")
    cursor = connection.cursor()
    cursor.executemany(insert % "batch", rows)
    for row in rows:
        cursor.execute(insert % "single", row)
    stored = [
        cursor.execute(f"SELECT * FROM client.{name} ORDER BY id").fetchall()
        for name in ("batch", "single")
    ]
    assert stored[0] == stored[1]
    narrow = f"INSERT INTO client.batch ({', '.join(['id', *(f'c{n}' for n in range(plain))])})"
    cursor.executemany(
        f"{narrow} VALUES ({', '.join('?' * (plain + 1))})", [row[:-1] for row in rows]
    )
    without = cursor.execute("SELECT * FROM client.batch WHERE c9 IS NULL ORDER BY id").fetchall()
    assert [row[:-1] for row in without if row != stored[1][1]] == [
        row[:-1] for row in stored[1] if row != stored[1][1]
    ]


def test_texts_and_numbers_in_one_column_are_stored_as_written(
    connection: Connection, tables: Lake
) -> None:
    """Made one type, 1 would be stored as 1.00."""
    cursor = connection.execute("CREATE OR REPLACE TABLE client.mixed (n INT, s STRING)")
    values = ["a", 1, Decimal("2.50"), Decimal("1")]
    cursor.executemany("INSERT INTO client.mixed VALUES (?, ?)", list(enumerate(values)))
    assert cursor.rowcount == 4
    found = cursor.execute("SELECT s FROM client.mixed ORDER BY n").fetchall()
    assert found == [("a",), ("1",), ("2.50",), ("1",)]


@pytest.mark.parametrize(
    ("insert", "rows", "said"),
    [
        ("VALUES (?, ?)", [(1, 1), (2, 2**40), (3, 2)], "Row 2"),
        ("VALUES (?, CAST(? AS TINYINT))", [(1, "1"), (2, "2"), (3, "x")], "Row 3"),
        ("VALUES (?, ?)", [(1, 1), (None, 2)], "Row 2"),
        ("VALUES (?, ?)", [(1, 1), (2, 2, 3)], "values"),
        ("VALUES (?, length(?) / 0)", [(1, "a"), (2, "b")], "length"),
    ],
)
def test_a_row_that_cannot_be_stored_is_named_and_none_is_stored(
    connection: Connection, tables: Lake, insert: str, rows: Any, said: str
) -> None:
    cursor = connection.execute("CREATE TABLE IF NOT EXISTS client.exact (n INT NOT NULL, t INT)")
    with pytest.raises(sqe.client.DatabaseError, match=said):
        cursor.executemany(f"INSERT INTO client.exact {insert}", rows)
    assert cursor.execute("SELECT count(*) FROM client.exact").fetchall() == [(0,)]


def test_a_policy_holds_all_rows_of_a_batch(connection: Connection, tables: Lake) -> None:
    cursor = connection.execute("CREATE OR REPLACE TABLE client.held (n INT, dept STRING)")
    only_it = Restrict("rule", filters=(RowFilter("dept = 'it'", check=True),))
    insert = "INSERT INTO client.held VALUES (?, ?)"
    with tables.rules.on("lake.client.held", only_it, user="ann"):
        with pytest.raises(sqe.client.DatabaseError) as raised:
            cursor.executemany(insert, [(1, "it"), (2, "hr")])
        assert raised.value.code == "ACCESS_DENIED"
        cursor.executemany(insert, [(3, "it"), (4, "it")])
    with (
        tables.rules.on("lake.client.held", Deny("rule"), "insert", user="ann"),
        pytest.raises(sqe.client.DatabaseError) as raised,
    ):
        cursor.executemany(insert, [(5, "it"), (6, "it")])
    assert raised.value.code == "ACCESS_DENIED"
    assert cursor.execute("SELECT n FROM client.held ORDER BY n").fetchall() == [(3,), (4,)]


def test_updates_of_many_rows_are_all_or_none(connection: Connection, tables: Lake) -> None:
    cursor = connection.execute("CREATE OR REPLACE TABLE client.changed (n INT, t INT)")
    cursor.executemany("INSERT INTO client.changed VALUES (?, ?)", [(1, 1), (2, 2)])
    with pytest.raises(sqe.client.DatabaseError):
        cursor.executemany("UPDATE client.changed SET t = ? WHERE n = ?", [(5, 1), (2**40, 2)])
    assert cursor.execute("SELECT t FROM client.changed ORDER BY n").fetchall() == [(1,), (2,)]
    cursor.executemany("DELETE FROM client.changed WHERE n = ?", [])
    assert cursor.rowcount == 0


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
