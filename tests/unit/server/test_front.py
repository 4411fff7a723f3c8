"""Flight SQL as a server has it, over the real wire: credentials, TLS and its reload, lifetimes.

Queries here need no Spark: the local engine answers them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import adbc_driver_flightsql.dbapi as adbc
import pytest
from adbc_driver_flightsql import DatabaseOptions
from adbc_driver_manager import Error

from sqe.auth.hashing import hash_password, hash_token, new_token
from sqe.errors import ErrorCode, ResourceError, UserError
from sqe.model.identity import Secret
from sqe.model.password_hash import ScryptCost
from sqe.protocols.flight_sql.handover import can_listen
from sqe.server.build import Server, build
from sqe.settings import Settings
from tests.unit.server.certificates import Authority, Pair

PASSWORD = hash_password(Secret("correct horse"), ScryptCost(p=1)).write()
TOKEN = new_token()
USERS = {"ann": {"password": PASSWORD, "tokens": [f"sha256:{hash_token(TOKEN).hex()}"]}}
ANN = {"username": "ann", "password": "correct horse"}
BEARER = {DatabaseOptions.AUTHORIZATION_HEADER.value: f"Bearer {TOKEN.reveal()}"}


class Served:
    """A server, where it listens, and who it takes its clients for."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self.address = server.listen()

    def user(self, options: dict[str, str]) -> str:
        with self.connect(options) as connection:
            return self.user_of(connection)

    def user_of(self, connection: Any) -> str:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
            assert cursor.fetchone() == (1,)
        return self._server.gateway.records()[-1].user

    def answers(self, options: dict[str, str]) -> bool:
        try:
            return self.user(options) == "ann"
        except Error:
            return False

    @property
    def sessions(self) -> int:
        return int(self._server.status()["sessions"])

    def connect(self, options: dict[str, str]) -> Any:
        return adbc.connect(self.address, db_kwargs=options, autocommit=True)


@contextmanager
def serving(home: Path, **given: Any) -> Iterator[Served]:
    server: Server = build(Settings.model_validate({"home": home, "flight": {"port": 0}, **given}))
    try:
        yield Served(server)
    finally:
        server.close()


def until(condition: Callable[[], bool], seconds: float = 30.0) -> bool:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def put(home: Path, pair: Pair) -> None:
    (home / "cert.pem").write_bytes(pair.certificate)
    (home / "key.pem").write_bytes(pair.key)


def trusting(*authorities: Authority) -> dict[str, str]:
    pem = b"".join(one.pem for one in authorities).decode()
    return {DatabaseOptions.TLS_ROOT_CERTS.value: pem}


def showing(pair: Pair) -> dict[str, str]:
    return {
        DatabaseOptions.MTLS_CERT_CHAIN.value: pair.certificate.decode(),
        DatabaseOptions.MTLS_PRIVATE_KEY.value: pair.key.decode(),
    }


def test_who_guesses_has_to_wait_and_a_token_still_gets_in(tmp_path: Path) -> None:
    with serving(tmp_path, auth={"users": USERS, "failed_logins": 1}) as served:
        texts = []
        for _ in range(10):
            with pytest.raises(Error) as raised:
                served.user({**ANN, "password": "wrong"})
            texts.append(str(raised.value))
        assert any("TOO_MANY_LOGINS" in text for text in texts)
        assert served.user(BEARER) == "ann"


