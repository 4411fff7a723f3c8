"""ANALYZE and SHOW STATS: statistics written, and statistics shown.

Spark's ANALYZE TABLE … COMPUTE STATISTICS and Trino's shorter ANALYZE t; SHOW STATS is Trino's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sqlglot import Token

from sqe.model.rules import Privilege
from sqe.sql.cursor import TokenCursor, command_tokens
from sqe.sql.statement import (
    Access,
    NamedCommand,
    Reference,
    Span,
    Statement,
    StatementKind,
    blank,
)
from sqe.sql.traits import DecidedBy, RunsOn, Traits, look

ParseInner = Callable[[str], Statement]


@dataclass(frozen=True)
class AnalyzeTable(NamedCommand):
    """The table is the statement's only reference. No columns: all that can be analysed."""

    traits = Traits(
        decided_by=DecidedBy.RELATIONS,
        runs_on=RunsOn.COORDINATOR_AND_ENGINE,
        changes_materialized_views=True,
        change_privileges=(Privilege.ALTER,),
    )

    columns: tuple[tuple[str, Span], ...] = ()
    scan: bool = True  # False: NOSCAN


@dataclass(frozen=True)
class ShowStats(NamedCommand):
    """Of the statement's only reference, or of its ``inner`` query."""

    traits = look(DecidedBy.RELATIONS, RunsOn.COORDINATOR_AND_ENGINE)


@dataclass(frozen=True)
class ShowMaintenance(NamedCommand):
    """What of the statement's only reference says whether it needs maintenance."""

    traits = look(DecidedBy.RELATIONS, RunsOn.COORDINATOR_AND_ENGINE)


def parse_analyze(text: str, tokens: list[Token]) -> Statement:
    cursor = TokenCursor(text, command_tokens(text, tokens))
    cursor.skip()
    if cursor.looking_at("TABLES"):
        cursor.refuse("ANALYZE TABLES", "Name one table at a time.")
    spark = cursor.accept_before_name("TABLE") is not None
    parts, span = cursor.take_dotted_name("a table")
    if cursor.looking_at("PARTITION"):
        cursor.refuse("ANALYZE of one partition", "Iceberg's statistics are of the whole table.")
    command = _spark_clauses(cursor) if spark else _trino_clauses(cursor)
    cursor.expect_end()
    reference = Reference(parts, span, Access.WRITE)
    return Statement(text, StatementKind.COMMAND, (reference,), command=command)


def _spark_clauses(cursor: TokenCursor) -> AnalyzeTable:
    cursor.expect("COMPUTE", "STATISTICS")
    if cursor.accept("NOSCAN"):
        return AnalyzeTable(scan=False)
    if cursor.accept("FOR", "ALL", "COLUMNS") or not cursor.accept("FOR"):
        return AnalyzeTable()
    cursor.expect("COLUMNS")
    bracketed = cursor.accept("(")  # Spark's own form has none; many write them all the same
    columns = [cursor.read_with_span(lambda: cursor.identifier("a column"))]
    while cursor.accept(","):
        columns.append(cursor.read_with_span(lambda: cursor.identifier("a column")))
    if bracketed:
        cursor.expect(")")
    return AnalyzeTable(tuple(columns))


def _trino_clauses(cursor: TokenCursor) -> AnalyzeTable:
    """``ANALYZE t WITH (columns = ARRAY['a', 'b'])``."""
    if not cursor.accept("WITH"):
        return AnalyzeTable()
    cursor.expect("(", "COLUMNS", "=", "ARRAY", "[")
    columns = [cursor.read_with_span(cursor.string_literal)]
    while cursor.accept(","):
        columns.append(cursor.read_with_span(cursor.string_literal))
    cursor.expect("]", ")")
    return AnalyzeTable(tuple(columns))


def parse_show_stats(text: str, tokens: list[Token], parse_inner: ParseInner) -> Statement | None:
    """None for any other SHOW."""
    cursor = TokenCursor(text, command_tokens(text, tokens))
    cursor.skip()
    if cursor.accept("MAINTENANCE"):
        cursor.expect("FOR")
        parts, span = cursor.take_dotted_name("a table")
        cursor.expect_end()
        reference = Reference(parts, span, Access.READ)
        return Statement(text, StatementKind.COMMAND, (reference,), command=ShowMaintenance())
    if not cursor.accept("STATS"):
        return None
    cursor.expect("FOR")
    if not cursor.accept("("):
        parts, span = cursor.take_dotted_name("a table, or a query in parentheses")
        cursor.expect_end()
        reference = Reference(parts, span, Access.READ)
        return Statement(text, StatementKind.COMMAND, (reference,), command=ShowStats())
    start = cursor.offset()
    end = text.rstrip().rfind(")")
    if end < start:
        cursor.fail("Expected a query and )")
    inner = parse_inner(blank(text[:end], start))
    if inner.kind is not StatementKind.QUERY:
        cursor.refuse(f"SHOW STATS of {inner.label}")
    return Statement(text, StatementKind.COMMAND, command=ShowStats(), inner=inner)
