"""CHAR and VARCHAR of tables are strings, as in Spark with Iceberg: decision 0019."""

from __future__ import annotations

import pytest

from tests.embedded.local.sides import Sides

pytestmark = [pytest.mark.spark, pytest.mark.timeout(300)]

QUERIES = [
    "SELECT a, b, length(a), length(b) FROM ch",
    "SELECT a = 'ab', a = 'ab   ', b = 'abc', b = 'abc ' FROM ch",
    "SELECT a FROM ch WHERE a = 'ab'",
    "SELECT a FROM ch WHERE a = 'ab   '",
    "SELECT a FROM ch WHERE a IN ('ab  ', 'ab')",
    "SELECT CAST(a AS CHAR(4)) AS x, CAST(a AS VARCHAR(1)) AS y FROM ch",
    "SELECT CAST('ab' AS CHAR(5)) AS x, CAST('abcdef' AS VARCHAR(3)) AS y",
    "SELECT count(*) FROM ch x JOIN ch y ON x.a = y.b",
]


def test_they_are_neither_padded_nor_checked(sides: Sides) -> None:
    sides.do(
        "CREATE TABLE ch (a CHAR(5), b VARCHAR(3))",
        "INSERT INTO ch VALUES ('ab', 'abc'), ('abcdefgh', 'abcdefgh'), ('ab ', 'ab')",
        "ALTER TABLE ch ADD COLUMN c VARCHAR(2)",
    )
    assert [row[1] for row in sides.spark.rows("DESCRIBE ch")] == ["string"] * 3
    assert sides.same("SELECT a FROM ch") == ["('ab ',)", "('ab',)", "('abcdefgh',)"]
    for query in QUERIES:
        sides.same(query)
