"""Views: made, changed, renamed and dropped; those of other engines."""

from __future__ import annotations

import pytest

from sqe.catalog.iceberg_types import iceberg_schema
from sqe.catalog.protocol import Ident
from sqe.errors import ErrorCode
from sqe.model.identity import Identity
from sqe.model.query import Column
from tests.embedded.tables.desk import Desk

pytestmark = [pytest.mark.spark, pytest.mark.timeout(300)]


@pytest.fixture
def viewed(desk: Desk) -> Desk:
    desk.run(
        "CREATE TABLE t (id INT, s STRING)",
        "INSERT INTO t VALUES (1, 'a'), (2, 'b')",
        "CREATE VIEW v (id COMMENT 'the key', name) COMMENT 'a view'"
        " TBLPROPERTIES ('own.key' = 'x') AS SELECT id, s FROM t WHERE id > 1",
    )
    return desk


def test_a_view_says_how_it_is_made_and_can_be_made_again(viewed: Desk) -> None:
    text = viewed.spark.value("SHOW CREATE VIEW v")
    viewed.run("DROP VIEW v", text)
    assert viewed.spark.value("SHOW CREATE VIEW v") == text
    assert viewed.both("SELECT * FROM v") == [(2, "b")]


def test_another_query(viewed: Desk) -> None:
    viewed.run("ALTER VIEW v AS SELECT s, id FROM t")
    assert viewed.both("SELECT * FROM v") == [("a", 1), ("b", 2)]
    properties = viewed.properties("v")
    assert (properties["own.key"], properties["comment"]) == ("x", "a view")
    viewed.run("CREATE OR REPLACE VIEW v AS SELECT 1 AS one")
    assert not {"own.key", "comment"} & viewed.properties("v").keys()
    assert viewed.both("SELECT * FROM v") == [(1,)]
    viewed.run("CREATE VIEW IF NOT EXISTS v AS SELECT 2 AS two")
    assert viewed.both("SELECT * FROM v") == [(1,)]


def test_properties_and_comment(viewed: Desk) -> None:
    viewed.run(
        "ALTER VIEW v SET TBLPROPERTIES ('a' = 'b', own.other = 1)",
        "ALTER VIEW v UNSET TBLPROPERTIES ('own.key')",
        "ALTER VIEW v UNSET TBLPROPERTIES IF EXISTS ('never')",
        "COMMENT ON VIEW v IS 'said later'",
    )
    properties = viewed.properties("v")
    assert (properties["a"], properties["own.other"]) == ("b", "1")
    assert (properties["comment"], "own.key" in properties) == ("said later", False)
    viewed.refuses("ALTER VIEW v UNSET TBLPROPERTIES ('never')", ErrorCode.INVALID_ARGUMENT)
    viewed.run("COMMENT ON VIEW v IS NULL")
    assert "comment" not in viewed.properties("v")


def test_another_name(viewed: Desk) -> None:
    viewed.run("ALTER VIEW v RENAME TO w")
    assert viewed.both("SELECT * FROM w") == [(2, "b")]
    viewed.refuses("SELECT * FROM v", ErrorCode.TABLE_NOT_FOUND)
    viewed.refuses("ALTER VIEW w RENAME TO t", ErrorCode.TABLE_ALREADY_EXISTS, "t")
    viewed.run("DROP VIEW w", "DROP VIEW IF EXISTS w")
    viewed.refuses("DROP VIEW w", ErrorCode.TABLE_NOT_FOUND)


def test_the_table_below_changes(viewed: Desk) -> None:
    """A view goes on giving the columns it was made with, or says what is missing."""
    viewed.run(
        "ALTER TABLE t ALTER COLUMN id TYPE BIGINT",
        "ALTER TABLE t ADD COLUMN more INT FIRST",
    )
    assert viewed.described("v") == {"id": "int", "name": "string"}
    assert viewed.left("SELECT id, name FROM v") == [(2, "b")]
    viewed.run("ALTER TABLE t RENAME COLUMN s TO u")
    missing = viewed.refuses("SELECT * FROM v", ErrorCode.COLUMN_NOT_FOUND)
    assert missing.message.endswith("t has no column s.")


def test_the_dialect_is_written_down(viewed: Desk) -> None:
    catalog = viewed.spark.server.catalogs.open("lake", Identity("ann"))
    [version] = catalog.load_view(Ident((viewed.schema,), "v")).metadata["versions"]
    [representation] = version["representations"]
    assert representation["dialect"] == "spark"
    assert version["default-namespace"] == [viewed.schema]


def test_a_view_in_another_dialect_is_never_opened(viewed: Desk) -> None:
    catalog = viewed.spark.server.catalogs.open("lake", Identity("ann"))
    representation = {"type": "sql", "sql": 'SELECT "id" FROM t', "dialect": "trino"}
    catalog.create_view(
        (viewed.schema,),
        {
            "name": "foreign",
            "schema": iceberg_schema([Column("id", "int")]),
            "view-version": {
                "version-id": 1,
                "timestamp-ms": 1,
                "schema-id": 0,
                "summary": {},
                "default-namespace": [viewed.schema],
                "representations": [representation],
            },
            "properties": {},
        },
    )
    error = viewed.refuses("SELECT * FROM foreign", ErrorCode.NOT_SUPPORTED)
    assert "trino dialect" in error.message
    viewed.refuses("SHOW CREATE VIEW foreign", ErrorCode.NOT_SUPPORTED)
    viewed.refuses("CREATE TABLE u LIKE foreign", ErrorCode.NOT_SUPPORTED)
    viewed.run("ALTER VIEW foreign RENAME TO far", "DROP VIEW far")
