"""Shrinking, with DuckDB on both sides and one of them made wrong."""

from __future__ import annotations

from collections.abc import Callable

import duckdb
import pytest

from tests.differential.compare import Verdict
from tests.differential.grammar import QUERY, Case
from tests.differential.judge import Judge
from tests.differential.outcome import Answer, Failure, Outcome
from tests.differential.tree import Node, listing, node

Change = Callable[[str], str]


class Duck:
    """``change`` is what is wrong with it."""

    def __init__(self, change: Change = str) -> None:
        self._change = change
        self._connection = duckdb.connect()
        self._connection.execute(
            "CREATE TABLE t AS SELECT * FROM (VALUES (1, 'A'), (2, NULL), (3, 'c')) v(i, s)"
        )

    def ask(self, sql: str) -> Outcome:
        try:
            return Answer(self._connection.execute(self._change(sql)).to_arrow_table())
        except duckdb.Error as error:
            return Failure("USER_ERROR", str(error))


def large_query() -> Node:
    lower = node("string", "lower(", node("string", "s"), ")")
    joined = node("string", "concat(", lower, ", ", node("string", "'x'"), ")")
    number = node("int", "(", node("int", "i"), " + ", node("int", "7"), ")")
    items = [node("item", number, " AS a"), node("item", joined, " AS b")]
    where = node("where", " WHERE ", node("boolean", "i < 10"), optional=True)
    inner = node("query", "SELECT ", listing("items", items), " FROM t", where)
    return node("query", "WITH w AS (SELECT 1) ", inner, node("limit", " LIMIT 9", optional=True))


@pytest.mark.parametrize(
    ("change", "verdict", "expected"),
    [
        (lambda sql: sql.replace("lower", "upper"), Verdict.ROWS, "SELECT lower(s) AS b FROM t"),
        (lambda sql: sql.replace("7", "8"), Verdict.ROWS, "SELECT 7 AS a FROM t"),
        (lambda sql: sql.replace(" AS b", " AS B"), Verdict.NAMES, "SELECT s AS b FROM t"),
        (lambda sql: sql.replace("lower(", "lowr("), Verdict.ERROR, "SELECT lower(s) AS b FROM t"),
    ],
)  # fmt: skip
def test_a_difference_shrinks_to_its_cause(change: Change, verdict: Verdict, expected: str) -> None:
    judged = Judge(Duck(), Duck(change)).judge(Case("large", QUERY, large_query()))
    assert judged.verdict is verdict
    assert judged.difference is not None
    assert judged.difference.sql.replace("lower('a')", "lower(s)") == expected


def test_engines_that_agree_are_left_alone() -> None:
    assert Judge(Duck(), Duck()).judge(Case("large", QUERY, large_query())).difference is None


def test_a_bundle_is_judged_piece_by_piece() -> None:
    def one(text: str) -> Case:
        item = node("item", text)
        tree = node("query", "SELECT ", listing("items", [item]), " FROM t")
        return Case(text, QUERY, tree, item=item, bundle=" FROM t")

    judge = Judge(Duck(), Duck(lambda sql: sql.replace("lower", "upper")))
    verdicts = [judged.verdict for judged in judge.bundle([one("i"), one("lower(s)"), one("s")])]
    assert verdicts == [Verdict.SAME, Verdict.ROWS, Verdict.SAME]
