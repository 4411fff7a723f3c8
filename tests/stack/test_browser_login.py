"""Trino's clients log in through a browser: the Python client, and the command line in Java."""

from __future__ import annotations

import re
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest
import trino
from trino.auth import CompositeRedirectHandler, OAuth2Authentication
from trino.exceptions import HttpError, TrinoAuthError

from dev.stack.people import SHORT, SHORT_S, SQE, Client
from dev.stack.places import Places
from sqe.engines.spark.java import find_java
from sqe.server.build import Server, build
from sqe.settings import Settings
from tests.flight_clients.cache import fetch
from tests.stack.browser import Browser
from tests.trino_clients.cli import JAR
from tests.unit.server.certificates import Authority

pytestmark = pytest.mark.timeout(300)
UNAUTHORIZED = 401


@dataclass(frozen=True)
class Lake:
    """A server with Keycloak as its issuer, at an address that needs TLS."""

    server: Server
    url: str
    authorities: Path

    @property
    def port(self) -> int:
        return int(urlsplit(self.url).port or 0)

    def client(self, auth: OAuth2Authentication, user: str = "alice") -> Any:
        return trino.dbapi.connect(  # type: ignore[no-untyped-call]
            host="localhost",
            port=self.port,
            user=user,
            http_scheme="https",
            verify=str(self.authorities),
            auth=auth,
        )

    def person(self, user: str = "alice", password: str = "") -> OAuth2Authentication:
        """Who logs in when the client says where."""

        def log_in(address: str) -> None:
            with Browser(self.authorities) as browser:
                browser.log_in(address, user, password or f"{user}-pw")

        return OAuth2Authentication(CompositeRedirectHandler([log_in]))


@contextmanager
def serving(stack: Places, home: Path, client: Client, **oidc: Any) -> Iterator[Lake]:
    authority = Authority()
    pair = authority.server()
    home.mkdir()
    for name, content in {"ca": authority.pem, "cert": pair.certificate, "key": pair.key}.items():
        (home / f"{name}.pem").write_bytes(content)
    issuer = {
        "issuer": stack.issuer,
        "client_id": client.name,
        "client_secret": client.secret,
        **oidc,
    }
    given = {
        "home": home,
        "trino": {"port": 0},
        "tls": {"certificate": "cert.pem", "key": "key.pem"},
        "auth": {"oidc": {"keycloak": issuer}},
    }
    server = build(Settings.model_validate(given))
    try:
        url = server.listen_trino("127.0.0.1").replace("127.0.0.1", "localhost")
        yield Lake(server, url, home / "ca.pem")
    finally:
        server.close()


@pytest.fixture(autouse=True)
def own_authorities(monkeypatch: pytest.MonkeyPatch) -> None:
    """What these variables name goes before what a client is told."""
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def lake(stack: Places, tmp_path: Path) -> Iterator[Lake]:
    with serving(stack, tmp_path / "lake", SQE) as made:
        yield made


def test_the_python_client_logs_in_and_queries_as_the_person(lake: Lake) -> None:
    with lake.client(lake.person("alice")) as connection:
        assert connection.cursor().execute("SELECT current_user").fetchall() == [["alice"]]
        assert connection.cursor().execute("SELECT 1").fetchall() == [[1]]


def test_what_the_client_holds_is_no_token_of_the_issuer(lake: Lake) -> None:
    told = challenge(lake)
    with Browser(lake.authorities) as browser:
        assert "succeeded" in browser.log_in(told.login, "alice", "alice-pw").text
        token = browser.open(told.ask).json()["token"]
    assert token.startswith("sqe_login_") and token.count(".") == 0
    assert asked(lake, token).status_code == 200
    assert asked(lake, token + "x").status_code == UNAUTHORIZED


