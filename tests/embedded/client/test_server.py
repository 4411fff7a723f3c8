"""Logins, and servers that are not there."""

from __future__ import annotations

import re
import socket
import threading
from typing import Any

import pytest

import sqe.client
from sqe.client.connection import open_transport
from sqe.errors import ErrorCode, UserError
from tests.embedded.client.conftest import PASSWORD, TOKEN, Served
from tests.embedded.pipe.lake import Lake


def test_a_password_and_a_token_say_who_one_is(served: Served, shared_lake: Lake) -> None:
    with served.connect() as ann, sqe.client.connect(served.url, token=TOKEN) as ben:
        for connection, user in ((ann, "ann"), (ben, "ben"), (ann, "ann")):
            connection.execute("SELECT 1 AS one").fetchall()
            record = shared_lake.last_record()
            assert record.user == user
            assert "sqe-client/" in record.source


def test_a_query_whose_connection_is_closed_meanwhile_is_cancelled(served: Served) -> None:
    """Not a defect of the client's: its calls find the connection gone."""
    transport = open_transport(served.url, "tests", {"user": "ann", "password": PASSWORD})
    transport.close()
    with pytest.raises(UserError) as raised:
        transport.execute("SELECT 1 AS one").result()
    assert raised.value.code is ErrorCode.CANCELLED


def test_a_connection_is_closed_when_no_call_of_it_is_under_way(served: Served) -> None:
    """pyarrow frees what a call works with: the process died of it, now and then."""
    before = set(threading.enumerate())
    transport = open_transport(served.url, "tests", {"user": "ann", "password": PASSWORD})
    result = transport.execute("SELECT id FROM range(1000000)").result()
    transport.close()
    left = set(threading.enumerate()) - before
    assert not [thread for thread in left if re.fullmatch("flight-[0-9a-f]{8}", thread.name)]
    with pytest.raises(UserError) as raised:
        result.read_all()
    assert raised.value.code is ErrorCode.CANCELLED


@pytest.mark.parametrize(
    "credential",
    [
        {"user": "ann", "password": "wrong"},
        {"user": "eve", "password": PASSWORD},
        {"token": "x"},
        {},
    ],
    ids=["wrong password", "unknown user", "wrong token", "nothing"],
)
def test_who_is_not_known_gets_no_connection(served: Served, credential: dict[str, Any]) -> None:
    with pytest.raises(sqe.client.OperationalError) as raised:
        sqe.client.connect(served.url, **credential)
    assert raised.value.code == "AUTHENTICATION_FAILED"
    assert PASSWORD not in str(raised.value)


def test_a_catalog_and_a_schema_are_where_names_are_looked_up(served: Served) -> None:
    with sqe.client.connect(
        served.url, user="ann", password=PASSWORD, catalog="lake", schema="information_schema"
    ) as connection:
        assert str(connection.transport.schema()) == "lake.information_schema"


def test_a_schema_that_is_not_there_is_said_at_once(served: Served) -> None:
    with pytest.raises(sqe.client.ProgrammingError) as raised:
        sqe.client.connect(served.url, user="ann", password=PASSWORD, schema="nowhere")
    assert raised.value.code == "SCHEMA_NOT_FOUND"


def test_a_server_that_is_not_there_is_an_error_with_a_hint() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        with pytest.raises(sqe.client.OperationalError) as raised:
            sqe.client.connect(f"grpc://127.0.0.1:{port}")
    assert raised.value.code == "SERVER_UNAVAILABLE"
    assert raised.value.message == f"No SQE server answers at 127.0.0.1:{port}."
    assert "sqe serve" in raised.value.hint


def test_tls_to_a_server_without_it_is_no_connection(served: Served) -> None:
    with pytest.raises(sqe.client.OperationalError) as raised:
        sqe.client.connect(f"grpc+tls://127.0.0.1:{served.port}")
    assert raised.value.code == "SERVER_UNAVAILABLE"
