"""Columns whose names are words of the grammar, seen whole and in part, on both engines."""

from __future__ import annotations

import re

import pytest

from sqe.errors import ErrorCode, SqeError
from sqe.model.decision import Restrict, RowFilter
from sqe.model.masks import ConstantMask
from tests.embedded.local.sides import Sides, in_order

pytestmark = [pytest.mark.spark, pytest.mark.timeout(300)]

WORDS = ["all", "distinct", "values", "any", "interval", "current_date", "first", "window"]
HIDDEN = (ErrorCode.COLUMN_NOT_FOUND, ErrorCode.NOT_SUPPORTED)
QUERIES = [
    "SELECT W, c FROM words",
    "SELECT c, W FROM words",
    "SELECT DISTINCT W, c FROM words",
    "SELECT count(W), max(W), c FROM words GROUP BY c",
    "SELECT w.W FROM words w WHERE w.W > 1",
    "SELECT c FROM words WHERE W = 2 OR c = W",
    "SELECT W, count(*) FROM words GROUP BY W, c",
    "SELECT count(*) FROM words GROUP BY W",
    "SELECT a.c FROM words a JOIN words b USING (c, W)",
    "SELECT rank() OVER (PARTITION BY c ORDER BY W) FROM words",
    "WITH q AS (SELECT c AS W FROM words) SELECT W, 1 FROM q",
    "SELECT x.W FROM (SELECT c, W FROM words) x",
]


@pytest.fixture
def words(sides: Sides) -> Sides:
    columns = ", ".join(f"{word} INT" for word in WORDS)
    sides.do(
        f"CREATE OR REPLACE TABLE words ({columns}, c INT)",
        f"INSERT INTO words VALUES ({', '.join('1' for _ in WORDS)}, 2),"
        f" ({', '.join('2' for _ in WORDS)}, 2), ({', '.join('3' for _ in WORDS)}, 1)",
    )
    return sides


@pytest.mark.parametrize("word", WORDS)
def test_they_are_columns(words: Sides, word: str) -> None:
    for query in QUERIES:
        rows = in_order(words.spark.run(_with(query, word)))
        assert rows == in_order(words.spark.run(_with(query, f"`{word}`"))), query
        taken = _taken(words, _with(query, word))
        assert taken is None or taken == rows, query


@pytest.mark.parametrize("word", WORDS)
def test_their_masks_and_filters_hold(words: Sides, word: str) -> None:
    seen = Restrict("test", (RowFilter(f"`{word}` < 3"),), {word: ConstantMask("7")})
    with words.spark.rules.on("lake.default.words", seen):
        for query in ("SELECT W, c FROM words", "SELECT DISTINCT W, c FROM words"):
            rows = in_order(words.spark.run(_with(query, word)))
            assert set(rows) == {"(7, 2)"}, query
            assert _taken(words, _with(query, word)) in (None, rows), query
        assert words.spark.value(f"SELECT count(*) FROM words WHERE {word} = 1") == 0
        assert words.spark.fails(f"UPDATE words SET {word} = 1").code is ErrorCode.ACCESS_DENIED


@pytest.mark.parametrize("word", WORDS)
def test_hidden_ones_do_not_exist(words: Sides, word: str) -> None:
    with words.spark.rules.on("lake.default.words", Restrict("test", hidden=frozenset({word}))):
        for query in QUERIES[:6]:
            if word == "current_date":
                continue  # then it is the function
            assert words.spark.fails(_with(query, word)).code in HIDDEN, query
            assert words.local.fails(_with(query, word)).code in HIDDEN, query


def _with(query: str, word: str) -> str:
    return re.sub(r"\bW\b", word, query)


def _taken(sides: Sides, sql: str) -> list[str] | None:
    """The local engine's rows, if it takes the query."""
    try:
        return in_order(sides.local.run(sql))
    except SqeError as error:
        assert error.code is ErrorCode.NOT_SUPPORTED
        return None
