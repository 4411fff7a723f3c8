"""The token that stands for a user: the current one, or none."""

from __future__ import annotations

import pytest

from sqe.errors import AccessError, ErrorCode
from sqe.model.identity import Identity, Secret
from sqe.model.passport import Passport, Token
from tests.unit.clock import Clock


class Issuer:
    """Exchanges tokens, and counts."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []

    def __call__(self, token: Token, audience: str) -> Token:
        self.asked.append((token.value.reveal(), audience))
        return Token(Secret(f"{token.value.reveal()}-for-{audience}"), token.expires_at)


def token(text: str, expires_at: float | None = None) -> Token:
    return Token(Secret(text), expires_at)


def test_the_token_is_shown_until_it_expires() -> None:
    clock = Clock()
    passport = Passport(token("one", 1_100.0), "login", clock=clock)
    assert passport.token().reveal() == "one" and not passport.expired
    clock.now = 1_100.0
    with pytest.raises(AccessError) as failure:
        passport.token()
    assert failure.value.code is ErrorCode.TOKEN_EXPIRED and passport.expired


def test_a_newer_token_takes_its_place_for_everyone() -> None:
    passport = Passport(token("one", 2_000.0), "login", clock=Clock())
    passport.renew(token("two", 3_000.0))
    assert (passport.token().reveal(), passport.generation) == ("two", 1)


def test_an_older_token_does_not() -> None:
    passport = Passport(token("two", 3_000.0), "login", clock=Clock())
    passport.renew(token("one", 2_000.0))
    assert (passport.token().reveal(), passport.generation) == ("two", 0)


def test_only_a_token_of_the_same_login_renews() -> None:
    passport = Passport(token("one", 2_000.0), "monday", clock=Clock())
    passport.renew_from(Passport(token("narrower", 3_000.0), "tuesday"))
    assert passport.token().reveal() == "one"
    passport.renew_from(Passport(token("two", 3_000.0), "monday"))
    assert passport.token().reveal() == "two"


def test_after_a_logout_nothing_brings_it_back() -> None:
    passport = Passport(token("one"), "login", clock=Clock())
    passport.end()
    passport.renew(token("two", 3_000.0))
    with pytest.raises(AccessError):
        passport.token()


def test_a_token_for_another_audience_is_asked_for_once() -> None:
    issuer, clock = Issuer(), Clock()
    passport = Passport(token("one", 2_000.0), "login", issuer, clock)
    for _ in range(2):
        assert passport.token("polaris").reveal() == "one-for-polaris"
    assert issuer.asked == [("one", "polaris")]
    assert passport.token().reveal() == "one"


def test_a_token_that_cannot_be_narrowed_is_not_shown_as_it_is() -> None:
    with pytest.raises(AccessError) as failure:
        Passport(token("one"), "login").token("polaris")
    assert failure.value.code is ErrorCode.ACCESS_DENIED


def test_an_exchanged_token_is_not_used_when_it_is_about_to_end_or_the_login_has_a_new_one() -> (
    None
):
    issuer, clock = Issuer(), Clock()
    passport = Passport(token("one", 2_000.0), "login", issuer, clock)
    passport.token("polaris")
    clock.now = 1_997.0
    passport.token("polaris")
    passport.renew(token("two", 3_000.0))
    assert passport.token("polaris").reveal() == "two-for-polaris"
    assert [one for one, _ in issuer.asked] == ["one", "one", "two"]


def test_nothing_shows_the_token() -> None:
    passport = Passport(token("hunter2"), "login")
    identity = Identity("ann", passport=passport)
    assert "hunter2" not in f"{passport!r} {passport} {identity!r} {token('hunter2')!r}"
