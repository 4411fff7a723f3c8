"""What DESCRIBE OUTPUT tells of each column: the table it comes from, as in Trino 476."""

from __future__ import annotations

import pytest

from tests.unit.trino.dialect.catalog import translated

T = ("lake", "s", "t")
ONE = ("lake", "s", "one")
V = ("lake", "s", "v")


def described(sql: str) -> list[tuple[str, tuple[str, str, str] | None, bool]]:
    """The name of each column, its catalog, schema and table, and whether it is an alias."""
    columns = translated(sql).columns
    return [(one.name, one.origin.table, one.origin.aliased) for one in columns]


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        (
            "SELECT id, name AS n, id + 1, 'x' FROM t",
            [("id", T, False), ("n", T, True), ("_col2", None, False), ("_col3", None, False)],
        ),
        ("SELECT a.id, one.* FROM t AS a, one", [("id", T, False), ("id", ONE, False)]),
        ("SELECT * FROM (SELECT id AS k FROM one)", [("k", ONE, False)]),
        ("WITH q(k) AS (SELECT id FROM one) SELECT k FROM q", [("k", ONE, False)]),
        ("SELECT id FROM v", [("id", V, False)]),
        ("SELECT id FROM one UNION SELECT 1", [("id", ONE, False)]),
        ("SELECT id FROM one JOIN t USING (id)", [("id", None, False)]),
        ("SELECT pos.x FROM t", [("x", None, False)]),
        ("SELECT (SELECT one.id) AS i FROM one", [("i", None, True)]),
        ("SELECT count(*) AS c, id FROM one GROUP BY id", [("c", None, True), ("id", ONE, False)]),
    ],
)
def test_a_plain_column_has_the_table_it_comes_from(
    sql: str, expected: list[tuple[str, tuple[str, str, str] | None, bool]]
) -> None:
    assert described(sql) == expected
