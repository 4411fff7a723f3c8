"""Masks twice: as the model has them, and as Python that knows nothing of SQE."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from random import Random
from typing import Any

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
from tests.policy.hashing import hashed
from tests.policy.rows import Columns, Row


@dataclass(frozen=True)
class Masking:
    mask: Mask
    shown: Callable[[Row], Any]


def masking(rng: Random, columns: Columns, name: str) -> Masking:
    kind = columns.types[name]
    makers = [_nothing, *_BY_KIND[kind]]
    return rng.choice(makers)(rng, name)


Maker = Callable[[Random, str], Masking]


def _nothing(rng: Random, name: str) -> Masking:
    return Masking(NullMask(), lambda row: None)


def _constant(text: str, value: Any) -> Maker:
    return lambda rng, name: Masking(ConstantMask(text), lambda row: value)


def _partial(rng: Random, name: str) -> Masking:
    first, last, fill = rng.randint(0, 2), rng.randint(0, 2), rng.choice("*#é")

    def shown(row: Row) -> str | None:
        text = row[name]
        if text is None:
            return None
        middle = len(text) - first - last
        if middle <= 0:
            return fill * len(text)
        return str(text[:first] + fill * middle + text[len(text) - last :])

    return Masking(PartialMask(first, last, fill), shown)


def _replaced(rng: Random, name: str) -> Masking:
    pattern, replacement = rng.choice([(r"\d", "#"), ("[a-n]+", "<>"), ("^.", "")])

    def shown(row: Row) -> str | None:
        return None if row[name] is None else re.sub(pattern, replacement, row[name])

    return Masking(RegexMask(pattern, replacement), shown)


def _bucket(rng: Random, name: str) -> Masking:
    size = rng.choice([2, 10, 100])

    def shown(row: Row) -> Any:
        value = row[name]
        if value is None:
            return None
        lower = (Decimal(str(value)) // size) * size  # towards zero
        if Decimal(str(value)) < 0 and lower != value:
            lower -= size
        return type(value)(lower)

    return Masking(BucketMask(size), shown)


def _begun(rng: Random, name: str) -> Masking:
    unit = rng.choice(["year", "quarter", "month", "week", "day"])

    def shown(row: Row) -> Any:
        value = row[name]
        if value is None:
            return None
        day = beginning(value.date() if isinstance(value, dt.datetime) else value, unit)
        if isinstance(value, dt.datetime):
            return dt.datetime(day.year, day.month, day.day, tzinfo=dt.UTC)
        return day

    return Masking(TruncateMask(unit), shown)


def _hour(rng: Random, name: str) -> Masking:
    def shown(row: Row) -> Any:
        return row[name] and row[name].replace(minute=0, second=0, microsecond=0)

    return Masking(TruncateMask("hour"), shown)


def beginning(day: dt.date, unit: str) -> dt.date:
    match unit:
        case "year":
            return day.replace(month=1, day=1)
        case "quarter":
            return day.replace(month=(day.month - 1) // 3 * 3 + 1, day=1)
        case "month":
            return day.replace(day=1)
        case "week":
            return day - dt.timedelta(days=day.weekday())
        case _:
            return day


def _loud(rng: Random, name: str) -> Masking:
    trino = rng.random() < 0.4
    mask = ExpressionMask(f"upper({name})", "trino" if trino else "spark")
    return Masking(mask, lambda row: None if row[name] is None else row[name].upper())


def _hashed(digits: int = 0) -> Maker:
    """``digits`` of a number: how many hexadecimal ones it is made of."""

    def shown(value: Any) -> Any:
        if value is None:
            return None
        found = hashed(str(value).encode())
        return int(found[:digits], 16) if digits else found

    return lambda rng, name: Masking(HashMask(), lambda row: shown(row[name]))


def _by_row(rng: Random, name: str) -> Masking:
    """Of a value that looks at another column of the row, whether that is shown or not."""
    mask = ExpressionMask(f"CASE WHEN k = 1 THEN {name} END")
    return Masking(mask, lambda row: row[name] if row["k"] == 1 else None)


def _shifted(rng: Random, name: str) -> Masking:
    mask = ExpressionMask(f"{name} + 1")
    return Masking(mask, lambda row: None if row[name] is None else row[name] + 1)


def _turned(rng: Random, name: str) -> Masking:
    mask = ExpressionMask(f"NOT {name}")
    return Masking(mask, lambda row: None if row[name] is None else not row[name])


_BY_KIND: dict[str, list[Maker]] = {
    "int": [_constant("-7", -7), _bucket, _by_row, _shifted, _hashed(7)],
    "bigint": [_constant("0", 0), _bucket, _by_row, _shifted, _hashed(15)],
    "decimal(10,2)": [_constant("0.50", Decimal("0.50")), _bucket, _by_row],
    "string": [
        _constant("it's", "it's"),
        _partial,
        _partial,
        _replaced,
        _loud,
        _by_row,
        _hashed(),
    ],
    "boolean": [_constant("true", True), _turned, _by_row],
    "date": [_constant("1970-01-01", dt.date(1970, 1, 1)), _begun, _begun, _by_row],
    "timestamp": [_begun, _hour, _by_row],
    "double": [_bucket, _by_row],
}
