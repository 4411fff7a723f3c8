"""Every table and every entry of a palette by itself: chance leaves out something in every run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from random import Random

from tests.differential.catalogue import Entry, Risk
from tests.differential.data import DUPLICATES, NESTED, NUMBERS, TAME, TEXTS, TIMES, TableSpec
from tests.differential.expressions import Expressions, Palette, Scope
from tests.differential.grammar import EXPRESSION, GROUP, QUERY, RISKY, Case
from tests.differential.sources import scope_of
from tests.differential.tree import Node, listing, node

WINDOW = " OVER (PARTITION BY k ORDER BY id)"
TABLES = (NUMBERS, TEXTS, TIMES, NESTED, TAME, DUPLICATES)


def sweep(seed: int, palette: Palette) -> list[Case]:
    rng = Random(f"sweep {seed}")
    scalars = (entry for group in palette.scalars.values() for entry in group)
    made = list(_scalars(rng, palette, scalars))
    made += _aggregates(rng, palette, palette.aggregates, "", " FROM tame GROUP BY k")
    for entries in (palette.ranking, palette.positional, palette.windowed):
        made += _aggregates(rng, palette, entries, WINDOW, " FROM tame")
    return made + [
        Case(f"sweep {table.name}", QUERY, node("query", f"SELECT * FROM {table.name} AS t"))
        for table in palette.tables
    ]


def _scalars(rng: Random, palette: Palette, entries: Iterable[Entry]) -> Iterator[Case]:
    for number, entry in enumerate(entries):
        risky = entry.risk is Risk.ALWAYS
        make = Expressions(rng, palette, risky=risky)
        table, scope = _fitting(rng, palette, entry)
        made = make.apply(entry, scope, 0)
        name = f"sweep {number} {entry.name}"
        yield _case(name, RISKY if risky else EXPRESSION, made, f" FROM {table.name}")


def _aggregates(
    rng: Random, palette: Palette, entries: Iterable[Entry], over: str, behind: str
) -> Iterator[Case]:
    make = Expressions(rng, palette)
    scope = scope_of(TAME, "", palette.kinds)
    for number, entry in enumerate(entries):
        called = make.aggregate(scope, 0, entry)
        made = node(entry.result, called, over)
        yield _case(
            f"sweep {number} {entry.text}{over}", EXPRESSION if over else GROUP, made, behind
        )


def _fitting(rng: Random, palette: Palette, entry: Entry) -> tuple[TableSpec, Scope]:
    """A table with columns for as many of the arguments as there can be."""
    scopes = [(table, scope_of(table, "", palette.kinds)) for table in TABLES]

    def fit(choice: tuple[TableSpec, Scope]) -> int:
        tame = entry.risk is Risk.RANGE
        return sum(bool(choice[1].of(arg, tame)) for arg in set(entry.args))

    best = max(map(fit, scopes))
    return rng.choice([choice for choice in scopes if fit(choice) == best])


def _case(name: str, form: str, made: Node, behind: str) -> Case:
    item = node("item", made, " AS x")
    tree = node("query", "SELECT ", listing("items", [item]), behind)
    alone = form == RISKY
    return Case(name, form, tree, item=None if alone else item, bundle="" if alone else behind)
