"""What names mean at a place in a query: relations in FROM, columns, outer queries, CTEs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from sqe.engines.local.compile.value import Value
from sqe.engines.local.plan import NotLocal
from sqe.engines.local.types import SparkType


@dataclass(eq=False)
class SourceColumn:
    """A column of a relation in FROM. An outer join makes it nullable."""

    name: str
    sql: str
    type: SparkType
    nullable: bool = True

    def value(self) -> Value:
        return Value(self.sql, self.type, self.name, self.nullable, column=True)

    def loosen(self) -> None:
        """The relation has become the optional side of an outer join."""
        self.nullable = True


@dataclass
class Source:
    """A relation in FROM under the name the query knows it by; ``path`` is its full name."""

    alias: str
    columns: list[SourceColumn]
    path: tuple[str, ...] = ()

    def answers(self, qualifier: tuple[str, ...]) -> bool:
        if len(qualifier) == 1:
            return self.alias.lower() == qualifier[0].lower()
        full = tuple(part.lower() for part in self.path)
        return bool(full) and full[-len(qualifier) :] == tuple(q.lower() for q in qualifier)


@dataclass(frozen=True)
class Output:
    """A column of a query's result."""

    name: str
    type: SparkType
    nullable: bool


@dataclass(frozen=True)
class Relation:
    """A whole query: its SQL and its columns, which the SQL names c1, c2, …"""

    sql: str
    outputs: tuple[Output, ...]


@dataclass
class Scope:
    """Sources of one SELECT; ``visible`` is what ``*`` and bare names see (USING merges there)."""

    sources: list[Source] = field(default_factory=list)
    visible: list[SourceColumn] = field(default_factory=list)
    parent: Scope | None = None
    ctes: dict[str, tuple[str, tuple[Output, ...]]] = field(default_factory=dict)

    def find(self, name: str, qualifier: tuple[str, ...]) -> Value:
        """The column meant. Anything not certain is Spark's: it has the error messages too."""
        found = list(self.matches(name, qualifier))
        if len(found) == 1:
            return found[0].value()
        if len(found) > 1:
            raise NotLocal(f"{name} is ambiguous")
        if self.parent is not None:
            return self.parent.find(name, qualifier)
        raise NotLocal(f"{name} is not a column of a table in FROM")

    def matches(self, name: str, qualifier: tuple[str, ...]) -> Iterator[SourceColumn]:
        wanted = name.lower()
        if not qualifier:
            yield from (column for column in self.visible if column.name.lower() == wanted)
            return
        for source in self.sources:
            if source.answers(qualifier):
                yield from (c for c in source.columns if c.name.lower() == wanted)

    def cte(self, name: str) -> tuple[str, tuple[Output, ...]] | None:
        if name.lower() in self.ctes:
            return self.ctes[name.lower()]
        return self.parent.cte(name) if self.parent is not None else None
