"""Masks: what is shown in place of a value, on whichever engine, in whichever time zone."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from sqe.errors import ErrorCode
from sqe.model.decision import Restrict
from sqe.model.masks import (
    BucketMask,
    ConstantMask,
    Mask,
    NullMask,
    PartialMask,
    RegexMask,
    TruncateMask,
)
from tests.embedded.pipe.lake import Lake

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(300)]

UTC = dt.UTC
# Text, whole numbers of two widths, an exact and an inexact number, a day and two moments: the
# smallest, one before 1970 and in the night of a change of clocks, NULL.
COLUMNS = (
    "id INT, txt STRING, i INT, b BIGINT, d DECIMAL(9,2), f DOUBLE, day DATE, at TIMESTAMP,"
    " wall TIMESTAMP_NTZ"
)
ROWS = """
 (1, 'Ünïcode-1234', 37, 37, 37.25, 37.5, DATE'2024-03-31',
  TIMESTAMP'2024-03-31 02:30:00 UTC', TIMESTAMP_NTZ'2024-03-31 02:30:00'),
 (2, 'ab', -2147483648, -9223372036854775808, -9999999.99, double('-Infinity'), DATE'1969-12-31',
  TIMESTAMP'1969-12-31 23:59:59.999999 UTC', TIMESTAMP_NTZ'1969-12-31 23:59:59.999999'),
 (3, '', -1, -1, -0.01, double('NaN'), DATE'2024-12-30',
  TIMESTAMP'2024-12-30 00:00:00 UTC', TIMESTAMP_NTZ'2024-12-30 00:00:00'),
 (4, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)
"""


day, wall = dt.date, dt.datetime


def at(*parts: int) -> dt.datetime:
    return dt.datetime(*parts, tzinfo=UTC)  # type: ignore[arg-type, misc]


CASES: list[tuple[str, Mask, list[Any]]] = [
    ("txt", NullMask(), [None] * 4),
    ("at", NullMask(), [None] * 4),
    ("txt", ConstantMask("it's \\secret\\"), ["it's \\secret\\"] * 4),
    ("i", ConstantMask("-7"), [-7] * 4),
    ("d", ConstantMask("0.5"), [Decimal("0.50")] * 4),
    ("day", ConstantMask("1970-01-01"), [day(1970, 1, 1)] * 4),
    ("txt", PartialMask(1, 2), ["Ü*********34", "**", "", None]),
    ("txt", PartialMask(0, 4, "#"), ["########1234", "##", "", None]),
    ("txt", PartialMask(), ["************", "**", "", None]),
    ("txt", RegexMask(r"\d", "9"), ["Ünïcode-9999", "ab", "", None]),
    ("i", BucketMask(10), [30, None, -10, None]),
    ("b", BucketMask(10), [30, None, -10, None]),
    ("d", BucketMask(10), [Decimal("30.00"), None, Decimal("-10.00"), None]),
    ("f", BucketMask(10), [30.0, None, None, None]),
    ("day", TruncateMask("month"), [day(2024, 3, 1), day(1969, 12, 1), day(2024, 12, 1), None]),
    ("day", TruncateMask("week"), [day(2024, 3, 25), day(1969, 12, 29), day(2024, 12, 30), None]),
    ("day", TruncateMask("day"), [day(2024, 3, 31), day(1969, 12, 31), day(2024, 12, 30), None]),
    (
        "at",
        TruncateMask("hour"),
        [at(2024, 3, 31, 2), at(1969, 12, 31, 23), at(2024, 12, 30), None],
    ),
    ("at", TruncateMask("day"), [at(2024, 3, 31), at(1969, 12, 31), at(2024, 12, 30), None]),
    ("at", TruncateMask("quarter"), [at(2024, 1, 1), at(1969, 10, 1), at(2024, 10, 1), None]),
    ("at", TruncateMask("year"), [at(2024, 1, 1), at(1969, 1, 1), at(2024, 1, 1), None]),
    (
        "wall",
        TruncateMask("hour"),
        [wall(2024, 3, 31, 2), wall(1969, 12, 31, 23), wall(2024, 12, 30), None],
    ),
    (
        "wall",
        TruncateMask("month"),
        [wall(2024, 3, 1), wall(1969, 12, 1), wall(2024, 12, 1), None],
    ),
]


@pytest.fixture(scope="module")
def masked(shared_lake: Lake) -> Lake:
    shared_lake.all(
        "CREATE SCHEMA masks",
        f"CREATE TABLE masks.t ({COLUMNS})",
        f"INSERT INTO masks.t VALUES {ROWS}",
    )
    return shared_lake


@pytest.fixture(params=[("spark", "UTC"), ("auto", "Europe/Berlin")], ids=str)
def mine(masked: Lake, request: pytest.FixtureRequest) -> Iterator[Lake]:
    engine, zone = request.param
    own = masked.another_session(engine=engine)
    own.session.set_property("sqe.time_zone", zone)
    yield own
    own.close()


@pytest.mark.parametrize(("column", "mask", "shown"), CASES, ids=str)
def test_only_what_the_mask_leaves_is_shown(
    mine: Lake, column: str, mask: Mask, shown: list[Any]
) -> None:
    wanted = mine.run(f"SELECT {column} FROM masks.t ORDER BY id").schema
    with mine.rules.on("lake.masks.t", Restrict("test", masks={column: mask})):
        table = mine.run(f"SELECT {column} FROM masks.t ORDER BY id")
    assert table.column(0).to_pylist() == shown
    assert table.schema.field(0).type.id == wanted.field(0).type.id


@pytest.mark.parametrize(
    ("column", "mask"),
    [
        ("i", PartialMask(1)),
        ("i", ConstantMask("many")),
        ("i", ConstantMask("2147483648")),
        ("d", ConstantMask("12345678.0")),
        ("day", ConstantMask("31.12.1999")),
        ("day", TruncateMask("hour")),
        ("txt", TruncateMask("day")),
        ("at", TruncateMask("fortnight")),
        ("txt", BucketMask(10)),
        ("i", BucketMask(0)),
        ("f", RegexMask("a", "b")),
    ],
    ids=str,
)
def test_a_mask_that_does_not_fit_its_column_refuses_the_query(
    masked: Lake, column: str, mask: Mask
) -> None:
    with masked.rules.on("lake.masks.t", Restrict("test", masks={column: mask})):
        failure = masked.fails("SELECT id FROM masks.t")
    assert failure.code is ErrorCode.ACCESS_DENIED and column in failure.message
