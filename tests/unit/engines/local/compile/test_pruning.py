"""Conditions skip files, and never a row that the query needs."""

from __future__ import annotations

import datetime
import random
from collections.abc import Iterator
from decimal import Decimal

import duckdb
import pyarrow as pa
import pytest

from tests.unit.engines.local.compile.conftest import DIM
from tests.unit.engines.local.compile.lakehouse import Lakehouse

UTC = datetime.UTC


def part(n: int) -> pa.Table:
    """Ten rows of a range of their own; one of them all NULL in the last part."""
    ids = list(range(n * 10, n * 10 + 10))
    absent = [n == 3 and i % 2 == 0 for i in ids]
    days = [datetime.date(2024, n + 1, 1 + i % 10) for i in ids]
    moments = [datetime.datetime(2024, n + 1, 1, i % 10, tzinfo=UTC) for i in ids]
    return pa.table(
        {
            "id": pa.array([i - 5 for i in ids], pa.int32()),
            "name": [None if gone else f"n{n}x{i}" for i, gone in zip(ids, absent, strict=True)],
            "amount": pa.array([Decimal(i) / 4 for i in ids], pa.decimal128(10, 2)),
            "day": days,
            "at": pa.array(moments, pa.timestamp("us", tz="UTC")),
        }
    )


PARTS = [part(n) for n in range(4)]


@pytest.fixture(scope="module")
def parts(lakehouse: Lakehouse) -> Iterator[Lakehouse]:
    lakehouse.create("t", *PARTS)
    yield lakehouse
    lakehouse.catalog.drop_table("db.t")


@pytest.mark.parametrize(
    ("condition", "files"),
    [
        ("id = 7", 1),
        ("7 = id", 1),
        ("id = -5", 1),
        ("id < -1", 1),
        ("id >= 25", 1),
        ("id BETWEEN 3 AND 6", 2),
        ("id IN (1, 2, 33)", 2),
        ("id = 1 OR id = 33 OR id IN (2, 3)", 2),
        ("id = 1 OR name = 'n2x20'", 4),
        ("(id = 1 AND day > DATE '2020-01-01') OR id = 2", 1),
        ("NOT id = 7", 4),
        ("id + 1 = 7", 4),
        ("name = 'n2x25'", 1),
        ("name LIKE 'n2%'", 1),
        ("name LIKE '%2'", 4),
        ("name LIKE 'n_x%'", 4),
        ("name IS NULL", 1),
        ("name IS NOT NULL AND id > 30", 1),
        ("amount = 2.5", 1),
        ("amount > 7.25", 1),
        ("amount = 2.555", 4),
        ("day >= DATE '2024-04-01'", 1),
        ("day >= DATE '2024-03-01' + INTERVAL '1' MONTH", 1),
        ("day = '2024-02-03'", 1),
        ("at < TIMESTAMP '2024-01-20 00:00:00'", 1),
        ("at < TIMESTAMP '2024-01-20 02:00:00+02:00'", 1),
        ("at < TIMESTAMP '2024-01-20 01:00:00' - INTERVAL '1' HOUR", 1),
        ("at < (TIMESTAMP'2024-01-20 01:00:00.000000+00:00' + INTERVAL '-3600' SECOND)", 1),
    ],
)
def test_a_condition_skips_the_files_that_cannot_matter(
    parts: Lakehouse, condition: str, files: int
) -> None:
    assert parts.files(f"SELECT id FROM t WHERE {condition}") == {"t": files}


