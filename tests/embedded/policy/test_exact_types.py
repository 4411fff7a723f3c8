"""The types that decide where a barrier is needed are those that Spark finds."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from sqlglot import exp

from sqe.errors import SqeError
from sqe.model.query import QueryRequest
from sqe.rewrite.exact_types import exact_type
from sqe.sql.parse import parse
from tests.embedded.pipe.lake import Lake

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(300)]

SEED, CASES = 2026, 250
NUMBERS = {
    "b": "tinyint", "h": "smallint", "i": "int", "l": "bigint", "f": "float", "d": "double",
    "p": "decimal(10,2)", "w": "decimal(35,2)", "z": "decimal(5,0)",
}  # fmt: skip
OTHERS = {"s": "string", "y": "binary", "day": "date", "ok": "boolean", "xs": "array<int>"}
COLUMNS = {**NUMBERS, **OTHERS}
LITERALS = ("0", "7", "10", "2147483648", "9223372036854775808", "0.05", "1.50", "1e3", "'x'",
            "NULL", "TRUE", "DATE'2024-02-29'")  # fmt: skip
CASTS = ("INT", "BIGINT", "DOUBLE", "DECIMAL(12,4)", "DECIMAL", "STRING", "DATE", "BOOLEAN")
AGGREGATES = ("sum", "avg", "min", "max", "first", "last", "any_value")


# Iceberg has none of the two shortest.
TABLE = """(
    SELECT * EXCEPT (b, h), CAST(b AS TINYINT) AS b, CAST(h AS SMALLINT) AS h FROM exact.t)
"""


def column_type(node: Any) -> str | None:
    return COLUMNS.get(node.name) if isinstance(node, exp.Column) else exact_type(node, column_type)


def expression(rng: Random, depth: int) -> str:
    """Not all of them mean something to Spark."""
    if depth == 0 or rng.random() < 0.15:
        return rng.choice([*COLUMNS, *NUMBERS, *LITERALS])
    a, b, c = (expression(rng, depth - 1) for _ in range(3))
    return rng.choice(
        [
            *(f"({a} {sign} {b})" for sign in "+-*%"),
            *(f"({a} {sign} {b})" for sign in "+-*"),
            f"CAST({a} AS {rng.choice(CASTS)})",
            f"coalesce({a}, {b})",
            f"nullif({a}, {b})",
            f"if({a} = {b}, {b}, {c})",
            f"CASE WHEN {a} IS NULL THEN {b} ELSE {c} END",
            f"({a} < {b})",
            f"concat({a}, {b})",
            f"substring({a}, 1, 2)",
            f"upper({a})",
            f"trim({a})",
            f"length({a})",
            f"year({a})",
            f"extract(MONTH FROM {a})",
            f"to_date({a})",
        ]
    )


def arithmetic(rng: Random, depth: int) -> str:
    if depth == 0 or rng.random() < 0.2:
        return rng.choice([*NUMBERS, "p", "z", *LITERALS[:8]])
    a, b = (arithmetic(rng, depth - 1) for _ in range(2))
    return f"({a} {rng.choice('+-*+-*%')} {b})"


def cases() -> list[tuple[str, str]]:
    """Expressions, some of them aggregates, with the types that are said to be certain."""
    rng, found = Random(SEED), dict[str, str]()
    while len(found) < CASES:
        made = rng.choice([expression, arithmetic])
        text = made(rng, rng.choice([1, 2, 3]))
        if rng.random() < 0.25:
            text = f"{rng.choice(AGGREGATES)}({text})"
        kind = column_type(parse(f"SELECT {text}").tree.expressions[0])
        if kind is not None and not kind.startswith("array"):
            found[text] = kind
    return list(found.items())


def test_a_type_that_is_said_to_be_certain_is_the_one_that_spark_finds(shared_lake: Lake) -> None:
    columns = ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())
    shared_lake.all("CREATE SCHEMA exact", f"CREATE TABLE exact.t ({columns})")
    wrong, taken = [], 0
    for text, kind in cases():
        request = QueryRequest(shared_lake.session.id, f"SELECT {text} AS x FROM {TABLE}")
        try:
            [column] = shared_lake.server.gateway.describe(request).columns
        except SqeError:
            continue  # it has no type at all
        taken += 1
        if column.type != kind:
            wrong.append(f"{text}: {kind} is said, {column.type} is found")
    assert not wrong, f"seed {SEED}: " + "\n".join(wrong[:20])
    assert taken > CASES // 2, taken
