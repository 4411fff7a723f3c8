"""Arrow's JDBC driver changes data: counts, batches, every type there and back."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from tests.embedded.flight_clients.conftest import PASSWORD, SCHEMA, Reachable
from tests.flight_clients.jdbc import Jdbc, JdbcError, ask, change, columns, errors, prepared

pytestmark = [pytest.mark.java, pytest.mark.spark, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def connection(jdbc: Jdbc, writing: Reachable) -> Iterator[Any]:
    options = {"useEncryption": "false", "user": "ann", "password": PASSWORD}
    opened = jdbc.connect(writing.port, options)
    change(opened, f"USE {SCHEMA}")
    yield opened
    opened.close()


def test_who_and_where_the_session_is(connection: Any) -> None:
    asked = "SELECT current_user(), current_catalog(), current_schema()"
    assert ask(connection, asked) == [("ann", "lake", SCHEMA)]


def test_every_change_tells_its_count_and_is_made_once(connection: Any) -> None:
    assert change(connection, "CREATE TABLE counted (id BIGINT, v STRING)") == 0
    assert change(connection, "INSERT INTO counted SELECT id, 'a' FROM range(5)") == 5
    assert change(connection, "UPDATE counted SET v = 'b' WHERE id >= 3") == 2
    assert change(connection, "DELETE FROM counted WHERE id = 0") == 1
    merge = (
        "MERGE INTO counted USING (SELECT id FROM range(3, 8)) s ON counted.id = s.id "
        "WHEN MATCHED THEN UPDATE SET v = 'c' WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)"
    )
    assert change(connection, merge) == 5
    assert ask(connection, "SELECT v, count(*) FROM counted GROUP BY v ORDER BY v") == [
        (None, 3),
        ("a", 2),
        ("c", 2),
    ]
    with errors():
        statement = connection.createStatement()
        assert statement.execute("DROP TABLE counted") is False  # there is no result
        assert statement.getUpdateCount() == 0
        statement.close()
    with pytest.raises(JdbcError, match="TABLE_NOT_FOUND"):
        change(connection, "DROP TABLE counted")


TYPES = {
    "i": "INT",
    "l": "BIGINT",
    "d": "DECIMAL(10,2)",
    "s": "STRING",
    "day": "DATE",
    "ts": "TIMESTAMP",
    "ntz": "TIMESTAMP_NTZ",
    "raw": "BINARY",
    "b": "BOOLEAN",
    "f": "FLOAT",
    "dd": "DOUBLE",
}


def bind(jdbc: Jdbc, statement: Any, number: int) -> None:
    """A value of each type of ``TYPES``."""
    sql = jdbc.java.sql
    moment = sql.Timestamp.valueOf("2026-02-28 01:02:03.004")
    statement.setInt(1, number)
    statement.setLong(2, 5_000_000_000 + number)
    statement.setBigDecimal(3, Decimal("12.50"))
    statement.setString(4, "O'Brien Grüße ☃")
    statement.setDate(5, sql.Date.valueOf("2024-02-29"))
    statement.setTimestamp(6, moment)
    statement.setTimestamp(7, moment)
    statement.setBytes(8, b"\x00\xff")
    statement.setBoolean(9, True)
    statement.setFloat(10, 1.5)
    statement.setDouble(11, -2.25)


@pytest.fixture(scope="module")
def filled(jdbc: Jdbc, connection: Any) -> str:
    """A table with rows 1 (a single insert), NULLs, and 2 to 4 (one batch)."""
    declared = ", ".join(f"{name} {kind}" for name, kind in TYPES.items())
    change(connection, f"CREATE TABLE filled ({declared})")
    markers = ", ".join("?" for _ in TYPES)
    with prepared(connection, f"INSERT INTO filled VALUES ({markers})") as statement:
        bind(jdbc, statement, 1)
        assert statement.executeUpdate() == 1
        for index in range(len(TYPES)):
            statement.setNull(index + 1, 0)
        assert statement.executeUpdate() == 1
        for number in (2, 3, 4):
            bind(jdbc, statement, number)
            statement.addBatch()
        # The driver sends all rows of a batch at once and gets one count.
        assert list(statement.executeBatch()) == [3]
    return "filled"


def test_parameters_arrive_as_the_values_they_are(connection: Any, filled: str) -> None:
    found = ask(connection, f"SELECT i, l, d, s, b, f, dd, raw FROM {filled} ORDER BY i NULLS LAST")
    rest = (Decimal("12.50"), "O'Brien Grüße ☃", True, 1.5, -2.25, b"\x00\xff")
    assert found == [
        *((number, 5_000_000_000 + number, *rest) for number in (1, 2, 3, 4)),
        (None,) * 8,
    ]
    texts = "SELECT DISTINCT CAST(day AS STRING), CAST(ts AS STRING), CAST(ntz AS STRING)"
    moment = "2026-02-28 01:02:03.004"
    assert ask(connection, f"{texts} FROM {filled} WHERE i > 0") == [("2024-02-29", moment, moment)]


def test_a_batch_that_fails_leaves_no_row(connection: Any, filled: str) -> None:
    insert = f"INSERT INTO {filled} (l) SELECT 100 DIV CAST(? AS INT)"
    with (
        pytest.raises(JdbcError, match="DIVISION_BY_ZERO"),
        prepared(connection, insert) as statement,
    ):
        for value in (1, 2, 0):
            statement.setInt(1, value)
            statement.addBatch()
        statement.executeBatch()
    assert ask(connection, f"SELECT count(*) FROM {filled} WHERE l <= 100") == [(0,)]


def test_what_has_no_simple_type_arrives_as_an_object(connection: Any) -> None:
    query = (
        "SELECT X'00FF' AS raw, array(1, NULL) AS list, map('a', 1) AS map, "
        "named_struct('q', 1) AS struct, INTERVAL '1' DAY AS day, INTERVAL '2' YEAR AS year, "
        """parse_json('{"a": [1]}') AS json"""
    )
    statement = connection.createStatement()
    result = statement.executeQuery(query)
    assert columns(result) == [
        ("raw", "VARBINARY"),
        ("list", "ARRAY"),
        ("map", "JAVA_OBJECT"),
        ("struct", "JAVA_OBJECT"),
        ("day", "JAVA_OBJECT"),
        ("year", "JAVA_OBJECT"),
        ("json", "VARCHAR"),
    ]
    with errors():
        assert result.next()
        assert bytes(result.getObject("raw")) == b"\x00\xff"
        texts = [result.getString(name) for name in ("list", "map", "struct", "day", "json")]
        assert texts == ["[1,null]", '{"a":1}', '{"q":1}', "PT24H", '{"a":[1]}']
        assert result.getObject("year").toString() == "P24M"
    statement.close()


def test_a_refused_change_says_why(connection: Any, filled: str) -> None:
    with pytest.raises(JdbcError, match=r"TYPE_MISMATCH|CAST_INVALID"):
        change(connection, f"INSERT INTO {filled} (i) VALUES ('x')")
    with pytest.raises(JdbcError, match="COLUMN_NOT_FOUND"):
        change(connection, f"UPDATE {filled} SET nothing = 1")


def test_a_prepared_change_counts_too(connection: Any, filled: str) -> None:
    update = f"UPDATE {filled} SET s = ? WHERE i BETWEEN ? AND ?"
    with prepared(connection, update) as statement:
        statement.setString(1, "new")
        statement.setInt(2, 3)
        statement.setInt(3, 9)
        assert statement.executeUpdate() == 2
    assert ask(connection, f"SELECT i FROM {filled} WHERE s = 'new' ORDER BY i") == [(3,), (4,)]
