"""Trino's Python client against the real server: DB-API, parameters, cancel, segments, sessions."""

from __future__ import annotations

import datetime
import threading
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import Any

import pytest
import trino
from trino.exceptions import TrinoUserError
from trino.transaction import IsolationLevel

from sqe.model.query import QueryState
from tests.embedded.flight.serving import ROWS
from tests.embedded.trino_http.serving import Serving, ask

ENDLESS = "SELECT a.t FROM numbers a CROSS JOIN numbers b CROSS JOIN numbers c"
ENCODINGS = ["json+zstd", "json+lz4", "json", None]


def test_a_query_has_its_rows_and_columns(served: Serving) -> None:
    with served.connect() as connection:
        cursor = connection.cursor()
        cursor.execute("SELECT n, t AS text FROM numbers WHERE n < 3 ORDER BY n DESC")
        assert cursor.fetchall() == [[2, "row 2"], [1, "row 1"], [0, "row 0"]]
        assert [(one.name, one.type_code) for one in cursor.description] == [
            ("n", "bigint"),
            ("text", "varchar"),
        ]
        assert cursor.stats["state"] == "FINISHED" and cursor.query_id in cursor.info_uri


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_large_result_is_whole_in_every_encoding(served: Serving, encoding: str | None) -> None:
    options: dict[str, Any] = {"encoding": encoding} if encoding else {"encoding": ""}
    found = served.ask("SELECT n, t FROM numbers", **options)
    assert len(found) == ROWS
    assert sorted(found) == [[n, f"row {n}"] for n in range(ROWS)]


def test_parameters_are_sent_with_the_statement(served: Serving) -> None:
    text = "SELECT t FROM numbers WHERE n = ? OR t = ?"
    assert sorted(served.ask(text, (7, "row 9"))) == [["row 7"], ["row 9"]]


def test_parameters_of_an_older_client_are_prepared(served: Serving) -> None:
    with served.connect(legacy_prepared_statements=True) as connection:
        for number in (7, 8):
            found = ask(connection, "SELECT t FROM numbers WHERE n = ?", (number,))
            assert found == [[f"row {number}"]]


def test_values_come_as_python_has_them(served: Serving) -> None:
    [row] = served.ask("SELECT b, i, l, d, n, s, day, ntz FROM types WHERE b")
    assert row == [
        True,
        -7,
        2**62,
        1e300,
        Decimal("12345.6789"),
        "Grüße",
        datetime.date(2026, 2, 28),
        datetime.datetime(2026, 2, 28, 1, 2, 3, 4),
    ]


def test_an_error_is_the_clients_own_with_its_place(served: Serving) -> None:
    with pytest.raises(TrinoUserError) as raised:
        served.ask("SELECT n,\n  nope FROM numbers")
    assert (raised.value.error_name, raised.value.error_code) == ("COLUMN_NOT_FOUND", 47)
    assert raised.value.error_location == (2, 3)
    assert raised.value.query_id is not None


def test_what_is_set_goes_with_the_connection(served: Serving) -> None:
    with served.connect(catalog=None, schema=None) as connection:
        ask(connection, "USE lake.shop")
        assert ask(connection, "SELECT count(*) FROM numbers") == [[ROWS]]
        ask(connection, "SET SESSION sqe.engine = 'local'")
        assert ask(connection, "SELECT count(*) FROM numbers") == [[ROWS]]
        assert _ended(served)[-1][1] is QueryState.FINISHED


def test_a_transaction_of_the_client(served: Serving) -> None:
    with served.connect(isolation_level=IsolationLevel.READ_COMMITTED) as connection:
        assert ask(connection, "SELECT count(*) FROM numbers") == [[ROWS]]
        assert connection.transaction is not None
        assert connection.transaction.id != "NONE"
        connection.commit()
    assert ("START TRANSACTION", QueryState.FINISHED) in _ended(served)
    assert ("COMMIT", QueryState.FINISHED) in _ended(served)


def test_a_query_that_is_cancelled_ends(served: Serving) -> None:
    with served.connect() as connection:
        cursor = connection.cursor()
        cursor.execute(ENDLESS)
        assert cursor.fetchone() is not None
        query_id = cursor.query_id
        cursor.cancel()
        _wait_end(served, query_id)
    assert served.server.gateway.record(query_id).state is QueryState.CANCELLED


def _ended(served: Serving) -> list[tuple[str, QueryState]]:
    """All queries. A client has its last rows before its query's engine has tidied up."""
    for one in served.server.gateway.records():
        _wait_end(served, one.query_id)
    return [(one.text, one.state) for one in served.server.gateway.records()]


def _wait_end(served: Serving, query_id: str) -> None:
    pause = threading.Event()
    while not served.server.gateway.record(query_id).state.ended:
        pause.wait(0.02)


def test_closing_a_cursor_ends_its_query(served: Serving) -> None:
    with served.connect() as connection:
        cursor = connection.cursor()
        cursor.execute(ENDLESS)
        cursor.close()
        query_id = cursor.query_id
    _wait_end(served, query_id)


def test_a_cursor_read_slowly_is_read_to_its_end(served: Serving) -> None:
    with served.connect() as connection:
        cursor = connection.cursor()
        cursor.execute("SELECT n FROM numbers WHERE n < 1000")
        assert sum(1 for _ in iter(cursor.fetchone, None)) == 1000


@pytest.mark.timeout(180)
def test_two_hundred_small_queries_at_once(served: Serving) -> None:
    def one(number: int) -> Any:
        return served.ask("SELECT t FROM numbers WHERE n = ?", (number,))

    with ThreadPoolExecutor(200) as threads:
        assert list(threads.map(one, range(200))) == [[[f"row {n}"]] for n in range(200)]


def test_the_server_says_what_it_is(served: Serving) -> None:
    with served.connect() as connection:
        info = trino.client.TrinoRequest(
            host=connection.host,
            port=connection.port,
            client_session=connection._client_session,
            http_scheme="http",
        )
        response = info._get(info.get_url("/v1/info"))
    assert response.json()["nodeVersion"]["version"].startswith("476")
