"""Settings of catalogs: no token travels in the clear, and what is wrong is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from sqe.errors import ErrorCode, UserError
from sqe.settings import RestCatalogSettings, Settings, load_settings


def load(tmp_path: Path, text: str) -> Settings:
    file = tmp_path / "sqe.toml"
    file.write_text(text)
    return load_settings(file, {"home": str(tmp_path)}, {})


def rest(lines: str) -> str:
    return f'[catalogs.polaris]\ntype = "rest"\n{lines}\n'


def test_catalogs_of_both_kinds(tmp_path: Path) -> None:
    text = rest(
        'uri = "https://polaris.test/api/catalog/"\nwarehouse = "lake"\n'
        'headers = { Polaris-Realm = "eu" }\naudience = "polaris"'
    )
    catalogs = load(tmp_path, f"{text}[catalogs.lake]\n").catalogs
    assert {name: one.type for name, one in catalogs.items()} == {
        "polaris": "rest",
        "lake": "embedded",
    }
    polaris = catalogs["polaris"]
    assert isinstance(polaris, RestCatalogSettings)
    assert polaris.uri == "https://polaris.test/api/catalog"
    assert (polaris.delegation, polaris.auth, polaris.cache_s) == ("vended-credentials", "user", 30)
    assert "eu" not in repr(polaris.headers)


@pytest.mark.parametrize(
    ("uri", "fine"),
    [
        ("https://polaris.test:8181/api/catalog", True),
        ("http://127.0.0.1:8181/api/catalog", True),
        ("http://[::1]:8181", True),
        ("http://localhost:8181", True),
        ("http://polaris.test/api/catalog", False),
        ("http://127.0.0.1.polaris.test", False),
        ("http://localhost.polaris.test", False),
        ("ftp://polaris.test", False),
        ("polaris.test", False),
        ("https://ann:hunter2@polaris.test", False),
        ("https://polaris.test?token=hunter2", False),
    ],
)
def test_tokens_do_not_travel_readable(tmp_path: Path, uri: str, fine: bool) -> None:
    if fine:
        load(tmp_path, rest(f'uri = "{uri}"'))
        return
    with pytest.raises(UserError, match=r"catalogs\.polaris\.uri") as refused:
        load(tmp_path, rest(f'uri = "{uri}"'))
    assert refused.value.code is ErrorCode.INVALID_SETTINGS
    assert "hunter2" not in str(refused.value)


SAFE = 'uri = "https://polaris.test"\n'


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("", ["catalogs.polaris.uri"]),
        (SAFE + 'delegation = "vended"', ["catalogs.polaris.delegation"]),
        (SAFE + 'warehose = "x"', ["catalogs.polaris.warehose", "Did you mean warehouse?"]),
        (SAFE + 'headers = { Authorization = "x" }', ["catalogs.polaris.headers", "SQE's own"]),
        (SAFE + 'headers = { "a b" = "x" }', ["catalogs.polaris.headers"]),
        (SAFE + 'headers = { a = "x\\r\\nb: c" }', ["catalogs.polaris.headers", "control"]),
        (SAFE + 'auth = "none"', ["catalogs.polaris", "on this machine"]),
        (SAFE + "timeout_s = 0", ["catalogs.polaris.timeout_s"]),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, lines: str, words: list[str]) -> None:
    with pytest.raises(UserError) as refused:
        load(tmp_path, rest(lines))
    assert [word for word in words if word not in str(refused.value)] == []
    assert "polaris.rest" not in str(refused.value)  # nobody wrote such a key


def test_a_kind_that_is_not_known(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"catalogs\.x .*'delta'.*'rest'"):
        load(tmp_path, '[catalogs.x]\ntype = "delta"\n')


def test_a_misspelled_key_of_our_own_catalog(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"Unknown setting catalogs\.lake\.uri"):
        load(tmp_path, '[catalogs.lake]\nuri = "x"\n')
