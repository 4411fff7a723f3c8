"""What an estimate knows of a plain query."""

from __future__ import annotations

from decimal import Decimal

import pytest

from sqe.sql.parse import parse
from sqe.sql.select_shape import Condition, shape_of


def test_columns_conditions_and_a_limit_are_read() -> None:
    shape = shape_of(
        parse(
            "SELECT a AS z, *, b + 1 FROM t"
            " WHERE a = -1 AND 5 > b AND (c IN ('x', 'y') AND d IS NOT NULL)"
            " AND e BETWEEN 1 AND 2 LIMIT 7"
        )
    )
    assert shape is not None
    assert shape.columns == ("a", "*", None)
    assert shape.limit == 7
    assert shape.conditions == (
        Condition("a", "=", (Decimal(-1),)),
        Condition("b", "<", (Decimal(5),)),
        Condition("c", "in", ("x", "y")),
        Condition("d", "notnull"),
        Condition("e", ">", (Decimal(1),)),
        Condition("e", "<", (Decimal(2),)),
    )


@pytest.mark.parametrize("where", ["a = 1 OR b = 2", "a + 1 = 2", "a LIKE 'x%'", "NOT a"])
def test_another_condition_makes_them_unknown(where: str) -> None:
    shape = shape_of(parse(f"SELECT a FROM t WHERE {where}"))
    assert shape is not None
    assert shape.conditions is None


@pytest.mark.parametrize(
    "query",
    [
        "SELECT count(*) FROM t",
        "SELECT DISTINCT a FROM t",
        "SELECT a FROM t, u",
        "SELECT a FROM t JOIN u USING (a)",
        "SELECT a FROM (SELECT a FROM t)",
        "SELECT explode(a) FROM t",
        "SELECT a FROM t UNION ALL SELECT a FROM t",
        "SELECT 1",
    ],
)
def test_other_queries_have_no_shape(query: str) -> None:
    assert shape_of(parse(query)) is None
