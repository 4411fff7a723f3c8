"""Who gets in, as whom, and what the others are told."""

from __future__ import annotations

import base64
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest

from sqe.auth.configured import AuthParts, authenticators
from sqe.auth.hashing import hash_password, hash_token, new_token
from sqe.http.tls import Tls
from sqe.model.access_event import UNRECORDED, AccessEvent, AccessRecorder
from sqe.model.administrators import Administrators
from sqe.model.identity import Identity, Secret
from sqe.model.password_hash import ScryptCost
from sqe.model.query import QueryOrigin
from sqe.settings import AuthSettings
from sqe.trino.http.options import Impersonation, TrinoOptions
from sqe.trino.http.tls import certificate_name
from tests.unit.server.certificates import Authority
from tests.unit.trino.http.serving import ALL_RIGHT, Serving, follow, rows, serving

PASSWORD = hash_password(Secret("correct horse"), ScryptCost(p=1)).write()
TOKEN = new_token()
USERS = {
    "ann": {"password": PASSWORD, "tokens": [f"sha256:{hash_token(TOKEN).hex()}"]},
    "bob": {"roles": ["auditor"]},
    "carol": {"password": PASSWORD, "groups": ["operators"]},
}
UNAUTHORIZED, FORBIDDEN, BAD, NO_CONTENT, TOO_MANY = 401, 403, 400, 204, 429
PLAIN = TrinoOptions(plain_credentials=True)
Headers = dict[str, str]


def basic(user: str, password: str) -> Headers:
    encoded = base64.b64encode(f"{user}:{password}".encode()).decode()
    return {"Authorization": f"Basic {encoded}"}


ANN = basic("ann", "correct horse")


@contextmanager
def with_users(
    tmp_path: Path,
    options: TrinoOptions = PLAIN,
    anonymous: bool = False,
    recorder: AccessRecorder = UNRECORDED,
) -> Iterator[Serving]:
    auth = AuthSettings.model_validate({"users": USERS, "anonymous": anonymous})
    chain = authenticators(auth, AuthParts(recorder=recorder))
    with serving(tmp_path, {"q": rows((1, "a"))}, options, chain) as found:
        yield found


class Recorded(AccessRecorder):
    def __init__(self) -> None:
        self.told: list[tuple[str, ...]] = []

    def note_access(self, event: AccessEvent) -> None:
        assert (event.origin.protocol, event.origin.address) == ("trino", "127.0.0.1")
        self.told.append((event.kind.value, event.user, event.origin.principal, event.method))


def post(served: Serving, headers: Headers) -> httpx2.Response:
    with httpx2.Client(base_url=served.url, timeout=30) as client:
        return client.post("/v1/statement", content=b"q", headers=headers)


def user_of(served: Serving, headers: Headers) -> str:
    with httpx2.Client(base_url=served.url, timeout=30, headers=headers) as client:
        assert follow(client, "q").rows == [[1, "a"]]
    return served.gateway.records()[-1].user


def test_passwords_and_tokens_get_in(tmp_path: Path) -> None:
    with with_users(tmp_path) as served:
        assert user_of(served, ANN) == "ann"
        assert user_of(served, {**ANN, "X-Trino-User": "ann"}) == "ann"
        assert user_of(served, {"Authorization": f"Bearer {TOKEN.reveal()}"}) == "ann"


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"X-Trino-User": "ann"},
        basic("ann", "wrong"),
        basic("nobody", "correct horse"),
        {"Authorization": "Bearer wrong"},
        {"Authorization": "Basic ***"},
        {"Authorization": "Negotiate abc"},
    ],
)
def test_others_are_asked_to_log_in(tmp_path: Path, headers: Headers) -> None:
    with with_users(tmp_path) as served:
        response = post(served, headers)
    assert response.status_code == UNAUTHORIZED
    assert response.headers["www-authenticate"] == 'Basic realm="Trino", Bearer realm="Trino"'
    assert "ann" not in response.text and "horse" not in response.text


def test_who_guesses_is_told_to_wait_and_a_token_still_gets_in(tmp_path: Path) -> None:
    with with_users(tmp_path) as served:
        answers = [post(served, basic("ann", "wrong")) for _ in range(12)]
        refused = next(answer for answer in answers if answer.status_code != UNAUTHORIZED)
        assert post(served, ANN).status_code == TOO_MANY
        assert user_of(served, {"Authorization": f"Bearer {TOKEN.reveal()}"}) == "ann"
    assert refused.status_code == TOO_MANY
    assert int(refused.headers["retry-after"]) >= 1
    assert refused.text.startswith("Too many logins have failed. Try again in ")


