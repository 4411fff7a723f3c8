"""Comparisons of stored floats: Spark loses NaN and zeros where Iceberg skips files for it."""

from __future__ import annotations

import pytest

from tests.unit.engines.local.compile.lakehouse import Lakehouse


@pytest.mark.parametrize(
    ("condition", "rows"),
    [
        ("v = 1.5", [(1,)]),
        ("v <> 0", [(None,), (1,), (2,)]),
        ("v IN (1.5, 2.5)", [(1,), (2,)]),
        ("v * 2 > 3", [(2,)]),
        ("v > a", [(1,), (2,)]),
        ("v IS NULL", [(3,)]),
    ],
)
def test_taken_where_no_row_can_get_lost(
    lakehouse: Lakehouse, condition: str, rows: list[tuple[int | None]]
) -> None:
    assert lakehouse.rows(f"SELECT a FROM dup WHERE {condition}") == rows


@pytest.mark.parametrize(
    "query",
    [
        "SELECT a FROM dup WHERE v > 1",
        "SELECT a FROM dup WHERE NOT (v < 1)",
        "SELECT a FROM dup WHERE v BETWEEN 1 AND 2",
        "SELECT a FROM dup WHERE '1' <= v",
        "SELECT a FROM dup WHERE cast(v AS double) >= 1",
        "SELECT x FROM (SELECT v AS x FROM dup) WHERE x > 1",
        "SELECT x FROM (SELECT v AS x FROM dup UNION ALL SELECT v FROM dup) WHERE x > 1",
        "WITH w AS (SELECT DISTINCT v FROM dup) SELECT v FROM w WHERE v > 1",
    ],
)
def test_refused_where_files_may_hold_nan(lakehouse: Lakehouse, query: str) -> None:
    with pytest.raises(Exception, match="may hold NaN"):
        lakehouse.ask(query)


@pytest.mark.parametrize("condition", ["v = 0", "v IN (0.0, 7)", "v <=> 0.0D", "v = '0'"])
def test_refused_where_files_may_hold_the_other_zero(lakehouse: Lakehouse, condition: str) -> None:
    with pytest.raises(Exception, match=r"may hold -0\.0"):
        lakehouse.ask(f"SELECT a FROM dup WHERE {condition}")


def test_zeros_and_nan_are_one_key_each(lakehouse: Lakehouse) -> None:
    assert lakehouse.rows("SELECT v, count(*) FROM dup GROUP BY v HAVING count(*) > 1") == [
        (0.0, 3)
    ]
    assert lakehouse.rows(
        "SELECT max(n) FROM (SELECT count(*) OVER (PARTITION BY v) AS n FROM dup)"
    ) == [(3,)]
