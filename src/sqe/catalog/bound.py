"""A statement whose every relation is resolved, as the user who sent it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from sqe.catalog.protocol import Ident, Json, Loaded
from sqe.model.names import RelationName
from sqe.model.query import Column
from sqe.sql.statement import Reference, SessionFunction, Statement


@dataclass(frozen=True)
class BoundTable:
    """An Iceberg table. ``loaded`` is None where the statement is about to create it."""

    name: RelationName
    ident: Ident
    loaded: Loaded | None = field(repr=False)
    columns: tuple[Column, ...] = ()
    suffix: tuple[str, ...] = ()  # a metadata table, branch or tag: ("snapshots",)

    @property
    def metadata(self) -> Json:
        """Empty where the table is about to be created."""
        return self.loaded.metadata if self.loaded is not None else {}


@dataclass(frozen=True)
class BoundView:
    """A view, inlined: its own statement, bound in the view's own context."""

    name: str
    inner: BoundStatement
    columns: tuple[Column, ...]
    relation: RelationName | None = None  # None: a temporary view
    query_columns: tuple[str, ...] = ()  # the query's own names, where known
    types: tuple[str, ...] = ()  # what its columns are cast to, should a table have changed
    metadata: Json = field(default_factory=dict, repr=False)  # of a stored view: Iceberg's own


@dataclass(frozen=True)
class BoundMetadata:
    """A relation of a catalog's ``information_schema``, or one of Trino's own."""

    catalog: str
    table: str  # schemata, tables, columns or views
    columns: tuple[Column, ...]
    schema: str = "information_schema"
    trino: bool = False  # in Trino's shape; ``catalog`` and ``schema`` are as Trino names them


@dataclass(frozen=True)
class BoundAbsent:
    """A name that is not there, where the statement allows that (DROP … IF EXISTS, CREATE)."""

    name: RelationName


BoundTarget = BoundTable | BoundView | BoundMetadata | BoundAbsent


@dataclass(frozen=True)
class BoundReference:
    reference: Reference
    target: BoundTarget


@dataclass(frozen=True)
class BoundStatement:
    """``references`` are those of the text, in its order; CTE names are not among them."""

    statement: Statement
    references: tuple[BoundReference, ...]
    inner: BoundStatement | None = None  # of EXPLAIN and CREATE VIEW

    @property
    def session_functions(self) -> list[SessionFunction]:
        """Those of the text that are no columns: a column of that name comes first."""
        columns = {
            column.name.lower()
            for reference in self.references
            if not isinstance(reference.target, BoundAbsent)
            for column in reference.target.columns
        }
        functions = self.statement.session_functions
        return [one for one in functions if not (one.bare and one.name in columns)]

    def walk(self) -> Iterator[BoundReference]:
        """Every reference, those inside views and inner statements too."""
        for reference in self.references:
            yield reference
            if isinstance(reference.target, BoundView):
                yield from reference.target.inner.walk()
        if self.inner is not None:
            yield from self.inner.walk()
