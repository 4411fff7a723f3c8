"""Logins that are kept between calls: where, for whom, and what is shown of them."""

from __future__ import annotations

import json
import stat
import time
from collections.abc import Iterator
from pathlib import Path

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.backends import fail

from sqe.cli.tokens import Login, open_logins, server_name
from sqe.cli.tokens_renewed import RenewedToken, login_options
from sqe.errors import AccessError, ErrorCode, ResourceError, UpstreamError
from sqe.model.identity import Secret
from sqe.model.passport import Token
from tests.unit.auth.oidc.issuer import LocalIssuer, issuing

SERVER = "grpc+tls://sqe.example.org:32010"


class Memory(KeyringBackend):
    """A keyring as a desktop has one."""

    priority = 5

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.kept[service, username]


@pytest.fixture(autouse=True)
def backend() -> Iterator[None]:
    before = keyring.get_keyring()
    keyring.set_keyring(fail.Keyring())  # type: ignore[no-untyped-call]
    yield
    keyring.set_keyring(before)


@pytest.fixture
def issuer() -> Iterator[LocalIssuer]:
    with issuing() as made:
        yield made


def login(token: str = "secret-access", expires_at: float = 1e12) -> Login:
    return Login(
        "https://id.example.org",
        "sqe-cli",
        ("openid",),
        Token(Secret(token), expires_at),
        Secret("secret-refresh"),
    )


def state_file(home: Path) -> Path:
    return home / "state" / "sqe" / "logins.json"


def test_a_login_is_kept_in_a_file_of_its_owner_alone(isolated_home: Path) -> None:
    with open_logins() as logins:
        logins.put(SERVER, login())
    with open_logins() as logins:
        assert logins.get(SERVER) == login()
        assert logins.get("grpc://elsewhere:1") is None
    path = state_file(isolated_home)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    with open_logins() as logins:
        logins.remove(SERVER)
        assert logins.get(SERVER) is None
    assert "secret" not in path.read_text()


def test_where_there_is_a_keyring_no_file_is_written(isolated_home: Path) -> None:
    memory = Memory()
    keyring.set_keyring(memory)
    with open_logins() as logins:
        logins.put(SERVER, login())
        assert logins.get(SERVER) == login()
    assert list(memory.kept) == [("sqe", SERVER)]
    assert not state_file(isolated_home).exists()
    with open_logins() as logins:
        logins.remove(SERVER)
        logins.remove(SERVER)
        assert logins.get(SERVER) is None


def test_nothing_of_a_login_shows() -> None:
    assert "secret" not in repr(login())


@pytest.mark.parametrize("kept", ["[]", "{}", '{"%s": {"issuer": 1}}', '{"%s": null}'])
def test_a_file_that_says_something_else_is_no_login(isolated_home: Path, kept: str) -> None:
    path = state_file(isolated_home)
    path.parent.mkdir(parents=True)
    path.write_text(kept.replace("%s", SERVER))
    assert login_options(SERVER) == {}


def test_a_file_that_is_broken_is_said_to_be(isolated_home: Path) -> None:
    path = state_file(isolated_home)
    path.parent.mkdir(parents=True)
    path.write_text('{"a')
    with pytest.raises(ResourceError, match=r"logins\.json"):
        login_options(SERVER)


def test_where_none_can_be_kept_there_is_none(isolated_home: Path) -> None:
    (isolated_home / "state").write_text("a file, not a folder")
    assert login_options(SERVER) == {}
    with pytest.raises(ResourceError, match="cannot be kept"), open_logins():
        pass


def test_one_server_has_one_name() -> None:
    names = ("grpc://SQE.example.org", "grpc+tcp://sqe.example.org:32010/")
    assert {server_name(name) for name in names} == {"grpc+tcp://sqe.example.org:32010"}


def test_a_token_is_renewed_before_it_is_used_and_for_everyone(issuer: LocalIssuer) -> None:
    mine = granted(issuer, expires_at=time.time() + 10)
    with open_logins() as logins:
        logins.put(SERVER, mine)
    first, second = RenewedToken(SERVER, mine), RenewedToken(SERVER, mine)
    fresh = first()
    assert fresh != mine.token.value
    assert second() == fresh  # the other call of sqe asks nobody
    assert issuer.calls["token"] == 2
    with open_logins() as logins:
        kept = logins.get(SERVER)
    assert kept is not None and kept.token.value == fresh


def test_a_login_that_cannot_be_renewed_any_more_is_forgotten(issuer: LocalIssuer) -> None:
    mine = granted(issuer, expires_at=1.0)
    issuer.users["alice"].enabled = False
    with open_logins() as logins:
        logins.put(SERVER, mine)
    with pytest.raises(AccessError, match="sqe login --server") as raised:
        login_options(SERVER)
    assert raised.value.code is ErrorCode.TOKEN_EXPIRED
    assert login_options(SERVER) == {}


def test_while_the_issuer_is_down_a_good_token_goes_on_being_used(issuer: LocalIssuer) -> None:
    soon = granted(issuer, expires_at=time.time() + 20)
    over = granted(issuer, expires_at=1.0)
    issuer.stop()
    assert RenewedToken(SERVER, soon)() == soon.token.value
    with open_logins() as logins:
        logins.put(SERVER, over)
    with pytest.raises(UpstreamError):
        login_options(SERVER)
    with open_logins() as logins:
        assert logins.get(SERVER) == over


def granted(issuer: LocalIssuer, expires_at: float) -> Login:
    from sqe.cli.tokens_issuer import login_of, provider_of

    provider = provider_of(issuer.url, "sqe-cli", ("openid",))
    found = login_of(provider, ("openid",), provider.log_in("alice", Secret("alice-pw")))
    provider.close()
    return Login.of_json(json.loads(json.dumps({**found.to_json(), "expires_at": expires_at}))) or (
        pytest.fail("it is not read as it was written")
    )
