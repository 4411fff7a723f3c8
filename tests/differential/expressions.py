"""Makes expressions of a wanted kind out of what is in scope and on the palette."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from random import Random

from tests.differential.aggregates import AGGREGATES, POSITIONAL, RANKING, WINDOWED
from tests.differential.catalogue import FLOATING, SCALARS, WHOLE, Entry, Risk, by_result
from tests.differential.clauses import EVERY_CLAUSE
from tests.differential.data import TableSpec
from tests.differential.literals import TAME, WILD
from tests.differential.relations import TABLES
from tests.differential.tree import Node, node


@dataclass(frozen=True)
class InScope:
    """A column that an expression may name."""

    text: str
    kind: str
    tame: bool = False


@dataclass(frozen=True)
class Scope:
    """``keys`` together tell every row from every other; empty if nothing does."""

    columns: tuple[InScope, ...]
    keys: tuple[str, ...] = ()

    def of(self, kind: str, tame: bool = False) -> list[InScope]:
        return [
            column for column in self.columns if column.kind == kind and (column.tame or not tame)
        ]

    def kinds(self) -> list[str]:
        return sorted({column.kind for column in self.columns})


def kind_of(spark_type: str) -> str:
    return "decimal" if spark_type.startswith("decimal") else spark_type


@dataclass(frozen=True)
class Palette:
    """What may be drawn. The runner leaves out what the local engine refuses anyway."""

    scalars: dict[str, list[Entry]] = field(default_factory=lambda: by_result(SCALARS))
    aggregates: tuple[Entry, ...] = AGGREGATES
    ranking: tuple[Entry, ...] = RANKING
    positional: tuple[Entry, ...] = POSITIONAL
    windowed: tuple[Entry, ...] = WINDOWED
    kinds: frozenset[str] = frozenset(TAME)
    tame: dict[str, tuple[str, ...]] = field(default_factory=lambda: TAME)
    wild: dict[str, tuple[str, ...]] = field(default_factory=lambda: WILD)
    clauses: frozenset[str] = EVERY_CLAUSE
    tables: tuple[TableSpec, ...] = TABLES

    def entries(self) -> Iterable[Entry]:
        for group in self.scalars.values():
            yield from group
        for more in (self.aggregates, self.ranking, self.positional, self.windowed):
            yield from more


EVERYTHING = Palette()


class Expressions:
    """``risky``: errors are wanted too. Otherwise large values stay out of arithmetic."""

    def __init__(self, rng: Random, palette: Palette, *, risky: bool = False) -> None:
        self.rng = rng
        self.palette = palette
        self.risky = risky
        self._scalars = {
            kind: [entry for entry in entries if risky or entry.risk is not Risk.ALWAYS]
            for kind, entries in palette.scalars.items()
        }

    def of(self, kind: str, scope: Scope, depth: int) -> Node:
        entries = self._scalars.get(kind)
        if depth <= 0 or not entries or self.rng.random() < 0.12:
            return self.atom(kind, scope)
        # Names first, then a form: otherwise what has many forms would crowd out the rest.
        name = self.rng.choice(sorted({entry.name for entry in entries}))
        named = [entry for entry in entries if entry.name == name]
        # Over columns rather than literals, where there is a form that allows it.
        fitting = [entry for entry in named if self._fits(entry, scope)]
        entry = self.rng.choice(fitting if fitting and self.rng.random() < 0.8 else named)
        return self.apply(entry, scope, depth - 1)

    def _fits(self, entry: Entry, scope: Scope) -> bool:
        kinds = {column.kind for column in scope.columns}
        return any(arg in kinds for arg in entry.args)

    def apply(self, entry: Entry, scope: Scope, depth: int) -> Node:
        arguments = [self.argument(entry, arg, scope, depth) for arg in entry.args]
        return fill(entry, arguments)

    def argument(self, entry: Entry, arg: str, scope: Scope, depth: int) -> Node:
        if arg.startswith("#"):
            choice = self.rng.choice(arg[1:].split("|"))
            return node("literal", choice.replace("~", " "))
        if entry.risk is Risk.RANGE and not self.risky:
            return self.atom(arg, scope, tame=True)
        return self.of(arg, scope, depth)

    def tame_argument(self, arg: str, scope: Scope, depth: int) -> Node:
        """For sums: of floating numbers only columns, because their sums are exact."""
        if arg in FLOATING:
            return self.atom(arg, scope, tame=True)
        return self.of(arg, scope, depth)

    def atom(self, kind: str, scope: Scope, tame: bool = False) -> Node:
        columns = scope.of(kind, tame)
        if columns and self.rng.random() < 0.75:
            return node(kind, self.rng.choice(columns).text)
        wild = self.palette.wild.get(kind) if not tame and self.rng.random() < 0.4 else None
        return node(kind, self.rng.choice(wild or self.palette.tame.get(kind) or TAME[kind]))

    def aggregate(self, scope: Scope, depth: int, entry: Entry | None = None) -> Node:
        entry = entry or self.pick(self.palette.aggregates)
        arguments = []
        for arg in entry.args:
            if entry.risk is Risk.RANGE and not self.risky:
                # Literals would do, but a sum of a constant proves little.
                tame = scope.of(arg, tame=True)
                text = self.rng.choice(tame).text if tame else str(self.atom(arg, Scope(()), True))
                arguments.append(
                    node(arg, text) if arg != "boolean" else self.of(arg, scope, depth)
                )
            else:
                arguments.append(self.of(arg, scope, depth))
        return fill(entry, arguments)

    def pick(self, entries: tuple[Entry, ...]) -> Entry:
        name = self.rng.choice(sorted({entry.name for entry in entries}))
        return self.rng.choice([entry for entry in entries if entry.name == name])


def fill(entry: Entry, arguments: list[Node]) -> Node:
    """The entry's text with nodes in its holes."""
    parts: list[str | Node] = []
    for index, piece in enumerate(entry.text.split("{")):
        if index == 0:
            parts.append(piece)
            continue
        number, _, rest = piece.partition("}")
        parts += [arguments[int(number)], rest]
    return Node(
        entry.result,
        tuple(part for part in parts if part != ""),
        uses=frozenset({entry.name, *_cast_of(entry)}),
    )


def _cast_of(entry: Entry) -> list[str]:
    """The kinds of a cast, as the proven list tells them apart."""
    if entry.name != "cast":
        return []
    given = "string" if entry.args[0].startswith("#'") else entry.args[0]
    source, target = ("integer" if k in WHOLE else k for k in (given, entry.result))
    return [f"cast {source} to {target}"]
