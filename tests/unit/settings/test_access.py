"""Settings of access: strict, and silent about secrets."""

from __future__ import annotations

from pathlib import Path

import pytest

from sqe.auth.hashing import hash_password, hash_token, new_token
from sqe.errors import ErrorCode, UserError
from sqe.model.identity import Secret
from sqe.model.password_hash import ScryptCost
from sqe.settings import Settings, TrinoSettings, load_settings

PASSWORD = hash_password(Secret("correct horse"), ScryptCost(p=1)).write()
TOKEN = f"sha256:{hash_token(new_token()).hex()}"


def load(tmp_path: Path, text: str) -> Settings:
    file = tmp_path / "sqe.toml"
    file.write_text(text)
    return load_settings(file, {"home": str(tmp_path)}, {})


def refused(tmp_path: Path, text: str) -> str:
    with pytest.raises(UserError) as raised:
        load(tmp_path, text)
    assert raised.value.code is ErrorCode.INVALID_SETTINGS
    assert "sqe.toml" in str(raised.value)
    return str(raised.value)


def test_a_user_as_people_write_one(tmp_path: Path) -> None:
    settings = load(
        tmp_path,
        f'[auth.users.ann]\npassword = "{PASSWORD}"\ntokens = ["{TOKEN}"]\n'
        'groups = ["staff"]\nroles = ["reader"]\n',
    )
    ann = settings.auth.users["ann"]
    assert ann.password.get_secret_value() == PASSWORD
    assert (ann.groups, ann.roles) == (("staff",), ("reader",))
    assert settings.auth.knows_anyone
    assert not settings.auth.anonymous_allowed


def test_hashes_do_not_show(tmp_path: Path) -> None:
    text = f'[auth.users.ann]\npassword = "{PASSWORD}"\ntokens = ["{TOKEN}"]\n'
    shown = repr(load(tmp_path, text))
    assert PASSWORD not in shown
    assert TOKEN not in shown


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('[auth.users.ann]\npassword = "hunter2-plain"\n', "auth.users.ann.password"),
        ('[auth.users.ann]\ntokens = ["hunter2-plain"]\n', "auth.users.ann.tokens"),
        ('[auth.users.ann]\ntokens = "hunter2"\n', "auth.users.ann.tokens"),
        (f'[auth.users.ann]\npassword = ["{PASSWORD}", "hunter2"]\n', "auth.users.ann.password"),
        (f'[auth.users.ann]\ntokens = ["{TOKEN}", "sha256:hunter2"]\n', "auth.users.ann.tokens"),
    ],
)
def test_a_secret_in_the_clear_is_refused_and_not_repeated(
    tmp_path: Path, text: str, key: str
) -> None:
    message = refused(tmp_path, text)
    assert key in message
    assert "hunter2" not in message
    assert PASSWORD not in message


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[auth.users.ann]\npasword = ''\n", ["auth.users.ann.pasword", "password"]),
        ('[auth.users."a:b"]\n', ["auth.users"]),
        ('[auth.users." ann"]\n', ["auth.users"]),
        ('[auth]\ncertificate_pattern = "("\n', ["auth.certificate_pattern", "regular"]),
        ('[auth]\ncertificate_pattern = "a"\n', ["auth.certificate_pattern", "group"]),
        ('[tls]\ncertificate = "c.pem"\n', ["tls.key"]),
        ('[tls]\nkey = "k.pem"\n', ["tls.certificate"]),
        ('[tls]\nclient_authorities = "a.pem"\n', ["tls.client_authorities"]),
        ("[flight]\nport = 65536\n", ["flight.port"]),
        ("[flight]\nmax_message_mb = 0\n", ["flight.max_message_mb"]),
        ('[flight]\ncompression = "snappy"\n', ["flight.compression", "zstd"]),
        ("[trino]\nport = -1\n", ["trino.port"]),
        ("[trino]\nclient_timeout_s = 0\n", ["trino.client_timeout_s"]),
        ('[trino]\nimpersonation = ["ann"]\n', ["trino.impersonation", "who -> whom"]),
        ('[trino]\nimpersonation = ["a -> b -> c"]\n', ["trino.impersonation"]),
        ("[limits]\nsession_idle_s = -1\n", ["limits.session_idle_s"]),
        ("[limits]\nrunning_queries_per_user = 0\n", ["limits.running_queries_per_user"]),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, words: list[str]) -> None:
    message = refused(tmp_path, text)
    assert [word for word in words if word not in message] == []


def test_a_credential_is_of_one_user(tmp_path: Path) -> None:
    two = f'[auth.users.ann]\ntokens = ["{TOKEN}"]\n[auth.users.bob]\ntokens = ["{TOKEN}"]\n'
    assert "token" in refused(tmp_path, two)
    two = "[auth.users.ann]\ncertificates = ['x']\n[auth.users.bob]\ncertificates = ['x']\n"
    assert "certificate" in refused(tmp_path, two)


def test_rules_of_impersonation_are_pairs() -> None:
    trino = TrinoSettings(impersonation=("superset -> *", "etl->ann"))
    assert trino.impersonation_rules == {("superset", "*"), ("etl", "ann")}


def test_the_environment_reaches_users(tmp_path: Path) -> None:
    environ = {"SQE_AUTH__USERS__ANN__PASSWORD": PASSWORD, "SQE_FLIGHT__PORT": "0"}
    settings = load_settings(None, {"home": str(tmp_path)}, environ)
    assert list(settings.auth.users) == ["ann"]
    assert settings.flight.port == 0
