"""Logins with a password: one at the issuer, however often the password is sent; renewed while
somebody uses it, ended when nobody does."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from sqe.auth.oidc.oidc import Oidc
from sqe.auth.oidc.renewals import Renewals
from sqe.auth.protocol import Password
from sqe.errors import AccessError, ErrorCode
from sqe.model.identity import Identity, Secret
from sqe.model.passport import Passport
from sqe.settings import OidcSettings
from tests.unit.auth.oidc.asking import Asked, asking, own
from tests.unit.auth.oidc.issuer import LocalIssuer, issuing

ALICE = Password("alice", Secret("alice-pw"))


def passport(identity: Identity) -> Passport:
    assert identity.passport is not None
    return identity.passport


def eventually(done: Callable[[], bool]) -> None:
    """Fails by the test's own time limit."""
    while not done():
        time.sleep(0.02)


@pytest.fixture
def sqe(issuer: LocalIssuer) -> Iterator[Asked]:
    with asking(issuer, password_grant=True) as found:
        yield found


def test_a_password_of_the_issuer_gets_in_and_the_token_goes_on_to_catalogs(sqe: Asked) -> None:
    alice = sqe.password("alice", "alice-pw")
    assert (alice.user, alice.roles) == ("alice", frozenset({"analyst"}))
    assert sqe.bearer(passport(alice).token().reveal()) == alice


@pytest.mark.parametrize(
    ("user", "password"),
    [("alice", "bob-pw"), ("alice", ""), ("nobody", "x"), ("", "alice-pw"), ("Alice", "alice-pw")],
)
def test_a_wrong_password_is_one_and_the_same_no(user: str, password: str, sqe: Asked) -> None:
    sqe.refuses(Password(user, Secret(password)))


def test_a_disabled_user_does_not_get_in(sqe: Asked, issuer: LocalIssuer) -> None:
    issuer.users["alice"].enabled = False
    sqe.refuses(ALICE)


def test_without_the_setting_no_issuer_sees_a_password(issuer: LocalIssuer) -> None:
    with asking(issuer) as sqe:
        sqe.refuses(ALICE)
    assert issuer.calls["token"] == 0


def test_many_requests_are_one_login(sqe: Asked, issuer: LocalIssuer) -> None:
    with ThreadPoolExecutor(10) as pool:
        found = list(pool.map(lambda _: sqe.password("alice", "alice-pw"), range(30)))
    assert len({passport(one).login for one in found}) == 1
    assert issuer.calls["token"] == 1
    sqe.refuses(Password("alice", Secret("wrong")))


def test_after_a_minute_the_password_is_checked_and_the_login_goes_on(
    sqe: Asked, issuer: LocalIssuer
) -> None:
    first = sqe.password("alice", "alice-pw")
    sqe.later = 61
    second = sqe.password("alice", "alice-pw")
    assert passport(second).login == passport(first).login
    assert issuer.calls["token"] == 2
    assert issuer.logins() == 1  # the one that was only a check is ended there
    sqe.later = 122
    issuer.users["alice"].password = "changed"
    sqe.refuses(ALICE)


def test_new_rights_are_a_new_login(sqe: Asked, issuer: LocalIssuer) -> None:
    first = sqe.password("alice", "alice-pw")
    issuer.users["alice"].roles = ["admin"]
    sqe.later = 61
    second = sqe.password("alice", "alice-pw")
    assert second.roles == {"admin"} and passport(second).login != passport(first).login


def test_while_the_issuer_is_down_logins_fail_clearly_and_known_ones_go_on(
    sqe: Asked, issuer: LocalIssuer
) -> None:
    alice = sqe.password("alice", "alice-pw")
    issuer.stop()
    assert sqe.password("alice", "alice-pw") == alice
    error = sqe.refused(Password("bob", Secret("bob-pw")))
    assert error.code is ErrorCode.ISSUER_UNAVAILABLE
    assert "The identity provider at 127.0.0.1" in error.message
    assert "bob-pw" not in str(error)
    assert passport(alice).token().reveal()


def test_that_sqes_own_client_is_wrong_is_said(issuer: LocalIssuer) -> None:
    with asking(issuer, password_grant=True, client_secret="wrong") as sqe:
        error = sqe.refused(ALICE)
    assert error.code is ErrorCode.ISSUER_UNAVAILABLE
    assert "does not let SQE's own client do this (invalid_client)" in error.message


