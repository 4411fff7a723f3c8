"""A session lasts as long as its user's login at Keycloak: renewed behind the user's back, ended
with a clear error when it cannot be, and ended there when it is closed here."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest

import sqe.client
from dev.stack.people import SHORT
from dev.stack.places import Places
from sqe.auth.oidc.oidc import Oidc
from sqe.model.identity import Secret
from sqe.settings import OidcSettings
from tests.stack.issuer_admin import PASSWORD, IssuerAdmin
from tests.stack.logging_in import ASK, OVER, AnotherSqe, at_keycloak, connected, refused, who
from tests.stack.serving import Serving

# More rows than are ever on their way at once, so the query runs for as long as it is read.
LONG = "SELECT a.id FROM lake.sales.orders a {}".format(
    " ".join(f"CROSS JOIN lake.sales.orders t{number}" for number in range(11))
)


@pytest.fixture(scope="module")
def admin(stack: Places) -> Iterator[IssuerAdmin]:
    found = IssuerAdmin(stack)
    yield found
    found.remove_users()


@pytest.fixture
def short(another_sqe: AnotherSqe, stack: Places) -> Iterator[Serving]:
    """A server whose own client gets tokens of a few seconds."""
    oidc = at_keycloak(stack.issuer, SHORT, password_grant=True, skew_s=0)
    with another_sqe(auth={"oidc": {"keycloak": oidc}}) as found:
        yield found


def over(connection: sqe.client.Connection) -> sqe.client.Error:
    """What the user sees at the next statement, sooner or later."""
    while True:
        try:
            connection.execute(ASK).fetchall()
        except sqe.client.Error as error:
            return error
        time.sleep(0.1)


def eventually(done: Callable[[], bool]) -> None:
    """Fails by the test's own time limit."""
    while not done():
        time.sleep(0.1)


def test_a_login_by_password_is_renewed_for_as_long_as_the_session_lasts(
    short: Serving, admin: IssuerAdmin
) -> None:
    user = admin.new_user()
    with connected(short, user=user, password=PASSWORD) as connection:
        began = time.monotonic()
        while time.monotonic() - began < 13:  # three lives of a token
            assert who(short, connection) == user
            time.sleep(0.5)
        assert admin.logins(user) == 1


def test_a_login_that_nobody_uses_any_more_is_ended_at_keycloak(
    stack: Places, admin: IssuerAdmin
) -> None:
    user = admin.new_user()
    settings = OidcSettings.model_validate(at_keycloak(stack.issuer))
    oidc = Oidc({"keycloak": settings})
    issuer = oidc.issuers["keycloak"]
    held = oidc.renewals.hold(issuer, issuer.provider.log_in(user, Secret(PASSWORD)))
    passport = held.identity().passport
    assert passport is not None and admin.logins(user) == 1
    passport.end()  # as the end of its session does
    eventually(lambda: admin.logins(user) == 0)
    oidc.close()


@pytest.mark.parametrize("how", ["disabled", "logged out"])
def test_a_user_who_is_no_longer_welcome_at_keycloak_is_out_when_the_token_ends(
    short: Serving, admin: IssuerAdmin, how: str
) -> None:
    user = admin.new_user()
    with connected(short, user=user, password=PASSWORD) as connection:
        assert who(short, connection) == user
        if how == "disabled":
            admin.enable(user, False)
        else:
            admin.log_out(user)
        error = over(connection)
        assert (error.code, error.message) == ("TOKEN_EXPIRED", OVER)
        assert error.hint == "Log in again."
    if how == "disabled":
        assert refused(short, user=user, password=PASSWORD).code == "AUTHENTICATION_FAILED"


def test_where_every_token_is_asked_about_a_disabled_user_is_out_at_once(
    another_sqe: AnotherSqe, stack: Places, admin: IssuerAdmin
) -> None:
    """Long before the token expires, which lives for five minutes."""
    user = admin.new_user()
    often = at_keycloak(stack.issuer, password_grant=True, introspect="always", introspect_s=1)
    with (
        another_sqe(auth={"oidc": {"keycloak": often}}) as found,
        connected(found, user=user, password=PASSWORD) as connection,
    ):
        assert who(found, connection) == user
        admin.enable(user, False)
        error = over(connection)
        assert (error.code, error.message) == ("TOKEN_EXPIRED", OVER)


def test_a_query_ends_with_its_users_token_and_says_so(
    short: Serving, token: Callable[..., str]
) -> None:
    """No refresh token: the client gave a token and can give a newer one, but did not."""
    with (
        connected(short, token=token("alice", SHORT)) as connection,
        pytest.raises(sqe.client.Error) as raised,
    ):
        cursor = connection.execute(LONG)
        while cursor.fetchmany(1_000):  # it has millions of rows
            time.sleep(0.05)
    assert (raised.value.code, raised.value.message) == ("TOKEN_EXPIRED", OVER)


def test_a_query_goes_on_for_longer_than_two_lives_of_a_token_that_is_renewed(
    short: Serving,
) -> None:
    with connected(short, user="alice", password="alice-pw") as connection:
        cursor = connection.execute(LONG)
        began = time.monotonic()
        while time.monotonic() - began < 9:
            assert len(cursor.fetchmany(1_000)) == 1_000
            time.sleep(0.1)
        cursor.close()


def test_of_two_sessions_of_one_user_each_ends_alone(short: Serving, admin: IssuerAdmin) -> None:
    user = admin.new_user()
    with connected(short, user=user, password=PASSWORD) as second:
        with connected(short, user=user, password=PASSWORD) as first:
            assert who(short, first) == user
        assert who(short, second) == user
        assert admin.logins(user) == 1
