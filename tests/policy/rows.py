"""Generated tables: columns of every kind that masks and filters know, with NULLs, in two steps.

The second step is appended after a tag, so that there is a past to travel to.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from random import Random
from typing import Any

import pyarrow as pa

Row = Mapping[str, Any]
TAG = "v1"  # of the first step

# Few values of each kind, so that conditions hold for some rows and joins find partners. Doubles
# are sums of powers of two: their sums do not depend on the order of the rows.
VALUES: dict[str, tuple[Any, ...]] = {
    "int": (0, 1, 2, 3, 7, 12, 99, -1, None),
    "bigint": (0, 4, 10, -5, 9_000_000_000, None),
    "decimal(10,2)": (
        Decimal("0.00"),
        Decimal("1.25"),
        Decimal("-37.50"),
        Decimal("1000.75"),
        None,
    ),
    "string": ("ann", "bob", "name1", "name17", "Ünï-42", "", "pear", "7", None),
    "boolean": (True, False, None),
    "date": (dt.date(2024, 1, 5), dt.date(2024, 3, 31), dt.date(1969, 12, 31), None),
    "timestamp": (
        dt.datetime(2024, 3, 31, 2, 30, tzinfo=dt.UTC),
        dt.datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=dt.UTC),
        dt.datetime(2024, 12, 30, tzinfo=dt.UTC),
        None,
    ),
    "double": (0.5, 1.5, -37.25, 1000.0, 0.0, None),
}
ARROW: dict[str, pa.DataType] = {
    "int": pa.int32(),
    "bigint": pa.int64(),
    "decimal(10,2)": pa.decimal128(10, 2),
    "string": pa.string(),
    "boolean": pa.bool_(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us", tz="UTC"),
    "double": pa.float64(),
}
STEMS = {
    "int": "i", "bigint": "n", "decimal(10,2)": "d", "string": "s", "boolean": "b",
    "date": "day", "timestamp": "at", "double": "f",
}  # fmt: skip


@dataclass(frozen=True)
class Columns:
    """Names and types (Spark's), in order. The first is ``id``: unique and never NULL."""

    types: Mapping[str, str]

    def of(self, *types: str) -> list[str]:
        return [name for name, kind in self.types.items() if kind in types and name != "id"]

    def without(self, hidden: frozenset[str]) -> Columns:
        return Columns({name: kind for name, kind in self.types.items() if name not in hidden})

    def arrow(self, rows: Sequence[Row]) -> pa.Table:
        """Exactly these columns of the rows."""
        return pa.table(
            {
                name: pa.array([row[name] for row in rows], ARROW[kind])
                for name, kind in self.types.items()
            }
        )


@dataclass(frozen=True)
class Table:
    name: str
    columns: Columns
    steps: tuple[tuple[Row, ...], tuple[Row, ...]]

    @property
    def rows(self) -> tuple[Row, ...]:
        return (*self.steps[0], *self.steps[1])


def table(rng: Random, name: str) -> Table:
    columns = _columns(rng)
    rows = [_row(rng, columns, number) for number in range(1, rng.randint(7, 15))]
    cut = rng.randint(2, len(rows) - 2)
    return Table(name, columns, (tuple(rows[:cut]), tuple(rows[cut:])))


def _columns(rng: Random) -> Columns:
    """``k`` and ``s1`` are in every table, for joins and for policies about people."""
    types = {"id": "int", "k": "int", "s1": "string"}
    kinds = rng.sample(sorted(VALUES), rng.randint(4, len(VALUES)))
    for kind in kinds:
        types[f"{STEMS[kind]}2"] = kind
    return Columns(types)


def _row(rng: Random, columns: Columns, number: int) -> Row:
    row = {name: rng.choice(VALUES[kind]) for name, kind in columns.types.items()}
    return {**row, "id": number, "k": rng.choice((0, 1, 2, 3, None))}
