"""What compiled expressions give, where DuckDB by itself would give something else than Spark."""

from __future__ import annotations

import datetime
import math
from decimal import Decimal

import duckdb
import pytest

from sqe.engines.local.plan import NotLocal
from tests.unit.engines.local.compile.asking import ask, compiled

DAY = datetime.date
D = Decimal


@pytest.mark.parametrize(
    ("expression", "rows"),
    [
        ("k div 2", [1, -3, None]),
        ("k % 3", [2, -1, None]),
        ("pmod(k, 3)", [2, 2, None]),
        ("k ^ 3", [1, -6, None]),
        ("d2 % 0.7", [D("0.45"), D("-0.05"), None]),
        ("d2 / 3", [D("4.116667"), D("-0.016667"), None]),
        ("d38 / d38", [D("1.0000000"), D("1.0000000"), None]),
        ("d38 * 0.5", [D("617283945.006172839"), D("-0.75"), None]),
        ("d2 + db", [13.85, -2.55, None]),
        ("cast(db as int)", [1, -2, None]),
        ("cast(d38 as double)", [1234567890.0123456789, -1.5, None]),
        ("cast(d2 as string)", ["12.35", "-0.05", None]),
        ("cast(-0.25 as string)", ["-0.25", "-0.25", "-0.25"]),
        ("ceil(db)", [2, -2, None]),
        ("floor(d2)", [D("12"), D("-1"), None]),
        ("round(d2, 1)", [D("12.4"), D("-0.1"), None]),
        ("id <=> null", [False, False, True]),
        ("b is not true", [False, True, True]),
        ("greatest(id, k)", [2, 2, None]),
    ],
)
def test_numbers(expression: str, rows: list[object]) -> None:
    assert ask(expression).rows == rows


@pytest.mark.parametrize(
    ("expression", "rows"),
    [
        ("upper(replace(s, 'ß', 'z'))", ["HELLO", "STRAZE É", None]),
        ("trim('\t x ')", ["\t x"] * 3),
        ("instr(s, t)", [3, 1, None]),
        ("locate(t, s)", [3, 1, None]),
        ("lpad(s, 7, '*')", ["**Hello", "straße ", None]),
        ("right(s, 2)", ["lo", " é", None]),
        ("substring(s, 0, 2)", ["He", "st", None]),
        ("substring(s, -6, 3)", ["He", "raß", None]),
        ("concat_ws('-', s, t)", ["Hello-l", "straße é-", ""]),
        ("s || id", ["Hello1", "straße é2", None]),
        ("s ilike 'HE%'", [True, False, None]),
        ("s like 'Hel/_' escape '/'", [False, False, None]),
    ],
)
def test_texts(expression: str, rows: list[object]) -> None:
    assert ask(expression).rows == rows


@pytest.mark.parametrize(
    ("expression", "rows"),
    [
        ("dayofweek(dt)", [5, 4, None]),
        ("weekday(dt)", [3, 2, None]),
        ("weekofyear(dt)", [9, 1, None]),
        ("dt + 1", [DAY(2024, 3, 1), DAY(1970, 1, 1), None]),
        ("date_sub(dt, id)", [DAY(2024, 2, 28), DAY(1969, 12, 29), None]),
        ("add_months(dt, 12)", [DAY(2025, 2, 28), DAY(1970, 12, 31), None]),
        ("cast(ts as date)", [DAY(2024, 2, 29), DAY(1969, 12, 31), None]),
        ("hour(ntz)", [2, 0, None]),
        ("second(ts)", [59, 59, None]),
        ("cast(ntz as string)", ["2024-03-31 02:30:00", "1969-12-31 00:00:00.000001", None]),
        ("ts > '2000-01-01'", [True, False, None]),
        ("dt between '1969-12-31' and '1970-01-01'", [False, True, None]),
    ],
)
def test_dates_and_moments(expression: str, rows: list[object]) -> None:
    assert ask(expression).rows == rows


def test_the_root_of_a_negative_number_is_not_a_number() -> None:
    found = ask("sqrt(db)").rows
    assert isinstance(found[1], float) and math.isnan(found[1])


@pytest.mark.parametrize(
    ("expression", "code"),
    [
        ("id / 0", "SQE:DIVISION_BY_ZERO:"),
        ("id div 0", "SQE:DIVISION_BY_ZERO:"),
        ("d2 % 0", "SQE:DIVISION_BY_ZERO:"),
        ("cast(db * 1e10D as int)", "SQE:NUMERIC_OUT_OF_RANGE:"),
        ("upper(s || 'ﬁ')", "SQE:LOCAL:"),
        ("lower(s || 'Σ')", "SQE:LOCAL:"),
        ("cast(s as int)", "SQE:LOCAL:"),
        ("cast(replace(s, 'Hello', '2023-02-30') as date)", "SQE:LOCAL:"),
    ],
)
def test_rows_that_fail_or_are_sparks(expression: str, code: str) -> None:
    with pytest.raises(duckdb.Error, match=code):
        ask(expression)


@pytest.mark.parametrize(
    "expression",
    [
        "round(db, 1)",
        "power(db, 2)",
        "trunc(dt, 'Q')",
        r"s rlike '\\bx'",
        "s rlike '(?=x)'",
        "s rlike 'x*+'",
        "s rlike '[a&&b]'",
        r"regexp_replace(s, 'x*', 'y')",
        r"regexp_replace(s, '(x)', '$1')",
        "split(s, '[ab]', -1)",
        "first(id)",
        "approx_count_distinct(id)",
        "id + s",
        "dt - dt",
        "ts = ntz",
        "1 / 0",
        "id + (2147483647 + 1)",
        "cast(300 as tinyint)",
        "cast('b' as timestamp)",
        "if(b, 1 % 0, 2)",
        r"date_format(ts, 'yyyy-MM-dd\'T\'HH:mm:ss')",  # a quote inside is not where it begins
    ],
)
def test_what_is_not_proven_is_sparks(expression: str) -> None:
    with pytest.raises(NotLocal):
        compiled(expression)


@pytest.mark.parametrize(
    "expression",
    [
        "cast(ts as date)",
        "hour(ts)",
        "ts > '2020-01-01'",
        "current_date()",
        "cast(dt as timestamp)",
    ],
)
def test_days_of_moments_are_sparks_outside_of_utc(expression: str) -> None:
    assert compiled(expression).type.name != ""
    with pytest.raises(NotLocal, match="time zone Europe/Berlin"):
        compiled(expression, "Europe/Berlin")
