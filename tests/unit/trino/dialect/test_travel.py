"""FOR TIMESTAMP AS OF, and the WHERE of optimize."""

from __future__ import annotations

import pytest

from tests.unit.trino.dialect.catalog import refusal, translated


@pytest.mark.parametrize(
    ("moment", "name"),
    [
        ("TIMESTAMP '2040-01-01 00:00:00'", "INVALID_ARGUMENTS"),
        ("TIMESTAMP '2026-01-10 13:00:00 Europe/Paris'", "INVALID_ARGUMENTS"),
        ("DATE '2040-01-01'", "INVALID_ARGUMENTS"),
        ("now()", "INVALID_ARGUMENTS"),
        ("NULL", "INVALID_ARGUMENTS"),
        ("'2020-01-01'", "TYPE_MISMATCH"),
        ("5", "TYPE_MISMATCH"),
    ],
)
def test_a_moment_that_is_not_in_the_past(moment: str, name: str) -> None:
    assert refusal(f"SELECT 1 FROM t FOR TIMESTAMP AS OF {moment}")[0] == name


def test_a_moment_that_is_calculated_is_checked_when_it_is_known() -> None:
    text = translated("SELECT 1 FROM t FOR TIMESTAMP AS OF now() - INTERVAL '1' DAY").text
    assert "< TIMESTAMP'2026-01-10 12:00:00.000000+00:00'" in text


@pytest.mark.parametrize(
    ("where", "written"),
    [
        ("name = 'x'", "`name` = "),
        ("CAST(ts AS date) = DATE '2024-01-01'", "`ts` >= CAST("),
        ("date(ts) BETWEEN DATE '2024-01-01' AND current_date", "`ts` < CAST(date_add("),
        ("DATE '2024-01-01' < CAST(ts AS date)", "`ts` >= CAST(date_add("),
        ("ts >= TIMESTAMP '2024-01-01 00:00:00'", "`ts` >= CAST(DATE"),
        ("ts < DATE '2024-01-01' AND name IN ('x')", "`ts` < CAST(DATE"),
    ],
)
def test_whole_partitions_can_be_optimized(where: str, written: str) -> None:
    (call,) = translated(f"ALTER TABLE t EXECUTE optimize WHERE {where}").then
    assert written in call


@pytest.mark.parametrize(
    "where",
    [
        "id = 1",
        "ts > TIMESTAMP '2024-01-01 00:00:00'",
        "ts >= TIMESTAMP '2024-01-01 00:00:01'",
        "ts = TIMESTAMP '2024-01-01 00:00:00'",
        "CAST(ts AS date) = DATE '2024-01-01' OR id = 1",
        "CAST(ts AS date) = date_add('day', id, DATE '2024-01-01')",
    ],
)
def test_parts_of_partitions_cannot(where: str) -> None:
    assert refusal(f"ALTER TABLE t EXECUTE optimize WHERE {where}")[0] == "NOT_SUPPORTED"
