"""Users of the settings file: their passwords and tokens, and nobody else's."""

from __future__ import annotations

import hashlib
import os
import time
import unicodedata
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import argon2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sqe.auth.configured import authenticators
from sqe.auth.hashing import hash_password, hash_token, is_password, new_token
from sqe.auth.protocol import Bearer, Credential, Password
from sqe.auth.static_users import StaticUsers
from sqe.auth.user_table import StaticUser, constant_users
from sqe.errors import AccessError, ErrorCode
from sqe.model.identity import Identity, Secret
from sqe.model.password_hash import Argon2Cost, Cost, PasswordHash, ScryptCost
from sqe.settings import AuthSettings

QUICK = ScryptCost(p=1)
PASSWORD = Secret("correct horse")
HASH = hash_password(PASSWORD, QUICK)
TOKEN = new_token()
TEXTS = st.text(min_size=1, max_size=30)


def users(clock: Callable[[], float] = time.monotonic) -> StaticUsers:
    ann = StaticUser("ann", HASH, (hash_token(TOKEN),), frozenset({"staff"}), frozenset({"reader"}))
    return StaticUsers(constant_users({"ann": ann, "bot": StaticUser("bot")}), clock)


def outcome(known: StaticUsers, credential: Credential) -> str:
    try:
        identity = known.authenticate(credential)
    except AccessError as error:
        assert error.code is ErrorCode.AUTHENTICATION_FAILED
        return "refused"
    return identity.user if identity is not None else "unknown"


def test_the_right_password_is_its_user_with_groups_and_roles() -> None:
    identity = users().authenticate(Password("ann", PASSWORD))
    assert identity == Identity("ann", frozenset({"staff"}), frozenset({"reader"}))
    assert identity.passport is None


def test_a_password_stays_good_and_a_wrong_one_stays_wrong() -> None:
    known = users()
    for _ in range(3):
        assert outcome(known, Password("ann", PASSWORD)) == "ann"
        assert outcome(known, Password("ann", Secret("wrong horse"))) == "refused"
        assert outcome(known, Password("bot", PASSWORD)) == "refused"
        assert outcome(known, Password("bob", PASSWORD)) == "unknown"
        assert outcome(known, Password("Ann", PASSWORD)) == "unknown"


def test_a_repeated_password_is_not_worked_out_again(monkeypatch: pytest.MonkeyPatch) -> None:
    known = users()
    assert outcome(known, Password("ann", PASSWORD)) == "ann"
    monkeypatch.setattr(hashlib, "scrypt", None)  # calling it would fail
    assert outcome(known, Password("ann", PASSWORD)) == "ann"


def test_many_logins_at_once_are_worked_out_a_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    known, work, scrypt = users(), [], hashlib.scrypt

    def counted(password: bytes, **how: Any) -> bytes:
        work.append(password)
        return scrypt(password, **how)

    monkeypatch.setattr(hashlib, "scrypt", counted)
    with ThreadPoolExecutor(20) as pool:
        answers = pool.map(lambda _: outcome(known, Password("ann", PASSWORD)), range(20))
        assert set(answers) == {"ann"}
    assert len(work) <= max(2, os.cpu_count() or 2)


def test_what_was_remembered_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    known = users(lambda: now)
    assert outcome(known, Password("ann", PASSWORD)) == "ann"
    now = 61.0
    monkeypatch.setattr(hashlib, "scrypt", lambda *_, **__: b"\0" * 32)
    assert outcome(known, Password("ann", PASSWORD)) == "refused"


