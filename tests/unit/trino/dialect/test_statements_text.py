"""The text of a view as Trino keeps it: every expected text is what a real Trino 476 printed."""

from __future__ import annotations

import pytest

from sqe.trino.dialect.nodes import QueryStatement
from sqe.trino.dialect.parser import parse
from sqe.trino.dialect.statements.query_text import query_text


def text_of(sql: str) -> str:
    statement = parse(sql)
    assert isinstance(statement, QueryStatement)
    return query_text(statement.query, sql)


def test_a_query_with_all_clauses() -> None:
    sql = (
        "select count(*) c, sum(x) s, a from (values (1,2),(3,4)) t(a,x) where a > 1 and"
        " x is not null or not (a between 1 and 2) group by a having count(*) > 1"
        " order by 2 desc nulls first, a limit 5"
    )
    assert text_of(sql) == (
        "SELECT\n  count(*) c\n, sum(x) s\n, a\nFROM\n  (\n VALUES \n     ROW (1, 2)\n"
        "   , ROW (3, 4)\n)  t (a, x)\n"
        "WHERE (((a > 1) AND (x IS NOT NULL)) OR (NOT (a BETWEEN 1 AND 2)))\n"
        "GROUP BY a\nHAVING (count(*) > 1)\nORDER BY 2 DESC NULLS FIRST, a ASC\nLIMIT 5\n"
    )


def test_fetch_first_is_kept() -> None:
    sql = "select a from s.r tablesample bernoulli (10) offset 2 fetch first 3 rows only"
    assert text_of(sql) == (
        "SELECT a\nFROM\n  s.r TABLESAMPLE BERNOULLI (10)\nOFFSET 2 ROWS\nFETCH FIRST 3 ROWS ONLY\n"
    )


def test_joins_are_in_brackets_and_commas_are_not() -> None:
    sql = "select r.a x from s.r join n on r.k = n.k, q"
    assert text_of(sql) == ("SELECT r.a x\nFROM\n  (s.r\nINNER JOIN n ON (r.k = n.k))\n, q\n")


def test_subqueries_and_set_operations() -> None:
    assert text_of("select 1 a union all select 2 union select 3") == (
        "SELECT 1 a\n\nUNION ALL SELECT 2\n\nUNION SELECT 3\n\n"
    )
    assert text_of("(select 1 a) union all (select 2 except select 3 order by 1)") == (
        "(\n   SELECT 1 a\n\n) UNION ALL (\n   SELECT 2\n\nEXCEPT    SELECT 3\n\n"
        "   ORDER BY 1 ASC\n) "
    )
    assert text_of("select a from t where exists (select 1 from n where n.k = t.k)") == (
        "SELECT a\nFROM\n  t\nWHERE (EXISTS (SELECT 1\nFROM\n  n\nWHERE (n.k = t.k)\n))\n"
    )


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (
            "case when 1=1 then 'a''b' else null end",
            "(CASE WHEN (1 = 1) THEN 'a''b' ELSE null END)",
        ),
        ("case 1 when 2 then 3 end", "(CASE 1 WHEN 2 THEN 3 END)"),
        ("cast(1 as varchar(3))", "CAST(1 AS varchar(3))"),
        ("try_cast('x' as bigint)", "TRY_CAST('x' AS bigint)"),
        ("if(true, 1, 2)", "IF(true, 1, 2)"),
        ("coalesce(1,2)", "COALESCE(1, 2)"),
        ("try(1/0)", "TRY((1 / 0))"),
        ("date '2024-01-01'", "date '2024-01-01'"),
        ("interval '1-2' year to month", "INTERVAL '1-2' YEAR TO MONTH"),
        ("1.50", "DECIMAL '1.50'"),
        ("- 2.5", "DECIMAL '-2.5'"),
        ("1.5e10", "1.5E10"),
        ("1e-5", "1E-5"),
        ("x'ff'", "X'FF'"),
        ("decimal '1.0'", "DECIMAL '1.0'"),
        ("a || 'x'", "concat(a, 'x')"),
        ("a like 'x%' escape '$'", "(a LIKE 'x%' ESCAPE '$')"),
        ("a not in ('a','b')", "(NOT (a IN ('a', 'b')))"),
        ("a is distinct from 'q'", "(a IS DISTINCT FROM 'q')"),
        ("map(array['a'],array[1])['a']", "map(ARRAY['a'], ARRAY[1])['a']"),
        ("transform(array[1], x -> x + 1)", "transform(ARRAY[1], (x) -> (x + 1))"),
        ('"A b"."select"', '"A b"."select"'),
        ("array_agg(a order by a)", "array_agg(a ORDER BY a ASC)"),
        ("extract(year from a)", "EXTRACT(YEAR FROM a)"),
        ("trim(both 'x' from 'axa')", "trim(BOTH 'x' FROM 'axa')"),
        ("position('a' in 'ba')", "strpos('ba', 'a')"),
        ("current_user", "CURRENT_USER"),
        ("a at time zone 'UTC'", "a AT TIME ZONE 'UTC'"),
        ("count(*) over ()", "count(*) OVER ()"),
    ],
)
def test_expressions(expression: str, text: str) -> None:
    assert text_of(f"select {expression} q") == f"SELECT {text} q\n\n"


def test_what_is_not_known_stays_as_it_was_written() -> None:
    sql = "select  json_value('{}', 'lax $.a') v"
    assert text_of(sql) == sql
