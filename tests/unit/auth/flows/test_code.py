"""A login in a browser: only the one that was begun here, proven to the issuer and by it."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from sqe.auth.flows.code import CodeFlow
from sqe.auth.oidc.provider import Client, Provider, ProviderOptions
from sqe.errors import AccessError, ErrorCode, UpstreamError
from tests.unit.auth.flows.issuer import Talking
from tests.unit.auth.oidc.issuer import PUBLIC

BACK = "http://127.0.0.1:1/callback"


def flow(issuer: Talking, *scopes: str) -> CodeFlow:
    return CodeFlow(Provider(ProviderOptions(issuer.url, Client(PUBLIC[0]), scopes or ("openid",))))


def test_a_code_is_worth_the_persons_tokens(issuer: Talking) -> None:
    begun = flow(issuer)
    code = issuer.code_for(begun.authorize_uri("a state", BACK))
    granted = begun.redeem(code, "a state", BACK)
    assert granted.refresh is not None
    assert granted.access.value.reveal().count(".") == 2


def test_the_browser_learns_nothing_that_would_redeem_the_code(issuer: Talking) -> None:
    begun = flow(issuer, "profile")
    first, second = (
        parse_qs(urlsplit(begun.authorize_uri(state, BACK)).query) for state in ("one", "two")
    )
    assert first["scope"] == ["openid profile"]
    assert first["redirect_uri"] == [BACK]
    assert first["code_challenge"] != second["code_challenge"]
    assert first["nonce"] != second["nonce"]
    assert "code_verifier" not in first
    other = flow(issuer)
    code = issuer.code_for(begun.authorize_uri("one", BACK))
    with pytest.raises(AccessError):
        other.redeem(code, "one", BACK)  # another process knows the state, too


@pytest.mark.parametrize("state", ["another", "", "one "])
def test_a_code_of_another_login_is_refused(issuer: Talking, state: str) -> None:
    begun = flow(issuer)
    code = issuer.code_for(begun.authorize_uri("one", BACK))
    with pytest.raises(AccessError) as raised:
        begun.redeem(code, state, BACK)
    assert raised.value.code is ErrorCode.AUTHENTICATION_FAILED


@pytest.mark.parametrize(
    "changes",
    [
        {"nonce": "another"},
        {"nonce": None},
        {"nonce": 5},
        {"aud": "another"},
        {"aud": None},
        {"iss": "https://evil.example.org"},
        {"exp": 1.0},
        {"exp": None},
    ],
)
def test_an_id_token_that_is_not_of_this_login_is_refused(
    issuer: Talking, changes: dict[str, Any]
) -> None:
    issuer.id_changes = changes
    begun = flow(issuer)
    code = issuer.code_for(begun.authorize_uri("one", BACK))
    with pytest.raises(AccessError) as raised:
        begun.redeem(code, "one", BACK)
    assert raised.value.code is ErrorCode.AUTHENTICATION_FAILED


@pytest.mark.parametrize("code", ["", "x", "x" * 10_000])
def test_what_is_no_code_is_refused(issuer: Talking, code: str) -> None:
    with pytest.raises(AccessError):
        flow(issuer).redeem(code, "one", BACK)


def test_an_issuer_without_such_logins_or_that_is_down_is_said_to_be(issuer: Talking) -> None:
    issuer.said = {"authorization_endpoint": ""}
    with pytest.raises(UpstreamError, match="authorization endpoint"):
        flow(issuer).authorize_uri("one", BACK)
    issuer.stop()
    with pytest.raises(UpstreamError) as raised:
        flow(issuer).authorize_uri("one", BACK)
    assert raised.value.code is ErrorCode.ISSUER_UNAVAILABLE
