"""Logins through a real directory (slapd), and every way around one that we know of."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import trino
from trino.auth import BasicAuthentication

import sqe.client
from dev.stack.places import Places
from sqe.auth.ldap import Ldap
from sqe.auth.protocol import Bearer, Password
from sqe.errors import AccessError, ErrorCode, UpstreamError
from sqe.model.identity import Identity, Secret
from sqe.server.build import build
from sqe.settings import Settings
from sqe.settings.ldap import LdapSettings
from tests.stack.slapd import ADMIN, ADMIN_PASSWORD, BASE, Directory, directory

_CACHE = Places.of(os.environ).cache  # before the tests' own environment is made
NAMED = {"user_dn": f"uid={{user}},ou=people,{BASE}"}
SEARCHED = {"user_base": f"ou=people,{BASE}", "bind_dn": ADMIN, "bind_password": ADMIN_PASSWORD}
GROUPS = {"group_base": f"ou=groups,{BASE}"}
HOW = [pytest.param(NAMED, id="by name"), pytest.param(SEARCHED, id="by search")]


@pytest.fixture(scope="module")
def slapd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Directory]:
    with directory(_CACHE, tmp_path_factory.mktemp("slapd")) as made:
        yield made


def settings(slapd: Directory, how: dict[str, str], **more: Any) -> dict[str, Any]:
    secure = {"url": slapd.secure_url, "authorities": slapd.authorities}
    return {**secure, **GROUPS, **how, "remember_s": 0, **more}


def users(slapd: Directory, how: dict[str, str], **more: Any) -> Ldap:
    return Ldap(LdapSettings.model_validate(settings(slapd, how, **more)))


def tagged(tag: int, content: bytes) -> bytes:
    """BER, for what is short."""
    return bytes([tag, len(content)]) + content


def refused(known: Ldap, user: str, password: str) -> bool:
    try:
        found = known.authenticate(Password(user, Secret(password)))
    except AccessError as error:
        assert error.code is ErrorCode.AUTHENTICATION_FAILED
        return True
    assert found is not None
    return False


@pytest.mark.parametrize("how", HOW)
def test_who_can_bind_gets_in_with_their_groups(slapd: Directory, how: dict[str, str]) -> None:
    known = users(slapd, how)
    for user, group in (("alice", "analysts"), ("bob", "admins"), ("smith, john", "analysts")):
        found = known.authenticate(Password(user, Secret(f"{user}-pw")))
        assert found == Identity(user, frozenset({group}))
    odd = known.authenticate(Password("star*(x)", Secret("star*(x)-pw")))
    assert odd == Identity("star*(x)")


@pytest.mark.parametrize("how", HOW)
def test_wrong_passwords_and_unknown_users_are_refused(
    slapd: Directory, how: dict[str, str]
) -> None:
    known = users(slapd, how)
    for user, password in (("alice", "bob-pw"), ("nobody", "alice-pw"), ("alice", "alice-pw ")):
        assert refused(known, user, password)


@pytest.mark.parametrize("how", HOW)
def test_no_password_is_no_login_though_the_directory_says_yes(
    slapd: Directory, how: dict[str, str]
) -> None:
    name = f"uid=alice,ou=people,{BASE}".encode()
    bind = b"\x02\x01\x03" + tagged(0x04, name) + tagged(0x80, b"")
    with socket.create_connection(("127.0.0.1", int(slapd.url.rpartition(":")[2]))) as raw:
        raw.sendall(tagged(0x30, b"\x02\x01\x01" + tagged(0x60, bind)))
        assert b"\x0a\x01\x00" in raw.recv(1024)  # success, so the danger is real
    assert refused(users(slapd, how), "alice", "")


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize(
    "user",
    [
        "*",
        "a*",
        "alice)(uid=*",
        "*)(uid=alice",
        "alice)(|(uid=*",
        "alice\x00",
        "alice,ou=people,dc=example,dc=org",
        "alice+cn=alice",
        "\\61lice",
        "{user}",
        "{dn}",
        "",
        "a" * 10_000,
    ],
)
def test_a_name_cannot_change_the_question(
    slapd: Directory, how: dict[str, str], user: str
) -> None:
    """With a filter or a name that was not escaped, each of these would be alice."""
    assert refused(users(slapd, how), user, "alice-pw")


@pytest.mark.parametrize("how", HOW)
def test_another_spelling_is_the_same_user(slapd: Directory, how: dict[str, str]) -> None:
    """A directory takes ALICE for alice; a rule about alice must hold for both."""
    for spelled in ("ALICE", "Alice"):
        found = users(slapd, how).authenticate(Password(spelled, Secret("alice-pw")))
        assert found == Identity("alice", frozenset({"analysts"}))


def test_a_search_that_finds_several_lets_nobody_in(slapd: Directory) -> None:
    several = users(slapd, SEARCHED, user_filter="(|(uid={user})(uid=*))")
    assert refused(several, "alice", "alice-pw")


def test_who_searches_must_be_let_in(slapd: Directory) -> None:
    wrong = users(slapd, {**SEARCHED, "bind_password": "wrong"})
    assert refused(wrong, "alice", "alice-pw")


def test_an_answer_that_is_not_complete_is_no_answer(slapd: Directory) -> None:
    with pytest.raises(UpstreamError) as raised:
        users(slapd, NAMED, group_base="ou=nowhere,dc=example,dc=org").authenticate(
            Password("alice", Secret("alice-pw"))
        )
    assert raised.value.code is ErrorCode.ISSUER_UNAVAILABLE
    assert "alice" not in str(raised.value)


def test_a_connection_can_be_encrypted_after_it_began(slapd: Directory) -> None:
    known = users(slapd, NAMED, url=slapd.url, start_tls=True)
    assert not refused(known, "alice", "alice-pw")


@pytest.mark.parametrize("begun", [{}, {"start_tls": True}])
def test_a_directory_that_cannot_be_trusted_gets_no_password(
    slapd: Directory, begun: dict[str, Any]
) -> None:
    url = slapd.url if begun else slapd.secure_url
    known = users(slapd, NAMED, url=url, authorities=None, **begun)
    with pytest.raises(UpstreamError):
        known.authenticate(Password("alice", Secret("alice-pw")))
    other = url.replace("127.0.0.1", "127.0.0.2")  # not in the certificate
    with pytest.raises(UpstreamError):
        users(slapd, NAMED, url=other, **begun).authenticate(Password("alice", Secret("alice-pw")))


def test_a_directory_that_hangs_or_is_away_is_given_up() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        for port in (silent.getsockname()[1], 1):
            given = {"url": f"ldap://127.0.0.1:{port}", "unencrypted": True, **NAMED}
            limits = {"connect_s": 0.5, "answer_s": 0.5}
            known = Ldap(LdapSettings.model_validate({**given, **limits}))
            with pytest.raises(UpstreamError) as raised:
                known.authenticate(Password("alice", Secret("hunter2")))
            assert raised.value.code is ErrorCode.ISSUER_UNAVAILABLE
            assert "hunter2" not in f"{raised.value!r}{raised.value.__cause__}"


def test_other_credentials_are_not_the_directorys_business(slapd: Directory) -> None:
    assert users(slapd, NAMED).authenticate(Bearer(Secret("alice-pw"))) is None


def test_a_good_password_is_not_asked_about_for_a_while(slapd: Directory, tmp_path: Path) -> None:
    now = 0.0
    with directory(_CACHE, tmp_path) as own:
        given = settings(own, NAMED, remember_s=60)
        known = Ldap(LdapSettings.model_validate(given), lambda: now)
        assert not refused(known, "alice", "alice-pw")
        own.stop()
        assert not refused(known, "alice", "alice-pw")
        now = 61.0
        with pytest.raises(UpstreamError):
            known.authenticate(Password("alice", Secret("alice-pw")))


def test_users_of_the_directory_query_over_both_wires(slapd: Directory, tmp_path: Path) -> None:
    given = {
        "home": tmp_path / "sqe",
        "flight": {"port": 0},
        "trino": {"port": 0, "allow_plain_http_credentials": True},
        "auth": {"ldap": settings(slapd, SEARCHED, remember_s=60)},
    }
    server = build(Settings.model_validate(given))
    try:
        with sqe.client.connect(server.listen(), user="alice", password="alice-pw") as connection:
            assert connection.transport.user() == "alice"
            assert connection.execute("SELECT 1").fetchall() == [(1,)]
        port = int(server.listen_trino().rpartition(":")[2])
        basic = BasicAuthentication("bob", "bob-pw")
        with trino.dbapi.connect(  # type: ignore[no-untyped-call]
            host="127.0.0.1", port=port, user="bob", auth=basic, allow_insecure_auth=True
        ) as other:
            assert other.cursor().execute("SELECT current_user").fetchall() == [["bob"]]
    finally:
        server.close()
