"""A statement whose every relation is resolved, as the user who sent it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from sqe.catalog.protocol import Ident, Json, Loaded
from sqe.errors import SqeError
from sqe.model.identity import Secret
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
    definer: str = ""  # whose rights it is read with; empty: those of who reads it
    guard: Guard | None = None  # it stands for a relation that is seen in part


@dataclass(frozen=True)
class Guard:
    """What makes a view the guard of a restricted relation: ``inner`` reads that relation.

    ``barrier``: nothing from outside may be evaluated on rows that the guard removes. ``risky``:
    what the policy says may itself fail, which is nothing to tell the user about. ``keys`` are the
    values of the markers in the guard's text, which must never be part of any text.
    """

    of: BoundTable | BoundView
    barrier: bool = False
    risky: bool = False
    keys: tuple[Secret, ...] = field(default=(), repr=False)


@dataclass(frozen=True)
class BoundMetadata:
    """A relation of a catalog's ``information_schema``, or of a dialect's own metadata."""

    catalog: str
    table: str  # schemata, tables, columns or views
    columns: tuple[Column, ...]
    schema: str = "information_schema"
    # Who has its rows, and spells ``catalog`` and ``schema``; empty: SQE's own information_schema.
    provider: str = ""


@dataclass(frozen=True)
class BoundAbsent:
    """A name of something that does not exist, where the statement allows that (DROP … IF EXISTS,
    CREATE). ``problem``: why the name cannot be used. It is raised only once the policy has allowed
    the name, so that users who may not know of a table get the same error whether it exists, is
    broken, or does not exist."""

    name: RelationName
    problem: SqeError | None = field(default=None, compare=False)


BoundTarget = BoundTable | BoundView | BoundMetadata | BoundAbsent


@dataclass(frozen=True)
class BoundReference:
    """``as_user``: inside a view with its owner's rights it is they who read; empty: the user.
    ``trusted``: it is of a guard's own text, and nobody decides on it. ``check``: what must be
    true of the rows of a table that is written (see ``rewrite.writes``)."""

    reference: Reference
    target: BoundTarget
    as_user: str = ""
    trusted: bool = False
    check: BoundStatement | None = None

    @property
    def stored_target(self) -> BoundTarget:
        """The relation that the name means, without the guard that may stand in its place."""
        if isinstance(self.target, BoundView) and self.target.guard is not None:
            return self.target.guard.of
        return self.target

    @property
    def relation(self) -> RelationName | None:
        """None: a temporary view is its tables; information_schema is the catalog's answer."""
        stored = self.stored_target
        if isinstance(stored, BoundView):
            return stored.relation
        return stored.name if isinstance(stored, BoundTable | BoundAbsent) else None


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
        return [
            function for function in functions if not (function.bare and function.name in columns)
        ]

    def walk(self) -> Iterator[BoundReference]:
        """Every reference, those inside views and inner statements too."""
        return (reference for _, reference in self.places())

    def places(self) -> Iterator[tuple[Statement, BoundReference]]:
        """The same, each with the statement it stands in."""
        for reference in self.references:
            yield self.statement, reference
            if isinstance(reference.target, BoundView):
                yield from reference.target.inner.places()
            if reference.check is not None:
                yield from reference.check.places()
        if self.inner is not None:
            yield from self.inner.places()
