"""Ways to log in to an SQE server on the stack, and what a user sees who may not."""

from __future__ import annotations

import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pytest

import sqe.client
from dev.stack.people import SQE, Client
from tests.stack.serving import Serving

ASK = "SHOW CATALOGS"  # which needs neither a catalog nor an engine
NO = "The credential was not accepted."
OVER = "Your login has expired and could not be renewed."
AnotherSqe = Callable[..., AbstractContextManager[Serving]]
IN_THE_CLEAR = {"allow_plain_http_credentials": True}  # [trino], on this machine


def at_keycloak(issuer: str, client: Client = SQE, **changes: Any) -> dict[str, Any]:
    """[auth.oidc.<name>]"""
    return {
        "issuer": issuer,
        "client_id": client.name,
        "client_secret": client.secret,
        "audience": [SQE.name],
        **changes,
    }


def connected(serving: Serving, **credential: Any) -> sqe.client.Connection:
    return sqe.client.connect(serving.flight, **credential)


def who(serving: Serving, connection: sqe.client.Connection) -> str:
    """As whom the server runs what comes through this connection."""
    connection.execute(ASK).fetchall()
    return max(serving.server.gateway.records(), key=lambda record: record.created).user


def refused(serving: Serving, **credential: Any) -> sqe.client.Error:
    """What the user of a driver sees."""
    with pytest.raises(sqe.client.Error) as raised, connected(serving, **credential) as connection:
        connection.execute(ASK).fetchall()
    return raised.value


def refused_by_trino(serving: Serving, authorization: str, user: str) -> tuple[int, str]:
    """Status and text of what a Trino client gets."""
    headers = {"authorization": authorization, "x-trino-user": user}
    request = urllib.request.Request(f"{serving.trino}/v1/statement", ASK.encode(), headers)
    with pytest.raises(urllib.error.HTTPError) as raised:
        urllib.request.urlopen(request, timeout=60)
    with raised.value as answer:
        return answer.code, answer.read().decode()
