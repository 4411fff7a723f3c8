"""Results on their way: tickets, cancelling, clients that leave and clients that never read."""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import adbc_driver_manager
import grpc
import pyarrow as pa
import pyarrow.flight as pf
import pytest

from sqe.flight_messages import Flight_pb2 as messages
from sqe.flight_messages import FlightSql_pb2 as sql
from sqe.protocols.flight_sql.wire import pack
from tests.embedded.flight.serving import (
    ENDLESS,
    ROWS,
    Serving,
    act,
    as_message,
    ask,
    command,
    headers,
    query,
)
from tests.embedded.pipe.lake import query_threads, until


def cancel(client: pf.FlightClient, info: messages.FlightInfo, options: Any = None) -> int:
    body = messages.CancelFlightInfoRequest(info=info).SerializeToString()
    (answer,) = act(client, "CancelFlightInfo", body, options)
    return messages.CancelFlightInfoResult.FromString(answer).status


def nothing_runs(flight: Serving) -> bool:
    return until(lambda: not flight.running() and not query_threads(), 30)


def test_a_result_is_read_once(flight: Serving) -> None:
    with flight.client() as client:
        info = client.get_flight_info(query("SELECT 1 AS a"))
        (endpoint,) = info.endpoints
        assert (endpoint.locations, info.total_records) == ([], -1)
        assert client.do_get(endpoint.ticket).read_all().to_pylist() == [{"a": 1}]
        with pytest.raises(pf.FlightError, match="QUERY_NOT_FOUND"):
            client.do_get(endpoint.ticket).read_all()


def test_a_question_about_metadata_may_be_read_again(flight: Serving) -> None:
    with flight.client() as client:
        info = client.get_flight_info(command(sql.CommandGetDbSchemas()))
        reads = [client.do_get(info.endpoints[0].ticket).read_all() for _ in range(2)]
    assert reads[0].equals(reads[1])
    assert reads[0].schema.equals(info.schema)
    assert {"catalog_name": "lake", "db_schema_name": "shop"} in reads[0].to_pylist()


def test_anothers_ticket_is_refused_like_an_unknown_one(flight: Serving) -> None:
    ann = headers(authorization="Basic YW5uOmNvcnJlY3QgaG9yc2U=")
    with flight.client() as client:
        info = client.get_flight_info(query("SELECT 'for ann' AS a"), ann)
        ticket = info.endpoints[0].ticket
        unknown = pf.Ticket(pack(sql.TicketStatementQuery(statement_handle=b"?" * 32)))
        texts = set()
        for tried in (ticket, unknown):
            with pytest.raises(pf.FlightError) as raised:
                client.do_get(tried).read_all()
            texts.add(str(raised.value))
        assert len(texts) == 1
        with pytest.raises(pf.FlightError, match="QUERY_NOT_FOUND"):
            cancel(client, as_message(info))
        assert client.do_get(ticket, ann).read_all().to_pylist() == [{"a": "for ann"}]


def test_the_engine_waits_for_a_slow_reader(flight: Serving) -> None:
    with flight.client() as client:
        reader = client.do_get(client.get_flight_info(query(ENDLESS)).endpoints[0].ticket)
        for _ in range(3):
            assert reader.read_chunk().data.num_rows > 0
        assert len(flight.running()) == 1
        before = pa.total_allocated_bytes()
        assert not until(lambda: pa.total_allocated_bytes() - before > 500_000_000, 1)
        reader.cancel()
    assert nothing_runs(flight)


def test_cancelling_stops_a_query_that_nobody_reads_yet(flight: Serving) -> None:
    with flight.client() as client:
        info = as_message(client.get_flight_info(query(ENDLESS)))
        assert flight.running() == [ENDLESS]
        assert cancel(client, info) == messages.CANCEL_STATUS_CANCELLED
        assert nothing_runs(flight)
        with pytest.raises(pf.FlightError, match="QUERY_NOT_FOUND"):
            cancel(client, info)


