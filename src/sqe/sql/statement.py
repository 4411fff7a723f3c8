"""What the parser says about a statement."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from typing import Any, ClassVar

from sqe.errors import TextPosition
from sqe.model.names import RelationName
from sqe.model.rules import Privilege
from sqe.sql.traits import DecidedBy, Effect, RowChange, RunsOn, Traits, look

# Of a write that Spark runs on the tables it names.
_WRITE = Traits(
    decided_by=DecidedBy.RELATIONS,
    runs_on=RunsOn.SPARK,
    in_transaction=True,
    one_commit=True,
    tables_in_plan=False,
)
_EXPLAIN = Traits(
    effect=Effect.READ,
    decided_by=DecidedBy.RELATIONS,
    runs_on=RunsOn.COORDINATOR_AND_ENGINE,
    in_transaction=True,
    explains=True,
)


class StatementKind(Enum):
    """The kinds SQE understands, and what each is. Everything else is refused by name."""

    label: str  # the value, in words for records and messages
    traits: Traits

    def __new__(cls, label: str, traits: Traits) -> StatementKind:
        kind = object.__new__(cls)
        kind._value_ = kind.label = label
        kind.traits = traits
        return kind

    QUERY = "query", look(DecidedBy.RELATIONS, RunsOn.ANY_ENGINE)
    INSERT = (
        "insert",
        replace(_WRITE, row_by_row=True, counts=RowChange.INSERTED, tables_in_plan=True),
    )
    DELETE = "delete", replace(_WRITE, row_by_row=True, counts=RowChange.DELETED)
    UPDATE = (
        "update",
        replace(
            _WRITE,
            row_by_row=True,
            counts=RowChange.UPDATED,
            change_privileges=(Privilege.UPDATE, Privilege.SELECT),
        ),
    )
    MERGE = (
        "merge",
        replace(_WRITE, row_by_row=True, counts=RowChange.MERGED, tables_in_plan=True),
    )
    CREATE_TABLE = "create table", replace(_WRITE, creates_table=True)
    CREATE_TABLE_AS = (
        "create table as select",
        replace(_WRITE, creates_table=True, counts=RowChange.INSERTED),
    )
    ALTER_TABLE = "alter table", replace(_WRITE, one_commit=False)
    TRUNCATE_TABLE = (
        "truncate table",
        replace(_WRITE, counts=RowChange.DELETED, change_privileges=(Privilege.DELETE,)),
    )
    # Files into a table; Statement.command says which.
    COPY = "copy into", replace(_WRITE, creates_table=True, counts=RowChange.INSERTED)
    CREATE_VIEW = (
        "create view",
        Traits(
            decided_by=DecidedBy.RELATIONS,
            runs_on=RunsOn.COORDINATOR_AND_ENGINE,
            changes_views=True,
        ),
    )
    CREATE_TEMPORARY_VIEW = (
        "create temporary view",
        Traits(
            effect=Effect.SESSION,
            decided_by=DecidedBy.RELATIONS,
            runs_on=RunsOn.COORDINATOR_AND_ENGINE,
            in_transaction=True,
        ),
    )
    CALL = (
        "call",
        Traits(
            decided_by=DecidedBy.PROCEDURE,
            runs_on=RunsOn.SPARK,
            changes_materialized_views=True,
        ),
    )
    EXPLAIN = "explain", _EXPLAIN
    # It runs what it explains: the effect is that of the statement inside.
    EXPLAIN_ANALYZE = "explain analyze", replace(_EXPLAIN, effect=Effect.WRITE)
    # Statement.command says which, and has the traits.
    COMMAND = "command", Traits()


class Access(Enum):
    """What a statement does with a relation it names."""

    READ = "read"
    WRITE = "write"
    CREATE = "create"
    ALTER = "alter"
    DROP = "drop"
    DESCRIBE = "describe"


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Characters ``start`` up to, not including, ``end`` of a text."""

    start: int
    end: int

    def of(self, text: str) -> str:
        return text[self.start : self.end]


@dataclass(frozen=True, slots=True)
class Reference:
    """A place in the text where a relation is named."""

    parts: tuple[str, ...]  # as written, quotes removed
    span: Span  # of the dotted name alone
    access: Access = Access.READ
    alias: str | None = None  # the alias the user gave, if any
    temporal: Span | None = None  # VERSION or TIMESTAMP AS OF …, behind the name
    table_word: int | None = None  # where TABLE stands, in a query of the form TABLE t
    alias_at: int = -1  # where an alias would stand (behind time travel and TABLESAMPLE)
    if_exists: bool = False  # the statement tolerates its absence (or presence, for CREATE)
    literal: bool = False  # the name stands in a string, as an argument of CALL
    # WITH ('start-snapshot-id' = '5'): in the text if ``temporal`` covers it, else to be written.
    options: str = ""


