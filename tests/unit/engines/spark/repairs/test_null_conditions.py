"""Conditions by which whole files are removed, as the engine gets them."""

from __future__ import annotations

import pytest

from sqe.engines.spark.repairs.null_conditions import null_edits
from sqe.errors import ErrorCode, UserError
from sqe.sql.parse import parse
from sqe.sql.splice import Edit, splice
from sqe.sql.statement import Span

REPLACED = "INSERT INTO t REPLACE WHERE {} SELECT 1, 2"


def edited(text: str, *others: Edit) -> str:
    statement = parse(text)
    edits = [*others, *null_edits(statement, others)]
    return " ".join(splice(statement.text, edits).text.split())


def where(condition: str) -> str:
    return edited(f"DELETE FROM t WHERE {condition}").removeprefix("DELETE FROM t WHERE ")


@pytest.mark.parametrize(
    "condition",
    [
        "i = 5", "i IN (1, 2)", "i IS NULL", "i IS NOT NULL", "i <=> 5", "i > 5", "i >= 5",
        "i BETWEEN 1 AND 2", "i > 5 OR s = 'x'", "(i = 1 AND k = 2)", "TRUE", "1 < 2",
        "i < (SELECT max(k) FROM u)", "i <> 5 AND k IN (SELECT k FROM u)",
    ],
)  # fmt: skip
def test_what_iceberg_judges_as_sql_does_stays_as_it_is(condition: str) -> None:
    assert where(condition) == condition


def test_without_a_condition_there_is_nothing_to_judge() -> None:
    assert edited("DELETE FROM t") == "DELETE FROM t"
    assert edited("INSERT INTO t SELECT 1") == "INSERT INTO t SELECT 1"
    assert edited("UPDATE t SET i = 1 WHERE i < 2") == "UPDATE t SET i = 1 WHERE i < 2"


@pytest.mark.parametrize(
    ("condition", "columns"),
    [
        ("i < 5", "i"),
        ("i <= 5", "i"),
        ("i <> 5", "i"),
        ("NOT i = 5", "i"),
        ("NOT (i > 5)", "i"),
        ("i NOT IN (1, 2)", "i"),
        ("s NOT LIKE 'x%'", "s"),
        ("NOT (i BETWEEN 1 AND 2)", "i"),
        ("50 > i", "i"),
        ("5 = i", "i"),
        ("5 BETWEEN i AND 9", "i"),
        ("t.i < DATE'2024-01-01'", "t.i"),
        ("`i` < ?", "`i`"),
        ("i = 1 AND s < 'x' AND s <> 'b' AND k < 2", "s k"),
    ],
)
def test_of_the_columns_of_others_it_is_said_that_they_are_not_null(
    condition: str, columns: str
) -> None:
    said = " AND ".join(f"{column} IS NOT NULL" for column in columns.split())
    assert where(condition) == f"{said} AND {condition}"
    assert edited(REPLACED.format(condition)) == REPLACED.format(f"{said} AND {condition}")


@pytest.mark.parametrize(
    "condition",
    [
        "i < 5 OR i > 6", "(i < 5 AND k = 1)", "NOT (i = 5 AND k = 3)", "i < k", "i = k",
        "(i < 5) = TRUE", "(i < 5) IS TRUE", "NOT (i < 5) IS TRUE",
        "i + 1 < 5", "coalesce(i, 1) < 5", "b", "i < 5 AND (i > 7 OR k < 3)", "NOT i <=> 5",
    ],
)  # fmt: skip
def test_where_that_cannot_be_said_rows_are_looked_at_one_by_one(condition: str) -> None:
    again = f"array_contains(array(({condition} )), TRUE)"
    assert where(condition) == f"({condition} ) AND {again}"
    with pytest.raises(UserError, match="Rows that hold NULL would be replaced too") as caught:
        edited(REPLACED.format(condition))
    assert caught.value.code is ErrorCode.NOT_SUPPORTED
    assert caught.value.position is not None and caught.value.position.column == 29


def test_what_else_is_changed_in_it_is_changed_both_times() -> None:
    text = "DELETE FROM t WHERE t.i < 5 OR k < 3"
    start = text.index("t.i")
    changed = Edit(Span(start, start + 3), "h.i")
    assert edited(text, changed).count("h.i < 5") == 2
    alone = "DELETE FROM t WHERE t.i < 5"
    assert edited(alone, changed) == "DELETE FROM t WHERE h.i IS NOT NULL AND h.i < 5"
