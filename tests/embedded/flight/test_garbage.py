"""Messages that no driver sends: refused with a status, and the server is as before."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import grpc
import pyarrow as pa
import pyarrow.flight as pf
import pytest
from google.protobuf.message import Message
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sqe.flight_messages import Flight_pb2 as messages
from sqe.flight_messages import FlightSql_pb2 as sql
from sqe.protocols.flight_sql.wire import pack, unpack_as
from tests.embedded.flight.serving import Serving, act, command, query
from tests.embedded.pipe.lake import until

_SERVICE = "/arrow.flight.protocol.FlightService/"
_ANSWERS: dict[str, type[Message]] = {
    "GetFlightInfo": messages.FlightInfo,
    "GetSchema": messages.SchemaResult,
    "DoGet": messages.FlightData,
    "DoAction": messages.Result,
    "DoPut": messages.PutResult,
}
# Whole and in order: what the mutations start from.
CORPUS: list[bytes] = [
    pack(message)
    for message in (
        sql.CommandStatementQuery(query="SELECT 1 AS a"),
        sql.CommandStatementQuery(query="SELECT 1", transaction_id=b"none"),
        sql.CommandStatementUpdate(query="RESET SESSION sqe.engine"),
        sql.CommandPreparedStatementQuery(prepared_statement_handle=b"x" * 32),
        sql.CommandPreparedStatementUpdate(prepared_statement_handle=b""),
        sql.CommandStatementSubstraitPlan(plan=sql.SubstraitPlan(plan=b"x", version="1")),
        sql.CommandStatementIngest(table="t", temporary=True),
        sql.CommandGetSqlInfo(info=[0, 1, 2, 4_000_000_000]),
        sql.CommandGetXdbcTypeInfo(data_type=-2_000_000_000),
        sql.CommandGetCatalogs(),
        sql.CommandGetDbSchemas(catalog="lake", db_schema_filter_pattern="s%"),
        sql.CommandGetTables(
            db_schema_filter_pattern="shop", table_types=["TABLE"], include_schema=True
        ),
        sql.CommandGetPrimaryKeys(table="numbers"),
        sql.CommandGetCrossReference(pk_table="a", fk_table="b"),
        sql.TicketStatementQuery(statement_handle=b"y" * 32),
        sql.ActionCreatePreparedStatementRequest(query="SELECT 1"),
        sql.ActionClosePreparedStatementRequest(prepared_statement_handle=b"z"),
        sql.ActionEndTransactionRequest(transaction_id=b"none"),
        sql.ActionCancelQueryRequest(info=b"\x0a\x00"),
    )
] + [
    message.SerializeToString()
    for message in (
        messages.CancelFlightInfoRequest(info=messages.FlightInfo(app_metadata=b"x")),
        messages.RenewFlightEndpointRequest(),
        messages.SetSessionOptionsRequest(session_options={"a": messages.SessionOptionValue()}),
        messages.GetSessionOptionsRequest(),
    )
]
ACTIONS = (
    "CreatePreparedStatement",
    "ClosePreparedStatement",
    "BeginTransaction",
    "EndTransaction",
    "CancelFlightInfo",
    "CancelQuery",
    "RenewFlightEndpoint",
    "SetSessionOptions",
    "GetSessionOptions",
    "CloseSession",
    "BeginSavepoint",
    "CreatePreparedSubstraitPlan",
    "sqe.QueryStatus",
    "",
)


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """A message of the corpus with bytes changed, cut, doubled, or with another spliced in."""
    data = bytearray(draw(st.sampled_from(CORPUS)))
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, max(0, len(data) - 1)))
        match draw(st.integers(0, 4)):
            case 0 if data:
                data[at] = draw(st.integers(0, 255))
            case 1:
                del data[at:]
            case 2:
                data[at:at] = draw(st.binary(max_size=8))
            case 3:
                data[at:at] = draw(st.sampled_from(CORPUS))
            case _:
                data += data[at:]
    return bytes(data[:4_000])


class Raw:
    """Calls that say what they like."""

    def __init__(self, channel: grpc.Channel) -> None:
        self._channel = channel

    def call(self, method: str, request: Message) -> grpc.StatusCode:
        streamed = method == "DoPut"
        make: Callable[..., Callable[..., Iterator[Message]]] = (
            self._channel.stream_stream if streamed else self._channel.unary_stream
        )
        ask = make(
            _SERVICE + method,
            request_serializer=lambda message: message.SerializeToString(),
            response_deserializer=_ANSWERS[method].FromString,
        )
        try:
            for _ in ask(iter([request]) if streamed else request, timeout=60):
                pass
        except grpc.RpcError as error:
            if error.details() == "Invalid flatbuffers message.":
                return (
                    grpc.StatusCode.INVALID_ARGUMENT
                )  # pyarrow's own refusal, before we are asked
            return error.code()
        return grpc.StatusCode.OK


def requests(data: bytes, action: str) -> list[tuple[str, Message]]:
    descriptor = messages.FlightDescriptor(type=messages.FlightDescriptor.CMD, cmd=data)
    return [
        ("GetFlightInfo", descriptor),
        ("GetSchema", descriptor),
        ("DoGet", messages.Ticket(ticket=data)),
        ("DoAction", messages.Action(type=action, body=data)),
        ("DoPut", messages.FlightData(flight_descriptor=descriptor)),
        ("DoPut", messages.FlightData(flight_descriptor=descriptor, data_header=data)),
    ]


@pytest.fixture(scope="module")
def raw(shared_flight: Serving) -> Iterator[Raw]:
    with shared_flight.client() as client:
        client.get_schema(query("SELECT 1"))  # the first text makes SQE ready to read deep ones
    with shared_flight.channel() as channel:
        yield Raw(channel)


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=mutated(), action=st.sampled_from(ACTIONS))
def test_no_message_is_an_internal_error(
    raw: Raw, caplog: pytest.LogCaptureFixture, data: bytes, action: str
) -> None:
    with caplog.at_level(logging.ERROR, "sqe"):
        for method, request in requests(data, action):
            code = raw.call(method, request)
            assert code not in (
                grpc.StatusCode.INTERNAL,
                grpc.StatusCode.UNKNOWN,
                grpc.StatusCode.DEADLINE_EXCEEDED,
            ), (method, data)
    assert caplog.records == []


def test_what_was_left_behind_by_them_is_nothing(flight: Serving) -> None:
    def threads() -> list[str]:
        return [t.name for t in threading.enumerate() if t.name.startswith("query-")]

    with flight.client() as client:
        for data in CORPUS:
            with pytest.raises((pa.ArrowException, pf.FlightError)):
                act(client, "no such action", data)
        info = client.get_flight_info(query("SELECT 1 AS a"))
        assert client.do_get(info.endpoints[0].ticket).read_all().to_pylist() == [{"a": 1}]
        act(client, "CloseSession", messages.CloseSessionRequest().SerializeToString())
    assert until(lambda: not threads())


def test_a_path_is_no_command(flight: Serving) -> None:
    with flight.client() as client, pytest.raises(pa.ArrowException, match="INVALID_ARGUMENT"):
        client.get_flight_info(pf.FlightDescriptor.for_path("a", "b"))


def test_nobody_lists_flights_or_exchanges(flight: Serving) -> None:
    with flight.client() as client:
        assert list(client.list_flights()) == []
        wanted = command(sql.CommandGetCatalogs())
        writer, reader = client.do_exchange(wanted)
        with pytest.raises(pa.ArrowException, match="NOT_SUPPORTED"):
            writer.done_writing()
            reader.read_chunk()


def test_batches_that_do_not_fit_are_refused(flight: Serving) -> None:
    """A binding that ends in the middle of a batch binds nothing."""
    body = pack(sql.ActionCreatePreparedStatementRequest(query="SELECT n FROM shop.numbers"))
    with flight.client() as client:
        (answer,) = act(client, "CreatePreparedStatement", body)
        assert answer
        ticket = command(sql.CommandPreparedStatementQuery(prepared_statement_handle=b"none"))
        with pytest.raises(pa.ArrowException, match="QUERY_NOT_FOUND"):
            writer, _ = client.do_put(ticket, pa.schema([("a", pa.int64())]))
            writer.write_batch(pa.record_batch({"a": pa.array([1], pa.int64())}))
            writer.close()


def test_a_message_that_is_too_large_is_refused(flight_home: Path) -> None:
    chosen = {"port": 0, "max_received_mb": 1}
    with Serving.start(flight_home, flight=chosen) as small, small.client() as client:
        text = "SELECT '" + "x" * 1_100_000 + "'"
        with pytest.raises(pa.ArrowException, match="MESSAGE_TOO_LARGE"):
            client.get_flight_info(query(text))
        prepare = pack(sql.ActionCreatePreparedStatementRequest(query=text))
        with pytest.raises(pa.ArrowException, match="MESSAGE_TOO_LARGE"):
            act(client, "CreatePreparedStatement", prepare)
        body = pack(
            sql.ActionCreatePreparedStatementRequest(query="SELECT n FROM shop.numbers WHERE t = ?")
        )
        (answer,) = act(client, "CreatePreparedStatement", body)
        made = unpack_as(sql.ActionCreatePreparedStatementResult, answer)
        handle = made.prepared_statement_handle
        wanted = command(sql.CommandPreparedStatementQuery(prepared_statement_handle=handle))
        batch = pa.record_batch({"p": ["x" * 1_100_000]})
        with pytest.raises(pa.ArrowException, match="MESSAGE_TOO_LARGE"):
            writer, _ = client.do_put(wanted, batch.schema)
            writer.write_batch(batch)
            writer.close()
