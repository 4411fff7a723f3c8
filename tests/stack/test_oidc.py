"""Logins at a real Keycloak: who gets in by what, and what happens while it is down."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import pytest

import sqe.client
from dev.stack.keycloak import password_grant
from dev.stack.people import CATALOG, SQE
from dev.stack.places import REALM, Places
from sqe.auth.oidc.oidc import Oidc
from sqe.auth.protocol import Bearer, Password
from sqe.errors import AccessError, ErrorCode
from sqe.model.identity import Identity, Secret
from sqe.settings import OidcSettings
from tests.stack.issuer_admin import form_of
from tests.stack.logging_in import (
    IN_THE_CLEAR,
    NO,
    AnotherSqe,
    at_keycloak,
    connected,
    refused,
    refused_by_trino,
    who,
)
from tests.stack.proxy import Hang, Proxy, Refuse
from tests.stack.serving import Serving


@contextmanager
def oidc(issuer: str, **changes: Any) -> Iterator[Oidc]:
    found = Oidc({"keycloak": OidcSettings.model_validate(at_keycloak(issuer, **changes))})
    try:
        yield found
    finally:
        found.close()


def said(token: str) -> dict[str, Any]:
    """The claims."""
    part = token.split(".")[1]
    claims: dict[str, Any] = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    return claims


def shown(identity: Identity | None, audience: str = "") -> str:
    """What a catalog is shown."""
    assert identity is not None and identity.passport is not None
    return identity.passport.token(audience).reveal()


def test_a_token_of_keycloak_is_its_user(lakehouse: Serving) -> None:
    for user in ("alice", "bob", "carol"):
        with lakehouse.connected(user) as connection:
            assert who(lakehouse, connection) == user


def test_nobody_is_somebody_else_by_saying_so(
    another_sqe: AnotherSqe, token: Callable[..., str]
) -> None:
    with another_sqe(trino=IN_THE_CLEAR) as found:
        status, text = refused_by_trino(found, f"Bearer {token('alice')}", "bob")
    assert status == 403
    assert "User alice cannot impersonate user bob" in text


def test_a_token_has_groups_and_roles_and_goes_on_to_catalogs_as_it_is(
    stack: Places, token: Callable[..., str]
) -> None:
    text = token("carol")
    with oidc(stack.issuer) as found:
        carol = found.authenticate(Bearer(Secret(text)))
        assert carol is not None
        assert carol.groups == {"admins", "engineers"} and "admin" in carol.roles
        assert shown(carol) == text


def test_a_password_of_keycloak_gets_in(lakehouse: Serving) -> None:
    with connected(lakehouse, user="alice", password="alice-pw") as connection:
        assert who(lakehouse, connection) == "alice"


@pytest.mark.parametrize(
    ("user", "password"),
    [("alice", "wrong"), ("nobody", "alice-pw"), ("mallory", "mallory-pw")],
)
def test_a_wrong_password_and_a_disabled_user_are_one_and_the_same_no(
    lakehouse: Serving, user: str, password: str
) -> None:
    error = refused(lakehouse, user=user, password=password)
    assert (error.code, error.message) == ("AUTHENTICATION_FAILED", NO)


def test_two_realms_alices_are_two_people(
    another_sqe: AnotherSqe, stack: Places, token: Callable[..., str]
) -> None:
    partner = at_keycloak(stack.partner_issuer, password_grant=True, user_prefix="partner/")
    main = at_keycloak(stack.issuer, password_grant=True)
    with another_sqe(auth={"oidc": {"main": main, "partner": partner}}) as both:
        theirs = {"user": "partner/alice", "password": "partner-alice-pw"}
        with connected(both, **theirs) as connection:
            assert who(both, connection) == "partner/alice"
        with connected(both, token=token("alice")) as connection:
            assert who(both, connection) == "alice"
        error = refused(both, user="alice", password="partner-alice-pw")
        assert (error.code, error.message) == ("AUTHENTICATION_FAILED", NO)


def test_a_program_logs_in_with_its_clients_secret(stack: Places) -> None:
    with oidc(stack.issuer, programs=[SQE.name]) as found:
        identity = found.authenticate(Password(SQE.name, Secret(SQE.secret)))
        assert identity is not None and identity.user == f"service-account-{SQE.name}"
        assert found.authenticate(Password(SQE.name, Secret("wrong"))) is None


def test_a_catalog_is_shown_a_token_for_itself_alone(stack: Places) -> None:
    with oidc(stack.issuer, password_grant=True) as found:
        alice = found.authenticate(Password("alice", Secret("alice-pw")))
        narrow = said(shown(alice, CATALOG.name))
        assert narrow["aud"] == CATALOG.name and narrow["preferred_username"] == "alice"
        assert set(said(shown(alice))["aud"]) >= {SQE.name, CATALOG.name}
        with pytest.raises(AccessError) as raised:
            shown(alice, "payroll")
        assert raised.value.code is ErrorCode.ACCESS_DENIED
        assert "could not be exchanged for one of payroll" in raised.value.message


def test_a_token_of_a_login_that_was_ended_is_out_at_once_with_introspection(
    stack: Places,
) -> None:
    with oidc(stack.issuer, introspect="always", introspect_s=0) as found:
        provider = found.issuers["keycloak"].provider
        granted = provider.log_in("alice", Secret("alice-pw"))
        bearer = Bearer(granted.access.value)
        identity = found.authenticate(bearer)
        assert identity is not None and identity.user == "alice"
        assert granted.refresh is not None
        provider.revoke(granted.refresh)
        with pytest.raises(AccessError) as raised:
            found.authenticate(bearer)
        assert raised.value.message == NO


def test_what_one_user_was_told_is_not_told_to_another(lakehouse: Serving) -> None:
    """Three users ask for the same names at the same server, in turn, with every cache warm."""
    asked = "SELECT count(*) FROM lake.hr.salaries"
    listed = "SHOW TABLES IN lake.board"
    with (
        lakehouse.connected("carol") as carol,
        lakehouse.connected("bob") as bob,
        lakehouse.connected("alice") as alice,
    ):
        for _ in range(3):
            assert answer(carol, asked) == answer(bob, asked) == "[(3,)]"
            assert answer(alice, asked) == "TABLE_NOT_FOUND"
            assert "minutes" in answer(carol, listed)
            assert answer(bob, listed) == answer(alice, listed) == "ACCESS_DENIED"


def answer(connection: sqe.client.Connection, sql: str) -> str:
    """The rows, or the code of the error."""
    try:
        return str(connection.execute(sql).fetchall())
    except sqe.client.Error as error:
        return error.code


@pytest.fixture
def proxy(stack: Places) -> Iterator[Proxy]:
    parts = urlsplit(stack.keycloak)
    assert parts.hostname is not None and parts.port is not None
    with Proxy((parts.hostname, parts.port)) as found:
        yield found


@pytest.fixture
def behind(another_sqe: AnotherSqe, proxy: Proxy) -> Iterator[Serving]:
    """A server that reaches Keycloak through the proxy, and through nothing else."""
    settings = at_keycloak(issuer_at(proxy), password_grant=True, timeout_s=2)
    with another_sqe(auth={"oidc": {"keycloak": settings}}, trino=IN_THE_CLEAR) as found:
        yield found


def issuer_at(proxy: Proxy) -> str:
    return f"{proxy.url}/realms/{REALM}"


def test_while_keycloak_is_down_sessions_go_on_and_new_logins_fail_clearly(
    behind: Serving, proxy: Proxy
) -> None:
    later = password_grant(issuer_at(proxy), form_of("carol", "carol-pw", SQE))
    with connected(behind, user="alice", password="alice-pw") as session:
        assert who(behind, session) == "alice"
        proxy.fault = Refuse()
        assert who(behind, session) == "alice"
        with connected(behind, token=later) as by_token:  # Keycloak's keys are known
            assert who(behind, by_token) == "carol"
        error = refused(behind, user="bob", password="bob-pw")
        assert error.code == "ISSUER_UNAVAILABLE"
        assert error.message.startswith("The identity provider at 127.0.0.1")
        assert "cannot be reached" in error.message and "bob-pw" not in str(error)
        proxy.fault = None
        with connected(behind, user="bob", password="bob-pw") as back:
            assert who(behind, back) == "bob"


def test_a_keycloak_that_hangs_is_not_waited_for_longer_than_the_timeout(
    behind: Serving, proxy: Proxy
) -> None:
    proxy.fault = Hang()
    error = refused(behind, user="bob", password="bob-pw")
    assert error.code == "ISSUER_UNAVAILABLE"
    assert "did not answer within 2 s" in error.message


def test_trinos_clients_hear_that_keycloak_is_down(behind: Serving, proxy: Proxy) -> None:
    """Status 503, at which they try again."""
    proxy.fault = Refuse()
    pair = base64.b64encode(b"bob:bob-pw").decode()
    status, text = refused_by_trino(behind, f"Basic {pair}", "bob")
    assert status == 503
    assert text.startswith("The identity provider at 127.0.0.1") and "bob-pw" not in text
