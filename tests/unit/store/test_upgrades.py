"""Databases of earlier versions, as they were stored then, are brought up to date."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text

from sqe.model.query import QueryRecord, QueryState
from sqe.store.api_keys import ApiKeys
from sqe.store.database import STORE_FILE, Database
from sqe.store.grants import GrantStore
from sqe.store.history import HistoryStore, Process, QueryFilter
from sqe.store.query_rows import row_of
from sqe.store.versions import VERSIONS

COPIES = Path(__file__).parent / "copies"


def test_there_is_a_copy_of_every_earlier_version() -> None:
    names = {path.name for path in COPIES.iterdir()}
    assert names == {f"version_{number}.sql" for number in range(1, len(VERSIONS))}


@pytest.mark.parametrize("version", range(1, len(VERSIONS)))
def test_what_was_there_stays_and_what_is_new_works(tmp_path: Path, version: int) -> None:
    with closing(sqlite3.connect(tmp_path / STORE_FILE)) as old:
        old.executescript((COPIES / f"version_{version}.sql").read_text())
    with closing(Database(tmp_path)) as database:
        (key,) = ApiKeys(database).list_all()
        assert (key.name, key.user, key.roles) == ("nightly", "loader", frozenset({"etl"}))
        if version > 1:
            rules = GrantStore(database).read()
            assert (rules.version, [role.name for role in rules.roles]) == (7, ["analyst"])
        history = HistoryStore(database)
        record = QueryRecord("q1", "ann", "SELECT 1", QueryState.FINISHED, 10.0, ended=11.0)
        history.write(Process("p", "h"), 12.0, [row_of(record, "p")])
        assert history.search(QueryFilter(), 10) == [record]
        with database.begin() as connection:
            found = connection.execute(text("SELECT max(version) FROM sqe_version")).scalar()
        assert found == len(VERSIONS)