def test_on_this_machine_and_without_users_nobody_is_asked(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        assert served.address.startswith("grpc://127.0.0.1:")
        assert served.user({}) == "anonymous"
        with pytest.raises(Error, match="not accepted"):
            served.user(ANN)


def test_users_come_with_a_password_or_a_token(tmp_path: Path) -> None:
    with serving(tmp_path, auth={"users": USERS}) as served:
        assert served.user(ANN) == "ann"
        assert served.user(BEARER) == "ann"


def test_every_wrong_credential_hears_the_same(tmp_path: Path) -> None:
    header = DatabaseOptions.AUTHORIZATION_HEADER.value
    wrong: list[dict[str, str]] = [
        {},
        {"username": "ann", "password": "wrong horse"},
        {"username": "bob", "password": "correct horse"},
        {header: f"Bearer {new_token().reveal()}"},
        {header: "Basic !!!"},
        {header: "Negotiate abc"},
    ]
    with serving(tmp_path, auth={"users": USERS}) as served:
        heard = set()
        for options in wrong:
            with pytest.raises(Error) as raised:
                served.user(options)
            heard.add(str(raised.value).partition("The credential")[2].partition("\n")[0][:60])
        assert len(heard) == 1
        assert "not accepted" in heard.pop()


def test_tls_with_a_password(tmp_path: Path) -> None:
    authority = Authority()
    put(tmp_path, authority.server())
    tls = {"certificate": "cert.pem", "key": "key.pem"}
    with serving(tmp_path, auth={"users": USERS}, tls=tls) as served:
        assert served.address.startswith("grpc+tls://")
        assert served.user({**ANN, **trusting(authority)}) == "ann"
        with pytest.raises(Error):
            served.user({**ANN, **trusting(Authority())})


def test_a_certificate_stands_for_its_user(tmp_path: Path) -> None:
    authority, clients = Authority(), Authority("clients")
    put(tmp_path, authority.server())
    (tmp_path / "clients.pem").write_bytes(clients.pem)
    tls = {"certificate": "cert.pem", "key": "key.pem", "client_authorities": "clients.pem"}
    auth = {"certificate_pattern": r"(\w+)@example\.com", "users": USERS}
    known = trusting(authority)
    with serving(tmp_path, auth=auth, tls=tls) as served:
        sue = clients.client("somebody", "sue@example.com")
        assert served.user({**known, **showing(sue)}) == "sue"
        assert served.user({**known, **showing(clients.client("bob@example.com"))}) == "bob"
        assert served.user({**known, **showing(sue), **BEARER}) == "ann"  # a header goes first
        for stranger in (clients.client("sue"), Authority().client("sue@example.com")):
            with pytest.raises(Error):
                served.user({**known, **showing(stranger)})
        with pytest.raises(Error):
            served.user({**known, **BEARER})  # no certificate, no connection


def test_a_required_certificate_and_a_password(tmp_path: Path) -> None:
    authority, clients = Authority(), Authority("clients")
    put(tmp_path, authority.server())
    (tmp_path / "clients.pem").write_bytes(clients.pem)
    tls = {"certificate": "cert.pem", "key": "key.pem", "client_authorities": "clients.pem"}
    with serving(tmp_path, auth={"users": USERS}, tls=tls) as served:
        machine = showing(clients.client("machine"))
        assert served.user({**trusting(authority), **machine, **ANN}) == "ann"
        with pytest.raises(Error, match="not accepted"):
            served.user({**trusting(authority), **machine})


def test_a_changed_certificate_is_taken_up_while_a_result_is_read(tmp_path: Path) -> None:
    old, new = Authority("old"), Authority("new")
    put(tmp_path, old.server())
    tls = {"certificate": "cert.pem", "key": "key.pem", "check_s": 0.05}
    with serving(tmp_path, auth={"users": USERS}, tls=tls) as served:
        options = {**BEARER, **trusting(old, new)}
        with (
            served.connect(options) as connection,
            connection.cursor() as cursor,
        ):
            cursor.execute("SELECT id AS a, id + 1 AS b, id * 2 AS c FROM range(3000000)")
            batches = iter(cursor.fetch_record_batch())
            rows = next(batches).num_rows
            put(tmp_path, new.server())
            only_new = {**BEARER, **trusting(new)}
            assert until(lambda: served.answers(only_new))
            assert not served.answers({**BEARER, **trusting(old)})
            rows += sum(batch.num_rows for batch in batches)
            assert rows == 3_000_000
            assert (
                served.user_of(connection) == "ann"
            )  # an open connection goes on, by the new certificate


def test_an_idle_session_ends_and_says_so(tmp_path: Path) -> None:
    limits = {"session_idle_s": 2}
    with (
        serving(tmp_path, auth={"users": USERS}, limits=limits) as served,
        served.connect(ANN) as connection,
    ):
        assert served.user_of(connection) == "ann"
        assert until(lambda: served.sessions == 0)
        with pytest.raises(Error, match="idle for 2 s"):
            served.user_of(connection)


def test_one_session_too_many_is_refused(tmp_path: Path) -> None:
    limits = {"sessions_per_user": 2}
    with serving(tmp_path, auth={"users": USERS}, limits=limits) as served:
        open_ = [served.connect(ANN) for _ in range(2)]
        try:
            with pytest.raises(Error, match="sessions_per_user"):
                served.user(ANN)
        finally:
            for connection in open_:
                connection.close()
        assert until(lambda: served.answers(ANN))


@pytest.mark.parametrize("given", [{}, {"auth": {"users": USERS}}, {"auth": {"anonymous": False}}])
def test_an_open_server_without_what_it_needs_does_not_listen(
    tmp_path: Path, given: dict[str, Any]
) -> None:
    settings = {**given, "flight": {"host": "0.0.0.0", "port": 0}}
    with pytest.raises(UserError) as raised, serving(tmp_path, **settings):
        pass
    assert raised.value.code is ErrorCode.INVALID_SETTINGS


def test_an_ipv6_address_is_written_as_clients_write_it(tmp_path: Path) -> None:
    settings = {"flight": {"host": "::1", "port": 0}}
    if not can_listen("::1", 0):  # a machine without IPv6
        with pytest.raises(ResourceError, match="Cannot listen on"), serving(tmp_path, **settings):
            pass
        return
    with serving(tmp_path, **settings) as served:
        assert served.address.startswith("grpc://[::1]:")
        assert served.user({}) == "anonymous"


def test_a_message_that_is_too_large_is_refused(tmp_path: Path) -> None:
    with (
        serving(tmp_path, flight={"port": 0, "max_received_mb": 1}) as served,
        served.connect({}) as connection,
        connection.cursor() as cursor,
    ):
        with pytest.raises(Error, match="max_received_mb"):
            cursor.execute(f"SELECT '{'x' * 2_000_000}'")
        assert served.user_of(connection) == "anonymous"
