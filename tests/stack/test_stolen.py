"""What names somebody's result or session is worth nothing to anybody else: tickets and cookies of
Flight SQL, addresses of Trino's protocol."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow.flight as flight
import pytest
from google.protobuf.any_pb2 import Any as Message

from sqe.flight_messages import FlightSql_pb2 as messages
from tests.stack.logging_in import ASK, IN_THE_CLEAR, AnotherSqe
from tests.stack.serving import Serving


@pytest.fixture
def serving(another_sqe: AnotherSqe) -> Iterator[Serving]:
    with another_sqe(trino=IN_THE_CLEAR) as found:
        yield found


def shows(token: str, **more: str) -> flight.FlightCallOptions:
    headers = {"authorization": f"Bearer {token}", **more}
    pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
    return flight.FlightCallOptions(headers=pairs)


def asked(text: str) -> flight.FlightDescriptor:
    message = Message()
    message.Pack(messages.CommandStatementQuery(query=text))
    return flight.FlightDescriptor.for_command(message.SerializeToString())


def test_a_ticket(serving: Serving, token: Callable[..., str]) -> None:
    alice, bob = token("alice"), token("bob")
    with flight.connect(serving.flight) as client:
        info = client.get_flight_info(asked(ASK), shows(alice))
        ticket = info.endpoints[0].ticket
        made_up = flight.Ticket(ticket.ticket[:-4] + b"xxxx")
        for one in (ticket, made_up):
            with pytest.raises(flight.FlightError, match="QUERY_NOT_FOUND: The ticket or handle"):
                client.do_get(one, shows(bob)).read_all()
        with pytest.raises(flight.FlightUnauthenticatedError, match="credential was not accepted"):
            client.do_get(ticket, flight.FlightCallOptions()).read_all()
        assert client.do_get(ticket, shows(alice)).read_all().num_rows > 0


def test_a_cookie(serving: Serving, token: Callable[..., str]) -> None:
    """Bob shows Alice's cookie with his own token, and is Bob."""
    kept = Cookies()
    with flight.connect(serving.flight, middleware=[kept]) as client:
        client.get_flight_info(asked(ASK), shows(token("alice")))
    assert kept.cookie
    with flight.connect(serving.flight) as client:
        client.get_flight_info(asked(ASK), shows(token("bob"), cookie=kept.cookie))
    records = sorted(serving.server.gateway.records(), key=lambda record: record.created)
    assert [record.user for record in records] == ["alice", "bob"]
    assert records[0].session_id != records[1].session_id


class Cookies(flight.ClientMiddlewareFactory):  # type: ignore[misc]
    """Takes the cookie down that the server gives."""

    def __init__(self) -> None:
        super().__init__()
        self.cookie = ""

    def start_call(self, info: Any) -> Any:
        factory = self

        class One(flight.ClientMiddleware):  # type: ignore[misc]
            def received_headers(self, headers: dict[str, list[str]]) -> None:
                for value in headers.get("set-cookie", []):
                    factory.cookie = value.partition(";")[0]

        return One()


def test_an_address_of_a_result(serving: Serving, token: Callable[..., str]) -> None:
    alice, bob = token("alice"), token("bob")
    status, page = called(f"{serving.trino}/v1/statement", "alice", alice, ASK.encode())
    assert status == 200
    following = page["nextUri"]
    assert called(following, "bob", bob)[0] == 404
    assert called(following, "alice", bob)[0] == 403
    assert called(following, "alice", "")[0] == 401
    assert called(following, "alice", alice)[0] == 200


def called(url: str, user: str, token: str, body: bytes | None = None) -> tuple[int, Any]:
    headers = {"x-trino-user": user}
    if token:
        headers["authorization"] = f"Bearer {token}"
    try:
        with urllib.request.urlopen(urllib.request.Request(url, body, headers)) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()
