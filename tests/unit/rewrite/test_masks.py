"""Masks as Spark's SQL: of the column's type, for every value, or refused."""

from __future__ import annotations

import pytest

from sqe.errors import AccessError, ErrorCode
from sqe.model.masks import (
    BucketMask,
    ConstantMask,
    ExpressionMask,
    HashMask,
    Mask,
    NullMask,
    PartialMask,
    RegexMask,
    TruncateMask,
)
from sqe.model.query import Column
from sqe.rewrite.masks import mask_sql


def masked(mask: Mask, kind: str) -> str:
    """What is cast to the column's type."""
    text = mask_sql(mask, Column("c", kind), lambda sql, dialect: f"{dialect}: {sql}")
    before, after = "CAST(", f" AS {kind}) AS c"
    assert text.startswith(before) and text.endswith(after)
    return text[len(before) : -len(after)]


DIGEST = "sha2(concat( ? , sha2(concat( ? , CAST(c AS string)), 256)), 256)"
MICROS = "unix_micros(c)"
IN_HOUR = f"{MICROS} - pmod({MICROS}, 3600000000L)"
IN_DAY = f"{MICROS} - pmod({MICROS}, 86400000000L)"
DAY = f"date_from_unix_date(CAST(({IN_DAY}) div 86400000000L AS int))"
LONG = "CASE WHEN length(c) > {} THEN concat({}) ELSE repeat({}, length(c)) END"


@pytest.mark.parametrize(
    ("mask", "kind", "expected"),
    [
        (NullMask(), "array<int>", "NULL"),
        (ConstantMask("it's"), "string", r"'it\'s'"),
        (RegexMask(r"\d", "#"), "string", r"regexp_replace(c, '\\d', '#')"),
        (ExpressionMask("upper(c)"), "string", "(spark: upper(c)\n)"),
        (ExpressionMask("upper(c)", "trino"), "map<int,int>", "(trino: upper(c)\n)"),
        (HashMask(), "string", DIGEST),
        (HashMask(), "int", f"conv(substring({DIGEST}, 1, 7), 16, 10)"),
        (HashMask(), "bigint", f"conv(substring({DIGEST}, 1, 15), 16, 10)"),
        (
            HashMask(),
            "binary",
            "unhex(sha2(concat(CAST( ? AS binary), CAST(sha2(concat(CAST( ? AS binary), c), 256)"
            " AS binary)), 256))",
        ),
        (
            PartialMask(1, 2, "*"),
            "string",
            LONG.format(3, "left(c, 1), repeat('*', length(c) - 3), right(c, 2)", "'*'"),
        ),
        (
            PartialMask(0, 4, "x"),
            "string",
            LONG.format(4, "repeat('x', length(c) - 4), right(c, 4)", "'x'"),
        ),
        (
            PartialMask(4, 0, "x"),
            "string",
            LONG.format(4, "left(c, 4), repeat('x', length(c) - 4)", "'x'"),
        ),
        (TruncateMask("day"), "date", "c"),
        (TruncateMask("month"), "date", "trunc(c, 'month')"),
        (TruncateMask("day"), "timestamp_ntz", "CAST(c AS date)"),
        (TruncateMask("year"), "timestamp_ntz", "trunc(CAST(c AS date), 'year')"),
        (
            TruncateMask("hour"),
            "timestamp_ntz",
            "make_timestamp_ntz(year(c), month(c), day(c), hour(c), 0, 0)",
        ),
        (TruncateMask("hour"), "timestamp", f"timestamp_micros({IN_HOUR})"),
        (TruncateMask("day"), "timestamp", f"timestamp_micros({IN_DAY})"),
        (
            TruncateMask("week"),
            "timestamp",
            f"timestamp_micros(unix_date(trunc({DAY}, 'week')) * 86400000000L)",
        ),
        (
            BucketMask(10),
            "int",
            "try_cast(CAST(c AS decimal(20,0)) - pmod(CAST(c AS bigint), 10L) AS int)",
        ),
        (
            BucketMask(10),
            "double",
            "CASE WHEN abs(c) < 9007199254740992.0D THEN floor(c / 10.0D) * 10.0D END",
        ),
        (
            BucketMask(10),
            "float",
            "CASE WHEN abs(c) < 9007199254740992.0D THEN floor(c / 10.0D) * 10.0D END",
        ),
        (BucketMask(5), "decimal(37,2)", "try_cast(c - pmod(c, 5) AS decimal(37,2))"),
    ],
    ids=str,
)
def test_a_mask_is_written_for_its_type(mask: Mask, kind: str, expected: str) -> None:
    assert masked(mask, kind) == expected


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("boolean", "true"),
        ("boolean", "false"),
        ("date", "2024-02-29"),
        ("timestamp", "2024-02-29 23:59:59"),
        ("timestamp_ntz", "2024-02-29 23:59:59"),
        ("tinyint", "-128"),
        ("tinyint", "127"),
        ("smallint", "32767"),
        ("int", "2147483647"),
        ("bigint", "-9223372036854775808"),
        ("bigint", "9223372036854775807"),
        ("float", "-1.5"),
        ("double", "0"),
        ("decimal(4,2)", "99.99"),
        ("decimal(4,2)", "-99"),
    ],
)
def test_a_constant_that_fits_is_a_text(kind: str, text: str) -> None:
    assert masked(ConstantMask(text), kind) == f"'{text}'"


