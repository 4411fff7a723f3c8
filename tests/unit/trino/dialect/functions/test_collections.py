"""What is said about arrays, maps, rows and JSON before anything runs, as a real Trino 476 says it.

What they answer is in ``tests/trino/edges/collections.jsonl``."""

from __future__ import annotations

import pytest
from sqlglot import exp, parse_one

from sqe.sql.dialect import SpanDialect
from tests.unit.trino.dialect.catalog import refusal, translated


@pytest.mark.parametrize(
    ("expression", "kind"),
    [
        ("reduce(ARRAY[1, 2], 0, (s, x) -> s + x + 1e0, s -> s)", "double"),
        ("reduce(ARRAY[1, 2], 0, (s, x) -> s + CAST(x AS bigint), s -> s)", "bigint"),
        ("ARRAY[1] || 2.5", "array(decimal(11,1))"),
        ("zip(ARRAY[1], NULL)", "array(row(integer, unknown))"),
        ("transform(NULL, x -> x)", "array(unknown)"),
        ("json_extract_scalar('{}', '$.a')", "varchar(2)"),
        ("json_extract_scalar(JSON '{}', '$.a')", "varchar"),
        ("json_value('{}', 'lax $.a' RETURNING integer)", "integer"),
    ],
)
def test_the_type_of_an_answer(expression: str, kind: str) -> None:
    (column,) = translated(f"SELECT {expression}").columns
    assert str(column.type) == kind


@pytest.mark.parametrize(
    ("sql", "name"),
    [
        ("SELECT transform(ARRAY[1], () -> 1)", "INVALID_PARAMETER_USAGE"),
        ("SELECT reduce(ARRAY[1], 0, s -> s, s -> s)", "INVALID_PARAMETER_USAGE"),
        ("SELECT filter(ARRAY[1], x -> NULL)", "FUNCTION_NOT_FOUND"),
        ("SELECT array_sort(ARRAY[3], (x, y) -> NULL)", "FUNCTION_NOT_FOUND"),
        ("SELECT array_sort(ARRAY[MAP()])", "FUNCTION_NOT_FOUND"),
        ("SELECT array_join(ARRAY[ARRAY[1]], ',')", "OPERATOR_NOT_FOUND"),
        ("SELECT map_concat(MAP(ARRAY[1], ARRAY[1]))", "INVALID_FUNCTION_ARGUMENT"),
        ("SELECT json_extract('{}', '$.a-b')", "INVALID_FUNCTION_ARGUMENT"),
        ("SELECT json_extract('{}', '$..a')", "INVALID_FUNCTION_ARGUMENT"),
        ("SELECT json_value('{}', '$.a')", "SYNTAX_ERROR"),
        ("SELECT json_value(JSON '{}', 'lax $.a')", "TYPE_MISMATCH"),
        ("SELECT json_value('{}', 'lax $' RETURNING array(integer))", "TYPE_MISMATCH"),
        ("SELECT json_object(1: 1)", "INVALID_FUNCTION_ARGUMENT"),
        ("SELECT CAST(JSON '1' AS date)", "TYPE_MISMATCH"),
        ("SELECT CAST(X'01' AS json)", "TYPE_MISMATCH"),
        ("SELECT * FROM UNNEST(NULL) t(a)", "INVALID_FUNCTION_ARGUMENT"),
        ("SELECT * FROM one LEFT JOIN UNNEST(ARRAY[1]) u(x) ON id = x", "NOT_SUPPORTED"),
    ],
)
def test_what_trino_refuses(sql: str, name: str) -> None:
    assert refusal(sql)[0] == name


@pytest.mark.parametrize(
    "expression",
    [
        "array_distinct(ARRAY[MAP()])",
        "arrays_overlap(ARRAY[1e0], ARRAY[1e0])",
        "combinations(ARRAY[1], id)",
        "json_extract(name, name)",
        "json_object(name: 1, 'b': 2)",
        "json_value(name, 'lax $.a / 2')",
        "json_query(name, 'lax $[*] ? (!(@ > 2))')",
        "json_query(name, 'strict $[*] ? (@ > 2)')",
        "TRY_CAST(JSON '[1]' AS array(integer))",
    ],
)
def test_what_cannot_be_exact_is_refused(expression: str) -> None:
    assert refusal(f"SELECT {expression} FROM t")[0] == "NOT_SUPPORTED"


def test_a_costly_value_is_computed_once() -> None:
    text = translated("SELECT element_at(shuffle(ARRAY[1, 2]), 1)").text
    assert text.count("shuffle(") == 1


def test_subscripts_of_subscripts_do_not_double_the_text() -> None:
    one = len(translated("SELECT ARRAY[ARRAY[ARRAY[1]]][1]").text)
    three = len(translated("SELECT ARRAY[ARRAY[ARRAY[1]]][1][1][1]").text)
    assert three < 4 * one


def test_a_left_join_with_unnest_keeps_empty_arrays() -> None:
    sql = "SELECT * FROM (VALUES (1, MAP())) t(a, m) LEFT JOIN UNNEST(m) u(k, v) ON true"
    assert "CROSS JOIN LATERAL posexplode_outer(map_entries(" in translated(sql).text


def test_the_pipe_reads_the_type_of_null_and_the_name_void() -> None:
    text = (
        "SELECT CAST(NULL AS map<void,struct<`f0`:void,f1:int>>), CAST(NULL AS void), void FROM t"
    )
    first, second, third = parse_one(text, read=SpanDialect).expressions
    assert [one.this for one in first.to.find_all(exp.DataType)].count(exp.DType.NULL) == 2
    assert second.to.this is exp.DType.NULL
    assert third.name == "void"
