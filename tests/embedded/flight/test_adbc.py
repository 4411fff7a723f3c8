"""The Python ADBC driver: DB-API, Arrow, metadata, parameters, errors."""

from __future__ import annotations

from typing import Any

import adbc_driver_flightsql
import adbc_driver_flightsql.dbapi as adbc
import adbc_driver_manager
import pyarrow as pa
import pytest

from sqe import __version__
from tests.embedded.flight.serving import ROWS, VALUES, Serving, ask


def test_rows_and_their_description(flight: Serving) -> None:
    with flight.connect() as connection, connection.cursor() as cursor:
        cursor.execute("SELECT 1 AS a, 'x' AS b UNION ALL SELECT 2, NULL ORDER BY a")
        assert [column[0] for column in cursor.description or ()] == ["a", "b"]
        assert cursor.fetchone() == (1, "x")
        assert cursor.fetchall() == [(2, None)]


def test_a_whole_table_as_arrow(flight: Serving) -> None:
    with flight.connect() as connection, connection.cursor() as cursor:
        cursor.execute("SELECT n, t FROM shop.numbers")
        table = cursor.fetch_arrow_table()
    assert table.num_rows == ROWS
    assert sorted(table["n"].to_pylist()) == list(range(ROWS))


def test_types_values_and_nulls(flight: Serving) -> None:
    with flight.connect() as connection, connection.cursor() as cursor:
        cursor.execute("SELECT * FROM shop.types")
        table = cursor.fetch_arrow_table()
    assert table.schema.names == list(VALUES)
    assert table.schema.types == [kind for kind, _ in VALUES.values()]
    assert table.to_pylist() == [
        {name: value for name, (_, value) in VALUES.items()},
        dict.fromkeys(VALUES),
    ]


def test_an_empty_result_has_its_schema(flight: Serving) -> None:
    with flight.connect() as connection, connection.cursor() as cursor:
        cursor.execute("SELECT n, t FROM shop.numbers WHERE n < 0")
        table = cursor.fetch_arrow_table()
    assert (table.num_rows, table.schema.types) == (0, [pa.int64(), pa.string()])


def test_a_statement_without_rows(flight: Serving) -> None:
    with flight.connect() as connection:
        with connection.cursor() as cursor:
            cursor.execute("SET SESSION sqe.time_zone = 'Europe/Vienna'")
        zone = {name: value for name, value, *_ in ask(connection, "SHOW SESSION")}
    assert zone["sqe.time_zone"] == "Europe/Vienna"


def test_parameters_are_values_not_text(flight: Serving) -> None:
    nasty = "row 3' OR '1' = '1"
    with flight.connect() as connection:
        text = "SELECT n FROM shop.numbers WHERE t = ?"
        assert ask(connection, text, (nasty,)) == []
        assert ask(connection, text, ("row 3",)) == [(3,)]
        both = "SELECT n FROM shop.numbers WHERE n > ? AND n < ? ORDER BY n"
        assert ask(connection, both, (10, 13)) == [(11,), (12,)]


def test_parameters_that_are_missing_or_too_many(flight: Serving) -> None:
    with flight.connect() as connection:
        for given in ((), (1, 2)):
            with pytest.raises(adbc_driver_manager.Error) as raised:
                ask(connection, "SELECT n FROM shop.numbers WHERE n = ?", given)
            assert "INTERNAL" not in str(raised.value)


def test_a_query_runs_for_each_row_of_parameters(flight: Serving) -> None:
    with flight.connect() as connection, connection.cursor() as cursor:
        statement = cursor.adbc_statement
        statement.set_sql_query("SELECT n, t FROM shop.numbers WHERE n = ?")
        statement.prepare()
        statement.bind_stream(pa.table({"p": pa.array([5, 3, None], pa.int64())}).to_reader())
        stream, _ = statement.execute_query()
        table = pa.RecordBatchReader.from_stream(stream).read_all()
    assert table.to_pylist() == [{"n": 5, "t": "row 5"}, {"n": 3, "t": "row 3"}]


def test_rows_of_parameters_with_and_without_nulls(flight: Serving) -> None:
    rows = pa.table({"p": pa.array([42, None], pa.int64()), "q": pa.array([None, "bar"])})
    with flight.connect() as connection, connection.cursor() as cursor:
        statement = cursor.adbc_statement
        statement.set_sql_query("SELECT CAST(? AS BIGINT) AS p, CAST(? AS STRING) AS q")
        statement.prepare()
        statement.bind_stream(rows.to_reader())
        stream, _ = statement.execute_query()
        table = pa.RecordBatchReader.from_stream(stream).read_all()
    assert table.to_pylist() == rows.to_pylist()


def test_without_preparing(flight: Serving) -> None:
    with flight.connect() as connection, connection.cursor() as cursor:
        cursor.adbc_statement.set_sql_query("SELECT 41 + 1 AS answer")
        stream, _ = cursor.adbc_statement.execute_query()
        assert pa.RecordBatchReader.from_stream(stream).read_all().to_pylist() == [{"answer": 42}]


