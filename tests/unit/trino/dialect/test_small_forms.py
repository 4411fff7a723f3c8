"""Rows of subqueries, NULL without a type, and other forms that people write."""

from __future__ import annotations

import pytest

from sqe.model.query import ClientState
from tests.unit.trino.dialect.catalog import refusal, translated


def type_of(expression: str) -> str:
    (column,) = translated(f"SELECT {expression} FROM t").columns
    return str(column.type)


def test_a_subquery_of_several_columns_is_a_row_with_their_names() -> None:
    assert type_of("(SELECT 1 AS a, 'x' AS b, 2)") == 'row("a" integer, "b" varchar(1), integer)'
    assert type_of("(SELECT 1 AS a, 'x' AS b).b") == "varchar(1)"


@pytest.mark.parametrize("expression", ["'ab' || NULL", "NULL || 'ab'", "concat('ab', NULL)"])
def test_a_text_and_null_are_an_array(expression: str) -> None:
    assert type_of(expression) == "array(varchar(2))"


def test_a_null_that_several_functions_take_is_ambiguous() -> None:
    assert refusal("SELECT reverse(NULL)")[0] == "AMBIGUOUS_FUNCTION_CALL"
    assert type_of("abs(NULL)") == "tinyint"


def test_a_cast_that_fails_keeps_its_type() -> None:
    text = translated("SELECT TRY_CAST('x' AS timestamp) + INTERVAL '1' DAY").text
    assert "CAST(NULL AS timestamp_ntz)" in text.replace("TIMESTAMP_NTZ", "timestamp_ntz")


def test_a_row_is_looked_for_under_the_types_of_both_sides() -> None:
    text = translated("SELECT 1 FROM t WHERE (id, 1) IN (SELECT BIGINT '1', BIGINT '2')").text
    assert "((CAST(r1.`id` AS bigint), 1L) IN (SELECT 1L" in text


def test_a_distinct_listagg_is_a_sorted_set() -> None:
    text = translated("SELECT listagg(DISTINCT name, ',') WITHIN GROUP (ORDER BY name) FROM t").text
    assert "array_join(sort_array(collect_set(r1.`name`), true), ',')" in text


def test_a_client_without_transactions_cannot_start_one() -> None:
    client = ClientState("lake", "s", transactions=False)
    message = "Client does not support transactions"
    assert refusal("START TRANSACTION", client) == ("INCOMPATIBLE_CLIENT", message)


def test_a_lambda_that_replaces_may_give_a_text_of_any_length() -> None:
    text = translated("SELECT regexp_replace(name, '[ab]', x -> 'q') FROM t").text
    assert "x1 -> 'q'" in text and "regexp_extract_all(r1.`name`, '[ab]', 0)" in text


@pytest.mark.parametrize("inside", ["ARRAY[1] || (1 / id)", "concat(ARRAY[1], 1 / id)"])
def test_a_failure_that_would_become_an_element_is_refused(inside: str) -> None:
    """TRY writes NULL for a failure, which an array takes as one of its values."""
    assert refusal(f"SELECT TRY({inside}) FROM t")[0] == "NOT_SUPPORTED"
    assert type_of("TRY(CAST(name || '1' AS integer))") == "integer"
