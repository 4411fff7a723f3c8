"""Cancelling a statement that the server has not begun."""

from __future__ import annotations

import threading
from typing import Any, cast

import pytest

from sqe.client.flight.prepared import Sent
from sqe.client.flight.query import FlightQuery
from sqe.client.flight.transport import FlightTransport
from sqe.errors import ErrorCode, UserError
from sqe.model.query import Parameter


class SlowToPrepare:
    """A server that prepares when it is let, and must not be asked for more."""

    address = "lake:9"

    def __init__(self) -> None:
        self.let = threading.Event()
        self.asked: list[str] = []

    def action(self, kind: str, body: bytes, *, timeout: float | None = None) -> bytes:
        self.asked.append(kind)
        assert self.let.wait(60)
        raise UserError(ErrorCode.SYNTAX_ERROR, "No.")

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"{name} was asked for")


def test_a_statement_that_is_being_prepared_is_cancelled_at_once() -> None:
    server = SlowToPrepare()
    query = FlightQuery(
        cast(FlightTransport, server), Sent("SELECT ?", parameters=(Parameter("int", 1),))
    )
    query.cancel()
    query.cancel()
    with pytest.raises(UserError) as raised:
        query.result()
    assert raised.value.code is ErrorCode.CANCELLED
    assert server.asked in ([], ["CreatePreparedStatement"])
    server.let.set()