def test_every_address_but_the_servers_own_wants_a_credential(tmp_path: Path) -> None:
    page = "20260101_000000_00001_aaaaa/y0/0"
    paths = ["/v1/query", "/v1/query/x", f"/v1/statement/queued/{page}"]
    paths += [f"/v1/statement/executing/{page}"]
    with with_users(tmp_path) as served, httpx2.Client(base_url=served.url) as client:
        assert {client.get(path).status_code for path in paths} == {UNAUTHORIZED}
        assert client.head("/v1/statement").status_code == UNAUTHORIZED
        assert client.head("/v1/statement", headers=ANN).status_code == ALL_RIGHT
        info = client.get("/v1/info").json()
        assert info["coordinator"] is True and info["starting"] is False
        assert info["nodeVersion"]["version"].startswith("476.sqe-")
        assert client.get("/v1/info/state").json() == "ACTIVE"


def test_credentials_without_tls_are_refused(tmp_path: Path) -> None:
    with with_users(tmp_path, TrinoOptions()) as served:
        for headers in (ANN, {"Authorization": f"Bearer {TOKEN.reveal()}"}):
            response = post(served, headers)
            assert response.status_code == FORBIDDEN
            assert "trino.allow_plain_http_credentials" in response.text
        # A header that anybody can send is no TLS.
        response = post(served, {**ANN, "X-Forwarded-Proto": "https"})
        assert response.status_code == FORBIDDEN


def test_a_proxy_of_ours_may_say_that_there_was_tls(tmp_path: Path) -> None:
    with with_users(tmp_path, TrinoOptions(forwarded=True)) as served:
        forwarded = {"X-Forwarded-Proto": "https", "X-Forwarded-Host": "sqe.example.org"}
        page = post(served, {**ANN, **forwarded}).json()
        assert page["nextUri"].startswith("https://sqe.example.org/v1/statement/")
        assert post(served, ANN).status_code == FORBIDDEN


@pytest.mark.parametrize(("forwarded", "address"), [(True, "192.0.2.7"), (False, "127.0.0.1")])
def test_the_address_is_what_the_proxy_has_seen(
    tmp_path: Path, forwarded: bool, address: str
) -> None:
    options = TrinoOptions(forwarded=forwarded, plain_credentials=True)
    with with_users(tmp_path, options) as served:
        user_of(
            served, {**basic("carol", "correct horse"), "X-Forwarded-For": "1.1.1.1, 192.0.2.7"}
        )
        record = served.gateway.records()[-1]
        assert record.origin == QueryOrigin("trino", address)
        assert record.groups == ("operators",)


def test_nobody_acts_as_another_without_a_rule(tmp_path: Path) -> None:
    with with_users(tmp_path) as served:
        response = post(served, {**ANN, "X-Trino-User": "bob"})
        assert response.status_code == FORBIDDEN
        assert response.text == "Access Denied: User ann cannot impersonate user bob"
        for headers in ({"X-Trino-Original-User": "bob"}, {"X-Trino-User": "Ann"}):
            assert post(served, {**ANN, **headers}).status_code == FORBIDDEN


def test_a_rule_lets_one_act_as_another_with_that_ones_roles(tmp_path: Path) -> None:
    known = {"bob": Identity("bob", roles=frozenset({"auditor"}))}
    rules = Impersonation(frozenset({("ann", "bob")}), known.get)
    with with_users(tmp_path, replace(PLAIN, impersonation=rules)) as served:
        acting = {**ANN, "X-Trino-Original-User": "ann", "X-Trino-User": "bob"}
        assert user_of(served, acting) == "bob"
        record = served.gateway.records()[-1]
        assert record.origin == QueryOrigin("trino", "127.0.0.1", "ann")
        assert (record.dialect, record.groups) == ("trino", ())
        assert post(served, {**ANN, "X-Trino-User": "eve"}).status_code == FORBIDDEN


def test_who_acts_as_whom_is_recorded_and_who_may_not(tmp_path: Path) -> None:
    recorded = Recorded()
    rules = replace(PLAIN, impersonation=Impersonation(frozenset({("ann", "bob")})))
    with with_users(tmp_path, rules, recorder=recorded) as served:
        for headers in (ANN, {**ANN, "X-Trino-User": "bob"}, {**ANN, "X-Trino-User": "eve"}):
            post(served, headers)
        post(served, basic("ann", "wrong"))
    login = ("login", "ann", "", "password")
    assert recorded.told == [
        login,
        login,
        ("impersonation", "bob", "ann", ""),
        login,
        ("impersonation_refused", "eve", "ann", ""),
        ("login_failed", "ann", "", "password"),
    ]


def test_a_rule_for_anyone_is_a_star() -> None:
    rules = Impersonation(frozenset({("svc", "*"), ("*", "guest")}))
    assert rules.allows("svc", "ann") and rules.allows("ann", "guest")
    assert not rules.allows("ann", "bob")


