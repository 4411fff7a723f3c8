"""Secrets in the settings as references: where they are kept, instead of what they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from sqe.errors import ErrorCode, UserError
from sqe.settings import JdbcCatalogSettings, RestCatalogSettings, Settings
from tests.unit.settings.test_catalogs import load


def test_a_secret_is_read_where_it_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOOKS_KEY", "from the environment")
    (tmp_path / "key").write_text("from a file\n")
    text = (
        '[catalogs.p]\ntype = "rest"\nuri = "https://p.test"\n'
        f'headers = {{ A = "env:BOOKS_KEY", B = "file:{tmp_path}/key", C = "as it is" }}'
    )
    settings = load(tmp_path, text)
    catalog = settings.catalogs["p"]
    assert isinstance(catalog, RestCatalogSettings)
    headers = {name: value.get_secret_value() for name, value in catalog.headers.items()}
    assert headers == {"A": "from the environment", "B": "from a file", "C": "as it is"}
    assert "from" not in repr(settings)


def test_every_secret_setting_takes_references(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STORE_URL", "postgresql+psycopg:///sqe")
    settings = Settings.model_validate({"store": {"url": "env:STORE_URL"}})
    assert settings.store.url.get_secret_value() == "postgresql+psycopg:///sqe"


@pytest.mark.parametrize(
    ("reference", "why"),
    [
        ("env:SQE_NO_SUCH_VARIABLE", "no variable SQE_NO_SUCH_VARIABLE"),
        ("file:relative", "whole path"),
        ("file:/no/such/file", "/no/such/file cannot be read: No such file"),
    ],
)
def test_a_reference_that_leads_nowhere_is_named(tmp_path: Path, reference: str, why: str) -> None:
    with pytest.raises(UserError, match=why) as wrong:
        load(tmp_path, f'[store]\nurl = "{reference}"')
    assert wrong.value.code is ErrorCode.INVALID_SETTINGS
    assert "store.url" in wrong.value.message


JDBC = '[catalogs.books]\ntype = "jdbc"\nwarehouse = "/books"\n'


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ('url = "sqlite:////b/c.db"', 'auth = "shared"'),
        ('url = "sqlite:///c.db"\nauth = "shared"', "whole path of the file"),
        ('url = "mysql://b/c"\nauth = "shared"', r"must begin with postgresql\+psycopg"),
        (
            'url = "postgresql+psycopg://u:knock-knock@db.test/b"\nauth = "shared"',
            "sslmode=verify-full",
        ),
        ('url = "postgresql+psycopg://u:knock-knock@h:port/b"\nauth = "shared"', "not the address"),
    ],
)
def test_what_a_jdbc_catalog_must_say(tmp_path: Path, lines: str, why: str) -> None:
    with pytest.raises(UserError, match=why) as wrong:
        load(tmp_path, JDBC + lines)
    assert "knock" not in str(wrong.value)


def test_two_catalogs_have_no_files_in_common(tmp_path: Path) -> None:
    lines = 'url = "sqlite:////b/c.db"\nauth = "shared"\n'
    inside = JDBC.replace("books]", "more]").replace("/books", "/books/2026")
    with pytest.raises(UserError, match="books and more have folders in common"):
        load(tmp_path, f"{JDBC}{lines}{inside}{lines}")


def test_the_address_of_a_jdbc_catalog_has_nothing_secret() -> None:
    url = "postgresql+psycopg://ann:knock-knock@db.test:5433/books?sslmode=verify-full&passfile=x"
    values = {"url": url, "warehouse": "/books", "auth": "shared"}
    settings = JdbcCatalogSettings.model_validate(values)
    assert settings.address == "postgresql://db.test:5433/books"
    assert "knock" not in repr(settings)
