"""Nested joins, and what a subquery may name of the query around it."""

from __future__ import annotations

from tests.unit.trino.dialect.catalog import refusal, translated


def test_a_join_on_the_right_keeps_its_brackets() -> None:
    text = translated("SELECT * FROM one a, one b RIGHT JOIN one c ON b.id = c.id").text
    assert text.endswith(
        "FROM `lake`.`s`.`one` AS r1 CROSS JOIN "
        "(`lake`.`s`.`one` AS r2 RIGHT JOIN `lake`.`s`.`one` AS r3 ON (r2.`id` = r3.`id`))"
    )


def test_an_equation_of_two_columns_stays_one() -> None:
    text = translated("SELECT (SELECT b.id FROM one b WHERE b.id = a.id LIMIT 1) FROM one a").text
    assert "WHERE (r2.`id` = r1.`id`) LIMIT 1" in text


def test_any_other_equation_of_a_limited_subquery_is_none_for_spark() -> None:
    text = translated(
        "SELECT (SELECT b.id FROM one b WHERE b.id = a.id + 1 LIMIT 1) FROM one a"
    ).text
    assert "WHERE (coalesce((r2.`id` = " in text


def test_rows_of_a_sorted_subquery_are_taken_by_number() -> None:
    inner = "SELECT b.id FROM one b WHERE b.id > a.id ORDER BY -b.id OFFSET 1 LIMIT 1"
    text = translated(f"SELECT ({inner}) FROM one a").text
    assert "WHERE `$row` > 1 AND `$row` <= 2" in text


def test_exists_needs_no_limit() -> None:
    text = translated("SELECT 1 FROM one a WHERE EXISTS (SELECT 1 FROM one b LIMIT 3)").text
    assert "LIMIT" not in text


def test_a_column_of_two_queries_further_out_is_refused_at_its_place() -> None:
    inner = "SELECT 1 FROM one c WHERE c.id = a.id"
    text = f"SELECT (SELECT max(b.id) FROM one b WHERE EXISTS ({inner})) FROM one a"
    message = "1:84: Column 'a.id' of a query more than one level further out is not supported"
    assert refusal(text) == ("NOT_SUPPORTED", message)
