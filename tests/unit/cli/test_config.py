"""``sqe config check`` says all that is wrong, and touches nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.cli.fakes import FakeGateway, run

PARTS = [
    "settings",
    "addresses",
    "certificates",
    "users",
    "policies",
    "catalogs",
    "locations",
    "traces",
]


def _check(home: Path, settings: str) -> tuple[int, list[str], str]:
    (home / "sqe.toml").write_text(settings)
    result = run(FakeGateway(), "config", "check", home=home)
    wrong = [line.split()[1] for line in result.stdout.splitlines() if line.startswith("wrong")]
    return result.exit_code, wrong, result.stderr


def test_settings_that_are_right_are_said_to_be(tmp_path: Path) -> None:
    home = tmp_path / "lake"
    result = run(FakeGateway(), "config", "check", home=home)
    assert result.exit_code == 0
    assert result.stdout.split() == [word for name in PARTS for word in ("ok", name)]
    assert not home.exists()


@pytest.mark.parametrize(
    ("settings", "part", "words"),
    [
        ('[flight]\nhost = "0.0.0.0"\n', "addresses", "there are no users"),
        ('[tls]\ncertificate = "c.pem"\nkey = "k.pem"\n', "certificates", "tls.certificate"),
        ('[auth]\nusers_file = "users.toml"\n', "users", "auth.users_file"),
        ('[policy.file]\npath = "rules.json"\n', "policies", "rules.json"),
        (
            '[catalogs.far]\ntype = "rest"\nuri = "https://c.example"\nauthorities = "no.pem"\n',
            "catalogs",
            "catalogs.far.authorities",
        ),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, settings: str, part: str, words: str) -> None:
    code, wrong, said = _check(tmp_path, settings)
    assert (code, wrong) == (1, [part])
    assert words in said


def test_everything_wrong_is_said_at_once(tmp_path: Path) -> None:
    rules = '[policy.file]\npath = "rules.json"\n[auth]\nusers_file = "users.toml"\n'
    code, wrong, _ = _check(tmp_path, rules)
    assert (code, wrong) == (1, ["users", "policies"])


def test_a_key_that_does_not_exist_is_wrong(tmp_path: Path) -> None:
    code, _, said = _check(tmp_path, "[serve]\ndrains_s = 3\n")
    assert code == 1 and "serve.drains_s" in said and "drain_s" in said