def test_cancelling_tells_the_reader(flight: Serving) -> None:
    with flight.client() as client:
        info = client.get_flight_info(query(ENDLESS))
        reader = client.do_get(info.endpoints[0].ticket)
        reader.read_chunk()
        serialized = pack(sql.ActionCancelQueryRequest(info=info.serialize()))
        assert len(act(client, "CancelQuery", serialized)) == 1
        with pytest.raises(pf.FlightCancelledError, match="CANCELLED"):
            while True:  # pyarrow's read_all would make a KeyboardInterrupt of it
                reader.read_chunk()
    assert nothing_runs(flight)


def test_a_driver_cancels(flight: Serving) -> None:
    with flight.connect() as connection, connection.cursor() as cursor:
        cursor.execute(ENDLESS)
        assert cursor.fetchone() is not None
        cursor.adbc_cancel()
        with pytest.raises(adbc_driver_manager.Error):
            cursor.fetchall()
    assert nothing_runs(flight)


def test_a_tag_finds_the_query_and_cancels_it(flight: Serving) -> None:
    tag = secrets.token_hex(16)
    with flight.client() as client:
        tagged = headers(x_sqe_query_tag=tag)
        info = client.get_flight_info(query(ENDLESS), tagged)
        (answer,) = act(client, "sqe.QueryStatus", tag.encode())
        status = json.loads(answer)
        assert (status["state"], status["engine"]) == ("running", "local")
        assert status["query_id"] == info.app_metadata.decode()
        with flight.client() as other, pytest.raises(pf.FlightError, match="QUERY_NOT_FOUND"):
            act(other, "sqe.QueryStatus", tag.encode())
        by_tag = messages.FlightInfo(app_metadata=tag.encode())
        assert cancel(client, by_tag) == messages.CANCEL_STATUS_CANCELLED
    assert nothing_runs(flight)


