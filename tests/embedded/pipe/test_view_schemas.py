"""CREATE VIEW … WITH SCHEMA: what becomes of a view when the types below it change."""

from __future__ import annotations

import pytest

from sqe.errors import ErrorCode
from tests.embedded.pipe.lake import Lake

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(300)]

EVOLVES = "WITH SCHEMA TYPE EVOLUTION"


def test_types_are_kept_or_evolve(mine: Lake) -> None:
    mine.all(
        "CREATE SCHEMA evolving",
        "USE evolving",
        "CREATE TABLE t (id INT, name STRING)",
        "CREATE VIEW kept WITH SCHEMA COMPENSATION AS SELECT * FROM t",
        f"CREATE VIEW v {EVOLVES} AS SELECT * FROM t",
        "CREATE VIEW w AS SELECT * FROM t",
        f"ALTER VIEW w {EVOLVES}",
        "ALTER TABLE t ALTER COLUMN id TYPE BIGINT",
        "ALTER TABLE t ADD COLUMN more INT",
        "INSERT INTO t VALUES (3000000000, 'a', 1)",
    )
    for view in ("v", "w"):
        rows = mine.rows(f"SELECT *, typeof(id) AS kind FROM {view}")
        assert rows == [(3000000000, "a", "bigint")]
        assert EVOLVES in mine.value(f"SHOW CREATE TABLE {view}")
    assert mine.fails("SELECT * FROM kept").code is ErrorCode.NUMERIC_OUT_OF_RANGE
    assert EVOLVES not in mine.value("SHOW CREATE TABLE kept")
    mine.all("ALTER VIEW v AS SELECT id FROM t", "CREATE OR REPLACE VIEW w AS SELECT id FROM t")
    assert EVOLVES in mine.value("SHOW CREATE TABLE v")
    assert EVOLVES not in mine.value("SHOW CREATE TABLE w")
    for mode in ("BINDING", "EVOLUTION"):
        refused = mine.fails(f"CREATE VIEW x WITH SCHEMA {mode} AS SELECT * FROM t")
        assert refused.code is ErrorCode.NOT_SUPPORTED and mode in refused.message
    mine.run("DROP SCHEMA evolving CASCADE")


def test_xml_is_read_and_no_file_of_the_server(mine: Lake) -> None:
    entity = '<!DOCTYPE p [<!ENTITY x SYSTEM "file:///etc/hostname">]><p><a>&x;</a></p>'
    assert mine.value("SELECT from_xml('<p><a>1</a></p>', 'a INT')") == {"a": 1}
    assert mine.value("SELECT schema_of_xml('<p><a>1</a></p>')") == "STRUCT<a: BIGINT>"
    read = mine.value(f"SELECT from_xml('{entity}', 'a STRING')")
    assert read is None or not read["a"]
    pivot = (
        "SELECT * FROM (SELECT * FROM VALUES (1, 'x', 1.5), (1, 'y', 2.5) AS v(k, c, n))"
        " PIVOT (ceil(sum(n)) + 1 FOR c IN ('x', 'y'))"
    )
    assert [tuple(map(int, row)) for row in mine.rows(pivot)] == [(1, 3, 4)]
