"""A file of users that changes while SQE runs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sqe.auth.chain import Authenticators
from sqe.auth.configured import AuthParts, authenticators
from sqe.auth.hashing import hash_password, hash_token, new_token
from sqe.auth.protocol import Bearer, Credential, Password
from sqe.auth.static_users import StaticUsers
from sqe.auth.user_table import StaticUser
from sqe.auth.users_file import UsersFile
from sqe.errors import AccessError, ErrorCode, UserError
from sqe.model.identity import Secret
from sqe.model.password_hash import PasswordHash, ScryptCost
from sqe.settings import AuthSettings, UserSettings

OLD, NEW = Secret("correct horse"), Secret("battery staple")
HASHES = {one: hash_password(one, ScryptCost(p=1)).write() for one in (OLD, NEW)}
TOKEN = new_token()


def section(user: str, password: Secret = OLD) -> str:
    return f'[auth.users.{user}]\npassword = "{HASHES[password]}"\n'


class Reading:
    """Users of a file, with a clock that the test turns."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.now = 0.0
        file = UsersFile(path, {"root": settings(OLD)}, made, lambda: self.now)
        static = StaticUsers(file, lambda: self.now, changing=True)
        self.chain = Authenticators([static])

    def write(self, text: str) -> None:
        self.path.write_text(text)
        stamp = self.path.stat().st_mtime + 10
        os.utime(self.path, (stamp, stamp))
        self.now += 2

    def lets_in(self, credential: Credential) -> str:
        try:
            return self.chain.identify(credential).user
        except AccessError:
            return ""


def settings(password: Secret) -> UserSettings:
    return UserSettings.model_validate({"password": HASHES[password]})


def made(name: str, user: UserSettings) -> StaticUser:
    return StaticUser(name, PasswordHash.parse(user.password.get_secret_value()))


@pytest.fixture
def reading(tmp_path: Path) -> Reading:
    path = tmp_path / "users.toml"
    path.write_text(section("ann"))
    return Reading(path)


def test_users_of_the_file_and_of_the_settings_get_in(reading: Reading) -> None:
    assert reading.lets_in(Password("ann", OLD)) == "ann"
    assert reading.lets_in(Password("root", OLD)) == "root"


def test_a_changed_password_is_the_only_one_from_then_on(reading: Reading) -> None:
    assert reading.lets_in(Password("ann", OLD)) == "ann"  # and is remembered
    reading.write(section("ann", NEW))
    assert reading.lets_in(Password("ann", OLD)) == ""
    assert reading.lets_in(Password("ann", NEW)) == "ann"


def test_who_is_added_gets_in_and_who_is_removed_does_not(reading: Reading) -> None:
    assert reading.lets_in(Password("ann", OLD)) == "ann"
    reading.write(section("bob"))
    assert reading.lets_in(Password("bob", OLD)) == "bob"
    assert reading.lets_in(Password("ann", OLD)) == ""


@pytest.mark.parametrize("text", [section("bob"), section("ann", NEW), "[auth.users"])
def test_a_change_ends_what_the_user_has_begun(reading: Reading, text: str) -> None:
    ann, root = (reading.chain.identify(Password(name, OLD)) for name in ("ann", "root"))
    assert ann.standing is not None and root.standing is not None
    assert ann.standing() and root.standing()
    assert ann.standing == reading.chain.identify(Password("ann", OLD)).standing != root.standing
    reading.write(text)
    assert not ann.standing() and root.standing()


@pytest.mark.parametrize("text", ["[auth.users", "[auth.users.ann]\npasswort = 1\n", "\udcff"])
def test_a_file_that_is_broken_lets_nobody_of_it_in(reading: Reading, text: str) -> None:
    """Whoever changed it may have wanted to shut somebody out."""
    reading.path.write_bytes(text.encode("utf-8", "surrogateescape"))
    reading.now += 2
    assert reading.lets_in(Password("ann", OLD)) == ""
    assert reading.lets_in(Password("root", OLD)) == "root"
    reading.write(section("ann"))
    assert reading.lets_in(Password("ann", OLD)) == "ann"


def test_a_file_that_is_gone_lets_nobody_of_it_in(reading: Reading) -> None:
    reading.path.unlink()
    reading.now += 2
    assert reading.lets_in(Password("ann", OLD)) == ""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", ""),
        ("[users.ann]", "mistake"),
        ("[auth]\nanonymous = true", "mistake"),
        ('[auth.users.ann]\ncertificates = ["ann"]', "certificates"),
        ('[auth.users."a:b"]', "name"),
        (section("root"), "root, who is in the settings"),
    ],
)
def test_what_the_file_may_hold(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "users.toml"
    path.write_text(text)
    if not said:
        Reading(path)
        return
    with pytest.raises(UserError, match=said) as raised:
        Reading(path)
    assert raised.value.code is ErrorCode.INVALID_SETTINGS


def test_one_token_is_not_of_two_users(tmp_path: Path) -> None:
    line = f'tokens = ["sha256:{hash_token(TOKEN).hex()}"]\n'
    (tmp_path / "users.toml").write_text(f"[auth.users.ann]\n{line}")
    known = {"users_file": "users.toml", "users": {"bob": {"password": HASHES[OLD]}}}
    chain = authenticators(AuthSettings.model_validate(known), AuthParts(tmp_path))
    assert chain.identify(Bearer(TOKEN)).user == "ann"
    with pytest.raises(UserError, match="twice"):
        (tmp_path / "users.toml").write_text(f"[auth.users.ann]\n{line}[auth.users.eve]\n{line}")
        authenticators(AuthSettings.model_validate(known), AuthParts(tmp_path))
