"""API keys: shown as a bearer or as a password, good until they expire or are revoked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqe.auth.api_keys import ApiKeyUsers, NewKey, create_key
from sqe.auth.configured import AuthParts, authenticators
from sqe.auth.hashing import hash_token, new_token
from sqe.auth.protocol import Bearer, Certificate, Credential, Nothing, Password
from sqe.errors import AccessError, ErrorCode, UpstreamError
from sqe.model.identity import Identity, Secret
from sqe.settings import AuthSettings
from sqe.store.api_keys import ApiKeys
from sqe.store.database import Database

LOADER = NewKey(
    "nightly", "loader", frozenset({"etl"}), frozenset({"writer"}), frozenset({"read"}), 2_000.0
)


class Programs:
    """A database with one key, and the authenticator that knows it."""

    def __init__(self, home: Path) -> None:
        self.now = 1_000.0
        self.database = Database(home)
        self.keys = ApiKeys(self.database)
        self.key = create_key(self.keys, LOADER, self.now)
        self.users = ApiKeyUsers(self.keys, lambda: self.now)

    def outcome(self, credential: Credential) -> str:
        try:
            identity = self.users.authenticate(credential)
        except AccessError as error:
            assert error.code is ErrorCode.AUTHENTICATION_FAILED
            return "refused"
        return identity.user if identity is not None else "unknown"


@pytest.fixture
def programs(tmp_path: Path) -> Iterator[Programs]:
    made = Programs(tmp_path)
    yield made
    made.database.close()


def test_a_key_is_its_user_with_groups_roles_and_scopes(programs: Programs) -> None:
    found = programs.users.authenticate(Bearer(programs.key))
    expected = Identity(
        "loader", frozenset({"etl"}), frozenset({"writer"}), scopes=frozenset({"read"})
    )
    assert found == expected
    assert found.passport is None
    assert programs.users.authenticate(Password("loader", programs.key)) == expected


def test_a_key_is_no_password_of_anyone_else(programs: Programs) -> None:
    assert programs.outcome(Password("ann", programs.key)) == "refused"
    assert programs.outcome(Password("", programs.key)) == "refused"


def test_a_key_that_differs_in_one_character_is_refused(programs: Programs) -> None:
    text = programs.key.reveal()
    wrong = text[:-1] + ("A" if text[-1] != "A" else "B")
    assert programs.outcome(Bearer(Secret(wrong))) == "refused"


def test_an_expired_key_is_refused_and_its_sessions_end(programs: Programs) -> None:
    identity = programs.users.authenticate(Bearer(programs.key))
    assert identity is not None and identity.standing is not None and identity.standing()
    programs.now = 2_000.0
    assert programs.outcome(Bearer(programs.key)) == "refused"
    assert not identity.standing()


def test_a_key_revoked_by_another_process_is_refused_at_once(
    programs: Programs, tmp_path: Path
) -> None:
    identity = programs.users.authenticate(Bearer(programs.key))
    other = Database(tmp_path)
    assert ApiKeys(other).revoke("nightly", 1_100.0)
    other.close()
    assert programs.outcome(Bearer(programs.key)) == "refused"
    assert identity is not None and identity.standing is not None and not identity.standing()


def test_only_a_hash_is_kept(programs: Programs, tmp_path: Path) -> None:
    programs.outcome(Bearer(programs.key))
    kept = b"".join(path.read_bytes() for path in tmp_path.glob("sqe.db*"))
    assert b"nightly" in kept
    assert programs.key.reveal().rpartition("_")[2].encode() not in kept


def test_the_last_use_is_known_to_the_minute(programs: Programs) -> None:
    def used() -> float | None:
        return programs.keys.list_all()[0].used_at

    assert used() is None
    for moment, noted in ((1_001.0, 1_001.0), (1_030.0, 1_001.0), (1_062.0, 1_062.0)):
        programs.now = moment
        assert programs.outcome(Bearer(programs.key)) == "loader"
        assert used() == noted


def test_keys_of_one_user_are_told_apart(programs: Programs) -> None:
    """So that requests with one key do not share what ends with the other."""
    again = create_key(programs.keys, NewKey("other", "loader"), 1_000.0)
    first, second, third = (
        programs.users.authenticate(Bearer(key)) for key in (programs.key, programs.key, again)
    )
    assert first is not None and second is not None and third is not None
    assert first.standing == second.standing != third.standing


@given(text=st.text(max_size=80) | st.from_regex("sqe_key_[0-9a-f]{12}_[A-Za-z0-9_-]{43}"))
def test_what_is_no_key_is_somebody_elses_business(text: str) -> None:
    keys = ApiKeys(Database(Path("nowhere"), Secret("sqlite://")))
    assert ApiKeyUsers(keys).authenticate(Bearer(Secret(text))) is None


@pytest.mark.parametrize("credential", [Certificate("sqe_key_"), Nothing(loopback=True)])
def test_other_credentials_are_not_looked_at(programs: Programs, credential: Credential) -> None:
    assert programs.outcome(credential) == "unknown"


def test_keys_and_tokens_of_the_settings_do_not_get_in_each_others_way(programs: Programs) -> None:
    token = new_token()
    users = {"ann": {"tokens": [f"sha256:{hash_token(token).hex()}"]}}
    settings = AuthSettings.model_validate({"users": users})
    chain = authenticators(settings, AuthParts(keys=programs.keys))
    programs.keys.revoke("nightly", 0.0)
    lasting = create_key(programs.keys, NewKey("lasting", "loader"), 1_000.0)
    assert chain.identify(Bearer(token)).user == "ann"
    assert chain.identify(Bearer(lasting)).user == "loader"
    with pytest.raises(AccessError):
        chain.identify(Bearer(programs.key))
    off = authenticators(
        settings.model_copy(update={"api_keys": False}), AuthParts(keys=programs.keys)
    )
    with pytest.raises(AccessError):
        off.identify(Bearer(lasting))


def test_a_store_that_is_down_lets_nobody_in(tmp_path: Path) -> None:
    down = ApiKeys(Database(tmp_path, Secret("postgresql+psycopg://sqe@127.0.0.1:1/sqe")))
    shown = Bearer(Secret("sqe_key_0123456789ab_" + "a" * 43))
    with pytest.raises(UpstreamError):
        ApiKeyUsers(down).authenticate(shown)
