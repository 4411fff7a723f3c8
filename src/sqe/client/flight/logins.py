"""What a server says to those who have nothing to show yet: where they can log in."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pyarrow.flight as flight

from sqe.client.flight.errors import foreign_errors
from sqe.client.flight.options import FlightOptions
from sqe.errors import ErrorCode, UpstreamError

_ACTION = "sqe.Logins"
_ANSWER_S = 15.0


@dataclass(frozen=True, slots=True)
class LoginIssuer:
    issuer: str
    client_id: str
    scopes: tuple[str, ...]


def issuers_of(options: FlightOptions) -> list[LoginIssuer]:
    """The issuers whose users the server knows, with the client for logins from here."""
    call = flight.FlightCallOptions(timeout=_ANSWER_S)
    with foreign_errors(options.address), options.connect() as client:
        results = list(client.do_action(flight.Action(_ACTION, b""), call))
    try:
        document = json.loads(bytes(results[0].body)) if results else {}
        return [_issuer(issuer) for issuer in document.get("issuers", [])]
    except (ValueError, TypeError, KeyError, AttributeError):
        raise UpstreamError(
            ErrorCode.SERVER_UNAVAILABLE, f"{options.address} is no SQE server that knows logins."
        ) from None


def _issuer(said: Any) -> LoginIssuer:
    return LoginIssuer(str(said["issuer"]), str(said["client_id"]), tuple(map(str, said["scopes"])))
