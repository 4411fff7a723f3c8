"""The types that Spark gives, or none."""

from __future__ import annotations

from typing import Any

import pytest
from sqlglot import exp

from sqe.rewrite.exact_types import exact_type
from sqe.sql.dialect import DIALECT

TYPES = {
    "b": "tinyint", "h": "smallint", "i": "int", "l": "bigint", "f": "float", "d": "double",
    "s": "string", "y": "binary", "p": "decimal(10,2)", "w": "decimal(35,2)", "day": "date",
    "ok": "boolean", "xs": "array<int>", "odd": "nonsense(",
}  # fmt: skip


def of(node: Any) -> str | None:
    return TYPES.get(node.name) if isinstance(node, exp.Column) else exact_type(node, of)


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("1", "int"),
        ("2147483647", "int"),
        ("2147483648", "bigint"),
        ("9223372036854775807", "bigint"),
        ("9223372036854775808", "decimal(19,0)"),
        ("0099999999999999999999", "decimal(20,0)"),
        ("'1'", "string"),
        ("1.50", "decimal(3,2)"),
        ("0.05", "decimal(2,2)"),
        (".5", "decimal(1,1)"),
        ("0.", "decimal(1,0)"),
        ("12.", "decimal(2,0)"),
        ("1e3", "double"),
        ("1.5E3", "double"),
        ("TRUE", "boolean"),
        ("NULL", None),
        ("1BD", "decimal(1,0)"),
        ("CAST(s AS DECIMAL)", "decimal(10,0)"),
        ("CAST(s AS DECIMAL(7))", "decimal(7,0)"),
        ("CAST(s AS DECIMAL(7,3))", "decimal(7,3)"),
        ("CAST(s AS TIMESTAMP)", "timestamp"),
        ("timestamp(s)", "timestamp"),
        ("CAST(s AS TIMESTAMP_LTZ)", "timestamp"),
        ("CAST(s AS TIMESTAMP_NTZ)", "timestamp_ntz"),
        ("CAST(s AS BOOLEAN)", "boolean"),
        ("CAST(s AS TINYINT)", "tinyint"),
        ("CAST(s AS SMALLINT)", "smallint"),
        ("CAST(s AS BIGINT)", "bigint"),
        ("CAST(s AS FLOAT)", "float"),
        ("CAST(s AS DOUBLE)", "double"),
        ("CAST(s AS BINARY)", "binary"),
        ("CAST(s AS DATE)", "date"),
        ("CAST(s AS VARCHAR(3))", "string"),
        ("CAST(s AS CHAR(3))", "string"),
        ("TRY_CAST(s AS INT)", "int"),
        ("CAST(i AS STRING)", "string"),
        ("CAST(i AS STRING COLLATE UTF8_LCASE)", None),
        ("CAST(xs AS ARRAY<INT>)", None),
    ],
)
def test_what_is_written_has_a_type(sql: str, expected: str | None) -> None:
    assert of(_tree(sql)) == expected


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("b + h", "smallint"),
        ("i * l", "bigint"),
        ("l - i", "bigint"),
        ("i + 1", "int"),
        ("i + 3000000000", "bigint"),
        ("f + f", "float"),
        ("f + i", "double"),
        ("f + d", "double"),
        ("p * d", "double"),
        ("p + p", "decimal(11,2)"),
        ("p - 1", "decimal(11,2)"),
        ("p * 10", "decimal(13,2)"),
        ("p + i", "decimal(13,2)"),
        ("p * (1 - p)", "decimal(22,4)"),
        ("1 - 0.06", "decimal(4,2)"),
        ("w * p", None),
        ("w + 1", "decimal(36,2)"),
        ("p + '1'", None),
        ("p + `1`", None),
        ("p + 0010", "decimal(11,2)"),
        ("CAST(`2024-02-29` AS DATE) + INTERVAL '1' DAY", None),
        ("s + 1", None),
        ("i + s", None),
        ("unknown + 1", None),
        ("day + 1", None),
        ("day - day", None),
        ("DATE'2024-02-29' + INTERVAL '1' YEAR", "date"),
        ("DATE'2024-02-29' - INTERVAL '1' HOUR", None),
        ("DATE'2024-02-29' - DATE'2024-02-28'", None),
        ("i % 2", "int"),
        ("b % 2", "int"),
        ("i % 3000000000", "bigint"),
        ("p % 2", None),
        ("2 % s", None),
        ("i / 2", None),
        ("-i", None),
        ("abs(s)", None),
    ],
)
def test_arithmetic_has_the_type_of_its_result(sql: str, expected: str | None) -> None:
    assert of(_tree(sql)) == expected


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("count(*)", "bigint"),
        ("sum(i)", "bigint"),
        ("sum(f)", "double"),
        ("sum(p)", "decimal(20,2)"),
        ("sum(w)", "decimal(38,2)"),
        ("sum(s)", None),
        ("sum(xs)", None),
        ("sum(odd)", None),
        ("sum(unknown)", None),
        ("avg(i)", "double"),
        ("avg(f)", "double"),
        ("avg(p)", "decimal(14,6)"),
        ("avg(CAST(i AS DECIMAL(34,0)))", "decimal(38,4)"),
        ("avg(w)", None),
        ("avg(s)", None),
        ("avg(unknown)", None),
        ("max(day)", "date"),
        ("min(s)", "string"),
        ("first(i)", "int"),
        ("last(i)", "int"),
        ("any_value(ok)", "boolean"),
        ("max(i) FILTER (WHERE ok)", "int"),
        ("sum(i) OVER (ORDER BY i)", "bigint"),
        ("first_value(i) OVER (ORDER BY i)", "int"),
        ("last_value(i) OVER (ORDER BY i)", "int"),
        ("lag(i) OVER (ORDER BY i)", None),
        ("row_number() OVER (ORDER BY i)", "int"),
        ("rank() OVER (ORDER BY i)", "int"),
        ("dense_rank() OVER (ORDER BY i)", "int"),
    ],
)
def test_aggregates_have_the_type_of_what_they_find(sql: str, expected: str | None) -> None:
    assert of(_tree(sql)) == expected


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("i = 1", "boolean"),
        ("NOT ok", "boolean"),
        ("ok AND ok", "boolean"),
        ("startswith(s, 'a')", "boolean"),
        ("endswith(s, 'a')", "boolean"),
        ("upper(s)", "string"),
        ("lower(y)", "string"),
        ("trim(s)", "string"),
        ("concat(s, 'a')", "string"),
        ("concat(s, y)", None),
        ("concat(xs, xs)", None),
        ("substring(s, 1, 2)", "string"),
        ("substring(y, 1, 2)", None),
        ("left(s, 2)", "string"),
        ("right(y, 2)", None),
        ("length(y)", "int"),
        ("year(day)", "int"),
        ("month(day)", "int"),
        ("day(day)", "int"),
        ("to_date(s)", "date"),
        ("extract(quarter FROM day)", "int"),
        ("extract(YEAR FROM day)", "int"),
        ("extract(month FROM day)", "int"),
        ("extract(DAY FROM day)", "int"),
        ("extract(SECOND FROM day)", None),
        ("(i)", "int"),
        ("i AS x", "int"),
        ("nullif(i, l)", "int"),
        ("coalesce(i, 1)", "int"),
        ("coalesce(i, l)", None),
        ("coalesce(NULL, s)", "string"),
        ("if(ok, i, 1)", "int"),
        ("if(ok, i, s)", None),
        ("if(ok, NULL, NULL)", None),
        ("CASE WHEN ok THEN i ELSE 2 END", "int"),
        ("CASE WHEN ok THEN i WHEN ok THEN s END", None),
        ("CASE WHEN ok THEN i ELSE s END", None),
        ("CASE WHEN ok THEN s END", "string"),
        ("greatest(i, l)", None),
        ("round(p, 1)", None),
        ("xs[0]", None),
    ],
)
def test_functions_have_one_type_or_none(sql: str, expected: str | None) -> None:
    assert of(_tree(sql)) == expected


def _tree(sql: str) -> Any:
    [found] = DIALECT.parse(f"SELECT {sql}")
    assert found is not None
    return found.expressions[0]
