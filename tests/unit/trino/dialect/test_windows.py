"""What stands in OVER and WINDOW."""

from __future__ import annotations

import pytest

from tests.unit.trino.dialect.catalog import refusal, translated


@pytest.mark.parametrize("call", ["row_number()", "rank()", "ntile(2)", "nth_value(id, 1)"])
def test_a_ranking_function_needs_no_order(call: str) -> None:
    text = translated(f"SELECT {call} OVER (PARTITION BY name) FROM t").text
    assert "OVER (PARTITION BY r1.`name` ORDER BY NULL)" in text


def test_an_aggregate_gets_no_order() -> None:
    assert "OVER ()" in translated("SELECT sum(id) OVER () FROM t").text


@pytest.mark.parametrize("unit", ["ROWS", "RANGE"])
@pytest.mark.parametrize("bound", ["-1 PRECEDING", "NULL PRECEDING"])
def test_a_bound_is_no_negative_number(unit: str, bound: str) -> None:
    name, message = refusal(f"SELECT sum(id) OVER (ORDER BY id {unit} {bound}) FROM t")
    assert name == "INVALID_WINDOW_FRAME"
    assert message.endswith("Window frame offset value must not be negative or null")


def test_windows_that_nothing_uses_are_read() -> None:
    name, _ = refusal("SELECT 1 FROM t WINDOW v AS (w ORDER BY id)")
    assert name == "INVALID_WINDOW_REFERENCE"
    name, _ = refusal("SELECT 1 FROM t WINDOW v AS (ORDER BY nothing)")
    assert name == "COLUMN_NOT_FOUND"


@pytest.mark.parametrize("call", ["lag(id)", "lead(id, 2)"])
def test_a_neighbour_needs_an_order(call: str) -> None:
    name, message = refusal(f"SELECT {call} OVER (PARTITION BY name) FROM t")
    assert name == "MISSING_ORDER_BY"
    assert message.endswith("function requires an ORDER BY window clause")


@pytest.mark.parametrize(("order", "nan"), [("ASC", 1), ("DESC", 2)])
def test_nan_is_the_least_number_where_nulls_come_first(order: str, nan: int) -> None:
    real = "CAST(id AS real)"
    text = translated(f"SELECT rank() OVER (ORDER BY {real} {order} NULLS FIRST) FROM t").text
    assert f") THEN {nan} ELSE {3 - nan} END, " in text
    text = translated(f"SELECT {real} AS d FROM t ORDER BY d {order} NULLS FIRST").text
    assert f"WHEN isnan(`d`) THEN {nan} ELSE {3 - nan} END, `d` {order} NULLS FIRST" in text
    assert "isnan" not in translated(f"SELECT {real} AS d FROM t ORDER BY d {order}").text


def test_distinct_values_of_a_window_are_a_set() -> None:
    text = translated("SELECT count(DISTINCT id) OVER (PARTITION BY name) FROM t").text
    assert "size((collect_set(r1.`id`) OVER (PARTITION BY r1.`name`)))" in text
    name, _ = refusal("SELECT sum(DISTINCT id) OVER () FROM t")
    assert name == "NOT_SUPPORTED"