def test_a_token_that_is_not_for_sqe_is_no_login(issuer: LocalIssuer) -> None:
    with asking(issuer, password_grant=True, audience=["another"]) as sqe:
        sqe.refuses(ALICE)
    assert issuer.logins() == 0


def test_of_two_issuers_only_the_users_own_sees_the_password(issuer: LocalIssuer) -> None:
    with issuing() as other:
        one = own(issuer, password_grant=True)
        two = own(other, password_grant=True, user_prefix="partner/")
        sqe = Asked({"oidc": {"one": one, "two": two}})
        assert sqe.password("partner/alice", "alice-pw").user == "partner/alice"
        assert issuer.calls["token"] == 0
        assert sqe.password("alice", "alice-pw").user == "alice"
        assert other.calls["token"] == 1
        sqe.oidc.close()


def test_a_program_logs_in_with_its_secret_if_the_settings_name_it(issuer: LocalIssuer) -> None:
    issuer.programs = {"etl": "etl-secret", "other": "other-secret"}
    with asking(issuer, programs=["etl"]) as sqe:
        assert sqe.password("etl", "etl-secret").user == "service-etl"
        sqe.refuses(Password("etl", Secret("wrong")))
        sqe.refuses(Password("other", Secret("other-secret")))


def test_opaque_tokens_of_a_login_are_asked_about(issuer: LocalIssuer) -> None:
    issuer.opaque = True
    with asking(issuer, password_grant=True, introspect="opaque") as sqe:
        assert sqe.password("alice", "alice-pw").user == "alice"


def test_a_login_is_renewed_before_it_expires(issuer: LocalIssuer) -> None:
    issuer.life_s = 3.0
    with asking(issuer, password_grant=True) as sqe:
        alice = passport(sqe.password("alice", "alice-pw"))
        first = alice.token().reveal()
        eventually(lambda: alice.token().reveal() != first)  # raises if it expires meanwhile
        assert sqe.bearer(alice.token().reveal()).user == "alice"
        assert alice.generation == 1


def test_a_program_is_renewed_by_its_secret(issuer: LocalIssuer) -> None:
    issuer.life_s = 3.0
    issuer.programs = {"etl": "etl-secret"}
    with asking(issuer, programs=["etl"]) as sqe:
        etl = passport(sqe.password("etl", "etl-secret"))
        first = etl.token().reveal()
        eventually(lambda: etl.token().reveal() != first)


class Steps:
    """Logins whose renewal happens when the test says so."""

    def __init__(self, issuer: LocalIssuer) -> None:
        self.later = 0.0
        settings = OidcSettings.model_validate(own(issuer))
        self.oidc = Oidc({"test": settings}, clock=self.now)
        self.issuer = self.oidc.issuers["test"]
        self.renewals = Renewals(self.now, by_itself=False)

    def now(self) -> float:
        return time.time() + self.later

    def log_in(self) -> Identity:
        granted = self.issuer.provider.log_in("alice", Secret("alice-pw"))
        return self.renewals.hold(self.issuer, granted).identity()


@pytest.fixture
def steps(issuer: LocalIssuer) -> Iterator[Steps]:
    found = Steps(issuer)
    yield found
    found.renewals.close()
    found.oidc.close()


def test_a_user_who_is_disabled_or_logged_out_is_out_at_the_next_renewal(
    steps: Steps, issuer: LocalIssuer
) -> None:
    alice = passport(steps.log_in())
    issuer.users["alice"].enabled = False
    steps.renewals.look()
    assert alice.token().reveal()  # not due yet
    steps.later = 250
    steps.renewals.look()
    with pytest.raises(AccessError) as raised:
        alice.token()
    assert raised.value.code is ErrorCode.TOKEN_EXPIRED
    assert raised.value.message == "Your login has expired and could not be renewed."


def test_a_renewal_that_failed_is_tried_again_but_not_at_once(
    steps: Steps, issuer: LocalIssuer
) -> None:
    alice = passport(steps.log_in())
    first = alice.token().reveal()
    issuer.fails = 503
    steps.later = 250
    for _ in range(5):
        steps.renewals.look()
    assert issuer.calls["token"] == 2  # the login, and one try
    issuer.fails = 0
    steps.later = 260
    steps.renewals.look()
    assert alice.token().reveal() != first


