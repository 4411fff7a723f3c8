"""Settings of a directory: none that would let everybody in, or passwords be read."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from sqe.settings import AuthSettings
from sqe.settings.ldap import LdapSettings

GOOD: dict[str, Any] = {"url": "ldaps://ldap.example.org", "user_dn": "uid={user},dc=example"}
SEARCH = {"user_dn": "", "user_base": "dc=example"}


def test_without_an_address_there_is_no_directory() -> None:
    assert not AuthSettings().knows_anyone
    assert AuthSettings.model_validate({"ldap": GOOD}).knows_anyone


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"url": "http://ldap.example.org"}, "ldap://"),
        ({"url": "ldap://ldap.example.org"}, "in the clear"),
        ({"user_dn": "uid=ann"}, "{user}"),
        ({"user_filter": "(uid=ann)"}, "{user}"),
        ({"group_filter": "(cn=*)"}, "every group"),
        ({"user_dn": ""}, "user_dn or user_base"),
        ({"user_base": "dc=example"}, "user_dn or user_base"),
        (SEARCH, "bind_dn"),
        ({**SEARCH, "bind_dn": "cn=sqe"}, "bind_password"),
        ({"connect_s": 0}, "greater than 0"),
    ],
)
def test_what_is_refused(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        LdapSettings.model_validate({**GOOD, **changes})


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"url": "ldap://ldap.example.org", "start_tls": True},
        {"url": "ldap://ldap.example.org", "unencrypted": True},
        {**SEARCH, "bind_dn": "cn=sqe", "bind_password": "x"},
        {"group_filter": "(memberUid={user})"},
    ],
)
def test_what_is_good(changes: dict[str, Any]) -> None:
    LdapSettings.model_validate({**GOOD, **changes})


def test_the_password_of_who_searches_does_not_show() -> None:
    found = LdapSettings.model_validate(
        {**GOOD, **SEARCH, "bind_dn": "cn=sqe", "bind_password": "hunter2"}
    )
    assert "hunter2" not in f"{found}{found!r}"
