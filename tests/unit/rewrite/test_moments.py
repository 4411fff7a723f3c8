"""Moments of ``TIMESTAMP AS OF``, as Spark reads them, or None."""

from __future__ import annotations

import time

import pytest

from sqe.rewrite.moments import moment_of

DAY = 86_400_000
NEW_YEAR = 1_767_225_600_000  # 2026-01-01 in UTC


@pytest.mark.parametrize(
    ("text", "zone", "millis"),
    [
        ("'2026-01-01'", "UTC", NEW_YEAR),
        ("'2026-1-1 0:00'", "UTC", NEW_YEAR),
        ("'2026-01-01T00:00:00.123456789Z'", "Asia/Tokyo", NEW_YEAR + 123),
        ("timestamp '2026-01-01 00:00:00'", "+09:00", NEW_YEAR - 9 * 3_600_000),
        ("'2026-01-01 00:00:00 America/New_York'", "UTC", NEW_YEAR + 5 * 3_600_000),
        ("'2026-01-01 00:00:00-03:30'", "UTC", NEW_YEAR + 12_600_000),
        ("(TIMESTAMP '2026-01-02' - INTERVAL '1' DAY)", "UTC", NEW_YEAR),
        ("'2025-12-25' + INTERVAL 1 WEEK", "UTC", NEW_YEAR),
        ("1767225600", "Asia/Tokyo", NEW_YEAR),
        ("1767225600.5", "UTC", NEW_YEAR + 500),
        # As SQE writes what Trino means.
        ("CAST(TIMESTAMP_NTZ'2026-01-01 00:00:00.5' AS TIMESTAMP)", "UTC", NEW_YEAR + 500),
        ("CAST(CAST(DATE'2026-01-01' AS TIMESTAMP_NTZ) AS TIMESTAMP)", "UTC", NEW_YEAR),
        (
            "IF((TIMESTAMP'2026-01-02 00:00:00+00:00' + INTERVAL '-86400' SECOND)"
            " < TIMESTAMP'2026-01-02 00:00:00.000000+00:00',"
            " (TIMESTAMP'2026-01-02 00:00:00+00:00' + INTERVAL '-86400' SECOND), NULL)",
            "Asia/Tokyo",
            NEW_YEAR,
        ),
        # A time that a clock skips is read with the offset before, as Java does it.
        ("'2026-03-29 02:30:00'", "Europe/Paris", 1_774_747_800_000),
        ("'2026-10-25 02:30:00'", "Europe/Paris", 1_792_888_200_000),
    ],
)
def test_a_constant(text: str, zone: str, millis: int) -> None:
    assert moment_of(text, zone) == millis


@pytest.mark.parametrize("text", ["now()", "NOW( )", "current_timestamp", "current_timestamp()"])
def test_now_and_before(text: str) -> None:
    before = time.time() * 1000 - 1
    moment = moment_of(text, "UTC")
    earlier = moment_of(f"{text} - INTERVAL 2 DAYS - INTERVAL 1 HOUR", "UTC")
    after = time.time() * 1000 + 1
    assert moment is not None and earlier is not None
    assert before <= moment <= after
    assert before <= earlier + 2 * DAY + 3_600_000 <= after


@pytest.mark.parametrize(
    "text",
    [
        "",
        "now(1)",
        "(SELECT now())",
        "concat('2026', '-01-01')",
        "'yesterday'",
        "'2026-13-01'",
        "'2026-01-01 25:00:00'",
        "'2026-01-01 00:00:00 Nowhere/At_All'",
        "'2026-01-01 00:00:00 ../../etc/passwd'",
        "now() - INTERVAL '1' MONTH",
        "now() - make_interval(1)",
        "now() - 5",
        "DATE '2026-01-01'",
        "CAST(5 AS TIMESTAMP)",
        "CAST(TIMESTAMP_NTZ'2026-01-01 00:00:00Z' AS TIMESTAMP)",
        "IF('2026-01-02' < '2026-01-01', '2026-01-02', NULL)",
        "IF('2026-01-01' < '2026-01-03', '2026-01-02', NULL)",
        "IF(true, '2026-01-02', NULL)",
        "rand()",
        "?",
        "'2026-01-01" + "0" * 2000 + "'",
        "1e400",
        "((((",
    ],
)
def test_everything_else_is_not_known(text: str) -> None:
    assert moment_of(text, "UTC") is None
