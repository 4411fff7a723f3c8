from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import sqe.client
from sqe.client.flight.headers import Kept
from sqe.client.flight.options import FlightOptions
from sqe.errors import ErrorCode, UserError
from sqe.model.identity import Secret


def test_a_url_says_where_and_whether_by_tls() -> None:
    assert FlightOptions.of("grpc://lake:9", {}).location == "grpc+tcp://lake:9"
    assert FlightOptions.of("grpc+tls://lake", {}).location == "grpc+tls://lake:32010"
    assert FlightOptions.of("grpc://[::1]:9/", {}).location == "grpc+tcp://[::1]:9"


def test_tls_material_is_read_from_files(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_bytes(b"PEM")
    options = FlightOptions.of("grpc+tls://lake", {"tls_ca": tmp_path / "ca.pem"})
    assert options.tls_ca == b"PEM"
    assert "PEM" not in repr(options)


@pytest.mark.parametrize(
    ("url", "given"),
    [
        ("http://lake:9", {}),
        ("grpc://", {}),
        ("grpc://lake:no", {}),
        ("grpc://lake:9/catalog", {}),
        ("grpc://lake:9?token=x", {}),
        ("grpc://ann:secret@lake:9", {}),
        ("grpc+tls://lake", {"user": "ann"}),
        ("grpc+tls://lake", {"password": "secret"}),
        ("grpc+tls://lake", {"user": "ann", "password": "secret", "token": "secret"}),
        ("grpc+tls://lake", {"tls_cert": b"PEM"}),
        ("grpc+tls://lake", {"tls_ca": "/nowhere/ca.pem"}),
        ("grpc+tls://lake", {"passwort": "secret"}),
        ("grpc://localhost", {"tls_ca": b"PEM"}),
        ("grpc://lake:9", {"user": "ann", "password": "secret"}),
        ("grpc://lake:9", {"token": "secret"}),
    ],
)
def test_what_does_not_fit_is_said_without_secrets(url: str, given: dict[str, Any]) -> None:
    with pytest.raises(UserError) as raised:
        FlightOptions.of(url, given)
    assert raised.value.code is ErrorCode.INVALID_ARGUMENT
    assert "secret" not in str(raised.value)


def test_a_credential_may_go_unencrypted_where_somebody_says_so() -> None:
    here = FlightOptions.of("grpc://127.0.0.1:9", {"user": "ann", "password": "secret"})
    there = FlightOptions.of("grpc://lake:9", {"token": "secret", "plaintext": True})
    assert here.password == there.token == Secret("secret")
    assert "secret" not in repr(here) + repr(there)


def test_a_home_takes_no_credential(tmp_path: Path) -> None:
    with pytest.raises(sqe.client.ProgrammingError) as raised:
        sqe.client.connect(tmp_path, user="ann", password="secret")
    assert "password, user" in str(raised.value)
    assert "grpc+tls://" in raised.value.hint


def test_what_a_server_gives_is_shown_to_it_again() -> None:
    options = FlightOptions.of("grpc+tls://lake", {"user": "ann", "password": "sésame"})
    kept = Kept(options.credential)
    assert kept.headers() == {"authorization": "Basic YW5uOnPDqXNhbWU="}
    kept.receive({"authorization": ["Bearer second"], "set-cookie": ["a=1; Path=/", "b=2"]})
    assert kept.headers() == {"authorization": "Bearer second", "cookie": "a=1; b=2"}
    kept.receive({"Set-Cookie": ["a=; Max-Age=0"], "authorization": ["Basic x"], "x-bin": [b"\0"]})
    assert kept.headers() == {"authorization": "Bearer second", "cookie": "b=2"}
