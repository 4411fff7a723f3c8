"""Both engines read and write a JDBC catalog's tables, and the policies hold in it."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog

from sqe.errors import ErrorCode, SqeError
from sqe.settings import Settings
from tests.embedded.conftest import Another

pytestmark = pytest.mark.spark

ROWS = pa.table({"id": [1, 2, 3], "name": ["ann", "bob", "eve"], "pay": [10, 20, 30]})
ALL = ["SELECT", "INSERT", "UPDATE", "DELETE", "OWNERSHIP"]
RULES = {
    "catalogs": [{"catalog": "lake|books", "allow": "all"}],
    "schemas": [{"user": "ann", "owner": True}],
    "tables": [
        {"user": "bob", "schema": "hr", "table": "emp", "privileges": ["SELECT"]}
        | {"filter": "id < 3", "columns": [{"name": "pay", "allow": False}]},
        {"user": "bob", "privileges": []},
        {"privileges": ALL},
    ],
}


def test_both_engines_and_the_rules(another: Another, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/books.db"
    theirs = SqlCatalog("books", uri=url, warehouse=f"file://{tmp_path}/warehouse")
    theirs.create_namespace("hr")
    theirs.create_table("hr.emp", ROWS.schema).append(ROWS)
    (tmp_path / "rules.json").write_text(json.dumps(RULES))
    books = {"type": "jdbc", "url": url, "warehouse": tmp_path / "warehouse", "auth": "shared"}
    settings = {
        "home": tmp_path,  # ``another`` has one of its own
        "catalogs": {"lake": {}, "books": books},
        "policy": {"file": {"path": tmp_path / "rules.json"}},
    }
    ann = another(Settings.model_validate(settings))
    ann.run("INSERT INTO books.hr.emp VALUES (4, 'dan', 40)")
    ann.run("UPDATE books.hr.emp SET pay = pay + 1 WHERE id = 1")
    ann.run("CREATE TABLE books.hr.copy AS SELECT * FROM books.hr.emp WHERE id > 1")
    ann.run("CREATE VIEW books.hr.names AS SELECT name FROM books.hr.emp")
    for engine in ("local", "spark"):
        ann.run(f"SET sqe.engine = {engine}")
        assert ann.rows("SELECT * FROM books.hr.emp ORDER BY id")[0] == (1, "ann", 11)
        assert ann.rows("SELECT count(*) FROM books.hr.names") == [(4,)]
    assert theirs.load_table("hr.emp").scan().to_arrow().num_rows == 4
    assert theirs.load_table("hr.copy").scan().to_arrow().num_rows == 3
    theirs.close()

    bob = ann.another_session("bob")
    assert bob.rows("SELECT * FROM books.hr.emp ORDER BY id") == [(1, "ann"), (2, "bob")]
    for text in ("SELECT * FROM books.hr.copy", "INSERT INTO books.hr.emp VALUES (5, 'x', 1)"):
        with pytest.raises(SqeError) as refused:
            bob.run(text)
        assert refused.value.code is ErrorCode.ACCESS_DENIED
    bob.close()
