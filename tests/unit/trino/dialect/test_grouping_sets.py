"""The grouping sets of GROUP BY."""

from __future__ import annotations

import pytest

from tests.unit.trino.dialect.catalog import refusal, translated


def test_distinct_sets_are_told_once() -> None:
    text = translated("SELECT id FROM one GROUP BY DISTINCT ROLLUP (id), CUBE (id)").text
    assert "GROUP BY GROUPING SETS ((r1.`id`), ())" in text


def test_auto_groups_by_what_is_not_aggregated() -> None:
    text = translated("SELECT id, name, count(*) FROM t GROUP BY AUTO").text
    assert text.endswith("GROUP BY r1.`id`, r1.`name`")


def test_no_keys_make_one_group() -> None:
    text = translated("SELECT 1 FROM t GROUP BY ()").text
    assert text.endswith(" HAVING count(*) >= 0")


@pytest.mark.parametrize("kind", ["ROLLUP", "CUBE", "GROUPING SETS"])
@pytest.mark.parametrize(("key", "told"), [("1", "1"), ("id + 1", "(id + 1)")])
def test_sets_are_of_columns(kind: str, key: str, told: str) -> None:
    name, message = refusal(f"SELECT count(*) FROM t GROUP BY {kind} ({key})")
    assert name == "INVALID_COLUMN_REFERENCE"
    assert message.endswith(f"GROUP BY expression must be a column reference: {told}")


def test_sets_are_counted() -> None:
    cube = "CUBE (id, name, price, ts, id, name)"
    name, _ = refusal(f"SELECT count(*) FROM t GROUP BY {cube}, {cube}")
    assert name == "TOO_MANY_GROUPING_SETS"


def test_a_set_without_keys_in_a_correlated_subquery_is_refused() -> None:
    inner = "SELECT count(*) FROM one b WHERE b.id = a.id GROUP BY ROLLUP (b.id)"
    name, message = refusal(f"SELECT ({inner}) FROM one a")
    assert name == "NOT_SUPPORTED"
    assert "grouping set without keys" in message
