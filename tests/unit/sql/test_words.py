"""Words of the grammar that are names where they stand."""

from __future__ import annotations

import pytest
from sqlglot import ErrorLevel, exp

from sqe.errors import ErrorCode, UserError
from sqe.sql.dialect import DIALECT, SpanParser
from sqe.sql.parse import parse


@pytest.mark.parametrize(
    "text",
    [
        "SELECT W, city FROM t",
        "SELECT DISTINCT W, city FROM t",
        "SELECT city, W FROM t",
        "SELECT count(W), concat(city, W) FROM t",
        "SELECT city FROM t WHERE W = 1 AND city = W",
        "SELECT city FROM t GROUP BY W, city",
        "SELECT city FROM t ORDER BY city, W DESC",
        "SELECT CASE WHEN W = 1 THEN W ELSE W END FROM t",
        "SELECT t.W FROM t JOIN u USING (city, W)",
    ],
)
@pytest.mark.parametrize("word", ["all", "distinct", "values", "any", "interval", "lateral"])
def test_a_word_that_is_an_operand_is_a_name(text: str, word: str) -> None:
    tree = parse(text.replace("W ", f"{word} ").replace("W,", f"{word},").replace("W)", f"{word})"))
    assert word in {name.name for name in tree.tree.find_all(exp.Identifier)}


@pytest.mark.parametrize(
    "text",
    [
        "SELECT DISTINCT city FROM t",
        "SELECT ALL city FROM t",
        "SELECT count(DISTINCT city), count(ALL city) FROM t",
        "SELECT CASE WHEN NOT a THEN 1 ELSE 2 END FROM t",
        "SELECT * FROM t WHERE a IS NOT DISTINCT FROM b AND NOT EXISTS (SELECT 1 FROM u)",
        "SELECT sum(a) OVER (ORDER BY b ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t",
        "SELECT city FROM t GROUP BY ALL ORDER BY ALL",
        "SELECT div(7, 2), rlike('a', 'b'), INTERVAL -1 DAY, X'DEAD'",
        "MERGE INTO t USING u ON t.a = u.a WHEN MATCHED THEN DELETE",
    ],
)
def test_a_word_of_the_grammar_stays_one(text: str) -> None:
    words = {"distinct", "all", "case", "not", "rows", "div", "interval", "delete", "dead"}
    names = {name.name.lower() for name in parse(text).tree.find_all(exp.Identifier)}
    assert not names & (words - {"all"})


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("SELECT city, FROM t", "FROM"),
        ("SELECT city and FROM t", "and"),
        ("SELECT all AS x FROM t", "AS"),
    ],
)
def test_a_word_that_sqlglot_would_lose_is_refused(text: str, word: str) -> None:
    with pytest.raises(UserError, match=f"{word} stands where a name") as raised:
        parse(text)
    assert raised.value.code is ErrorCode.SYNTAX_ERROR
    assert f"`{word}`" in raised.value.hint


@pytest.mark.parametrize(
    "call",
    [
        "first_value(a, false)",
        "last(a, false)",
        "any_value(a, true)",
        "shuffle(a, 5)",
        "upper(a, b)",
    ],
)
def test_how_many_arguments_a_function_takes_is_sparks_to_say(call: str) -> None:
    assert parse(f"SELECT {call} FROM t").references[0].parts == ("t",)


def test_database_and_schema_are_functions_when_they_are_called() -> None:
    statement = parse("SELECT database(), schema() AS s, schema, t.database FROM schema t")
    answered = [(one.name, one.aliased, one.bare) for one in statement.session_functions]
    assert answered == [("database", False, False), ("schema", True, False)]
    assert [one.parts for one in statement.references] == [("schema",)]


@pytest.mark.parametrize("columns", ["", " (n)"])
def test_a_recursive_query_may_say_how_deep_it_goes(columns: str) -> None:
    statement = parse(
        f"WITH RECURSIVE r{columns} MAX RECURSION LEVEL 5 AS (SELECT 1 AS n UNION ALL"
        " SELECT n + 1 FROM r WHERE n < 3) SELECT max recursion, level FROM r JOIN lake.a.t"
    )
    assert [one.parts for one in statement.references] == [("lake", "a", "t")]


@pytest.mark.parametrize(
    "condition", ["all = 1 AND distinct > 2", "(all IN (1)) OR 3 = distinct", "t.all = t.distinct"]
)
def test_a_condition_of_a_policy_keeps_its_columns(condition: str) -> None:
    parser = SpanParser(dialect=DIALECT, error_level=ErrorLevel.RAISE)
    [tree] = parser.parse_into(exp.Condition, DIALECT.tokenize(condition), condition)
    assert tree is not None
    columns = list(tree.find_all(exp.Column))
    assert sorted(column.name for column in columns) == ["all", "distinct"]
    assert not any(column.this.quoted for column in columns)


@pytest.mark.parametrize("text", ["5L < 3", "x::int < 5", "1.5D < 2", "a < 1", "map < 1"])
def test_a_comparison_of_numbers_is_read(text: str) -> None:
    tree = parse(f"SELECT CASE WHEN {text} THEN 1 END FROM t").tree
    assert tree.find(exp.LT) is not None


def test_a_filter_without_where_is_no_filter() -> None:
    with pytest.raises(UserError) as raised:
        parse("SELECT sum(a) FILTER (b > 1) FROM t")
    assert raised.value.code is ErrorCode.SYNTAX_ERROR
    assert parse("SELECT sum(a) FILTER (WHERE b > 1), filter(c, e -> e > 1) FROM t").tree
