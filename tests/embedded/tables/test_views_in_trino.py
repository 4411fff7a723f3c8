"""Views made in Trino's SQL: readable in both dialects, and given back as they were written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from sqe.catalog.protocol import Ident
from sqe.catalog.schemas import current_view_version
from sqe.model.identity import Identity
from tests.embedded.tables.desk import Desk
from tests.trino.asking import Client

pytestmark = [pytest.mark.spark, pytest.mark.timeout(300)]


@pytest.fixture
def trino(desk: Desk, trino_address: str) -> Iterator[Client]:
    desk.run("CREATE TABLE t (id INT, s STRING)", "INSERT INTO t VALUES (1, 'a'), (2, 'b')")
    with closing(Client(trino_address, "lake", desk.schema)) as client:
        yield client


def told(client: Client, sql: str) -> list[list[Any]]:
    answer = client.ask(sql)
    assert not answer.error, answer.message
    return answer.data


def view(desk: Desk, name: str) -> Any:
    catalog = desk.spark.server.catalogs.open("lake", Identity("ann"))
    return catalog.load_view(Ident((desk.schema,), name)).metadata


def texts(desk: Desk, name: str) -> dict[str, str]:
    version = current_view_version(view(desk, name))
    return {one["dialect"]: one["sql"] for one in version["representations"]}


def test_both_dialects_read_it(desk: Desk, trino: Client) -> None:
    told(trino, "CREATE VIEW v COMMENT 'c' AS SELECT id AS N, 'xy' AS fixed FROM t WHERE id > 1")
    assert told(trino, "SELECT * FROM v") == [[2, "xy"]]
    assert desk.both("SELECT * FROM v") == [(2, "xy")]
    assert texts(desk, "v")["trino"] == (
        "SELECT\n  id N\n, 'xy' fixed\nFROM\n  t\nWHERE (id > 1)\n"
    )
    assert view(desk, "v")["properties"]["comment"] == "c"
    (shown,) = told(trino, "SHOW CREATE VIEW v")
    assert shown == [
        f"CREATE VIEW lake.{desk.schema}.v COMMENT 'c' SECURITY INVOKER AS\n"
        "SELECT\n  id N\n, 'xy' fixed\nFROM\n  t\nWHERE (id > 1)"
    ]


def test_its_columns_keep_trinos_types(trino: Client) -> None:
    told(trino, "CREATE VIEW v AS SELECT 'xy' AS fixed, DECIMAL '1.5' AS d")
    answer = trino.ask("SELECT * FROM v")
    assert [one["type"] for one in answer.columns] == ["varchar(2)", "decimal(2, 1)"]


def test_another_query_in_sparks_dialect_forgets_trinos(desk: Desk, trino: Client) -> None:
    told(trino, "CREATE VIEW v AS SELECT 'xy' AS fixed")
    desk.run("ALTER VIEW v AS SELECT id, s FROM t")
    assert texts(desk, "v").keys() == {"spark"}
    assert not [name for name in view(desk, "v")["properties"] if name.startswith("trino.")]
    assert told(trino, "SELECT * FROM v ORDER BY id") == [[1, "a"], [2, "b"]]


def test_a_column_gets_a_comment_and_nothing_else_changes(desk: Desk, trino: Client) -> None:
    told(trino, "CREATE VIEW v COMMENT 'c' SECURITY INVOKER AS SELECT id, s FROM t")
    before = texts(desk, "v")
    told(trino, "COMMENT ON COLUMN v.s IS 'it''s'")
    told(trino, "COMMENT ON COLUMN v.id IS 'key'")
    told(trino, "COMMENT ON COLUMN v.s IS NULL")
    assert told(trino, "SHOW COLUMNS FROM v") == [
        ["id", "integer", "", "key"],
        ["s", "varchar", "", ""],
    ]
    assert texts(desk, "v") == before
    properties = view(desk, "v")["properties"]
    assert properties["comment"] == "c"