def test_users_who_do_not_exist_cost_the_same_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two costs are in use: a check is made at each, whoever is asked for."""
    slower = StaticUser("sue", hash_password(PASSWORD, ScryptCost(p=2)))
    by_name = {"ann": StaticUser("ann", HASH), "sue": slower, "bot": StaticUser("bot")}
    known = StaticUsers(constant_users(by_name))
    work: list[object] = []
    scrypt = hashlib.scrypt

    def counted(password: bytes, **how: Any) -> bytes:
        work.append((how["n"], how["r"], how["p"], how["dklen"]))
        return scrypt(password, **how)

    monkeypatch.setattr(hashlib, "scrypt", counted)
    seen = set()
    for user in ("ann", "sue", "bot", "nobody", ""):
        work.clear()
        outcome(known, Password(user, Secret("a guess")))
        seen.add(tuple(sorted(map(str, work))))
    assert len(seen) == 1
    assert len(seen.pop()) == 2


def test_a_token_of_ours_is_its_users_and_nothing_a_catalog_could_know() -> None:
    identity = users().authenticate(Bearer(TOKEN))
    assert identity is not None
    assert (identity.user, identity.passport) == ("ann", None)
    assert outcome(users(), Bearer(new_token())) == "unknown"


@pytest.mark.parametrize("cost", [QUICK, Argon2Cost()])
@settings(max_examples=8, deadline=None)
@given(password=TEXTS, other=TEXTS)
def test_only_the_password_itself_fits_its_hash(cost: Cost, password: str, other: str) -> None:
    hashed = PasswordHash.parse(hash_password(Secret(password), cost).write())
    assert is_password(Secret(password), hashed)
    same = unicodedata.normalize("NFC", other) == unicodedata.normalize("NFC", password)
    assert is_password(Secret(other), hashed) == same


@settings(max_examples=8, deadline=None)
@given(user=st.text(max_size=20), password=st.text(max_size=40))
def test_nothing_but_the_password_lets_anyone_in(user: str, password: str) -> None:
    chain = authenticators(
        AuthSettings.model_validate({"users": {"ann": {"password": HASH.write()}}})
    )
    if (user, password) != ("ann", PASSWORD.reveal()):
        with pytest.raises(AccessError):
            chain.identify(Password(user, Secret(password)))


def complaint(text: str) -> str:
    try:
        PasswordHash.parse(text)
    except ValueError as error:
        return str(error)
    return ""


BAD = ("x", "scrypt$ln=1,r=8,p=1$aaaa$bbbb", f"scrypt$ln=1,r=8,p=1${'a' * 22}${'b' * 43}")
ARGON2 = f"$argon2id$v=19$m={{}},t=1,p=1${'a' * 22}${'b' * 43}"
COSTS = (f"scrypt$ln=20,r=32,p=1${'a' * 22}${'b' * 43}", ARGON2.format(1), ARGON2.format(9_999))
COMPLAINTS = {complaint(text) for text in (*BAD, *COSTS)}


@given(
    text=st.text(max_size=60)
    | st.from_regex(r"scrypt\$ln=\d+,r=\d+,p=\d+\$\w*\$\w*")
    | st.from_regex(r"\$argon2id\$v=19\$m=\d+,t=\d+,p=\d+\$\w*\$\w*")
)
def test_a_bad_hash_is_refused_without_being_repeated(text: str) -> None:
    """The same few sentences, whatever was in it."""
    assert complaint(text) in COMPLAINTS


def test_hashes_of_one_password_differ() -> None:
    first, second = (hash_password(PASSWORD, QUICK) for _ in range(2))
    assert first.write() != second.write()
    assert is_password(PASSWORD, first) and is_password(PASSWORD, second)


def test_nothing_secret_shows_in_a_repr() -> None:
    digest = hash_token(TOKEN)
    shown = repr(users().__dict__) + repr(HASH) + repr(StaticUser("ann", HASH, (digest,)))
    for secret in (TOKEN.reveal(), PASSWORD.reveal(), repr(HASH.digest), repr(HASH.salt)):
        assert secret not in shown


@pytest.mark.parametrize(
    ("cost", "why"),
    [
        ({"ln": 13}, "cost"),
        ({"ln": 21}, "cost"),
        ({"r": 1}, "cost"),
        ({"p": 0}, "cost"),
        ({"p": 17}, "cost"),
        ({"ln": 20, "r": 8}, "256 MB"),
    ],
)
def test_a_hash_that_is_too_cheap_or_too_dear_is_refused(cost: dict[str, int], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        ScryptCost(**cost)


@pytest.mark.parametrize(
    ("cost", "why"),
    [
        ({"m": 7_000, "t": 16}, "cost"),
        ({"m": 300_000}, "cost"),
        ({"t": 0}, "cost"),
        ({"p": 9}, "cost"),
        ({"m": 19_456, "t": 1}, "too small"),
    ],
)
def test_the_same_holds_for_argon2(cost: dict[str, int], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        Argon2Cost(**cost)


def test_a_hash_that_another_program_made_with_argon2_is_good_here() -> None:
    made = argon2.PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1).hash("horse")
    assert is_password(Secret("horse"), PasswordHash.parse(made))
    mine = hash_password(Secret("horse")).write()
    assert argon2.PasswordHasher().verify(mine, "horse")


def test_users_with_hashes_of_both_kinds_cost_the_same_work() -> None:
    """Each is checked with both kinds, so that an old hash does not tell whose it is."""
    new = StaticUser("sue", hash_password(PASSWORD))
    known = StaticUsers(constant_users({"ann": StaticUser("ann", HASH), "sue": new}))
    assert outcome(known, Password("ann", PASSWORD)) == "ann"
    assert outcome(known, Password("sue", PASSWORD)) == "sue"
    for user in ("ann", "sue"):
        assert outcome(known, Password(user, Secret("a guess"))) == "refused"