def test_a_login_outlives_its_first_token(stack: Places, tmp_path: Path) -> None:
    """Tokens of this client live for a few seconds; the server renews them meanwhile."""
    with serving(stack, tmp_path / "lake", SHORT, audience=["sqe"], skew_s=0) as lake:
        told = challenge(lake)
        with Browser(lake.authorities) as browser:
            browser.log_in(told.login, "bob", "bob-pw")
            token = browser.open(told.ask).json()["token"]
        for _ in range(3 * SHORT_S):
            assert asked(lake, token, "bob").status_code == 200
            time.sleep(1)


def test_a_server_that_renews_nothing_hands_out_the_issuers_token(
    stack: Places, tmp_path: Path
) -> None:
    with serving(stack, tmp_path / "lake", SQE, refresh=False) as lake:
        told = challenge(lake)
        with Browser(lake.authorities) as browser:
            browser.log_in(told.login, "alice", "alice-pw")
            token = browser.open(told.ask).json()["token"]
        assert token.count(".") == 2
        assert asked(lake, token).status_code == 200


def test_who_does_not_log_in_gets_nothing(lake: Lake) -> None:
    with pytest.raises(TrinoAuthError), lake.client(lake.person("alice", "wrong")) as connection:
        connection.cursor().execute("SELECT 1")


def test_a_login_is_of_who_logged_in_not_of_who_was_named(lake: Lake) -> None:
    refused = pytest.raises(HttpError, match="User bob cannot impersonate user alice")
    with lake.client(lake.person("bob"), user="alice") as connection, refused:
        connection.cursor().execute("SELECT 1")


def test_a_code_is_of_the_login_it_was_given_for(lake: Lake) -> None:
    """Somebody else's code, put into one's own login: the issuer asks for the proof of it."""
    mine, theirs = challenge(lake), challenge(lake)
    with Browser(lake.authorities) as one, Browser(lake.authorities) as other:
        begun = httpx2.URL(str(one.open(mine.login).url)).params["state"]
        page = other.open(theirs.login)
        code = redirected(other, page, "alice", "alice-pw").params["code"]
        back = one.open(f"{lake.url}/oauth2/callback?{httpx2.QueryParams(state=begun, code=code)}")
        assert "failed" in back.text
        assert "error" in one.open(mine.ask).json()


@pytest.mark.java
def test_trinos_own_command_line_logs_in(lake: Lake) -> None:
    """It prints where to log in, waits, and goes on."""
    java = find_java()
    (jar,) = fetch("trino", java, JAR)
    command = [str(java.executable), "-Xmx256m", "-XX:TieredStopAtLevel=1", "-jar"]
    command += [str(jar), "--server", lake.url, "--user", "alice"]
    command += ["--truststore-path", str(lake.authorities), "--external-authentication"]
    command += ["--external-authentication-redirect-handler", "PRINT"]
    command += ["--execute", "SELECT current_user"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        said = []
        assert process.stdout is not None
        for line in process.stdout:
            said.append(line)
            found = re.search(r"https://\S+/oauth2/token/initiate/\w+", line)
            if found is not None:
                with Browser(lake.authorities) as browser:
                    browser.log_in(found[0], "alice", "alice-pw")
        assert process.wait(120) == 0, said
    assert said[-1].strip() == '"alice"', said


@dataclass(frozen=True)
class Challenge:
    login: str
    ask: str


def asked(lake: Lake, token: str, user: str = "alice") -> httpx2.Response:
    headers = {"x-trino-user": user} | ({"authorization": f"Bearer {token}"} if token else {})
    return httpx2.post(
        f"{lake.url}/v1/statement",
        content=b"SELECT 1",
        headers=headers,
        verify=ssl.create_default_context(cafile=lake.authorities),
    )


def challenge(lake: Lake) -> Challenge:
    answer = asked(lake, "")
    assert answer.status_code == UNAUTHORIZED
    return Challenge(*re.findall(r'"([^"]+)"', answer.headers["www-authenticate"]))


def redirected(browser: Browser, page: httpx2.Response, user: str, password: str) -> httpx2.URL:
    """Where the issuer sends the browser after the login, without going there."""
    browser.stop_at = "/oauth2/callback"
    answer = browser.fill(page, username=user, password=password)
    return httpx2.URL(answer.headers["location"])
