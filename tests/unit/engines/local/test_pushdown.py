"""What a listing leaves out is never missed: random joins, with and without the filter."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pytest

from sqe.binding.bound import BoundMetadata
from sqe.catalog.listing import ListingFilter
from sqe.engines.local.lazy import LazyLocalEngine
from sqe.engines.local.options import LocalOptions
from sqe.engines.metadata import MetadataRows
from sqe.engines.protocol import Run
from tests.unit.coordinator.lake import Lake

TABLES = ("tables", "columns", "views")
NAMES = ("a", "b", "ab", "x")
JOINS = ("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "CROSS JOIN", "LEFT SEMI JOIN")


def stored(relation: BoundMetadata, wanted: ListingFilter, run: Run) -> pa.Table:
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
        if "SEMI" not in join and len(aliases) == 1 and rnd.random() < 0.2:
            on = "USING (table_name)"
        else:
            on = f"ON {on}"
        text += "" if join == "CROSS JOIN" else f" {on}"
        aliases.append(alias)
        if "SEMI" not in join:
            shown.append(alias)
    select = ", ".join(f"{a}.table_schema AS {a}1, {a}.table_name AS {a}2" for a in shown)
    where = " AND ".join(condition(rnd, shown) for _ in range(rnd.choice((1, 2))))
    return f"SELECT {select} FROM {text} WHERE {where}"


def everything(relation: BoundMetadata, wanted: ListingFilter, run: Run) -> pa.Table:
    return stored(relation, ListingFilter(), run)


def answers(lake: Lake, folder: Path, rows: MetadataRows, texts: list[str]) -> list[list[str]]:
    engine = LazyLocalEngine(LocalOptions(folder=folder, pool=1), rows, lake.catalogs)
    found = []
    for text in texts:
        run = lake.new_run()
        with engine.prepare(lake.guarded(text), run.session).run(run) as result:
            found.append(sorted(map(str, result.read_all().to_pylist())))
    engine.close()
    return found


@pytest.mark.parametrize("seed", range(4))
def test_the_filter_changes_no_answer(seed: int, lake: Lake, tmp_path: Path) -> None:
    rnd = random.Random(seed)
    texts = [query(rnd) for _ in range(12)]
    narrow = answers(lake, tmp_path / "narrow", stored, texts)
    full = answers(lake, tmp_path / "full", everything, texts)
    for text, one, other in zip(texts, narrow, full, strict=True):
        assert one == other, text
