"""Bearer tokens: who gets in by one, and how rarely the issuer is asked."""

from __future__ import annotations

from typing import Any

import pytest

from sqe.errors import ErrorCode
from tests.unit.auth.oidc.asking import Asked, asking, own
from tests.unit.auth.oidc.issuer import LocalIssuer, issuing


def test_a_token_is_its_user_with_groups_and_roles_and_goes_on_to_catalogs(
    issuer: LocalIssuer,
) -> None:
    token = issuer.token("alice")
    with asking(issuer) as sqe:
        alice = sqe.bearer(token)
    assert (alice.user, alice.issuer) == ("alice", issuer.url)
    assert alice.groups == {"analysts"} and alice.roles == {"analyst"}
    assert alice.passport is not None and alice.passport.token().reveal() == token
    assert token not in repr(alice) and token not in repr(alice.passport)


def test_keys_are_asked_for_once_and_a_known_token_is_not_checked_again(
    issuer: LocalIssuer,
) -> None:
    with asking(issuer) as sqe:
        token = issuer.token("alice")
        for _ in range(50):
            sqe.bearer(token)
            sqe.bearer(issuer.token("bob"))
    assert (issuer.calls["openid-configuration"], issuer.calls["jwks"]) == (1, 1)


@pytest.mark.parametrize("algorithm", ["RS512", "PS256", "ES256", "ES384", "ES512", "EdDSA"])
def test_every_algorithm_of_key_pairs_is_known(algorithm: str, issuer: LocalIssuer) -> None:
    issuer.rotate(algorithm)
    with asking(issuer) as sqe:
        assert sqe.bearer(issuer.token("alice")).user == "alice"


def test_an_algorithm_that_the_settings_leave_out_is_refused(issuer: LocalIssuer) -> None:
    with asking(issuer, algorithms=["ES256"]) as sqe:
        sqe.refuses(issuer.token("alice"))


def test_a_new_key_of_the_issuer_is_found_and_the_old_one_is_not_good_any_more(
    issuer: LocalIssuer,
) -> None:
    with asking(issuer) as sqe:
        old = issuer.token("alice")
        assert sqe.bearer(old).user == "alice"
        sqe.later = 11
        issuer.rotate()
        assert sqe.bearer(issuer.token("alice")).user == "alice"
        sqe.refuses(old)


def test_unknown_keys_do_not_make_sqe_ask_the_issuer_again_and_again(issuer: LocalIssuer) -> None:
    with asking(issuer) as sqe:
        sqe.bearer(issuer.token("alice"))
        for number in range(20):
            sqe.refuses(issuer.token("alice", {"kid": f"k{number}"}))
        assert issuer.calls["jwks"] == 1
        sqe.later = 11
        for number in range(20):
            sqe.refuses(issuer.token("alice", {"kid": f"k{number}"}))
        assert issuer.calls["jwks"] == 2


def test_a_token_that_names_no_key_is_tried_with_those_there_are(issuer: LocalIssuer) -> None:
    with asking(issuer) as sqe:
        assert sqe.bearer(issuer.token("alice", {"kid": None})).user == "alice"


def test_while_the_issuer_is_down_its_keys_go_on(issuer: LocalIssuer) -> None:
    """Keycloak down: who has a token gets in, with a token never seen before, too."""
    with asking(issuer) as sqe:
        sqe.bearer(issuer.token("alice"))
        issuer.stop()
        assert sqe.bearer(issuer.token("bob")).user == "bob"
        sqe.later = 3600
        assert sqe.bearer(issuer.token("bob")).user == "bob"


def test_keys_of_an_issuer_that_is_down_for_a_day_are_not_used_any_more(
    issuer: LocalIssuer,
) -> None:
    with asking(issuer) as sqe:
        sqe.bearer(issuer.token("alice"))
        issuer.stop()
        sqe.later = 86_401
        assert sqe.refused(issuer.token("bob")).code is ErrorCode.ISSUER_UNAVAILABLE


def test_without_keys_the_user_hears_that_the_issuer_is_down_and_then_gets_in(
    issuer: LocalIssuer,
) -> None:
    issuer.stop()
    with asking(issuer, timeout_s=1) as sqe:
        error = sqe.refused(issuer.token("alice"))
        assert error.code is ErrorCode.ISSUER_UNAVAILABLE
        assert "The identity provider at 127.0.0.1" in error.message
        assert "cannot be reached" in error.message
        issuer.start()
        sqe.later = 3
        assert sqe.bearer(issuer.token("alice")).user == "alice"


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"issuer": "https://login.example.com"}, "another issuer than configured"),
        ({"issuer": None}, "another issuer than configured"),
        ({"jwks_uri": "http://keys.example.com/jwks"}, "jwks_uri that tokens must not be sent to"),
        ({"jwks_uri": "file:///etc/passwd"}, "jwks_uri that tokens must not be sent to"),
        ({"jwks_uri": ""}, "does not say where its keys are"),
    ],
)
def test_an_issuer_that_is_not_who_it_should_be_is_not_believed(
    said: dict[str, object], words: str, issuer: LocalIssuer
) -> None:
    issuer.said = said
    with asking(issuer) as sqe:
        error = sqe.refused(issuer.token("alice"))
    assert error.code is ErrorCode.ISSUER_UNAVAILABLE
    assert words in error.message


