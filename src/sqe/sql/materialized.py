"""CREATE, REFRESH, DROP and SHOW of materialized views: their grammar."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sqlglot import Token

from sqe.model.rules import Privilege
from sqe.sql.commands import Name, NamePattern
from sqe.sql.cursor import TokenCursor, command_tokens
from sqe.sql.statement import (
    Access,
    Command,
    NamedCommand,
    Reference,
    Span,
    Statement,
    StatementKind,
)
from sqe.sql.table_properties import check_properties, read_properties
from sqe.sql.traits import DecidedBy, RunsOn, Traits, look
from sqe.sql.views import read_query

ParseInner = Callable[[str], Statement]
_WORDS = ("MATERIALIZED", "VIEW")


@dataclass(frozen=True)
class CreateMaterializedView(NamedCommand):
    """The view is the statement's only reference, its query the statement's ``inner``."""

    traits = Traits(
        decided_by=DecidedBy.RELATIONS,
        runs_on=RunsOn.COORDINATOR_AND_ENGINE,
        creates_table=True,
        changes_materialized_views=True,
    )

    columns: tuple[str, ...]  # empty: the query's own names
    comment: str
    partitioning: str  # as written, with its parentheses; empty: none
    properties: tuple[tuple[str, str], ...]
    replace: bool
    if_not_exists: bool
    query_text: str


@dataclass(frozen=True)
class RefreshMaterializedView(NamedCommand):
    """The view is the statement's only reference; binding finds the query that it is made of."""

    traits = Traits(
        decided_by=DecidedBy.RELATIONS,
        runs_on=RunsOn.COORDINATOR_AND_ENGINE,
        one_commit=True,
        changes_materialized_views=True,
        # As in Trino; the tables of its query are asked for as well.
        change_privileges=(Privilege.UPDATE,),
    )

    full: bool = False


@dataclass(frozen=True)
class DropMaterializedView(NamedCommand):
    """The view is the statement's only reference."""

    traits = Traits(
        decided_by=DecidedBy.RELATIONS,
        runs_on=RunsOn.COORDINATOR,
        changes_materialized_views=True,
    )

    if_exists: bool = False


@dataclass(frozen=True)
class ShowMaterializedViews(NamedCommand):
    traits = look(DecidedBy.SEEN_SCHEMA)

    schema: Name | None = None
    pattern: NamePattern | None = None


@dataclass(frozen=True)
class ShowCreateMaterializedView(NamedCommand):
    """The view is the statement's only reference."""

    traits = look(DecidedBy.RELATIONS)


def parse_materialized(text: str, tokens: list[Token], parse_inner: ParseInner) -> Statement | None:
    """None for a statement about anything else."""
    cursor = TokenCursor(text, command_tokens(text, tokens))
    first = text[tokens[0].start : tokens[0].end + 1].upper()
    cursor.skip()
    if first == "CREATE":
        replace = cursor.accept("OR", "REPLACE")
        return _create(text, cursor, replace, parse_inner) if cursor.accept(*_WORDS) else None
    if first == "REFRESH" and cursor.accept(*_WORDS):
        return _refresh(text, cursor)
    if first == "DROP" and cursor.accept(*_WORDS):
        return _drop(text, cursor)
    if first == "SHOW" and cursor.accept("CREATE", *_WORDS):
        return _about(text, cursor, ShowCreateMaterializedView(), Access.DESCRIBE)
    if first == "SHOW" and cursor.accept("MATERIALIZED", "VIEWS"):
        return _show(text, cursor)
    return None