@dataclass(frozen=True, slots=True)
class Qualifier:
    """What stands before the last part of a column reference of three parts or more.

    Of ``hr.emp.address.city`` it is ("hr", "emp", "address"), and only the relations in the query
    tell how much of that is a table's name. ``spans`` has the span of each prefix.
    """

    parts: tuple[str, ...]
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class SessionFunction:
    """``current_catalog()`` and its kin, whose answer is SQE's and not Spark's."""

    name: str
    span: Span
    aliased: bool  # False: stands alone in a select list, so its column name must be kept
    bare: bool = False  # without parentheses: a column of that name comes first


@dataclass(frozen=True, slots=True)
class Argument:
    """``name`` of one that is given by its name, ``f(a => 1)``; the span is of the value."""

    span: Span
    name: str = ""


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """A call of a function that Spark does not have: one that somebody has written in SQL."""

    parts: tuple[str, ...]
    span: Span  # from the name to the closing parenthesis
    name_span: Span
    arguments: tuple[Argument, ...]
    at: int  # where the last part of the name stands
    is_table: bool = False  # stands in FROM
    is_item: bool = False  # stands alone in a select list, so its column name must be kept
    aliased: bool = False  # in FROM, with a name of its own
    in_lambda: bool = False
    of_rows: bool = False  # an argument is an aggregate, a window function or a generator
    unknown: bool = False  # if it is not somebody's function, then there is none of that name
    clause: str = ""  # what it has that such a function cannot have: DISTINCT, OVER …


@dataclass(frozen=True)
class Command:
    """A statement the coordinator answers. Each subclass says for itself what it is."""

    traits: ClassVar[Traits] = Traits()

    @property
    def label(self) -> str:
        return type(self).__name__


class NamedCommand(Command):
    """The label is the class's name in words: ``show tables``."""

    @property
    def label(self) -> str:
        return re.sub(r"(?<!^)([A-Z])", r" \1", type(self).__name__).lower()


class Details(Command):
    """What a statement of another kind than COMMAND says; the kind has the traits."""


@dataclass(frozen=True)
class Statement:
    """One statement. Offsets in spans are characters of ``text``."""

    text: str
    kind: StatementKind
    references: tuple[Reference, ...] = ()
    qualifiers: tuple[Qualifier, ...] = ()
    session_functions: tuple[SessionFunction, ...] = ()
    tree: Any = field(default=None, repr=False)  # sqlglot's; None for commands
    command: Command | None = None
    inner: Statement | None = None  # of EXPLAIN and CREATE VIEW: the statement inside
    markers: tuple[Span, ...] = ()  # of parameters, in order
    calls: tuple[FunctionCall, ...] = ()  # of functions that are not Spark's; see ``parse``

    @cached_property
    def column_names(self) -> frozenset[str] | None:
        """Names that columns are asked for by, in small letters. None: it asks for all of them, or
        nobody knows."""
        from sqe.sql.columns import find_asked_columns

        return find_asked_columns(self.tree) if self.tree is not None else None

    @property
    def label(self) -> str:
        """The kind in words, for records and messages."""
        if self.kind is StatementKind.COMMAND and self.command is not None:
            return self.command.label
        return self.kind.label

    @property
    def traits(self) -> Traits:
        """What it is, with what is inside of it."""
        own = self.kind.traits
        if self.kind is StatementKind.COMMAND and self.command is not None:
            own = self.command.traits
        if self.inner is None:
            return own
        inside = self.inner.traits
        runs_inner = self.kind is StatementKind.EXPLAIN_ANALYZE
        return replace(
            own,
            effect=inside.effect if runs_inner else own.effect,
            in_transaction=own.in_transaction and inside.in_transaction,
        )


def statement_about(name: RelationName, access: Access) -> Statement:
    """SQE's own question about one relation: nobody wrote it, so there is no tree."""
    text = str(name)
    reference = Reference(name.parts, Span(0, len(text)), access)
    return Statement(text, StatementKind.QUERY, (reference,))


def position_at(text: str, offset: int, fragment: str = "") -> TextPosition:
    """Line and column (from 1) of an offset."""
    before = text[: max(0, offset)]
    line = before.count("\n") + 1
    column = len(before) - (before.rfind("\n") + 1) + 1
    return TextPosition(line, column, fragment)


def blank(text: str, end: int) -> str:
    """The text with everything before ``end`` turned to blanks; lines stay where they are."""
    return "".join("\n" if c == "\n" else " " for c in text[:end]) + text[end:]
