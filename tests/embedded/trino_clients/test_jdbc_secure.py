"""Trino's JDBC driver over TLS, with a password: the only way it sends one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from sqe.auth.hashing import hash_password
from sqe.model.identity import Secret
from sqe.model.password_hash import ScryptCost
from tests.embedded.trino_http.serving import Serving
from tests.flight_clients.jdbc import Jdbc, JdbcError, ask, errors
from tests.unit.server.certificates import Authority

pytestmark = [pytest.mark.java, pytest.mark.timeout(600)]
PASSWORD = "correct horse"


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """Of a server whose certificates are vouched for by ``authority.pem``."""
    authority = Authority()
    pair = authority.server()
    (tmp_path / "authority.pem").write_bytes(authority.pem)
    (tmp_path / "cert.pem").write_bytes(pair.certificate)
    (tmp_path / "key.pem").write_bytes(pair.key)
    password = hash_password(Secret(PASSWORD), ScryptCost(p=1)).write()
    with Serving.start(
        tmp_path,
        auth={"users": {"ann": {"password": password}}},
        tls={"certificate": "cert.pem", "key": "key.pem"},
    ) as serving:
        yield f"trino://localhost:{urlsplit(serving.url).port}/lake"


def test_a_password_lets_one_in_and_the_connection_is_valid(
    trino_jdbc: Jdbc, address: str, tmp_path: Path
) -> None:
    options = _options(tmp_path, PASSWORD) | {"validateConnection": "true"}
    connection = trino_jdbc.open(address, options)
    with errors():
        assert connection.isValid(5) is True
        assert ask(connection, "SELECT 1") == [(1,)]
        connection.close()


def test_a_wrong_password_is_refused(trino_jdbc: Jdbc, address: str, tmp_path: Path) -> None:
    connection = trino_jdbc.open(address, _options(tmp_path, "wrong"))
    with pytest.raises(JdbcError, match="Authentication failed") as refused:
        ask(connection, "SELECT 1")
    assert "wrong" not in str(refused.value)
    with pytest.raises(JdbcError, match="Invalid authentication"):
        trino_jdbc.open(address, _options(tmp_path, "wrong") | {"validateConnection": "true"})


def test_a_server_that_nobody_vouches_for_is_not_talked_to(
    trino_jdbc: Jdbc, address: str, tmp_path: Path
) -> None:
    (tmp_path / "authority.pem").write_bytes(Authority("stranger").pem)
    connection = trino_jdbc.open(address, _options(tmp_path, PASSWORD))
    with pytest.raises(JdbcError, match="certif"):
        ask(connection, "SELECT 1")


def _options(folder: Path, password: str) -> dict[str, object]:
    trusted = folder / "authority.pem"
    return {"user": "ann", "password": password, "SSL": "true", "SSLTrustStorePath": trusted}