def test_a_client_that_hangs_up_while_reading(flight: Serving) -> None:
    program = (
        "import os, sys, pyarrow.flight as pf\n"
        "client = pf.connect(sys.argv[1])\n"
        "command = pf.FlightDescriptor.for_command(bytes.fromhex(sys.argv[2]))\n"
        "info = client.get_flight_info(command)\n"
        "client.do_get(info.endpoints[0].ticket).read_chunk()\n"
        "print('reading', flush=True)\n"
        "sys.stdin.read()\n"
    )
    wanted = pack(sql.CommandStatementQuery(query=ENDLESS)).hex()
    with subprocess.Popen(
        [sys.executable, "-c", program, flight.address, wanted],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"reading\n"
        assert len(flight.running()) == 1
        os.kill(process.pid, signal.SIGKILL)
    assert nothing_runs(flight)


def test_a_client_that_gives_up_waiting_for_an_answer(flight: Serving) -> None:
    """It has no ticket yet; its query must not go on for nobody."""
    never = f"SELECT count(*) FROM ({ENDLESS})"
    with flight.channel() as channel:
        get = channel.unary_unary(
            "/arrow.flight.protocol.FlightService/GetFlightInfo",
            request_serializer=messages.FlightDescriptor.SerializeToString,
            response_deserializer=messages.FlightInfo.FromString,
        )
        descriptor = messages.FlightDescriptor(
            type=messages.FlightDescriptor.CMD, cmd=pack(sql.CommandStatementQuery(query=never))
        )
        call = get.future(descriptor)
        assert until(lambda: flight.running() == [never])
        call.cancel()
        with pytest.raises(grpc.FutureCancelledError):
            call.result()
        assert nothing_runs(flight)


def test_who_never_reads_is_cancelled_when_the_ticket_expires(flight_home: Path) -> None:
    chosen = {"port": 0, "ticket_s": 0.5}
    with Serving.start(flight_home, flight=chosen) as impatient, impatient.client() as client:
        info = client.get_flight_info(query(ENDLESS))
        assert nothing_runs(impatient)
        with pytest.raises(pf.FlightError, match="QUERY_NOT_FOUND"):
            client.do_get(info.endpoints[0].ticket).read_all()


def test_renewing_keeps_a_result(flight_home: Path) -> None:
    chosen = {"port": 0, "ticket_s": 2.0}
    with Serving.start(flight_home, flight=chosen) as impatient, impatient.client() as client:
        kept = client.get_flight_info(query("SELECT 'kept' AS a"))
        left = client.get_flight_info(query(ENDLESS))
        body = messages.RenewFlightEndpointRequest(
            endpoint=messages.FlightEndpoint.FromString(kept.endpoints[0].serialize())
        ).SerializeToString()
        ends = []
        while impatient.running():
            (answer,) = act(client, "RenewFlightEndpoint", body)
            renewed = messages.FlightEndpoint.FromString(answer)
            ends.append(renewed.expiration_time.ToNanoseconds())
            threading.Event().wait(0.1)
        assert ends == sorted(ends)
        assert client.do_get(kept.endpoints[0].ticket).read_all().to_pylist() == [{"a": "kept"}]
        with pytest.raises(pf.FlightError, match="QUERY_NOT_FOUND"):
            client.do_get(left.endpoints[0].ticket).read_all()


@pytest.mark.parametrize("compression", ["none", "lz4", "zstd"])
def test_messages_are_small_enough_and_compressed_by_choice(
    flight_home: Path, compression: str
) -> None:
    chosen = {"port": 0, "max_message_mb": 1, "compression": compression}
    with Serving.start(flight_home, flight=chosen) as small, small.channel() as channel:
        get = channel.unary_unary(
            "/arrow.flight.protocol.FlightService/GetFlightInfo",
            request_serializer=messages.FlightDescriptor.SerializeToString,
            response_deserializer=messages.FlightInfo.FromString,
        )
        read = channel.unary_stream(
            "/arrow.flight.protocol.FlightService/DoGet",
            request_serializer=messages.Ticket.SerializeToString,
            response_deserializer=messages.FlightData.FromString,
        )
        text = "SELECT n, t, t AS u, t AS v, t AS w FROM shop.numbers"
        descriptor = messages.FlightDescriptor(
            type=messages.FlightDescriptor.CMD, cmd=pack(sql.CommandStatementQuery(query=text))
        )
        sizes = [part.ByteSize() for part in read(get(descriptor).endpoint[0].ticket)]
    assert max(sizes) < 1_100_000
    plain = ROWS * 8 + 4 * ROWS * 9
    assert (sum(sizes) > plain) == (compression == "none")


def test_polling_is_not_served(flight: Serving) -> None:
    """pyarrow's server has no way to answer PollFlightInfo; clients get a clear UNIMPLEMENTED."""
    with flight.channel() as channel:
        poll = channel.unary_unary(
            "/arrow.flight.protocol.FlightService/PollFlightInfo",
            request_serializer=messages.FlightDescriptor.SerializeToString,
            response_deserializer=messages.PollInfo.FromString,
        )
        descriptor = messages.FlightDescriptor(
            type=messages.FlightDescriptor.CMD,
            cmd=pack(sql.CommandStatementQuery(query="SELECT 1")),
        )
        with pytest.raises(grpc.RpcError) as raised:
            poll(descriptor)
    assert raised.value.code() is grpc.StatusCode.UNIMPLEMENTED


def test_several_results_at_once_on_one_connection(flight: Serving) -> None:
    with flight.connect() as connection:
        cursors = [connection.cursor() for _ in range(5)]
        for number, cursor in enumerate(cursors):
            cursor.execute(f"SELECT n + {number} FROM shop.numbers WHERE n < 1000 ORDER BY n")
        for number, cursor in reversed(list(enumerate(cursors))):
            assert cursor.fetchall() == [(n + number,) for n in range(1000)]
            cursor.close()
        assert ask(connection, "SELECT 1") == [(1,)]
