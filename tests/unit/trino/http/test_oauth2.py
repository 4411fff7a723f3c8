"""A login through a browser, with an issuer of the test's own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest

from sqe.auth.configured import authenticators
from sqe.auth.hashing import hash_token, new_token
from sqe.auth.refusal import credential_error
from sqe.model.identity import Secret
from sqe.settings import AuthSettings
from sqe.trino.http.errors import Refusal
from sqe.trino.http.oauth2 import Logins
from sqe.trino.http.options import TrinoOptions
from tests.unit.trino.http.serving import ALL_RIGHT, Serving, follow, rows, serving

TOKEN = new_token()
USERS = AuthSettings.model_validate(
    {"users": {"ann": {"tokens": [f"sha256:{hash_token(TOKEN).hex()}"]}}}
)
UNAUTHORIZED, SEE_OTHER, BAD, MISSING = 401, 303, 400, 404


class Issuer:
    """Sends every browser back at once."""

    def authorize_uri(self, state: str, callback: str) -> str:
        return f"https://issuer.example.org/?state={state}&back={callback}"

    def token(self, code: str, state: str, callback: str) -> Secret:
        if code != "good":
            raise credential_error()
        return TOKEN


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Serving]:
    options = TrinoOptions(wait_s=0.1, plain_credentials=True)
    auth = authenticators(USERS)
    with serving(tmp_path, {"q": rows((1, "a"))}, options, auth, oauth2=Issuer()) as found:
        yield found


def challenged(client: httpx2.Client) -> tuple[str, str]:
    """Where to log in, and where to ask for the token."""
    response = client.post("/v1/statement", content=b"q")
    assert response.status_code == UNAUTHORIZED
    found = re.fullmatch(
        r'Bearer x_redirect_server="(.+)", x_token_server="(.+)"',
        response.headers["www-authenticate"],
    )
    assert found is not None
    return found[1], found[2]


def sent_to_the_issuer(browser: httpx2.Client, address: str) -> str:
    response = browser.get(address)
    assert response.status_code == SEE_OTHER
    given = parse_qs(urlsplit(response.headers["location"]).query)
    assert given["back"][0].endswith("/oauth2/callback")
    return given["state"][0]


def test_a_login_from_the_challenge_to_the_first_query(served: Serving) -> None:
    with served.client("ann") as client, served.client() as browser:
        login, ask = challenged(client)
        assert client.get(ask).json() == {"nextUri": ask}
        state = sent_to_the_issuer(browser, login)
        back = browser.get("/oauth2/callback", params={"state": state, "code": "good"})
        assert back.status_code == ALL_RIGHT and "succeeded" in back.text
        token = client.get(ask).json()["token"]
        assert client.delete(ask).status_code == ALL_RIGHT
        assert client.get(ask).json() == {"nextUri": ask}  # it is told once
        client.headers["Authorization"] = f"Bearer {token}"
        assert follow(client, "q").rows == [[1, "a"]]


@pytest.mark.parametrize("given", [{"code": "wrong"}, {"error": "access_denied"}])
def test_a_login_that_fails_is_told_to_the_client(served: Serving, given: dict[str, str]) -> None:
    with served.client("ann") as client, served.client() as browser:
        login, ask = challenged(client)
        state = sent_to_the_issuer(browser, login)
        back = browser.get("/oauth2/callback", params={"state": state, **given})
        assert "failed" in back.text
        told = client.get(ask).json()
        assert set(told) == {"error"} and told["error"]


def test_another_browser_cannot_end_a_login(served: Serving) -> None:
    with served.client("ann") as client, served.client() as one, served.client() as another:
        login, ask = challenged(client)
        state = sent_to_the_issuer(one, login)
        for wrong in (state, state[:-1] + "0", "x", ""):
            back = another.get("/oauth2/callback", params={"state": wrong, "code": "good"})
            assert back.status_code == BAD
        assert client.get(ask).json() == {"nextUri": ask}


@pytest.mark.parametrize("digest", ["x", "a.b", "0" * 63, "G" * 64])
def test_an_address_that_was_not_given_out_leads_nowhere(served: Serving, digest: str) -> None:
    with served.client() as browser:
        assert browser.get(f"/oauth2/token/initiate/{digest}").status_code == MISSING


def test_a_login_that_takes_too_long_is_refused() -> None:
    now = 0.0
    logins = Logins(Issuer(), lambda: now)
    sent = logins.begin("0" * 64, "https://sqe")
    state = parse_qs(urlsplit(sent.uri).query)["state"][0]
    now = 1_000.0
    with pytest.raises(Refusal) as raised:
        logins.come_back(state, sent.nonce, "good", "", "https://sqe")
    assert raised.value.status == BAD


def test_a_token_that_nobody_fetches_is_forgotten() -> None:
    now = 0.0
    logins = Logins(Issuer(), lambda: now)
    found = re.findall(r'"([^"]+)"', logins.challenge("https://sqe"))
    digest, number = found[0].rpartition("/")[2], found[1].rpartition("/")[2]
    sent = logins.begin(digest, "https://sqe")
    state = parse_qs(urlsplit(sent.uri).query)["state"][0]
    logins.come_back(state, sent.nonce, "good", "", "https://sqe")
    assert "token" in logins.token_answer(number, "https://sqe")
    now = 1_000.0
    assert "nextUri" in logins.token_answer(number, "https://sqe")