def test_while_the_issuer_is_down_a_login_goes_on_until_it_expires(
    steps: Steps, issuer: LocalIssuer
) -> None:
    alice = passport(steps.log_in())
    issuer.stop()
    steps.later = 250
    steps.renewals.look()
    assert alice.token().reveal()
    steps.later = 301
    assert alice.expired and not alice.ended
    issuer.start()
    steps.later = 400
    issuer.life_s = 1_000  # by the clock of this test
    steps.renewals.look()
    assert not alice.expired


def test_a_login_whose_rights_have_changed_is_not_renewed(
    steps: Steps, issuer: LocalIssuer
) -> None:
    """The session has the rights it began with, so it must come to its end."""
    alice = passport(steps.log_in())
    first = alice.token()
    issuer.users["alice"].roles = []
    steps.later = 250
    steps.renewals.look()
    assert alice.token() == first


def test_a_login_that_nobody_uses_is_ended_at_the_issuer(steps: Steps, issuer: LocalIssuer) -> None:
    alice = steps.log_in()
    steps.later = 10
    steps.renewals.look()
    assert issuer.logins() == 1
    passport(alice).end()  # its session was closed
    steps.renewals.look()
    assert issuer.logins() == 0 and len(issuer.revoked) == 1


def test_a_login_that_is_forgotten_is_ended_at_the_issuer(
    steps: Steps, issuer: LocalIssuer
) -> None:
    steps.log_in()
    gc.collect()
    steps.later = 10
    steps.renewals.look()
    assert issuer.logins() == 0


def test_at_the_end_all_logins_are_ended_and_no_thread_is_left(issuer: LocalIssuer) -> None:
    with asking(issuer, password_grant=True) as sqe:
        alice = passport(sqe.password("alice", "alice-pw"))
    assert alice.ended and issuer.logins() == 0
    assert "logins" not in {thread.name for thread in threading.enumerate()}


def test_where_every_token_is_asked_about_a_session_ends_with_the_login_at_the_issuer(
    issuer: LocalIssuer,
) -> None:
    """No request comes meanwhile. While the issuer is down nobody is shut out."""
    with asking(issuer, introspect="always", introspect_s=0) as sqe:
        alice, bob = (passport(sqe.bearer(issuer.token(user))) for user in ("alice", "bob"))
        issuer.fails = 503
        asked = issuer.calls["introspect"]
        eventually(lambda: issuer.calls["introspect"] > asked)
        assert not alice.ended
        issuer.users["alice"].enabled = False
        issuer.fails = 0
        eventually(lambda: alice.ended)
        assert not bob.ended


def test_a_password_that_is_remembered_is_no_way_around_that(issuer: LocalIssuer) -> None:
    with asking(issuer, password_grant=True, introspect="always", introspect_s=0) as sqe:
        assert sqe.password("alice", "alice-pw").user == "alice"
        issuer.users["alice"].enabled = False
        sqe.refuses(ALICE)


def test_a_catalog_may_be_shown_a_token_of_its_own(sqe: Asked, issuer: LocalIssuer) -> None:
    alice = passport(sqe.password("alice", "alice-pw"))
    for _ in range(3):
        narrow = alice.token("polaris").reveal()
    assert narrow != alice.token().reveal()
    assert issuer.calls["token"] == 2
    sqe.refuses(narrow)  # it is not for SQE
    with pytest.raises(AccessError) as raised:
        alice.token("payroll")
    assert raised.value.code is ErrorCode.ACCESS_DENIED
    assert "could not be exchanged for one of payroll" in raised.value.message


def test_without_a_client_a_token_is_not_exchanged_and_not_shown_as_it_is(
    issuer: LocalIssuer,
) -> None:
    with asking(issuer, client_id="", client_secret="", audience=["sqe"]) as sqe:
        alice = passport(sqe.bearer(issuer.token("alice")))
        assert alice.token().reveal()
        with pytest.raises(AccessError) as raised:
            alice.token("polaris")
        assert "SQE has no client_id at the identity provider" in raised.value.message
