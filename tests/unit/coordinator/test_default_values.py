"""Defaults as Iceberg's metadata keeps them, and as DDL says them."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import pytest

from sqe.coordinator.default_values import default_json, default_text
from sqe.errors import ErrorCode, UserError

MOMENT = dt.datetime(2020, 1, 2, 3, 4, 5, 600)


@pytest.mark.parametrize(
    ("value", "kind", "stored", "text"),
    [
        (True, "boolean", True, "true"),
        (5, "long", 5, "5"),
        (1.25, "double", 1.25, "1.25"),
        (Decimal("1.50"), "decimal(6, 2)", "1.50", "1.50"),
        ("it's", "string", "it's", "'it\\'s'"),
        (b"\x0a\xff", "binary", "0aff", "X'0aff'"),
        (dt.date(2020, 1, 2), "date", "2020-01-02", "DATE '2020-01-02'"),
        (MOMENT, "timestamp", "2020-01-02T03:04:05.000600",
         "TIMESTAMP_NTZ '2020-01-02 03:04:05.000600'"),
        (MOMENT.replace(tzinfo=dt.UTC), "timestamptz", "2020-01-02T03:04:05.000600+00:00",
         "TIMESTAMP '2020-01-02 03:04:05.000600+00:00'"),
    ],
)  # fmt: skip
def test_there_and_back(value: Any, kind: str, stored: Any, text: str) -> None:
    assert default_json(value, kind) == stored
    assert default_text(stored, kind) == text


@pytest.mark.parametrize(
    ("value", "kind"),
    [(float("nan"), "double"), ({"a": 1}, {"type": "struct", "fields": []}), ("{}", "variant")],
)
def test_what_has_no_default(value: Any, kind: Any) -> None:
    with pytest.raises(UserError) as raised:
        default_json(value, kind)
    assert raised.value.code is ErrorCode.NOT_SUPPORTED
