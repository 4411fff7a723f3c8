"""GROUPS frames: RANGE over the numbers of groups. What they answer is in
``tests/trino/edges/frames.jsonl``."""

from __future__ import annotations

import pytest

from tests.unit.trino.dialect.catalog import refusal, translated


def test_bounds_that_count_nothing_are_those_of_range() -> None:
    text = translated("SELECT sum(id) OVER (ORDER BY id GROUPS UNBOUNDED PRECEDING) FROM t").text
    assert "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW" in text
    assert "dense_rank" not in text


def test_groups_are_numbered_once_for_each_order_and_behind_where() -> None:
    over = "OVER (PARTITION BY name ORDER BY id GROUPS 1 PRECEDING)"
    text = translated(f"SELECT sum(id) {over}, max(id) {over} FROM t WHERE id > 1").text
    assert text.count("dense_rank()") == 1
    assert text.index("WHERE") < text.index(") AS r")
    assert text.count("RANGE BETWEEN 1 PRECEDING AND CURRENT ROW") == 2


@pytest.mark.parametrize(
    ("sql", "name"),
    [
        ("SELECT sum(id) OVER (GROUPS 1 PRECEDING) FROM t", "MISSING_ORDER_BY"),
        ("SELECT sum(id) OVER (ORDER BY id GROUPS 1.5 PRECEDING) FROM t", "TYPE_MISMATCH"),
        ("SELECT sum(id) OVER (ORDER BY id GROUPS -1 PRECEDING) FROM t", "INVALID_WINDOW_FRAME"),
        (
            "SELECT id, sum(sum(id)) OVER (ORDER BY id GROUPS 1 PRECEDING) FROM t GROUP BY id",
            "NOT_SUPPORTED",
        ),
        (
            "SELECT (SELECT max(s) FROM (SELECT sum(t.id) OVER (ORDER BY o.id GROUPS 1 PRECEDING) "
            "AS s FROM one o WHERE o.id = t.id) x) FROM t",
            "NOT_SUPPORTED",
        ),
    ],
)
def test_what_is_refused(sql: str, name: str) -> None:
    assert refusal(sql)[0] == name
