"""The chain that settings make: who gets in by which, and what of the connection counts."""

from __future__ import annotations

from typing import Any

import pytest

from sqe.auth.anonymous import Anonymous
from sqe.auth.configured import authenticators
from sqe.auth.hashing import hash_password, hash_token, new_token
from sqe.auth.protocol import Bearer, Certificate, Credential, Nothing, Password
from sqe.errors import AccessError
from sqe.model.hosts import is_loopback
from sqe.model.identity import Identity, Secret
from sqe.model.password_hash import ScryptCost
from sqe.settings import AuthSettings

HERE, ELSEWHERE = Nothing(loopback=True), Nothing(loopback=False)
PASSWORD = hash_password(Secret("correct horse"), ScryptCost(p=1)).write()


def who(settings: dict[str, Any], credential: Credential) -> str:
    try:
        return authenticators(AuthSettings.model_validate(settings)).identify(credential).user
    except AccessError:
        return "nobody"


def test_anonymous_is_on_exactly_while_nobody_is_configured() -> None:
    somebody: dict[str, Any] = {"users": {"ann": {"password": PASSWORD}}}
    assert who({}, HERE) == "anonymous"
    assert who(somebody, HERE) == "nobody"
    assert who({"certificate_pattern": "(.+)"}, HERE) == "nobody"
    assert who({"anonymous": True, **somebody}, HERE) == "anonymous"
    assert who({"anonymous": False}, HERE) == "nobody"


def test_anonymous_is_for_this_machine_and_for_no_credential() -> None:
    assert who({"anonymous": True}, ELSEWHERE) == "nobody"
    for credential in (Password("ann", Secret("x")), Bearer(Secret("x")), Certificate("ann")):
        assert who({"anonymous": True}, credential) == "nobody"
    assert Anonymous().authenticate(Nothing(loopback="yes")) is None  # type: ignore[arg-type]


def test_a_user_gets_in_by_password_token_and_certificate() -> None:
    token = new_token()
    user = {
        "password": PASSWORD,
        "tokens": [f"sha256:{hash_token(token).hex().upper()}"],
        "certificates": ["ann.example.com"],
        "groups": ["staff"],
    }
    chain = authenticators(AuthSettings.model_validate({"users": {"ann": user}}))
    ann = Identity("ann", frozenset({"staff"}))
    assert chain.identify(Password("ann", Secret("correct horse"))) == ann
    assert chain.identify(Bearer(token)) == ann
    assert chain.identify(Certificate("ann.example.com")) == ann


def test_a_pattern_takes_the_user_out_of_a_whole_subject() -> None:
    settings = {
        "certificate_pattern": r"(\w+)@example\.com",
        "users": {"bot": {"certificates": ["ann@example.com"], "roles": ["reader"]}},
    }
    assert who(settings, Certificate("sue@example.com")) == "sue"
    assert who(settings, Certificate("ann@example.com")) == "bot"  # by name goes first
    for other in (
        "sue@example.com.evil",
        "x sue@example.com",
        "sue@examplexcom",
        "",
        "@example.com",
    ):
        assert who(settings, Certificate(other)) == "nobody"
    chain = authenticators(AuthSettings.model_validate(settings))
    assert chain.identify(Certificate("bot@example.com")).roles == {"reader"}


def test_a_pattern_without_a_match_in_its_group_is_nobody() -> None:
    assert who({"certificate_pattern": "(a)?b"}, Certificate("b")) == "nobody"
    assert who({"certificate_pattern": "(.+)"}, Certificate("a" * 2_000)) == "nobody"


@pytest.mark.parametrize(
    ("address", "local"),
    [
        ("127.0.0.1", True),
        ("127.8.9.10", True),
        ("::1", True),
        ("::ffff:127.0.0.1", True),
        ("10.0.0.1", False),
        ("0.0.0.0", False),
        ("::", False),
        ("::ffff:10.0.0.1", False),
        ("localhost", False),
        ("", False),
        ("127.0.0.1.example.com", False),
    ],
)
def test_which_addresses_are_this_machine(address: str, local: bool) -> None:
    assert is_loopback(address) is local
