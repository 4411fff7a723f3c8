"""Functions that people have written, in Trino's SQL."""

from __future__ import annotations

import pytest

from sqe.model.query import ClientState
from tests.unit.trino.dialect.catalog import refusal, translated


@pytest.mark.parametrize(
    ("sql", "body", "kind"),
    [
        ("FUNCTION f(a bigint) RETURNS bigint RETURN a + 1 SELECT f(2)", "2L + 1L", "bigint"),
        ("FUNCTION f(a double) RETURNS double RETURN a SELECT f(id) FROM one", "`id`", "double"),
        ("FUNCTION f() RETURNS varchar RETURN 'x' SELECT f()", "'x'", "varchar"),
        (
            "FUNCTION g(a integer) RETURNS integer RETURN a * 3, FUNCTION f(b integer) RETURNS "
            "bigint RETURN g(b) + 1 SELECT f(id) FROM one",
            "3",
            "bigint",
        ),
        ("FUNCTION f(a date) RETURNS date RETURN a SELECT f(DATE '2020-01-01')", "2020", "date"),
    ],
)  # fmt: skip
def test_a_function_of_with_is_written_with_its_arguments(sql: str, body: str, kind: str) -> None:
    written = translated(f"WITH {sql}")
    assert body in written.text
    assert str(written.columns[0].type) == kind


def test_an_argument_that_changes_is_computed_once() -> None:
    head = "WITH FUNCTION f(a double) RETURNS double RETURN a + a SELECT "
    assert translated(f"{head} f(random())").text.count("rand(") == 1
    assert translated(f"{head} f(id) FROM one").text.count("`id`") == 2


def test_a_lambda_around_a_call_keeps_its_variable() -> None:
    """Two lambdas, one in the body and one around the call, have different variables."""
    written = translated(
        "WITH FUNCTION f(a array(integer), n integer) RETURNS array(integer) "
        "RETURN transform(a, x -> x + n) "
        "SELECT transform(ARRAY[1], x -> f(ARRAY[10], x))"
    ).text
    assert "x1 -> " in written
    assert "x2 -> " in written
    assert "x2 + x1" in written


def test_nothing_but_parameters_can_be_named_in_a_body() -> None:
    sql = "WITH FUNCTION f(a integer) RETURNS integer RETURN a + id SELECT f(id) FROM one"
    assert refusal(sql) == ("COLUMN_NOT_FOUND", "1:55: Column 'id' cannot be resolved")


def test_kept_functions_are_called_by_their_full_names() -> None:
    assert "lake" not in translated("SELECT lake.s.kept(3)").text
    assert str(translated("SELECT lake.s.kept(3)").columns[0].type) == "varchar"
    assert translated("SELECT s.spark(3, 'a')").text.count("`lake`.`s`.`spark`(") == 1
    on_the_path = ClientState("lake", "s", path="lake.s")
    assert translated("SELECT kept(3)", on_the_path).text
    assert refusal("SELECT kept(3)")[0] == "FUNCTION_NOT_FOUND"


@pytest.mark.parametrize(
    ("sql", "name", "message"),
    [
        ("SELECT lake.s.kept('a')", "FUNCTION_NOT_FOUND", "Unexpected parameters (varchar(1))"),
        ("SELECT lake.s.kept()", "FUNCTION_NOT_FOUND", "Expected: lake.s.kept(bigint)"),
        ("SELECT lake.s.none(1)", "FUNCTION_NOT_FOUND", "'lake.s.none' not registered"),
        ("SELECT lake.s.odd(1)", "NOT_SUPPORTED", "has types of Spark's"),
        ("SELECT try(lake.s.spark(1, 'a'))", "NOT_SUPPORTED", "TRY of such an expression"),
        ("SELECT lake.s.kept(DISTINCT 1)", "FUNCTION_NOT_AGGREGATE", "DISTINCT"),
        ("SELECT lake.s.kept(1) OVER ()", "FUNCTION_NOT_WINDOW", "Not a window function"),
        (
            "WITH FUNCTION f(a integer) RETURNS integer RETURN f(a) SELECT f(1)",
            "NOT_SUPPORTED",
            "Recursive language functions are not supported: f(integer)",
        ),
        (
            "WITH FUNCTION f(a integer) RETURNS varchar RETURN a SELECT f(1)",
            "TYPE_MISMATCH",
            "Value of RETURN must evaluate to varchar (actual: integer)",
        ),
        (
            "WITH FUNCTION f() RETURNS bigint RETURN (SELECT count(*) FROM one) SELECT f()",
            "NOT_SUPPORTED",
            "A query in a function",
        ),
        (
            "WITH FUNCTION f(a bigint) RETURNS bigint RETURN sum(a) SELECT f(1)",
            "EXPRESSION_NOT_SCALAR",
            "RETURN cannot contain aggregations",
        ),
        ("WITH FUNCTION abs(a date) RETURNS date RETURN a SELECT 1", "NOT_SUPPORTED", "named abs"),
        ("CREATE FUNCTION lake.no.f() RETURNS bigint RETURN 1", "SCHEMA_NOT_FOUND", "'no'"),
        ("CREATE FUNCTION lake.s.kept() RETURNS bigint RETURN 1", "ALREADY_EXISTS", "exists"),
        (
            "CREATE FUNCTION lake.s.f() RETURNS date RETURN current_date",
            "NOT_SUPPORTED",
            "in a function that is kept",
        ),
        ("DROP FUNCTION lake.s.kept(varchar)", "NOT_FOUND", "Function not found"),
    ],
)
def test_what_is_wrong_is_told_as_trino_tells_it(sql: str, name: str, message: str) -> None:
    told = refusal(sql)
    assert told[0] == name
    assert message in told[1]


def test_a_function_is_kept_in_both_dialects() -> None:
    text = translated(
        "CREATE OR REPLACE FUNCTION lake.s.f(a bigint, b varchar) RETURNS double COMMENT 'c' "
        "NOT DETERMINISTIC RETURNS NULL ON NULL INPUT RETURN a / 2e0"
    ).text
    assert text.startswith(
        "CREATE OR REPLACE FUNCTION `lake`.`s`.`f`(`a` bigint, `b` string) RETURNS double NOT "
        "DETERMINISTIC COMMENT 'c' TBLPROPERTIES ('trino.function' = 'FUNCTION lake.s.f(a bigint"
    )
    assert "trino.only" not in text
    assert "RETURN CASE WHEN `a` IS NULL OR `b` IS NULL THEN NULL ELSE " in text
    odd = translated("CREATE FUNCTION lake.s.f(a time(3)) RETURNS varchar(3) RETURN 'a'").text
    assert "'trino.only' = 'true'" in odd


def test_drop_names_the_types() -> None:
    assert translated("DROP FUNCTION lake.s.kept(bigint)").text == (
        "DROP FUNCTION IF EXISTS `lake`.`s`.`kept`"
    )
    assert translated("DROP FUNCTION lake.s.spark(integer, varchar)").text
    assert translated("DROP FUNCTION IF EXISTS lake.s.kept(x varchar)").text == ""
