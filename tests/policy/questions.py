"""Questions from a seed: the same seed and world always give the same ones."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from tests.differential.catalogue import SCALARS, by_result
from tests.differential.data import TableSpec
from tests.differential.expressions import Expressions, Palette
from tests.differential.queries import Queries
from tests.differential.sources import scope_of
from tests.policy import templates
from tests.policy.conditions import Asker
from tests.policy.rows import Table
from tests.policy.worlds import World

SPARK, TRINO = "spark", "trino"
KINDS = frozenset({"int", "bigint", "decimal", "string", "boolean", "date", "timestamp", "double"})
_PALETTE = Palette(
    scalars=by_result(
        entry
        for entry in SCALARS
        if entry.result in KINDS and all(arg in KINDS or arg.startswith("#") for arg in entry.args)
    ),
    kinds=KINDS,
)
_NUMBERS = ("int", "bigint", "decimal(10,2)")


@dataclass(frozen=True)
class Question:
    """``statements`` one after the other; the last one's answer counts. ``{X}`` and ``{Y}`` stand
    for tables of the asker's own. ``told``: only whether it is answered (EXPLAIN of another table
    is another text)."""

    name: str
    statements: tuple[str, ...]
    dialect: str = SPARK
    ordered: bool = False
    told: bool = False

    @property
    def writes(self) -> bool:
        return len(self.statements) > 1

    def __str__(self) -> str:
        return f"{self.name} [{self.dialect}] " + "; ".join(self.statements)


@dataclass(frozen=True)
class Asked:
    """What a question may name: the tables as this person sees them."""

    world: World
    who: Asker
    views: bool = False  # seen and seen_again are there

    def spec(self, table: Table) -> TableSpec:
        return self.world.limits[(self.who.user, table.name)].spec(table)

    def palette(self) -> Palette:
        now = [self.spec(one) for one in self.world.tables]
        past = [replace(one, name=f"{one.name} VERSION AS OF 'v1'") for one in now]
        return replace(_PALETTE, tables=(*now, *now, *past))


def question(seed: str, asked: Asked, *, engine: str) -> Question:
    rng = Random(seed)
    if engine == "spark" and rng.random() < 0.2:
        return Question(seed, _filled(rng, asked, templates.WRITES))
    if asked.views and rng.random() < 0.08:
        return Question(seed, (rng.choice(templates.VIEWS),))
    if rng.random() < 0.22:
        forms = (*templates.BOTH, *templates.TRINO, *templates.FAILING)
        return Question(seed, _filled(rng, asked, [(one,) for one in forms]), TRINO)
    made = _spark(rng, asked, seed)
    if rng.random() < 0.04:
        return replace(made, statements=(f"EXPLAIN {made.statements[0]}",), told=True)
    return made


def _spark(rng: Random, asked: Asked, seed: str) -> Question:
    form = rng.choices(("grammar", "template", "failing", "risky"), (5, 5, 1, 1))[0]
    if form == "grammar":
        made = Queries(rng, asked.palette()).query()
        floats = any(out.kind == "double" for out in made.outputs)
        return Question(seed, (str(made.tree),), ordered=made.ordered and not floats)
    if form == "risky":
        return Question(seed, (_risky(rng, asked),))
    both = (templates.BOTH, templates.SPARK)
    failing = (templates.FAILING, templates.FAILING_SPARK)
    first, second = both if form == "template" else failing
    return Question(seed, _filled(rng, asked, [(one,) for one in (*first, *second)]))


def _risky(rng: Random, asked: Asked) -> str:
    """One expression that fails for some values, somewhere in a query of one table."""
    palette = asked.palette()
    spec = rng.choice(palette.tables)
    scope = scope_of(spec, "", KINDS)
    risky = Expressions(rng, palette, risky=True)
    kind = rng.choice(["int", "bigint", "decimal", "string", "date", "boolean"])
    value = risky.of(kind, scope, 3)
    places = (
        "SELECT {value} AS x FROM {table}",
        "SELECT count(*) FROM {table} WHERE {value} IS NOT NULL",
        "SELECT count(*) FROM {table} GROUP BY {value}",
        "SELECT max({value}) FROM {table}",
        "SELECT count(*) FROM {table} HAVING max({value}) IS NULL",
        "SELECT 1 AS x FROM {table} ORDER BY {value}",
        "SELECT (SELECT max({value}) FROM {table}) AS x",
        "SELECT count(*) OVER (PARTITION BY {value}) AS x FROM {table}",
    )
    return rng.choice(places).format(value=value, table=spec.name)


def fill_names(text: str, names: Mapping[str, str]) -> str:
    """In ``{name}``; braces of other texts, as in patterns, stay."""
    return re.sub(r"\{(\w+)\}", lambda hole: names.get(hole[1], hole[0]), text)


def _filled(rng: Random, asked: Asked, forms: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """A form that fits, with names in its holes."""
    while True:
        values = _names(rng, asked)
        form = rng.choice(forms)
        if all(values.get(name, "") for text in form for name in re.findall(r"\{(\w+)\}", text)):
            return tuple(text.format(**values) for text in form)


def _names(rng: Random, asked: Asked) -> dict[str, str]:
    values = {"X": "{X}", "Y": "{Y}", "schema": "{schema}"}
    for letter, table in zip("AB", rng.sample(asked.world.tables, 2), strict=True):
        limits = asked.world.limits[(asked.who.user, table.name)]
        visible = table.columns.without(limits.hidden)
        small = letter.lower()
        values[letter] = table.name
        values[f"{small}n"] = _one(rng, [n for n, t in visible.types.items() if t in _NUMBERS])
        values[f"{small}s"] = _one(rng, visible.of("string"))
        values[f"{small}c"] = _one(rng, list(visible.types))
        if letter == "A":
            values["columns"] = ", ".join(visible.types)
            values["h"] = _one(rng, sorted(limits.hidden))
    return values


def _one(rng: Random, names: Sequence[str]) -> str:
    return rng.choice(names) if names else ""
