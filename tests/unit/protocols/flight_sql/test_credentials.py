from __future__ import annotations

import base64

import pytest

from sqe.auth.protocol import Bearer, Certificate, Nothing, Password
from sqe.errors import AccessError
from sqe.model.identity import Secret
from sqe.protocols.flight_sql.credentials import (
    CallMiddleware,
    cookie,
    from_this_machine,
    of_connection,
    read_credential,
)


def call(*authorization: str) -> CallMiddleware:
    return CallMiddleware({"authorization": list(authorization)} if authorization else {})


def basic(text: str) -> str:
    return "Basic " + base64.b64encode(text.encode()).decode()


def test_a_call_may_show_nothing() -> None:
    assert read_credential(call()) is None


def test_a_bearer() -> None:
    assert read_credential(call("Bearer abc")) == Bearer(Secret("abc"))
    assert read_credential(call("bearer   abc")) == Bearer(Secret("abc"))


def test_a_password_may_have_colons_and_may_be_empty() -> None:
    assert read_credential(call(basic("ann:a:b"))) == Password("ann", Secret("a:b"))
    assert read_credential(call(basic("ann:"))) == Password("ann", Secret(""))
    assert read_credential(call(basic("ann:pw").rstrip("="))) == Password("ann", Secret("pw"))


@pytest.mark.parametrize(
    "header",
    [
        "",
        "Bearer",
        "Bearer ",
        "Negotiate abc",
        "Basic ???",
        "Basic " + "A" * 20_000,
        basic("ann"),
        basic(":pw"),
        "Basic " + base64.b64encode(b"\xff\xfe:x").decode(),
    ],
)
def test_what_is_not_understood_is_denied(header: str) -> None:
    with pytest.raises(AccessError):
        read_credential(call(header))


def test_two_credentials_are_none() -> None:
    with pytest.raises(AccessError):
        read_credential(call("Bearer a", "Bearer b"))


@pytest.mark.parametrize(
    ("peer", "here"),
    [
        ("ipv4:127.0.0.1:50123", True),
        ("ipv6:[::1]:50123", True),
        ("ipv6:%5B::1%5D:50123", True),
        ("ipv6:%5B::ffff:127.0.0.1%5D:50123", True),
        ("ipv4:10.0.0.7:50123", False),
        ("ipv6:%5B2001:db8::1%5D:50123", False),
        ("ipv4:127.0.0.1.example:1", False),
        ("unix:/tmp/socket", False),
        ("ipv4:", False),
        ("", False),
    ],
)
def test_who_calls_from_this_machine(peer: str, here: bool) -> None:
    assert from_this_machine(peer) is here
    assert of_connection(peer, "") == Nothing(loopback=here)


def test_a_certificate_counts_before_the_address() -> None:
    assert of_connection("ipv4:127.0.0.1:1", "CN-of-ann") == Certificate("CN-of-ann")


def test_cookies() -> None:
    assert cookie(CallMiddleware({})) == ""
    assert cookie(CallMiddleware({"cookie": ["a=b; arrow_flight_session_id=xyz"]})) == "xyz"
    assert cookie(CallMiddleware({"cookie": ["a=b", 'arrow_flight_session_id="x y"']})) == "x y"
    assert cookie(CallMiddleware({"cookie": ["\x00=;=;"]})) == ""


def test_a_call_ends_once_and_one_failing_end_does_not_stop_the_next() -> None:
    ended: list[str] = []
    mine = call()
    mine.at_end(lambda: 1 / 0)  # type: ignore[arg-type]
    mine.at_end(lambda: ended.append("yes"))
    mine.call_completed(None)
    mine.call_completed(None)
    assert ended == ["yes"]
