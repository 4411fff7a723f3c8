"""CREATE and REPLACE TABLE up to the query: what it says is read here, before Spark sees it.

sqlglot makes the tree; this grammar gives clear errors for types and properties, and takes the
two forms that Iceberg on Spark lacks: LIKE, and columns with DEFAULT.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from sqlglot import Token

from sqe.sql.alter import without_defaults
from sqe.sql.alter_actions import read_transform
from sqe.sql.column_definitions import ColumnDefinition, read_columns, read_type
from sqe.sql.cursor import TokenCursor
from sqe.sql.statement import Access, NamedCommand, Reference, Statement, StatementKind
from sqe.sql.table_properties import check_properties, read_properties
from sqe.sql.traits import DecidedBy, RunsOn, Traits

ParseInner = Callable[[str], Statement]
_NO_LOCATION = "The catalog chooses where a table lives."


@dataclass(frozen=True)
class CreateTableLike(NamedCommand):
    """The references are the new table and the one that it is made like."""

    traits = Traits(
        decided_by=DecidedBy.RELATIONS,
        runs_on=RunsOn.COORDINATOR,
        creates_table=True,
    )

    if_not_exists: bool = False
    properties: tuple[tuple[str, str], ...] = ()


def parse_create_table(text: str, tokens: list[Token], parse_inner: ParseInner) -> Statement | None:
    """None: it is none of these, or a plain CREATE TABLE that has been read and is in order."""
    cursor = TokenCursor(text, tokens)
    if cursor.looking_at("REPLACE", "TABLE"):
        return _replace_table(text, tokens, parse_inner)
    cursor.skip()
    cursor.accept("OR", "REPLACE")
    if not cursor.accept("TABLE"):
        return None
    if_not_exists = cursor.accept("IF", "NOT", "EXISTS")
    parts, span = cursor.take_dotted_name("a table's name")
    target = Reference(parts, span, Access.CREATE, if_exists=if_not_exists)
    if cursor.accept("LIKE"):
        return _like(text, cursor, target)
    columns: list[ColumnDefinition] = []
    if cursor.looking_at("(") and cursor.source(1).upper() not in ("SELECT", "WITH", "(", "FROM"):
        cursor.expect("(")
        columns = read_columns(cursor, altering=False)
        cursor.expect(")")
    _read_clauses(text, cursor)
    return without_defaults(text, columns, StatementKind.CREATE_TABLE, parse_inner)


def _replace_table(text: str, tokens: list[Token], parse_inner: ParseInner) -> Statement:
    """Read as CREATE, a word that leaves every place as it is; Spark gets what the user wrote."""
    start, end = tokens[0].start, tokens[0].end + 1
    word = text[start:end]
    created = parse_inner(text[:start] + "CREATE".ljust(len(word)) + text[end:])

    def restore(statement: Statement) -> Statement:
        return replace(
            statement,
            text=statement.text[:start] + word + statement.text[end:],
            references=tuple(
                replace(
                    reference, if_exists=reference.if_exists or reference.access is Access.CREATE
                )
                for reference in statement.references
            ),
            inner=restore(statement.inner) if statement.inner is not None else None,
        )

    return restore(created)


def _like(text: str, cursor: TokenCursor, target: Reference) -> Statement:
    parts, span = cursor.take_dotted_name("the table to copy")
    properties: list[tuple[str, str]] = []
    while not cursor.at_end():
        if cursor.accept("TBLPROPERTIES"):
            set_properties = read_properties(cursor)
            check_properties(text, set_properties)
            properties += [(prop.name, prop.value) for prop in set_properties]
        elif cursor.accept("USING"):
            if not cursor.accept("ICEBERG"):
                cursor.refuse("CREATE TABLE … LIKE … USING another format")
        elif cursor.looking_at("LOCATION"):
            cursor.refuse("LOCATION", _NO_LOCATION)
        else:
            break
    cursor.expect_end()
    source = Reference(parts, span, Access.READ)
    command = CreateTableLike(target.if_exists, tuple(properties))
    return Statement(text, StatementKind.COMMAND, (target, source), command=command)


def _read_clauses(text: str, cursor: TokenCursor) -> None:
    """Up to the query. What is no clause at all is left to sqlglot, which says where it is."""
    while not cursor.at_end():
        if cursor.accept("USING"):
            cursor.take_dotted_name("a format")
        elif cursor.accept("TBLPROPERTIES") or cursor.accept("OPTIONS"):
            check_properties(text, read_properties(cursor))
        elif cursor.accept("PARTITIONED", "BY"):
            _read_partitioning(cursor)
        elif cursor.accept("COMMENT"):
            cursor.string_literal()
        elif cursor.looking_at("LOCATION"):
            cursor.refuse("LOCATION", _NO_LOCATION)
        elif cursor.accept("CLUSTERED", "BY"):
            _buckets(cursor)
        elif cursor.looking_at("CLUSTER", "BY"):
            cursor.refuse("CLUSTER BY", "Use PARTITIONED BY, or ALTER TABLE … WRITE ORDERED BY.")
        elif cursor.looking_at("DEFAULT", "COLLATION"):
            cursor.refuse("DEFAULT COLLATION", "Iceberg keeps no collation.")
        else:
            return


def _buckets(cursor: TokenCursor) -> None:
    """Spark's older way to write bucket(n, column)."""
    cursor.expect("(")
    cursor.take_dotted_name("a column")
    while cursor.accept(","):
        cursor.take_dotted_name("a column")
    cursor.expect(")")
    if cursor.looking_at("SORTED"):
        cursor.refuse("SORTED BY", "Use ALTER TABLE … WRITE ORDERED BY.")
    cursor.expect("INTO")
    cursor.property_value()
    cursor.expect("BUCKETS")


def _read_partitioning(cursor: TokenCursor) -> None:
    cursor.expect("(")
    while True:
        if cursor.at_identifier() and cursor.source(1) not in (",", ")", "(", "."):
            cursor.identifier()
            read_type(cursor)  # Hive's way: the column is defined here
            if cursor.accept("COMMENT"):
                cursor.string_literal()
        else:
            read_transform(cursor)
        if not cursor.accept(","):
            break
    cursor.expect(")")
