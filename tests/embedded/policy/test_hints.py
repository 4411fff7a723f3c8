"""Hints for joins and partitions, to users who see a part of the tables that they name."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sqe.model.decision import Restrict, RowFilter
from sqe.model.masks import ConstantMask
from tests.embedded.pipe.lake import Lake

pytestmark = [pytest.mark.spark, pytest.mark.timeout(300)]

JOINS = [
    "BROADCAST(o)", "BROADCASTJOIN(o, p)", "MAPJOIN(p)", "MERGE(o)", "SHUFFLE_MERGE(o)",
    "MERGEJOIN(p)", "SHUFFLE_HASH(o)", "SHUFFLE_REPLICATE_NL(o)", "BROADCAST(o), MERGE(p)",
    "BROADCAST(o) SHUFFLE_HASH(p)", "BROADCAST(orders)", "BROADCAST(lake.hints.orders)",
    "BROADCAST", "NO_SUCH_HINT(o)",
]  # fmt: skip
PARTITIONS = [
    "COALESCE(1)", "REPARTITION(2)", "REPARTITION(id)", "REPARTITION(2, id)", "REBALANCE",
    "REPARTITION_BY_RANGE(2, id)", "REPARTITION_BY_RANGE(id)", "REBALANCE(id)", "REBALANCE(2, id)",
]  # fmt: skip


@pytest.fixture
def hints(mine: Lake) -> Iterator[Lake]:
    mine.all(
        "CREATE SCHEMA IF NOT EXISTS lake.hints",
        "CREATE OR REPLACE TABLE lake.hints.orders (id INT, who STRING)",
        "INSERT INTO lake.hints.orders VALUES (1, 'ann'), (2, 'bob'), (3, 'cid')",
        "CREATE OR REPLACE TABLE lake.hints.people (id INT, name STRING)",
        "INSERT INTO lake.hints.people VALUES (1, 'Ann'), (2, 'Bob'), (3, 'Cid')",
    )
    seen = Restrict("test", (RowFilter("id < 3"),), {"who": ConstantMask("?")})
    with mine.rules.on("lake.hints.orders", seen):
        yield mine


def test_every_hint_for_joins(hints: Lake) -> None:
    for hint in JOINS:
        sql = (
            f"SELECT /*+ {hint} */ o.id, o.who, p.name FROM lake.hints.orders o"
            " JOIN lake.hints.people p ON o.id = p.id ORDER BY 1"
        )
        assert hints.rows(sql) == [(1, "?", "Ann"), (2, "?", "Bob")], hint


def test_every_hint_for_tables_without_an_alias(hints: Lake) -> None:
    for hint in ("BROADCAST(orders)", "MERGE(orders, people)", "BROADCAST(hints.orders)"):
        sql = (
            f"SELECT /*+ {hint} */ orders.id, name FROM lake.hints.orders"
            " JOIN lake.hints.people ON orders.id = people.id ORDER BY 1"
        )
        assert hints.rows(sql) == [(1, "Ann"), (2, "Bob")], hint


def test_every_hint_for_partitions(hints: Lake) -> None:
    for hint in PARTITIONS:
        sql = f"SELECT /*+ {hint} */ id, who FROM lake.hints.orders"
        assert sorted(hints.rows(sql)) == [(1, "?"), (2, "?")], hint
