"""TLS and passwords, as Trino's Python client uses them; certificates changed while it runs."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import trino
from trino.exceptions import HttpError, TrinoConnectionError

from sqe.auth.hashing import hash_password, hash_token, new_token
from sqe.model.identity import Secret
from sqe.model.password_hash import ScryptCost
from tests.embedded.trino_http.serving import Serving, ask
from tests.unit.server.certificates import Authority, Pair

PASSWORD = hash_password(Secret("correct horse"), ScryptCost(p=1)).write()
TOKEN = new_token()
USERS = {
    "ann": {"password": PASSWORD, "tokens": [f"sha256:{hash_token(TOKEN).hex()}"]},
    "superset": {"password": PASSWORD},
}


class Secured:
    """``authority`` is the file that clients trust."""

    def __init__(self, serving: Serving, home: Path, authority: Authority) -> None:
        self.serving = serving
        self.home = home
        self.authority = home / "authority.pem"
        self.trust(authority)

    def trust(self, authority: Authority) -> None:
        self.authority.write_bytes(authority.pem)

    def user(self, auth: trino.auth.Authentication | None, user: str = "ann") -> str:
        self.serving.ask("SELECT 1", user=user, auth=auth, verify=str(self.authority))
        return self.serving.server.gateway.records()[-1].user


def put(home: Path, pair: Pair) -> None:
    (home / "cert.pem").write_bytes(pair.certificate)
    (home / "key.pem").write_bytes(pair.key)


@pytest.fixture
def secured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Secured]:
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)  # requests prefers them to what it is told
    authority = Authority()
    put(tmp_path, authority.server())
    with Serving.start(
        tmp_path,
        auth={"users": USERS},
        tls={"certificate": "cert.pem", "key": "key.pem", "check_s": 0.1},
        trino={"impersonation": ["superset -> *"]},
    ) as serving:
        yield Secured(serving, tmp_path, authority)


def test_a_password_and_a_token_get_in(secured: Secured) -> None:
    assert secured.user(trino.auth.BasicAuthentication("ann", "correct horse")) == "ann"
    assert secured.user(trino.auth.JWTAuthentication(TOKEN.reveal())) == "ann"


@pytest.mark.parametrize("auth", [None, trino.auth.BasicAuthentication("ann", "wrong")])
def test_others_do_not(secured: Secured, auth: trino.auth.Authentication | None) -> None:
    with pytest.raises((HttpError, TrinoConnectionError), match="401"):
        secured.user(auth)


def test_a_dashboard_acts_as_its_users(secured: Secured) -> None:
    superset = trino.auth.BasicAuthentication("superset", "correct horse")
    assert secured.user(superset, user="ann") == "ann"
    ann = trino.auth.BasicAuthentication("ann", "correct horse")
    with pytest.raises(HttpError, match="ann cannot impersonate user superset"):
        secured.user(ann, user="superset")


def test_a_new_certificate_is_taken_up_while_queries_run(secured: Secured) -> None:
    auth = trino.auth.BasicAuthentication("ann", "correct horse")
    options = {"user": "ann", "auth": auth, "verify": str(secured.authority)}
    with secured.serving.connect(**options) as connection:
        assert ask(connection, "SELECT 1") == [[1]]
        another = Authority("another")
        put(secured.home, another.server())
        secured.trust(another)
        deadline = time.monotonic() + 30
        while True:
            try:
                assert secured.user(auth) == "ann"
                break
            except TrinoConnectionError:
                assert time.monotonic() < deadline
                time.sleep(0.1)
