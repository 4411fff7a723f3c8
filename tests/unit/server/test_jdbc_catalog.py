"""A catalog with one account for all: SQE's own policies hold in it, and everybody is told."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog

from sqe.errors import ErrorCode, SqeError
from sqe.model.identity import Identity
from sqe.model.query import QueryRequest
from sqe.server.build import build
from sqe.settings import Settings
from tests.unit.server.test_show_catalogs import SHOW

ROWS = pa.table({"id": [1, 2, 3], "name": ["ann", "bob", "eve"], "pay": [10, 20, 30]})
RULES = {
    "catalogs": [{"catalog": "lake|books", "allow": "all"}],
    "tables": [
        {"user": "root", "privileges": ["SELECT", "OWNERSHIP"]},
        {"catalog": "books", "schema": "hr", "table": "emp", "privileges": ["SELECT"]},
    ],
}


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Another program has made the tables."""
    url = f"sqlite:///{tmp_path}/books.db"
    theirs = SqlCatalog("books", uri=url, warehouse=f"file://{tmp_path}/warehouse")
    theirs.create_namespace("hr")
    for name in ("emp", "secret"):
        theirs.create_table(f"hr.{name}", ROWS.schema).append(ROWS)
    theirs.close()
    (tmp_path / "rules.json").write_text(json.dumps(RULES))
    books = {"type": "jdbc", "url": url, "warehouse": tmp_path / "warehouse", "auth": "shared"}
    return Settings.model_validate(
        {
            "home": tmp_path / "home",
            "catalogs": {"lake": {}, "books": books},
            "policy": {"file": {"path": tmp_path / "rules.json"}},
        }
    )


def ask(settings: Settings, user: str, *texts: str) -> list[Any]:
    """Rows of each, or the code of its error; the local engine alone."""
    answers: list[Any] = []
    with closing(build(settings)) as server:
        session = server.gateway.open_session(Identity(user))
        server.gateway.fetch(
            server.gateway.submit(QueryRequest(session.id, "SET sqe.engine = local"))
        ).close()
        for text in texts:
            try:
                query = server.gateway.submit(QueryRequest(session.id, text))
                with server.gateway.fetch(query) as result:
                    answers.append(result.read_all().to_pylist())
            except SqeError as error:
                answers.append(error.code)
    return answers


def test_policies_hold_in_it(settings: Settings) -> None:
    """Row filters and masks are Spark's: tests/embedded/catalog/test_jdbc_engines.py."""
    count = "SELECT count(*) AS n FROM books.hr"
    emp, secret = ask(settings, "bob", f"{count}.emp", f"{count}.secret")
    assert (emp, secret) == ([{"n": 3}], ErrorCode.ACCESS_DENIED)
    assert ask(settings, "root", f"{count}.secret") == [[{"n": 3}]]


def test_everybody_is_told_of_the_account(settings: Settings, tmp_path: Path) -> None:
    [shown] = ask(settings, "bob", f"{SHOW} LIKE 'books'")
    assert shown == [
        {
            "catalog": "books",
            "type": "jdbc",
            "address": f"sqlite://{tmp_path}/books.db",
            "identity": "shared: one account for all users",
            "state": "reachable",
        }
    ]
    log = (tmp_path / "home" / "logs" / "sqe.log").read_text()
    assert "catalog books: all users act through one account" in log


@pytest.mark.parametrize("place", ["home/warehouse", "home", "."])
def test_files_of_sqes_own_are_no_place_for_it(settings: Settings, place: str) -> None:
    """Otherwise the rules for SQE's own tables would not be asked."""
    books = settings.catalogs["books"].model_copy(
        update={"warehouse": str(settings.home.parent / place)}
    )
    wrong = settings.model_copy(update={"catalogs": {**settings.catalogs, "books": books}})
    with pytest.raises(SqeError, match="one inside the other") as refused:
        build(wrong)
    assert refused.value.code is ErrorCode.INVALID_SETTINGS
