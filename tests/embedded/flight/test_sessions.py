"""Which session a call belongs to, and its options."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow.flight as pf
import pytest

from sqe.flight_messages import Flight_pb2 as messages
from sqe.flight_messages import FlightSql_pb2 as sql
from sqe.protocols.flight_sql.wire import pack, unpack_as
from tests.embedded.flight.serving import ENDLESS, Serving, act, command, headers, query
from tests.embedded.pipe.lake import until

ANN = "Basic YW5uOmNvcnJlY3QgaG9yc2U="
BOB = "Basic Ym9iOmJhdHRlcnkgc3RhcGxl"
NAME = "sqe.time_zone"


class Heard(pf.ClientMiddlewareFactory):  # type: ignore[misc]
    """Takes down what headers the server answers with, and sends some itself."""

    def __init__(self, **sent: str) -> None:
        super().__init__()
        self.sent = sent
        self.headers: dict[str, list[str]] = {}

    def start_call(self, info: object) -> pf.ClientMiddleware:
        return _Hearing(self)


class _Hearing(pf.ClientMiddleware):  # type: ignore[misc]
    def __init__(self, heard: Heard) -> None:
        super().__init__()
        self._heard = heard

    def sending_headers(self) -> dict[str, str]:
        return self._heard.sent

    def received_headers(self, received: dict[str, list[str]]) -> None:
        for name in ("authorization", "set-cookie"):
            self._heard.headers.setdefault(name, []).extend(received.get(name, []))


@contextmanager
def heard_by(flight: Serving, heard: Heard) -> Iterator[pf.FlightClient]:
    with pf.connect(flight.address, middleware=[heard]) as client:
        yield client


def set_option(client: pf.FlightClient, name: str, value: str | bool | None) -> dict[str, int]:
    request = messages.SetSessionOptionsRequest()
    option = request.session_options[name]
    if isinstance(value, bool):
        option.bool_value = value
    elif value is not None:
        option.string_value = value
    (answer,) = act(client, "SetSessionOptions", request.SerializeToString())
    errors = messages.SetSessionOptionsResult.FromString(answer).errors
    return {key: error.value for key, error in errors.items()}


def options(client: pf.FlightClient) -> dict[str, str]:
    body = messages.GetSessionOptionsRequest().SerializeToString()
    (answer,) = act(client, "GetSessionOptions", body)
    found = messages.GetSessionOptionsResult.FromString(answer).session_options
    return {name: value.string_value for name, value in found.items()}


def close(client: pf.FlightClient) -> int:
    (answer,) = act(client, "CloseSession", messages.CloseSessionRequest().SerializeToString())
    return messages.CloseSessionResult.FromString(answer).status


def test_options_are_the_sessions_own(flight: Serving) -> None:
    with flight.client() as one, flight.client() as two:
        assert set_option(one, NAME, "Europe/Vienna") == {}
        assert (options(one)[NAME], options(two)[NAME]) == ("Europe/Vienna", "UTC")
        assert set_option(one, NAME, None) == {}
        assert options(one)[NAME] == "UTC"


def test_catalog_and_schema(flight: Serving) -> None:
    with flight.client() as client:
        request = messages.SetSessionOptionsRequest()
        request.session_options["schema"].string_value = "shop"
        request.session_options["catalog"].string_value = "lake"
        act(client, "SetSessionOptions", request.SerializeToString())
        assert (options(client)["catalog"], options(client)["schema"]) == ("lake", "shop")
        info = client.get_flight_info(query("SELECT count(*) AS n FROM numbers"))
        assert client.do_get(info.endpoints[0].ticket).read_all().num_rows == 1


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("sqe.no_such", "x", messages.SetSessionOptionsResult.INVALID_NAME),
        ("spark.sql.ansi.enabled", "false", messages.SetSessionOptionsResult.INVALID_NAME),
        (NAME, "Middle/Earth", messages.SetSessionOptionsResult.INVALID_VALUE),
        (NAME, "UTC'; DROP TABLE shop.axb; --", messages.SetSessionOptionsResult.INVALID_VALUE),
        ("sqe.engine", True, messages.SetSessionOptionsResult.INVALID_VALUE),
        ("catalog", "nowhere", messages.SetSessionOptionsResult.INVALID_VALUE),
        ("catalog", "", messages.SetSessionOptionsResult.INVALID_VALUE),
        ("schema", "no`where; x", messages.SetSessionOptionsResult.INVALID_VALUE),
    ],
)
def test_what_cannot_be_set_is_said(
    flight: Serving, name: str, value: str | bool, error: int
) -> None:
    with flight.client() as client:
        before = options(client)
        assert set_option(client, name, value) == {name: error}
        assert options(client) == before


def test_a_password_is_exchanged_for_a_bearer(flight: Serving) -> None:
    heard = Heard(authorization=ANN)
    with heard_by(flight, heard) as client:
        set_option(client, NAME, "Asia/Tokyo")
        set_option(client, "sqe.engine", "local")
    (bearer,) = heard.headers["authorization"]  # once for the connection, not for each call
    assert bearer.startswith("Bearer ")
    with heard_by(flight, Heard(authorization=bearer)) as another_connection:
        assert options(another_connection)[NAME] == "Asia/Tokyo"
        assert close(another_connection) == messages.CloseSessionResult.CLOSED
        with pytest.raises(pf.FlightUnauthenticatedError, match="SESSION_NOT_FOUND"):
            options(another_connection)


def test_logging_in_by_handshake(flight: Serving) -> None:
    with flight.client() as client:
        name, bearer = client.authenticate_basic_token("ann", "correct horse")
        assert name == b"authorization"
        logged_in = pf.FlightCallOptions(headers=[(name, bearer)])
        client.get_flight_info(query("SELECT 'by handshake' AS a"), logged_in)
        with pytest.raises(pf.FlightUnauthenticatedError, match="AUTHENTICATION_FAILED"):
            client.authenticate_basic_token("ann", "wrong")
    (user,) = [
        r.user for r in flight.server.gateway.records() if r.text == "SELECT 'by handshake' AS a"
    ]
    assert user == "ann"


def test_a_cookie_finds_its_session_on_another_connection(flight: Serving) -> None:
    heard = Heard()
    with heard_by(flight, heard) as client:
        set_option(client, NAME, "Asia/Tokyo")
    (cookie,) = heard.headers["set-cookie"]
    named, *attributes = cookie.split("; ")
    assert named.startswith("arrow_flight_session_id=") and "HttpOnly" in attributes
    with heard_by(flight, Heard(cookie=named)) as client:
        assert options(client)[NAME] == "Asia/Tokyo"


def test_a_cookie_is_no_credential(flight: Serving) -> None:
    heard = Heard(authorization=ANN)
    with heard_by(flight, heard) as client:
        set_option(client, NAME, "Asia/Tokyo")
    named = heard.headers["set-cookie"][0].partition(";")[0]
    for other in (Heard(cookie=named), Heard(cookie=named, authorization=BOB)):
        with heard_by(flight, other) as client:
            assert options(client)[NAME] == "UTC"
    with heard_by(flight, Heard(cookie=named, authorization=ANN)) as client:
        assert options(client)[NAME] == "Asia/Tokyo"


def test_an_unknown_bearer_is_nobody_even_on_this_machine(flight: Serving) -> None:
    for header in ("Bearer made-up", "Basic bm9ib2R5OnB3", "Negotiate x"):
        denied = pytest.raises(pf.FlightUnauthenticatedError, match="AUTHENTICATION_FAILED")
        with heard_by(flight, Heard(authorization=header)) as client, denied:
            options(client)


def test_two_users_on_one_connection_stay_apart(flight: Serving) -> None:
    text = query("SELECT 'whose' AS a")
    with flight.client() as client:
        client.get_flight_info(text, headers(authorization=ANN))
        client.get_flight_info(text, headers(authorization=BOB))
        client.get_flight_info(text)
    users = [r.user for r in flight.server.gateway.records() if r.text == "SELECT 'whose' AS a"]
    assert users[-3:] == ["ann", "bob", "anonymous"]


def test_a_prepared_statement_belongs_to_its_session(flight: Serving) -> None:
    body = pack(sql.ActionCreatePreparedStatementRequest(query="SELECT 1 AS a"))
    with flight.client() as one, flight.client() as two:
        (answer,) = act(one, "CreatePreparedStatement", body)
        made = unpack_as(sql.ActionCreatePreparedStatementResult, answer)
        assert made.is_update is False and made.dataset_schema
        wanted = command(
            sql.CommandPreparedStatementQuery(
                prepared_statement_handle=made.prepared_statement_handle
            )
        )
        assert one.get_flight_info(wanted).schema.names == ["a"]
        with pytest.raises(pf.FlightError, match="QUERY_NOT_FOUND"):
            two.get_flight_info(wanted)
        assert close(one) == messages.CloseSessionResult.CLOSED
        with pytest.raises(pf.FlightError, match="QUERY_NOT_FOUND"):
            one.get_flight_info(wanted)  # in the new session of the same connection


def test_closing_a_session_stops_its_queries(flight: Serving) -> None:
    with flight.client() as client:
        client.get_flight_info(query(ENDLESS))
        assert flight.running() == [ENDLESS]
        close(client)
        assert until(lambda: not flight.running())


def test_what_can_be_done_is_listed(flight: Serving) -> None:
    with flight.client() as client:
        listed = {action.type for action in client.list_actions()}
    assert {"CreatePreparedStatement", "CancelFlightInfo", "CloseSession"} <= listed