def _create(text: str, cursor: TokenCursor, replace: bool, parse_inner: ParseInner) -> Statement:
    if_not_exists = cursor.accept("IF", "NOT", "EXISTS")
    if replace and if_not_exists:
        cursor.fail("OR REPLACE and IF NOT EXISTS exclude each other")
    parts, span = cursor.take_dotted_name("the materialized view's name")
    columns = _columns(cursor)
    comment, partitioning, properties = _clauses(text, cursor)
    cursor.expect("AS")
    inner, query_text = read_query(text, cursor, parse_inner)
    command = CreateMaterializedView(
        columns, comment, partitioning, properties, replace, if_not_exists, query_text.strip()
    )
    reference = Reference(parts, span, Access.CREATE, if_exists=replace or if_not_exists)
    return Statement(text, StatementKind.COMMAND, (reference,), command=command, inner=inner)


def _columns(cursor: TokenCursor) -> tuple[str, ...]:
    if not cursor.accept("("):
        return ()
    columns = []
    while True:
        columns.append(cursor.identifier("a column name"))
        if cursor.looking_at("COMMENT"):
            cursor.refuse("A comment on a column of a materialized view")
        if cursor.accept(")"):
            return tuple(columns)
        cursor.expect(",")


def _clauses(text: str, cursor: TokenCursor) -> tuple[str, str, tuple[tuple[str, str], ...]]:
    comment, partitioning = "", ""
    properties: list[tuple[str, str]] = []
    while True:
        if cursor.accept("COMMENT"):
            comment = cursor.string_literal()
        elif cursor.accept("PARTITIONED", "BY"):
            partitioning = _read_bracketed(text, cursor)
        elif cursor.accept("TBLPROPERTIES"):
            set_properties = read_properties(cursor)
            check_properties(text, set_properties)
            properties += [(prop.name, prop.value) for prop in set_properties]
        elif cursor.looking_at("LOCATION") or cursor.looking_at("USING"):
            cursor.refuse(f"{cursor.source().upper()} of a materialized view")
        else:
            break
    return comment, partitioning, tuple(properties)


def _read_bracketed(text: str, cursor: TokenCursor) -> str:
    """``(days(ts), bucket(8, id))``: names, numbers and transforms of names. Spark reads it again,
    so nothing else may be in it."""
    start = cursor.offset()
    cursor.expect("(")
    depth = 1
    while depth:
        if cursor.accept("("):
            depth += 1
        elif cursor.accept(")"):
            depth -= 1
        elif cursor.looking_at(",") or cursor.source().isdigit() or cursor.at_identifier():
            if cursor.source().upper() in ("SELECT", "TABLE", "IDENTIFIER"):
                cursor.fail("Expected a column or a transform of one")
            cursor.skip()
        else:
            cursor.fail("Expected a column or a transform of one")
    return Span(start, cursor.offset()).of(text).strip()


def _refresh(text: str, cursor: TokenCursor) -> Statement:
    parts, span = cursor.take_dotted_name("a materialized view")
    command = RefreshMaterializedView(cursor.accept("FULL"))
    cursor.expect_end()
    reference = Reference(parts, span, Access.WRITE)
    return Statement(text, StatementKind.COMMAND, (reference,), command=command)


def _drop(text: str, cursor: TokenCursor) -> Statement:
    if_exists = cursor.accept("IF", "EXISTS")
    return _about(text, cursor, DropMaterializedView(if_exists), Access.DROP, if_exists)


def _show(text: str, cursor: TokenCursor) -> Statement:
    schema = None
    if cursor.accept_one_of("FROM", "IN"):
        schema = Name(*cursor.take_dotted_name("a schema"))
    pattern = None
    if cursor.accept("LIKE") or cursor.at_string():
        pattern = NamePattern(cursor.string_literal("a pattern in quotes"))
    cursor.expect_end()
    command = ShowMaterializedViews(schema, pattern)
    return Statement(text, StatementKind.COMMAND, command=command)


def _about(
    text: str, cursor: TokenCursor, command: Command, access: Access, if_exists: bool = False
) -> Statement:
    parts, span = cursor.take_dotted_name("a materialized view")
    cursor.expect_end()
    reference = Reference(parts, span, access, if_exists=if_exists)
    return Statement(text, StatementKind.COMMAND, (reference,), command=command)
