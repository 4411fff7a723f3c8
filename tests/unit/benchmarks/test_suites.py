"""Suites against other engines: what counts as the same rows, and the page."""

from __future__ import annotations

import datetime
from decimal import Decimal
from pathlib import Path

import pytest

from benchmarks.suites.chart import bars
from benchmarks.suites.dashboard import read_dashboards
from benchmarks.suites.page import CHARTS, PAGE, page
from benchmarks.suites.result import QueryPart, SidePart, SuiteResult, Took, read_results
from benchmarks.suites.rows import Row, difference
from benchmarks.suites.suite import SUITES

SAME: list[tuple[list[Row], list[Row]]] = [
    ([(1, "a"), (2, "b")], [(2, "b"), (1, "a")]),
    ([(Decimal("12.35"),)], [(12.3456,)]),
    ([(None, 1.0)], [(None, 1)]),
    ([(float("nan"),)], [(float("nan"),)]),
    ([(datetime.date(2026, 1, 1),)], [(datetime.date(2026, 1, 1),)]),
    ([("x", 1.00000001), ("x", 2.0)], [("x", 2.0), ("x", 1.0)]),
]
OTHER: list[tuple[list[Row], list[Row]]] = [
    ([(1,)], []),
    ([(1,)], [(1, 1)]),
    ([(1,)], [(2,)]),
    ([(1,)], [(None,)]),
    ([(0,)], [(False,)]),
    ([("1",)], [("2",)]),
    ([(Decimal("12.35"),)], [(Decimal("12.36"),)]),
    ([(1.0,)], [(float("nan"),)]),
]


@pytest.mark.parametrize(("mine", "theirs"), SAME)
def test_rows_that_are_the_same(mine: list[Row], theirs: list[Row]) -> None:
    assert difference(mine, theirs) == "" == difference(theirs, mine)


@pytest.mark.parametrize(("mine", "theirs"), OTHER)
def test_rows_that_are_not(mine: list[Row], theirs: list[Row]) -> None:
    assert difference(mine, theirs) and difference(theirs, mine)


@pytest.mark.parametrize("name", SUITES)
def test_a_suite_has_each_query_in_each_dialect(name: str) -> None:
    texts = [SUITES[name].texts_in(dialect) for dialect in ("duckdb", "spark", "trino")]
    assert texts[0].keys() == texts[1].keys() == texts[2].keys()
    assert all(text.strip() for each in texts for text in each.values())


def a_result() -> SuiteResult:
    took = Took(cold_s=1.0, warm_s=[0.2, 0.1, 0.3])
    slow = Took(cold_s=1.0, warm_s=[0.4])
    queries = {
        "q1": QueryPart(rows=1, took={"sqe": took, "trino": slow}, failed={}, wrong={}),
        "q2": QueryPart(rows=1, took={"sqe": slow, "trino": took}, failed={}, wrong={"trino": "2"}),
        "q3": QueryPart(rows=1, took={"sqe": took}, failed={"trino": "no | such"}, wrong={}),
    }
    side = SidePart(version="1", cpu_s=1.0, peak_mb=None)
    return SuiteResult(
        suite="tpch", title="TPC-H", scale=0.1, rounds=3, date="2026-11-20T00:00:00", command="x",
        machine={"cpu": "c", "cores": 2, "memory_mb": 1, "load_at_start": 0.1},
        sides={"sqe": side, "trino": side}, queries=queries,
    )  # fmt: skip


def test_a_result_is_read_as_it_was_written(tmp_path: Path) -> None:
    result = a_result()
    result.write(tmp_path)
    assert read_results(tmp_path) == [result]
    assert result.wrong == ["q2, trino: 2"]


def test_the_page_says_where_sqe_is_not_the_quicker_one() -> None:
    text = page([a_result()])
    assert "SQE was slower than trino in 1 of 2: q2." in text
    assert "q3, trino: no \\| such" in text and "q2, trino: 2" in text


def test_the_page_and_its_charts_are_of_the_results() -> None:
    results = read_results()
    assert PAGE.read_text() == page(results, read_dashboards()), (
        "run python -m benchmarks.suites --page"
    )
    for result in results:
        assert (CHARTS / f"{result.name}.svg").read_text() == bars(result)
