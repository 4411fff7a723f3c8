"""What a listing leaves out is never missed: random joins, with and without the filter."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pyarrow as pa
import pytest
from sqlglot import parse_one

from sqe.binding.bound import BoundMetadata
from sqe.catalog.information_schema import RELATIONS
from sqe.catalog.listing import ListingFilter
from sqe.engines.local.metadata import MetadataQuery, run_metadata_query
from sqe.results.cancellation import Cancellation

TABLES = ("tables", "columns", "views")
NAMES = ("a", "b", "ab", "x")
JOINS = ("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "CROSS JOIN", "LEFT SEMI JOIN")
BOUND: dict[tuple[str, ...], BoundMetadata] = {
    ("information_schema", name): BoundMetadata("lake", name, RELATIONS[name]) for name in TABLES
}


def stored(relation: BoundMetadata, wanted: ListingFilter) -> pa.Table:
    """Some schemas and tables, different ones in each relation."""
    rnd = random.Random(relation.table)
    pairs = [(s, t) for s in NAMES for t in NAMES if rnd.random() < 0.5]
    kept = [p for p in pairs if wanted.schemas.admits(p[0]) and wanted.tables.admits(p[1])]
    values = {"table_schema": [s for s, _ in kept], "table_name": [t for _, t in kept]}
    types = {"string": pa.string(), "bigint": pa.int64()}
    return pa.table(
        {
            column.name: pa.array(
                values.get(column.name, [None] * len(kept)), type=types[column.type]
            )
            for column in relation.columns
        }
    )


def condition(rnd: random.Random, aliases: Sequence[str]) -> str:
    column = f"{rnd.choice(aliases)}.{rnd.choice(('table_schema', 'table_name'))}"
    other = f"{rnd.choice(aliases)}.{rnd.choice(('table_schema', 'table_name'))}"
    name = rnd.choice(NAMES)
    return rnd.choice(
        (
            f"{column} = '{name}'",
            f"{column} IN ('a', '{name}')",
            f"{column} LIKE 'a%'",
            f"({column} = '{name}' OR {other} = 'b')",
            f"{column} IS NULL",
            f"{column} = {other}",
            f"{column} = {other}",
        )
    )


def query(rnd: random.Random) -> str:
    aliases = ["p"]
    shown = ["p"]
    text = f"information_schema.{rnd.choice(TABLES)} p"
    for alias in ("q", "r")[: rnd.choice((1, 2))]:
        join = rnd.choice(JOINS)
        on = " AND ".join(condition(rnd, [*shown, alias]) for _ in range(2))
        text += f" {join} information_schema.{rnd.choice(TABLES)} {alias}"
        text += "" if join == "CROSS JOIN" else f" ON {on}"
        aliases.append(alias)
        if "SEMI" not in join:
            shown.append(alias)
    select = ", ".join(f"{a}.table_schema AS {a}1, {a}.table_name AS {a}2" for a in shown)
    where = " AND ".join(condition(rnd, shown) for _ in range(rnd.choice((1, 2))))
    return f"SELECT {select} FROM {text} WHERE {where}"


@pytest.mark.parametrize("seed", range(4))
def test_the_filter_changes_no_answer(seed: int) -> None:
    rnd = random.Random(seed)
    for _ in range(12):
        text = query(rnd)
        asked = MetadataQuery(parse_one(text, dialect="spark"), text, BOUND)
        narrow = run_metadata_query(asked, stored, Cancellation()).read_all()
        full = run_metadata_query(
            asked, lambda relation, wanted: stored(relation, ListingFilter()), Cancellation()
        ).read_all()
        assert sorted(map(str, narrow.to_pylist())) == sorted(map(str, full.to_pylist())), text