@pytest.mark.parametrize(
    ("mask", "kind"),
    [
        (ConstantMask("TRUE"), "boolean"),
        (ConstantMask("2023-02-29"), "date"),
        (ConstantMask("20240229"), "date"),
        (ConstantMask("2024-02-29"), "timestamp"),
        (ConstantMask("2024-02-30 00:00:00"), "timestamp_ntz"),
        (ConstantMask("128"), "tinyint"),
        (ConstantMask("-129"), "tinyint"),
        (ConstantMask("32768"), "smallint"),
        (ConstantMask("2147483648"), "int"),
        (ConstantMask("9223372036854775808"), "bigint"),
        (ConstantMask("1.0"), "int"),
        (ConstantMask("NaN"), "double"),
        (ConstantMask("1e3"), "float"),
        (ConstantMask("100"), "decimal(4,2)"),
        (ConstantMask("-100"), "decimal(4,2)"),
        (ConstantMask("x"), "decimal(4,2)"),
        (ConstantMask("1e1"), "decimal(4,2)"),
        (ConstantMask("x"), "binary"),
        (ConstantMask("x"), "array<string>"),
        (RegexMask("a", "b"), "int"),
        (HashMask(), "smallint"),
        (HashMask(), "date"),
        (PartialMask(1, 1, "*"), "int"),
        (PartialMask(-1, 1, "*"), "string"),
        (PartialMask(1, -1, "*"), "string"),
        (PartialMask(1, 1, "**"), "string"),
        (PartialMask(1, 1, ""), "string"),
        (TruncateMask("hour"), "date"),
        (TruncateMask("minute"), "date"),
        (TruncateMask("minute"), "timestamp"),
        (TruncateMask("day"), "string"),
        (BucketMask(0), "int"),
        (BucketMask(128), "tinyint"),
        (BucketMask(2**31), "int"),
        (BucketMask(0), "double"),
        (BucketMask(2**53), "double"),
        (BucketMask(10), "decimal(38,2)"),
        (BucketMask(0), "decimal(10,2)"),
        (BucketMask(10**9), "decimal(10,2)"),
        (BucketMask(10), "string"),
    ],
    ids=str,
)
def test_a_mask_that_does_not_fit_is_refused(mask: Mask, kind: str) -> None:
    with pytest.raises(AccessError) as raised:
        masked(mask, kind)
    assert raised.value.code is ErrorCode.ACCESS_DENIED
    assert raised.value.message == f"A mask on column c does not fit its type {kind}."


@pytest.mark.parametrize(
    ("size", "kind"),
    [
        (127, "tinyint"),
        (2**15 - 1, "smallint"),
        (2**31 - 1, "int"),
        (2**63 - 1, "bigint"),
        (1, "int"),
        (1, "double"),
        (2**53 - 1, "float"),
        (1, "decimal(1,0)"),
        (10**9 - 1, "decimal(37,0)"),
    ],
)
def test_a_bucket_is_as_large_as_its_type_holds(size: int, kind: str) -> None:
    assert f"{size}" in masked(BucketMask(size), kind)
