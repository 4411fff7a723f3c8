"""TLS: a server one can trust, and users who are known by their certificate."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import sqe.client
from sqe.auth.configured import authenticators
from sqe.client.connection import Connection
from sqe.http.tls import Tls
from sqe.protocols.flight_sql.options import FlightOptions
from sqe.protocols.flight_sql.server import FlightSqlServer
from sqe.settings.access import AuthSettings, UserSettings
from tests.embedded.client.conftest import PASSWORD, users
from tests.embedded.pipe.lake import Lake
from tests.unit.server.certificates import Authority


@pytest.fixture(scope="module")
def authority() -> Authority:
    return Authority()


@contextmanager
def secured(
    lake: Lake, authority: Authority, auth: AuthSettings, *, clients: bool = False
) -> Iterator[str]:
    pair = authority.server()
    tls = Tls(pair.certificate, pair.key, authority.pem if clients else None)
    options = FlightOptions(port=0, tls=tls, handshake=not clients)
    server = FlightSqlServer(lake.server.gateway, authenticators(auth), options)
    port = server.start()
    try:
        yield f"grpc+tls://localhost:{port}"
    finally:
        server.stop()


def one(connection: Connection) -> list[tuple[int, ...]]:
    with connection:
        return connection.execute("SELECT 1 AS one").fetchall()


def test_a_server_is_trusted_by_its_authority(
    shared_lake: Lake, authority: Authority, tmp_path: Path
) -> None:
    (tmp_path / "ca.pem").write_bytes(authority.pem)
    with secured(shared_lake, authority, users()) as url:
        login: dict[str, Any] = {"user": "ann", "password": PASSWORD}
        assert one(sqe.client.connect(url, tls_ca=tmp_path / "ca.pem", **login)) == [(1,)]
        for wrong in (None, Authority("another").pem):
            with pytest.raises(sqe.client.OperationalError) as raised:
                sqe.client.connect(url, tls_ca=wrong, **login)
            assert raised.value.code == "SERVER_UNAVAILABLE"
            assert "is not trusted" in raised.value.message


def test_a_server_under_another_name_is_not_trusted(
    shared_lake: Lake, authority: Authority
) -> None:
    with secured(shared_lake, authority, users()) as url:
        login: dict[str, Any] = {"user": "ann", "password": PASSWORD}
        with pytest.raises(sqe.client.OperationalError) as raised:
            sqe.client.connect(url, tls_host="lake.example", tls_ca=authority.pem, **login)
        assert raised.value.code == "SERVER_UNAVAILABLE"
        assert "tls_host" in raised.value.hint


def test_a_certificate_says_who_one_is(shared_lake: Lake, authority: Authority) -> None:
    auth = AuthSettings(users={"ann": UserSettings(certificates=("ann@example",))})
    ann = authority.client("ann@example")
    with secured(shared_lake, authority, auth, clients=True) as url:
        ca = authority.pem
        connected = sqe.client.connect(url, tls_ca=ca, tls_cert=ann.certificate, tls_key=ann.key)
        assert one(connected) == [(1,)]
        assert shared_lake.last_record().user == "ann"
        with pytest.raises(sqe.client.OperationalError):
            sqe.client.connect(url, tls_ca=ca)
