"""A server that others can reach needs users and TLS, or does not start."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sqe.auth.hashing import hash_token, new_token
from sqe.errors import ErrorCode, UserError
from sqe.server.listening import check_listening
from sqe.settings import Settings

USERS = {"users": {"ann": {"tokens": [f"sha256:{hash_token(new_token()).hex()}"]}}}
TLS = {"certificate": "cert.pem", "key": "key.pem"}
ALL = "0.0.0.0"


def settings(tmp_path: Path, **given: Any) -> Settings:
    return Settings.model_validate({"home": tmp_path, **given})


def refused(chosen: Settings, host: str) -> str:
    with pytest.raises(UserError) as raised:
        check_listening(chosen, host)
    assert raised.value.code is ErrorCode.INVALID_SETTINGS
    return str(raised.value)


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost"])
def test_on_this_machine_nothing_is_needed(tmp_path: Path, host: str) -> None:
    check_listening(settings(tmp_path), host)
    check_listening(settings(tmp_path, auth=USERS), host)


@pytest.mark.parametrize("host", ["127.0.0.1", ALL])
def test_a_server_nobody_can_use_does_not_start(tmp_path: Path, host: str) -> None:
    closed = settings(tmp_path, auth={"anonymous": False}, tls=TLS)
    assert "auth.anonymous is off" in refused(closed, host)


@pytest.mark.parametrize("host", [ALL, "::", "10.1.2.3"])
def test_others_need_users_and_tls(tmp_path: Path, host: str) -> None:
    assert "no users" in refused(settings(tmp_path), host)
    assert "no users" in refused(settings(tmp_path, auth={"anonymous": True}, tls=TLS), host)
    assert "no TLS" in refused(settings(tmp_path, auth=USERS), host)
    check_listening(settings(tmp_path, auth=USERS, tls=TLS), host)


def test_going_without_tls_must_be_said_in_so_many_words(tmp_path: Path) -> None:
    check_listening(settings(tmp_path, auth=USERS, flight={"unencrypted": True}), ALL)
    assert "no users" in refused(settings(tmp_path, flight={"unencrypted": True}), ALL)


def test_trinos_protocol_has_a_setting_of_its_own_for_that(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"trino\.allow_plain_http_credentials"):
        check_listening(settings(tmp_path, auth=USERS, flight={"unencrypted": True}), ALL, "trino")
    plain = {"allow_plain_http_credentials": True}
    check_listening(settings(tmp_path, auth=USERS, trino=plain), ALL, "trino")
    with pytest.raises(UserError, match=r"trino\.host"):
        check_listening(settings(tmp_path, trino=plain), ALL, "trino")


def test_certificates_of_clients_need_authorities(tmp_path: Path) -> None:
    auth = {"certificate_pattern": "(.+)"}
    assert "tls.client_authorities" in refused(settings(tmp_path, auth=auth, tls=TLS), ALL)
    check_listening(settings(tmp_path, auth=auth, tls={**TLS, "client_authorities": "ca.pem"}), ALL)


def test_a_host_that_is_none_is_named(tmp_path: Path) -> None:
    assert "no.such.host.invalid" in refused(settings(tmp_path), "no.such.host.invalid")
