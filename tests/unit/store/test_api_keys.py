"""API keys as they are kept."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sqe.errors import ErrorCode, UserError
from sqe.store.api_keys import ApiKey, ApiKeys
from sqe.store.database import Database

KEY = ApiKey(
    id="0123456789ab",
    name="nightly",
    user="Ångström",
    groups=frozenset({"staff", "a,b"}),
    roles=frozenset(),
    scopes=frozenset({"read"}),
    digest=b"\x00" * 32,
    created_at=1_000.5,
    expires_at=2_000.0,
)


@pytest.fixture
def keys(database: Database) -> ApiKeys:
    return ApiKeys(database)


def test_a_key_is_found_as_it_was_kept(keys: ApiKeys) -> None:
    keys.add(KEY)
    assert keys.find(KEY.id) == KEY
    assert keys.list_all() == [KEY]
    assert keys.find("another") is None
    assert "\\x00" not in repr(KEY)


def test_a_name_is_of_one_key_in_use(keys: ApiKeys) -> None:
    keys.add(KEY)
    with pytest.raises(UserError) as raised:
        keys.add(replace(KEY, id="another"))
    assert raised.value.code is ErrorCode.INVALID_ARGUMENT
    assert keys.revoke("nightly", 1_500.0)
    keys.add(replace(KEY, id="another"))
    assert [key.id for key in keys.list_all()] == [KEY.id, "another"]


@pytest.mark.parametrize("which", [KEY.id, KEY.name])
def test_a_key_is_revoked_once_by_name_or_id(keys: ApiKeys, which: str) -> None:
    keys.add(KEY)
    assert keys.revoke(which, 1_500.0)
    assert not keys.revoke(which, 1_600.0)
    found = keys.find(KEY.id)
    assert found is not None and found.revoked_at == 1_500.0


def test_its_last_use_is_noted(keys: ApiKeys) -> None:
    keys.add(KEY)
    keys.note_use(KEY.id, 1_700.0)
    found = keys.find(KEY.id)
    assert found == replace(KEY, used_at=1_700.0)


@pytest.mark.parametrize(
    ("key", "good"),
    [
        (KEY, True),
        (replace(KEY, expires_at=1_600.0), False),
        (replace(KEY, expires_at=None), True),
        (replace(KEY, revoked_at=1_100.0), False),
    ],
)
def test_when_a_key_is_good(key: ApiKey, good: bool) -> None:
    assert key.good(1_600.0) is good
