"""What names mean at a place in a query: relations in FROM, columns, outer queries, CTEs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from sqe.engines.local.compile.value import Value
from sqe.engines.local.plan import NotLocal
from sqe.engines.local.types import SparkType


@dataclass(eq=False)
class SourceColumn:
    """A column of a relation in FROM.

    ``origins`` are the stored columns it is a plain copy of, whatever lies between. ``prunes`` are
    those of them whose rows can only matter where a condition on this column holds: nothing like
    LIMIT lies between.
    """

    name: str
    sql: str
    type: SparkType
    nullable: bool = True
    origins: tuple[Any, ...] = ()
    prunes: tuple[Any, ...] = ()
    optional: bool = False  # of the side of an outer join that may be absent

    def value(self) -> Value:
        return Value(
            self.sql, self.type, self.name, self.nullable, column=True, origins=self.origins
        )

    def loosen(self) -> None:
        """The relation has become the optional side of an outer join."""
        self.nullable = self.optional = True


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
    origins: tuple[Any, ...] = ()  # as a SourceColumn's
    prunes: tuple[Any, ...] = ()


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
    closed: bool = False  # what is inside sees no columns of outer queries
    derived_in: Scope | None = None  # of a derived table: the query whose FROM it is in
    sees_outer: bool = False  # true while WHERE is compiled: only there outer columns are certain
    merged: list[tuple[str, ...]] = field(default_factory=list)  # names merged by USING joins
    borrowed: list[str] = field(default_factory=list)  # outer columns used here
    passed: bool = False  # a derived table of FROM uses outer columns
    lent: int = 0  # how often inner queries have used columns of this one

    def split_fields(self, path: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """A column's name with what qualifies it, and the fields inside of it that follow. A
        table's column comes first, as on Spark."""
        last = len(path) - 1
        if last == 0 or list(self.matches(path[last], path[:last])):
            return path, ()
        columns = [i for i in range(last) if list(self.matches(path[i], path[:i]))]
        if len(columns) > 1:
            raise NotLocal(f"{'.'.join(path)} may mean two things here")
        end = columns[0] + 1 if columns else len(path)
        return path[:end], path[end:]

    def find(self, name: str, qualifier: tuple[str, ...]) -> Value:
        """The column meant. Anything not certain is Spark's: it has the error messages too."""
        matching = list(self.matches(name, qualifier))
        if len(matching) == 1:
            return matching[0].value()
        if len(matching) > 1:
            raise NotLocal(f"{name} is ambiguous")
        return self._outer(name, qualifier)

    def _outer(self, name: str, qualifier: tuple[str, ...]) -> Value:
        """A column of the query around this one: the next one only, as on Spark."""
        scope, between = self._around()
        matching = list(scope.matches(name, qualifier)) if scope is not None else []
        if qualifier and list(self.matches(qualifier[0], ())):
            raise NotLocal(f"{qualifier[0]}.{name} may be a field of a column")
        if scope is None or len(matching) != 1:
            raise NotLocal(f"{name} is not a column of a table in FROM")
        if not self.sees_outer:
            raise NotLocal(f"{name} is a column of an outer query, and used outside of WHERE")
        value = matching[0].value()
        if "map<" in str(value.type):
            raise NotLocal(f"{name} is a map of an outer query, of which Spark takes few uses")
        scope.lent += 1
        for query in between:
            query.passed = True
        self.borrowed.append(value.sql)
        return value

    def _around(self) -> tuple[Scope | None, list[Scope]]:
        """The query around this one, and those in whose FROM it is a derived table."""
        scope: Scope | None = self
        between: list[Scope] = []
        while scope is not None:
            if scope.closed:
                if scope.derived_in is None:
                    break
                scope = scope.derived_in
                between.append(scope)
                if scope.closed:
                    continue
            scope = scope.parent
            if scope is not None and scope.sources:
                return scope, between
        return None, between

    def matches(self, name: str, qualifier: tuple[str, ...]) -> Iterator[SourceColumn]:
        wanted = name.lower()
        if not qualifier:
            yield from (column for column in self.visible if column.name.lower() == wanted)
            return
        for source in self.sources:
            if source.answers(qualifier):
                yield from (c for c in source.columns if c.name.lower() == wanted)

    def knows(self, name: str) -> bool:
        """Whether it may be a column of this query or of one around it."""
        scope: Scope | None = self
        while scope is not None:
            if list(scope.matches(name, ())):
                return True
            scope = scope.parent
        return False

    def columns(self) -> Iterator[SourceColumn]:
        """Every column, those too that only a qualified name reaches."""
        seen = set()
        for column in [*self.visible, *(c for source in self.sources for c in source.columns)]:
            if id(column) not in seen:
                seen.add(id(column))
                yield column

    def cte(self, name: str) -> tuple[str, tuple[Output, ...]] | None:
        if name.lower() in self.ctes:
            return self.ctes[name.lower()]
        return self.parent.cte(name) if self.parent is not None else None

    def add(self, source: Source) -> None:
        self.sources.append(source)
        self.visible = [*self.visible, *source.columns]


def source_columns(name: str, outputs: tuple[Output, ...]) -> list[SourceColumn]:
    """A query's columns, as the relation ``name`` in another query's FROM has them."""
    return [
        SourceColumn(o.name, f"{name}.c{i}", o.type, o.nullable, o.origins, o.prunes)
        for i, o in enumerate(outputs, start=1)
    ]


def rename_outputs(outputs: tuple[Output, ...], names: list[str]) -> tuple[Output, ...]:
    if not names:
        return outputs
    if len(names) != len(outputs):
        raise NotLocal("a list of column names that does not fit is Spark's")
    return tuple(replace(output, name=name) for name, output in zip(names, outputs, strict=True))


def not_pruning(outputs: tuple[Output, ...]) -> tuple[Output, ...]:
    """Conditions on these columns say nothing about the rows below: a LIMIT is between."""
    return tuple(replace(output, prunes=()) for output in outputs)
