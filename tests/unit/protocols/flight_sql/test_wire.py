from __future__ import annotations

import pytest
from google.protobuf.any_pb2 import Any
from google.protobuf.message import Message
from hypothesis import given
from hypothesis import strategies as st

from sqe.errors import ErrorCode, SqeError
from sqe.flight_messages import Flight_pb2 as messages
from sqe.flight_messages import FlightSql_pb2 as sql
from sqe.protocols.flight_sql.metadata import _pattern
from sqe.protocols.flight_sql.wire import pack, parse_as, unpack, unpack_as


def test_there_and_back() -> None:
    message = sql.CommandStatementQuery(query="SELECT 1", transaction_id=b"t")
    assert unpack(pack(message)) == message
    assert unpack_as(sql.CommandStatementQuery, pack(message)).query == "SELECT 1"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff\xff",
        Any(type_url="type.googleapis.com/google.protobuf.Any").SerializeToString(),
        Any(
            type_url="type.googleapis.com/arrow.flight.protocol.sql.CommandStatementQuery",
            value=b"\xff",
        ).SerializeToString(),
        Any(type_url="arrow.flight.protocol.sql.SqlInfo").SerializeToString(),
    ],
)
def test_what_is_no_message_of_flight_sql_is_refused(data: bytes) -> None:
    with pytest.raises(SqeError) as raised:
        unpack(data)
    assert raised.value.code is ErrorCode.INVALID_ARGUMENT


def test_one_message_is_not_another() -> None:
    with pytest.raises(SqeError):
        unpack_as(sql.TicketStatementQuery, pack(sql.CommandGetCatalogs()))


@given(st.binary(max_size=200))
def test_bytes_are_a_message_or_refused(data: bytes) -> None:
    for read in (unpack, lambda raw: parse_as(messages.SetSessionOptionsRequest, raw)):
        try:
            assert isinstance(read(data), Message)
        except SqeError as error:
            assert error.code is ErrorCode.INVALID_ARGUMENT


@pytest.mark.parametrize(
    ("pattern", "fits", "does_not"),
    [
        (None, ["", "a\nb"], []),
        ("t%", ["t", "table", "T1"], ["at"]),
        ("a_c", ["abc", "a_c"], ["ac", "abbc"]),
        (r"a\_c", ["a_c"], ["abc"]),
        (r"100\%", ["100%"], ["100x"]),
        (r"a\\b", [r"a\b"], ["ab"]),
        ("a.b", ["a.b"], ["axb"]),
        ("x\\", ["x\\"], ["x"]),
        ("", [""], ["a"]),
    ],
)
def test_patterns(pattern: str | None, fits: list[str], does_not: list[str]) -> None:
    assert [name for name in fits if not _pattern(pattern).fullmatch(name)] == []
    assert [name for name in does_not if _pattern(pattern).fullmatch(name)] == []
