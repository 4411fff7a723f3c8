"""Arithmetic that always has a result."""

from __future__ import annotations

from typing import Any

import pytest
from sqlglot import exp

from sqe.rewrite.exact import comparable, is_date, is_date_literal, never_overflows
from sqe.sql.dialect import DIALECT

TYPES = {
    "i": "int", "b": "bigint", "f": "double", "s": "string", "d": "decimal(10,2)",
    "w": "decimal(19,0)", "x": "decimal(38,0)", "m": "decimal(37,0)", "n": "decimal(18,0)",
    "day": "date", "q": "decimal(18,2)", "g": "decimal(36,1)", "h": "decimal(36,0)",
}  # fmt: skip


def tree(sql: str) -> Any:
    [found] = DIALECT.parse(f"SELECT {sql}")
    assert found is not None
    return found.expressions[0].unalias()


def type_of(node: Any) -> str | None:
    if isinstance(node, exp.Literal):
        return "string" if node.is_string else "int"
    return TYPES.get(node.name)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("int", "double", True),
        ("float", "bigint", True),
        ("float", "double", True),
        ("decimal(10,2)", "double", False),
        ("string", "double", False),
        ("tinyint", "smallint", True),
        ("int", "bigint", True),
        ("bigint", "decimal(18,18)", True),
        ("bigint", "decimal(19,19)", False),
        ("decimal(38,0)", "decimal(38,0)", True),
        ("decimal(38,0)", "decimal(2,1)", False),
        ("decimal(20,18)", "decimal(20,0)", True),
        ("decimal(20,18)", "decimal(21,0)", False),
        ("int", "string", False),
        ("string", "int", False),
        ("int", "date", False),
        ("int", "nonsense(", False),
        ("int", "array<int>", False),
    ],
)
def test_what_is_compared_fits_one_type(one: str, other: str, expected: bool) -> None:
    assert comparable(one, other) is expected
    assert comparable(other, one) is expected


@pytest.mark.parametrize(
    "sql",
    [
        "1 + 2",
        "9999 * 9999",
        "0.06 - 0.01",
        "d + d",
        "d - i",
        "i * d",
        "d * (1 - d)",
        "m + 1",
        "w * n",
        "DATE'2024-02-29' + INTERVAL '1' DAY",
        "DATE'2024-02-29' - INTERVAL '9999' YEARS",
        "DATE'2024-02-29' + INTERVAL '2' MONTH",
        "DATE'2024-02-29' + INTERVAL '2' days",
        "DATE'2024-02-29' + INTERVAL '2' months",
        "DATE'2024-02-29' + INTERVAL '2' year",
        "g + h",
        "h + g",
    ],
)
def test_what_always_fits(sql: str) -> None:
    assert never_overflows(tree(sql), type_of)


@pytest.mark.parametrize(
    "sql",
    [
        "i + 1",
        "1 + i",
        "i * i",
        "b - b",
        "f + f",
        "f + d",
        "d + f",
        "s + d",
        "99999 + 1",
        "1 + 99999",
        "'1' + '2'",
        "1 + '2'",
        "x + 1",
        "w * w",
        "q * q * d",
        "d + (i + i)",
        "(i * i) + d",
        "day + INTERVAL '1' DAY",
        "DATE'2024-02-29' + INTERVAL '10000' DAY",
        "DATE'2024-02-29' + INTERVAL '1' HOUR",
        "DATE'2023-02-29' + INTERVAL '1' DAY",
        "DATE'2024-02-29' + 1",
        "DATE'2024-02-29' + i",
        "DATE'2024-02-29' * 1",
        "DATE'2024-02-29' * INTERVAL '1' DAY",
        "DATE'2024-02-29' + INTERVAL `1` DAY",
        "9999 * 9999 * 9999",
        "TIMESTAMP'2024-02-29' + INTERVAL '1' DAY",
        "unknown + d",
    ],
)
def test_what_may_not_fit(sql: str) -> None:
    assert not never_overflows(tree(sql), type_of)


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("DATE'2024-02-29'", True),
        ("DATE'2023-02-29'", False),
        ("TIMESTAMP'2024-02-29'", False),
        ("'2024-02-29'", False),
        ("CAST(s AS DATE)", False),
        ("CAST(20240229 AS DATE)", False),
    ],
)
def test_a_day_as_it_is_written(sql: str, expected: bool) -> None:
    assert is_date_literal(tree(sql)) is expected


@pytest.mark.parametrize("text", ["2024-2-29", "20240229", "2024-W09-4", "2024-13-01", "x", ""])
def test_only_whole_dates_are_dates(text: str) -> None:
    assert is_date("2024-02-29")
    assert not is_date(text)
