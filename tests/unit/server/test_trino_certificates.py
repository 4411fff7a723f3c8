"""TLS certificates of clients over Trino's protocol, as Flight SQL has them in ``test_front``."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest

from sqe.auth.hashing import hash_token, new_token
from sqe.server.build import Server, build
from sqe.settings import Settings
from tests.unit.server.certificates import Authority, Pair

TOKEN = new_token()
ANN = {"authorization": f"Bearer {TOKEN.reveal()}"}
UNAUTHORIZED = 401


@dataclass(frozen=True)
class Lake:
    server: Server
    url: str
    folder: Path
    clients: Authority

    def user(self, pair: Pair | None, headers: dict[str, str] | None = None) -> str:
        """Whom a statement ran as; empty if it was refused."""
        context = ssl.create_default_context(cafile=self.folder / "ca.pem")
        if pair is not None:
            shown = self.folder / "shown.pem"
            shown.write_bytes(pair.certificate + pair.key)
            context.load_cert_chain(shown)
        answer = httpx2.post(
            f"{self.url}/v1/statement", content=b"SELECT 1", headers=headers, verify=context
        )
        if answer.status_code == UNAUTHORIZED:
            return ""
        assert answer.is_success, answer.text
        return self.server.gateway.records()[-1].user


@pytest.fixture
def lake(tmp_path: Path) -> Iterator[Lake]:
    authority, clients = Authority(), Authority("clients")
    pair = authority.server()
    for name, content in {
        "ca": authority.pem,
        "clients": clients.pem,
        "cert": pair.certificate,
        "key": pair.key,
    }.items():
        (tmp_path / f"{name}.pem").write_bytes(content)
    tls = {"certificate": "cert.pem", "key": "key.pem", "client_authorities": "clients.pem"}
    users = {
        "ann": {"tokens": [f"sha256:{hash_token(TOKEN).hex()}"]},
        "loader": {"certificates": ["loader.example.com"]},
    }
    given = {
        "home": tmp_path,
        "trino": {"port": 0},
        "tls": tls,
        "auth": {"certificate_pattern": r"(\w+)@example\.com", "users": users},
    }
    server = build(Settings.model_validate(given))
    try:
        yield Lake(server, server.listen_trino(), tmp_path, clients)
    finally:
        server.close()


def test_a_certificate_stands_for_its_user(lake: Lake) -> None:
    assert lake.user(lake.clients.client("somebody", "sue@example.com")) == "sue"
    assert lake.user(lake.clients.client("bob@example.com")) == "bob"
    assert lake.user(lake.clients.client("loader.example.com")) == "loader"


def test_a_header_goes_before_the_certificate(lake: Lake) -> None:
    sue = lake.clients.client("somebody", "sue@example.com")
    assert lake.user(sue, ANN) == "ann"
    assert lake.user(sue, {"authorization": "Bearer wrong"}) == ""


def test_a_certificate_that_fits_nobody_is_refused(lake: Lake) -> None:
    assert lake.user(lake.clients.client("sue")) == ""
    assert lake.user(lake.clients.client("sue@example.com.evil")) == ""


def test_without_a_certificate_that_is_vouched_for_there_is_no_connection(lake: Lake) -> None:
    for stranger in (None, Authority().client("sue@example.com")):
        with pytest.raises((httpx2.TransportError, ssl.SSLError)):
            lake.user(stranger, ANN)
