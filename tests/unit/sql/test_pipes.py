"""Every relation of a query with pipes is found, and nothing reads the tree as if it meant it."""

from __future__ import annotations

import pytest

from sqe.errors import ErrorCode, UserError
from sqe.sql.other_words import InOtherWords
from sqe.sql.parse import parse
from sqe.sql.statement import Access, StatementKind

STEPS = {
    "SELECT a, (SELECT max(b) FROM {0}) AS m": 1,
    "SELECT DISTINCT a FROM_b": 0,
    "EXTEND (FROM {0} |> AGGREGATE max(a)) AS m, 1 AS n": 1,
    "SET a = (SELECT 1 FROM {0}), b = 2": 1,
    "DROP a, b": 0,
    "AS u": 0,
    "WHERE a IN (SELECT b FROM {0}) AND EXISTS (TABLE {1} |> WHERE true)": 2,
    "AGGREGATE sum(a)": 0,
    "AGGREGATE sum(a) AS s GROUP BY b AS g, (SELECT max(c) FROM {0})": 1,
    "AGGREGATE GROUP BY a, b": 0,
    "AGGREGATE GROUP BY": 0,
    "AGGREGATE count(*) GROUP BY GROUPING SETS ((a), ())": 0,
    "AGGREGATE count(*) GROUP BY a, b WITH ROLLUP": 0,
    "JOIN {0} ON true": 1,
    "LEFT OUTER JOIN {0} AS x USING (a)": 1,
    "CROSS JOIN LATERAL (SELECT a FROM {0})": 1,
    "LATERAL VIEW explode(array(1)) AS e": 0,
    "UNION ALL TABLE {0}": 1,
    "EXCEPT (FROM {0} |> SELECT a)": 1,
    "INTERSECT SELECT a FROM {0} JOIN {1}": 2,
    "MINUS VALUES (1)": 0,
    "ORDER BY a, (SELECT max(a) FROM {0})": 1,
    "SORT BY a": 0,
    "DISTRIBUTE BY a": 0,
    "CLUSTER BY a": 0,
    "LIMIT 3 OFFSET 1": 0,
    "OFFSET 1": 0,
    "PIVOT (sum(a) FOR b IN (1, 2))": 0,
    "UNPIVOT (v FOR n IN (a, b))": 0,
    "TABLESAMPLE (10 ROWS)": 0,
    "SELECT sum(a) OVER w AS s WINDOW w AS (PARTITION BY b)": 0,
}
HEADS = (
    "FROM {h}", "TABLE {h}", "SELECT * FROM {h}", "(SELECT * FROM {h})", "FROM {h} JOIN {h}",
    "WITH c AS (FROM {h} |> SELECT a), d(x) AS (SELECT 1) FROM c",
    "VALUES (1, (SELECT max(a) FROM {h})) AS v(a, b)",
    "SELECT 1 AS a UNION ALL SELECT a FROM {h}",
)  # fmt: skip


def names(text: str) -> list[str]:
    return [".".join(reference.parts) for reference in parse(text).references]


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("step", STEPS)
def test_all_relations_are_found_at_their_places(head: str, step: str) -> None:
    wanted = ["s.head"] * head.count("{h}") + ["s.one", "s.two"][: STEPS[step]]
    text = f"{head.format(h='s.head')} |> {step.format('s.one', 's.two')} |> WHERE true"
    statement = parse(text)
    assert statement.kind is StatementKind.QUERY
    assert [r.span.of(text) for r in statement.references] == wanted
    assert names(text) == wanted
    assert names(f"SELECT * FROM ({text}) AS q") == wanted
    assert names(f"SELECT ({text}) AS q, a FROM s.last") == [*wanted, "s.last"]


@pytest.mark.parametrize("step", STEPS)
def test_a_step_of_a_write_names_what_it_reads_and_writes(step: str) -> None:
    text = step.format("s.one", "s.two")
    statement = parse(f"INSERT INTO s.w (a) FROM s.head |> {text}")
    assert statement.references[0].access is Access.WRITE
    assert len(statement.references) == 2 + STEPS[step]
    made = parse(f"CREATE TABLE s.w AS FROM s.head |> {text}")
    assert [r.access for r in made.references[:2]] == [Access.CREATE, Access.READ]


def test_ctes_in_force_are_no_relations() -> None:
    text = "WITH c AS (SELECT 1 AS a) FROM c |> JOIN c AS d |> UNION ALL TABLE c |> WHERE true"
    assert names(text) == []
    assert names("FROM t |> JOIN (WITH c AS (FROM u |> SELECT a) TABLE c) |> JOIN c") == [
        "t", "u", "c",
    ]  # fmt: skip


def test_only_spark_reads_what_the_tree_means() -> None:
    assert isinstance(parse("FROM t |> SELECT a").tree, InOtherWords)
    assert isinstance(parse("SELECT * FROM (FROM t |> SELECT a)").tree, InOtherWords)
    assert not isinstance(parse("SELECT '|>' FROM t").tree, InOtherWords)


@pytest.mark.parametrize(
    "text",
    [
        "FROM t |> CALL f()", "FROM t |> INSERT INTO u", "FROM t |> SELECT a FROM u",
        "FROM t |>", "|> SELECT a", "FROM t |> SELECT a; |> SELECT b", "FROM t |> STATIC x",
        "DELETE FROM t |> WHERE true", "FROM t |> WITH c AS (SELECT 1) SELECT 2",
    ],
)  # fmt: skip
def test_what_is_no_step_is_refused(text: str) -> None:
    with pytest.raises(UserError) as raised:
        parse(text)
    assert raised.value.code in (
        ErrorCode.NOT_SUPPORTED,
        ErrorCode.SYNTAX_ERROR,
        ErrorCode.MULTIPLE_STATEMENTS,
    )