def test_anonymous_clients_of_this_machine_are_nobody_else(tmp_path: Path) -> None:
    with with_users(tmp_path, TrinoOptions(), anonymous=True) as served:
        assert user_of(served, {"X-Trino-User": "ann"}) == "anonymous"
        # A wrong credential does not become none.
        wrong = {**basic("ann", "wrong"), "X-Trino-User": "ann"}
        assert post(served, wrong).status_code == FORBIDDEN


@pytest.mark.parametrize(
    "headers",
    [
        {},  # a form of a page in a browser can send this
        {"X-Trino-User": "lab", "Host": "evil.example.org"},
        {"X-Trino-User": "lab", "X-Forwarded-For": "192.0.2.1"},
        {"X-Trino-User": "lab", "Forwarded": "for=192.0.2.1"},
    ],
)
def test_others_are_not_taken_for_this_machine(tmp_path: Path, headers: Headers) -> None:
    with with_users(tmp_path, TrinoOptions(), anonymous=True) as served:
        assert post(served, headers).status_code == UNAUTHORIZED


@pytest.mark.parametrize("host", ["a b", "x/y", "x@y", "[::1", '"', "a:b:c"])
def test_a_host_that_is_none_is_refused(tmp_path: Path, host: str) -> None:
    with with_users(tmp_path) as served:
        assert post(served, {**ANN, "Host": host}).status_code == BAD


def connected(authority: Authority, client: tuple[Path, Path] | None = None) -> ssl.SSLContext:
    context = ssl.create_default_context(cadata=authority.pem.decode())
    if client is not None:
        context.load_cert_chain(*client)
    return context


def test_over_tls_credentials_are_taken(tmp_path: Path) -> None:
    authority = Authority()
    pair = authority.server()
    options = TrinoOptions(tls=Tls(pair.certificate, pair.key))
    with with_users(tmp_path, options) as served:
        url = served.url.replace("127.0.0.1", "localhost")
        with httpx2.Client(base_url=url, headers=ANN, verify=connected(authority)) as client:
            assert follow(client, "q").rows == [[1, "a"]]
            page = client.post("/v1/statement", content=b"q").json()
            assert page["nextUri"].startswith("https://localhost:")


def test_a_certificate_stands_for_its_user(tmp_path: Path) -> None:
    authority = Authority()
    server, client = authority.server(), authority.client("ann.example.org")
    (tmp_path / "c.pem").write_bytes(client.certificate)
    (tmp_path / "k.pem").write_bytes(client.key)
    tls = Tls(server.certificate, server.key, authority.pem)
    auth = authenticators(
        AuthSettings.model_validate({"certificate_pattern": r"(\w+)\.example\.org"})
    )
    with serving(tmp_path, {"q": rows((1, "a"))}, TrinoOptions(tls=tls), auth) as served:
        url = served.url.replace("127.0.0.1", "localhost")
        shown = connected(authority, (tmp_path / "c.pem", tmp_path / "k.pem"))
        with httpx2.Client(base_url=url, verify=shown) as one:
            assert follow(one, "q").rows == [[1, "a"]]
        assert served.gateway.records()[-1].user == "ann"
        with (
            httpx2.Client(base_url=url, verify=connected(authority)) as one,
            pytest.raises(httpx2.TransportError),
        ):
            one.get("/v1/info")


@pytest.mark.parametrize(
    ("certificate", "name"),
    [
        (None, ""),
        ({}, ""),
        ({"subject": ((("commonName", "ann"),),)}, "ann"),
        ({"subject": ((("commonName", "x"),),), "subjectAltName": (("DNS", "ann"),)}, "ann"),
    ],
)
def test_the_name_in_a_certificate(certificate: dict[str, Any] | None, name: str) -> None:
    assert certificate_name(certificate) == name


CAROL = basic("carol", "correct horse")


@pytest.mark.parametrize(
    "administrators",
    [Administrators(users=frozenset({"carol"})), Administrators(groups=frozenset({"operators"}))],
)
def test_administrators_see_and_end_the_queries_of_others(
    tmp_path: Path, administrators: Administrators
) -> None:
    with with_users(tmp_path) as served:
        served.script.administrators = administrators
        user_of(served, ANN)
        with httpx2.Client(base_url=served.url, timeout=30, headers=CAROL) as carol:
            (listed,) = carol.get("/v1/query").json()
            assert (listed["session"]["user"], listed["query"]) == ("ann", "q")
            assert carol.get(f"/v1/query/{listed['queryId']}").json()["query"] == "q"
            assert carol.delete(f"/v1/query/{listed['queryId']}").status_code == NO_CONTENT
        user_of(served, CAROL)
        with httpx2.Client(base_url=served.url, timeout=30, headers=ANN) as ann:
            assert [one["session"]["user"] for one in ann.get("/v1/query").json()] == ["ann"]