def test_two_issuers_alices_are_two_people(issuer: LocalIssuer) -> None:
    with issuing() as other:
        sqe = Asked({"oidc": {"one": own(issuer), "two": own(other, user_prefix="partner/")}})
        mine, theirs = sqe.bearer(issuer.token("alice")), sqe.bearer(other.token("alice"))
        assert (mine.user, theirs.user) == ("alice", "partner/alice")
        assert theirs.groups == {"partner/analysts"}
        assert mine != theirs
        # Signed by the one, said to be of the other.
        sqe.refuses(issuer.token("alice", iss=other.url))


def test_claims_may_be_anywhere(issuer: LocalIssuer) -> None:
    names = {
        "user_claim": "profile.login",
        "groups_claim": "https://sqe.example.com/groups",
        "roles_claim": "resource_access.sqe.roles",
    }
    claims: dict[str, Any] = {
        "profile": {"login": "al"},
        "resource_access": {"sqe": {"roles": ["reader"]}},
        "https://sqe.example.com/groups": "staff",
    }
    token = issuer.token("alice", **claims)
    with asking(issuer, **names) as sqe:
        alice = sqe.bearer(token)
    assert alice.user == "al" and alice.groups == {"staff"} and alice.roles == {"reader"}


@pytest.mark.parametrize(
    "claims",
    [
        {"preferred_username": None},
        {"preferred_username": ""},
        {"preferred_username": ["alice"]},
        {"preferred_username": "alice\n"},
        {"preferred_username": "a" * 513},
        {"groups": {"a": 1}},
        {"groups": ["staff", 7]},
        {"roles": ["admin\0"]},
        {"sub": None},
    ],
)
def test_who_is_not_clear_does_not_get_in(claims: dict[str, Any], issuer: LocalIssuer) -> None:
    with asking(issuer) as sqe:
        sqe.refuses(issuer.token("alice", **claims))


def test_tokens_of_one_login_have_one_login_and_others_another(issuer: LocalIssuer) -> None:
    with asking(issuer) as sqe:

        def login(**claims: Any) -> str:
            passport = sqe.bearer(issuer.token("alice", **claims)).passport
            assert passport is not None
            return passport.login

        first = login()
        assert login() == first
        others = [login(sid="tuesday"), login(scope="narrow"), login(azp="other"), login(sid=None)]
        assert len({first, *others, login(sid=None)}) == 6


def test_each_session_has_a_passport_of_its_own(issuer: LocalIssuer) -> None:
    """Who ends one connection must be able to open another with the same token."""
    token = issuer.token("alice")
    with asking(issuer) as sqe:
        first = sqe.bearer(token).passport
        assert first is not None
        first.end()
        second = sqe.bearer(token).passport
    assert second is not None and second.token().reveal() == token


def test_opaque_tokens_are_asked_about_and_the_answer_is_kept_shortly(
    issuer: LocalIssuer,
) -> None:
    token = issuer.opaque_token("alice")
    with asking(issuer, introspect="opaque") as sqe:
        for _ in range(5):
            assert sqe.bearer(token).user == "alice"
        assert issuer.calls["introspect"] == 1
        sqe.refuses("opaque-of-nobody")
    with asking(issuer, introspect="opaque", introspect_s=0) as sqe:
        assert sqe.bearer(token).user == "alice"
        issuer.log_out("alice")
        sqe.refuses(token)


def test_without_introspection_no_issuer_sees_an_opaque_token(issuer: LocalIssuer) -> None:
    with asking(issuer) as sqe:
        sqe.refuses(issuer.opaque_token("alice"))
    assert issuer.calls["introspect"] == 0


def test_no_issuer_is_shown_sqes_own_tokens(issuer: LocalIssuer) -> None:
    with asking(issuer, introspect="always") as sqe:
        sqe.refuses("sqe_abc")
    assert issuer.calls["introspect"] == 0


@pytest.mark.parametrize(
    "claims",
    [
        {"aud": "another"},
        {"aud": None, "client_id": "another"},
        {"exp": 5},
        {"iss": "https://login.example.com"},
        {"typ": "Refresh"},
    ],
)
def test_an_active_token_for_something_else_is_refused(
    claims: dict[str, Any], issuer: LocalIssuer
) -> None:
    token = issuer.opaque_token("alice", **claims)
    with asking(issuer, introspect="opaque") as sqe:
        sqe.refuses(token)


def test_a_disabled_user_is_out_at_once_where_every_token_is_asked_about(
    issuer: LocalIssuer,
) -> None:
    token = issuer.token("alice")
    with asking(issuer, introspect="always", introspect_s=0) as sqe:
        assert sqe.bearer(token).user == "alice"
        issuer.users["alice"].enabled = False
        sqe.refuses(token)
        issuer.fails = 503
        assert sqe.refused(token).code is ErrorCode.ISSUER_UNAVAILABLE