@pytest.mark.parametrize(
    ("sql", "files"),
    [
        ("SELECT x FROM (SELECT id AS x FROM t) WHERE x = 7", 1),
        ("WITH c AS (SELECT id AS x FROM t) SELECT * FROM c WHERE x = 7", 1),
        (
            "WITH c AS (SELECT id FROM t) SELECT * FROM c a JOIN c b ON a.id = b.id WHERE a.id = 7",
            4,
        ),
        ("SELECT * FROM (SELECT id, count(*) AS n FROM t GROUP BY id) WHERE id = 7", 1),
        ("SELECT * FROM (SELECT id, count(*) AS n FROM t GROUP BY ROLLUP(id)) WHERE id = 7", 4),
        ("SELECT * FROM (SELECT id FROM t ORDER BY id LIMIT 9) WHERE id = 33", 4),
        ("SELECT * FROM (SELECT id, row_number() OVER (ORDER BY id) AS r FROM t) WHERE id = 7", 4),
        ("SELECT * FROM (SELECT id FROM t UNION ALL SELECT 1) WHERE id = 7", 1),
        ("SELECT * FROM dim LEFT JOIN t ON k = id WHERE id = 6", 1),
        ("SELECT * FROM dim LEFT JOIN t ON k = id WHERE name IS NULL", 4),
        ("SELECT * FROM dim LEFT JOIN t ON k = id AND id = 6", 1),
        ("SELECT * FROM t LEFT JOIN dim ON k = id AND id = 6", 4),
        ("SELECT * FROM t LEFT ANTI JOIN dim ON k = id AND id = 6", 4),
        ("SELECT * FROM t LEFT SEMI JOIN dim ON k = id AND id = 6", 1),
        ("SELECT * FROM t FULL JOIN dim ON k = id AND id = 6", 4),
        ("SELECT * FROM t r RIGHT JOIN dim ON k = r.id AND r.id = 6", 1),
        ("SELECT * FROM t JOIN (SELECT k AS id FROM dim) d USING (id) WHERE id = 6", 1),
        ("SELECT k FROM dim WHERE EXISTS (SELECT 1 FROM t WHERE id = k AND id = 6)", 1),
    ],
)
def test_conditions_go_down_to_the_table_where_that_is_right(
    parts: Lakehouse, sql: str, files: int
) -> None:
    assert parts.files(sql)["t"] == files


def test_no_row_is_missed(parts: Lakehouse) -> None:
    """Random joins and conditions, against DuckDB over the same rows without files to skip."""
    plain = duckdb.connect()
    plain.register("t", pa.concat_tables(PARTS))
    plain.register("dim", DIM)
    rnd = random.Random(7)
    for _ in range(150):
        sql = _query(rnd)
        expected = sorted(plain.execute(sql).fetchall(), key=repr)
        assert sorted(parts.rows(sql), key=repr) == expected, sql


def _query(rnd: random.Random) -> str:
    join = rnd.choice(["JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"])
    tables = ["t", "dim"] if rnd.random() < 0.5 else ["dim", "t"]
    on = f"k = id AND {_condition(rnd)}" if rnd.random() < 0.6 else "k = id"
    query = f"SELECT id, k, name, label FROM {tables[0]} {join} {tables[1]} ON {on}"
    if rnd.random() < 0.6:
        query += f" WHERE {_condition(rnd)}"
    if rnd.random() < 0.5:
        query = f"SELECT id, k FROM ({query}) AS q WHERE {_condition(rnd, derived=True)}"
    return query


def _condition(rnd: random.Random, *, derived: bool = False) -> str:
    number = rnd.randint(-6, 36)
    simple = [
        f"id = {number}",
        f"id < {number}",
        f"id >= {number}",
        f"k = {rnd.randint(1, 7)}",
        f"id IN ({number}, {number + 1}, 6)",
        f"id = 6 OR id = {number}",
        "id IS NULL",
        "name IS NULL",
        "k IS NOT NULL",
        f"name LIKE 'n{rnd.randint(0, 3)}%'",
        f"id BETWEEN {number} AND {number + 8}",
    ]
    if not derived:
        simple += [f"amount < {number}.25", f"day > DATE '2024-0{rnd.randint(1, 4)}-03'"]
    first, second = rnd.choice(simple), rnd.choice(simple)
    return rnd.choice([first, f"({first}) AND ({second})", f"(({first}) OR ({second}))"])