def test_the_schema_before_it_runs(flight: Serving) -> None:
    with flight.connect() as connection, connection.cursor() as cursor:
        assert cursor.adbc_execute_schema("SELECT n, t FROM shop.numbers").types == [
            pa.int64(),
            pa.string(),
        ]
        prepared = cursor.adbc_prepare("SELECT t FROM shop.numbers WHERE n = ?")
        assert prepared is not None
        assert list(prepared.types) == [pa.int64()]
    assert [text for text in flight.running() if "shop.numbers" in text] == []


def test_who_the_server_is(flight: Serving) -> None:
    with flight.connect() as connection:
        info = connection.adbc_get_info()
    assert (info["vendor_name"], info["vendor_version"]) == ("SQE", __version__)


def test_objects(flight: Serving) -> None:
    with flight.connect() as connection:
        found = connection.adbc_get_objects(depth="all").read_all().to_pylist()
        (lake,) = [catalog for catalog in found if catalog["catalog_name"] == "lake"]
        schemas = {s["db_schema_name"]: s for s in lake["catalog_db_schemas"]}
        tables = {t["table_name"]: t for t in schemas["shop"]["db_schema_tables"]}
        assert set(tables) == {"numbers", "types", "axb", "a_b"}
        assert tables["numbers"]["table_type"] == "TABLE"
        columns = [column["column_name"] for column in tables["types"]["table_columns"]]
        assert columns == list(VALUES)
        assert connection.adbc_get_table_types() == ["TABLE", "VIEW"]


def test_objects_by_pattern(flight: Serving) -> None:
    def names(**filters: Any) -> list[str]:
        found = connection.adbc_get_objects(depth="tables", **filters).read_all().to_pylist()
        return [
            table["table_name"]
            for catalog in found
            for schema in catalog["catalog_db_schemas"] or ()
            for table in schema["db_schema_tables"] or ()
        ]

    with flight.connect() as connection:
        assert names(db_schema_filter="shop", table_name_filter="a_b") == ["a_b", "axb"]
        assert names(table_name_filter="num%") == ["numbers"]
        assert names(catalog_filter="nowhere") == []
        assert names(db_schema_filter="nowhere") == []


def test_the_schema_of_a_table(flight: Serving) -> None:
    with flight.connect() as connection:
        schema = connection.adbc_get_table_schema("types", db_schema_filter="shop")
        assert schema.names == list(VALUES)
        assert schema.types == [kind for kind, _ in VALUES.values()]
        # An underscore fits any sign, but it is this table that was asked for.
        assert connection.adbc_get_table_schema("a_b", db_schema_filter="shop").names == ["y"]
        with pytest.raises(adbc_driver_manager.ProgrammingError):
            connection.adbc_get_table_schema("nothing", db_schema_filter="shop")


def test_the_current_catalog_and_schema(flight: Serving) -> None:
    with flight.connect() as connection:
        assert connection.adbc_current_catalog == "lake"
        assert connection.adbc_current_db_schema == "default"
        connection.adbc_current_db_schema = "shop"
        assert ask(connection, "SELECT count(*) FROM numbers") == [(ROWS,)]
        with pytest.raises(adbc_driver_manager.Error):
            connection.adbc_current_db_schema = "nowhere"
        assert connection.adbc_current_db_schema == "shop"


def test_password_and_who_one_is(flight: Serving) -> None:
    ann = {"username": "ann", "password": "correct horse"}
    with flight.connect(**ann) as connection:
        assert flight.asked_by(connection) == "ann"
    with flight.connect() as connection:
        assert flight.asked_by(connection) == "anonymous"
    with pytest.raises(adbc_driver_manager.Error) as raised:
        adbc.connect(flight.address, db_kwargs={**ann, "password": "wrong"}).close()
    assert raised.value.status_code is adbc_driver_manager.AdbcStatusCode.UNAUTHENTICATED


@pytest.mark.parametrize(
    ("text", "status", "code"),
    [
        ("SELECT (1", "INVALID_ARGUMENT", "SYNTAX_ERROR"),
        ("SELECT * FROM shop.nothing", "NOT_FOUND", "TABLE_NOT_FOUND"),
        ("SELECT 1; SELECT 2", "INVALID_ARGUMENT", "MULTIPLE_STATEMENTS"),
        ("SELECT reflect('a', 'b')", "NOT_IMPLEMENTED", "NOT_SUPPORTED"),
    ],
)
def test_errors_are_the_users_and_say_so(
    flight: Serving, text: str, status: str, code: str
) -> None:
    with flight.connect() as connection, pytest.raises(adbc_driver_manager.Error) as raised:
        ask(connection, text)
    assert raised.value.status_code.name == status
    assert code in str(raised.value)
    assert "Traceback" not in str(raised.value) + str(raised.value.details)


def test_an_error_while_rows_are_coming(flight: Serving) -> None:
    """The column is only looked at in the last row, long after the schema was told."""
    text = f"SELECT 1 / ({ROWS - 1} - n) AS x FROM shop.numbers"
    with flight.connect() as connection, pytest.raises(adbc_driver_manager.Error) as raised:
        ask(connection, text)
    assert "DIVISION_BY_ZERO" in str(raised.value)


def test_the_header_may_carry_the_password(flight: Serving) -> None:
    header = adbc_driver_flightsql.DatabaseOptions.AUTHORIZATION_HEADER.value
    with flight.connect(**{header: "Basic YW5uOmNvcnJlY3QgaG9yc2U="}) as connection:
        assert flight.asked_by(connection) == "ann"
