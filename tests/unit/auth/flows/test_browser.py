"""Logins that the server holds: what stands for them, and when they end."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from sqe.auth.flows.browser import BrowserLogins
from sqe.auth.oidc.oidc import Oidc
from sqe.auth.protocol import Bearer, Password
from sqe.errors import AccessError
from sqe.model.identity import Secret
from sqe.settings.identity import OidcSettings
from tests.unit.auth.flows.issuer import Talking
from tests.unit.auth.oidc.issuer import CLIENT, CLIENT_SECRET

BACK = "https://sqe.example.org/oauth2/callback"


@pytest.fixture
def logins(issuer: Talking) -> Iterator[Callable[..., BrowserLogins]]:
    made: list[Oidc] = []

    def make(**changes: object) -> BrowserLogins:
        known = {"issuer": issuer.url, "client_id": CLIENT, "client_secret": CLIENT_SECRET}
        oidc = Oidc({"one": OidcSettings.model_validate({**known, **changes})})
        made.append(oidc)
        return BrowserLogins(oidc.issuers["one"], oidc.renewals, 60.0)

    yield make
    for oidc in made:
        oidc.close()


def logged_in(issuer: Talking, known: BrowserLogins) -> Secret:
    return known.token(issuer.code_for(known.authorize_uri("one", BACK)), "one", BACK)


def test_our_token_stands_for_the_person_and_the_issuers_for_the_catalogs(
    issuer: Talking, logins: Callable[..., BrowserLogins]
) -> None:
    known = logins()
    token = logged_in(issuer, known)
    assert token.reveal().startswith("sqe_login_")
    identity = known.authenticate(Bearer(token))
    assert identity is not None and identity.passport is not None
    assert (identity.user, identity.issuer) == ("alice", issuer.url)
    assert identity.passport.token().reveal().count(".") == 2


def test_every_login_has_a_token_of_its_own(
    issuer: Talking, logins: Callable[..., BrowserLogins]
) -> None:
    known = logins()
    assert logged_in(issuer, known) != logged_in(issuer, known)


def test_another_process_knows_nothing_of_it(
    issuer: Talking, logins: Callable[..., BrowserLogins]
) -> None:
    """As after a restart: people log in again."""
    token = logged_in(issuer, logins())
    with pytest.raises(AccessError):
        logins().authenticate(Bearer(token))


@pytest.mark.parametrize("changes", [{"refresh": False}, {}])
def test_where_nothing_can_be_renewed_the_issuers_token_is_handed_out(
    issuer: Talking, logins: Callable[..., BrowserLogins], changes: dict[str, bool]
) -> None:
    issuer.renews = bool(changes)
    known = logins(**changes)
    token = logged_in(issuer, known)
    assert token.reveal().count(".") == 2
    assert known.authenticate(Bearer(token)) is None  # the bearer authenticator's business


def test_a_token_for_another_audience_is_no_login_here(
    issuer: Talking, logins: Callable[..., BrowserLogins]
) -> None:
    for refresh in (True, False):
        with pytest.raises(AccessError):
            logged_in(issuer, logins(audience=["another"], refresh=refresh))
    assert issuer.logins() <= 1  # what could be revoked was


def test_other_credentials_are_not_looked_at(
    issuer: Talking, logins: Callable[..., BrowserLogins]
) -> None:
    known = logins()
    token = logged_in(issuer, known)
    assert known.authenticate(Password("alice", token)) is None
    assert known.authenticate(Bearer(Secret("sqe_key_x"))) is None
    for wrong in ("sqe_login_", token.reveal() + "x"):
        with pytest.raises(AccessError):
            known.authenticate(Bearer(Secret(wrong)))
