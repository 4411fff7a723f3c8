"""Operators that the parser lacks: the names in a query are found, and Spark reads the rest."""

from __future__ import annotations

import pytest

from sqe.errors import ErrorCode, UserError
from sqe.sql.other_words import InOtherWords
from sqe.sql.parse import parse


@pytest.mark.parametrize(
    "text",
    [
        "SELECT a >>> 2 FROM s.t",
        "SELECT (SELECT max(a >>> b) FROM s.t)",
        "SELECT a FROM s.t WHERE -interval -1 day 1 hour -1 minute 1 second < c",
        "SELECT a + INTERVAL '1' YEAR -'2' MONTHS FROM s.t",
        "SELECT a + INTERVAL 1 DAY - 2 HOURS FROM s.t",
        "FROM s.t |> SELECT a >>> 1",
        "SELECT * FROM s.t PIVOT (ceil(sum(a)), avg(a) + 1 AS b FOR c IN ('x', 'y'))",
    ],
)
def test_the_names_are_found_and_nothing_else_is_made_of_the_tree(text: str) -> None:
    statement = parse(text)
    assert [reference.parts for reference in statement.references] == [("s", "t")]
    assert isinstance(statement.tree, InOtherWords)
    assert statement.text == text


@pytest.mark.parametrize(
    "text",
    [
        "SELECT CAST(a AS ARRAY<ARRAY<ARRAY<INT>>>) FROM t",
        "SELECT a > b, a - INTERVAL 1 DAY - INTERVAL 2 HOURS FROM t",
    ],
)
def test_what_the_parser_takes_is_read_as_it_is(text: str) -> None:
    assert not isinstance(parse(text).tree, InOtherWords)


def test_relations_between_the_aggregates_of_a_pivot_are_found() -> None:
    statement = parse("SELECT * FROM t PIVOT (sum(a) + (SELECT max(b) FROM u) FOR c IN (1))")
    assert [reference.parts for reference in statement.references] == [("t",), ("u",)]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("SELECT 1 > > > 2", ErrorCode.SYNTAX_ERROR),
        ("INSERT INTO t VALUES (1 >>> 2)", ErrorCode.NOT_SUPPORTED),
        ("UPDATE t SET a = a >>> 2", ErrorCode.NOT_SUPPORTED),
        ("SELECT a >>> reflect('a', 'b') FROM t", ErrorCode.NOT_SUPPORTED),
    ],
)
def test_other_texts_stay_refused(text: str, code: ErrorCode) -> None:
    with pytest.raises(UserError) as raised:
        parse(text)
    assert raised.value.code is code
