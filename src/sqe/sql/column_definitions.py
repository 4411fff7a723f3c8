"""Columns as DDL defines them: a name, a type, and what may stand behind it."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, replace

from sqe.errors import ErrorCode
from sqe.sql.cursor import TokenCursor
from sqe.sql.functions import ALLOWED, DENIED, SESSION_FUNCTIONS, VOLATILE
from sqe.sql.statement import Span

# What Iceberg on Spark can store, under all the names Spark has for it.
_WORDS = """
boolean tinyint byte smallint short int integer bigint long float real double string binary date
timestamp timestamp_ltz timestamp_ntz variant
"""
_PLAIN = frozenset(_WORDS.split())
_SIZED = frozenset({"decimal", "dec", "numeric", "varchar", "char", "character"})
_SHAPES = frozenset({"geometry", "geography"})
_NESTED = frozenset({"array", "map", "struct"})
_KNOWN = _PLAIN | _SIZED | _SHAPES | _NESTED
# Spark's own types that Iceberg on Spark cannot store.
_NOT_STORED = {
    "time": "Use a STRING, or a TIMESTAMP.",
    "interval": "Use a BIGINT with a unit, or two timestamps.",
    "void": "",
    "timestamp_ns": "Spark's timestamps have microseconds.",
    "timestamptz_ns": "Spark's timestamps have microseconds.",
    "json": "Use a STRING, or a VARIANT on format version 3.",
    "uuid": "Use a STRING.",
}
_KEY_WORDS = ("CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN", "REFERENCES")
_CONSTRAINTS = (("PRIMARY", "KEY"), ("UNIQUE", "("), ("CHECK", "("), ("FOREIGN", "KEY"))
_BEHIND = ("COMMENT", "FIRST", "AFTER", "GENERATED", *_KEY_WORDS)


@dataclass(frozen=True, slots=True)
class ColumnDefinition:
    """SQE sets a default by itself: Iceberg on Spark has no DDL for it."""

    path: tuple[str, ...]
    span: Span  # of the name
    type: str
    default: str | None = None  # the expression of DEFAULT, as written
    clause: Span | None = None  # from DEFAULT to the end of the expression
    not_null: Span | None = None  # the words NOT NULL, if the column has them


def read_columns(cursor: TokenCursor, *, altering: bool) -> list[ColumnDefinition]:
    """Columns up to what is no comma.

    ``altering``: nested fields and places (FIRST, AFTER) are allowed, as in ADD COLUMNS.
    """
    columns: list[ColumnDefinition] = []
    names: list[tuple[str, ...]] = []
    while True:
        if any(cursor.looking_at(*words) for words in _CONSTRAINTS):
            _refuse_constraint(cursor)
        path, span = cursor.take_dotted_name("a column name")
        if not altering and len(path) > 1:
            cursor.fail("A column's name has one part")
        lowered = tuple(part.lower() for part in path)
        if lowered in names:
            cursor.fail(f"The column {'.'.join(path)} is defined twice", ErrorCode.AMBIGUOUS_NAME)
        names.append(lowered)
        columns.append(_read_column(cursor, path, span, altering))
        if not cursor.accept(","):
            return columns


def _read_column(
    cursor: TokenCursor, path: tuple[str, ...], span: Span, altering: bool
) -> ColumnDefinition:
    column = ColumnDefinition(path, span, read_type(cursor))
    while True:
        start = cursor.offset()
        if cursor.accept("NOT"):
            cursor.expect("NULL")
            column = replace(column, not_null=Span(start, cursor.last_end()))
        elif cursor.accept("DEFAULT"):
            expression = read_expression(cursor)
            clause = Span(start, cursor.last_end())
            column = replace(column, default=expression, clause=clause)
        elif cursor.accept("COMMENT"):
            cursor.string_literal()
        elif not (altering and read_place(cursor)):
            break
    _refuse_clause(cursor)
    return column


def read_place(cursor: TokenCursor) -> bool:
    """FIRST, or AFTER another column."""
    if cursor.accept("FIRST"):
        return True
    if cursor.accept("AFTER"):
        cursor.identifier("a column name")
        return True
    return False


def _refuse_clause(cursor: TokenCursor) -> None:
    if cursor.looking_at("GENERATED"):
        cursor.refuse("A generated column", "Compute it in a view, or when rows are inserted.")
    if cursor.source().upper() in _KEY_WORDS:
        _refuse_constraint(cursor)


def _refuse_constraint(cursor: TokenCursor) -> None:
    cursor.refuse(
        "A constraint other than NOT NULL",
        "Iceberg has none; ALTER TABLE … SET IDENTIFIER FIELDS names a table's key.",
    )


def read_type(cursor: TokenCursor) -> str:
    """A type, as written. Refuses what is no type, or none that Iceberg on Spark can store."""
    start = cursor.offset()
    _type(cursor)
    return cursor.text_from(start)


def _type(cursor: TokenCursor) -> None:
    _read_type_by_name(cursor)
    if cursor.looking_at("COLLATE"):
        cursor.refuse("COLLATE of a column", "Iceberg keeps no collation; write it in the query.")


def _read_type_by_name(cursor: TokenCursor) -> None:
    name = cursor.source().lower()
    if name in _NOT_STORED:
        hint = _NOT_STORED[name]
        cursor.fail(
            f"The type {name.upper()} cannot be stored in an Iceberg table by Spark",
            ErrorCode.NOT_SUPPORTED,
            hint,
        )
    if name not in _KNOWN:
        if not cursor.at_identifier():
            cursor.fail("Expected a type")
        close = difflib.get_close_matches(name, sorted(_KNOWN), n=1)
        cursor.fail(
            f"There is no type {cursor.source()}",
            ErrorCode.INVALID_ARGUMENT,
            f"Did you mean {close[0].upper()}?" if close else "",
        )
    cursor.skip()
    if name in _NESTED:
        _read_nested_type(cursor, name)
    elif name in _SHAPES:
        if not cursor.accept("("):
            cursor.fail(f"{name.upper()} takes its SRID, as {name.upper()}(4326)")
        cursor.property_value()
        cursor.expect(")")
    elif name in _SIZED and cursor.accept("("):
        cursor.property_value()
        if cursor.accept(","):
            cursor.property_value()
        cursor.expect(")")
    elif name.startswith("timestamp") and cursor.looking_at("("):
        cursor.refuse("A precision of timestamps", "They always have microseconds.")


def _read_nested_type(cursor: TokenCursor, name: str) -> None:
    cursor.expect("<")
    if name == "array":
        _type(cursor)
    elif name == "map":
        _type(cursor)
        cursor.expect(",")
        _type(cursor)
    else:
        while True:
            cursor.identifier("a field name")
            cursor.accept(":")
            _type(cursor)
            if cursor.accept("NOT"):
                cursor.expect("NULL")
            if cursor.accept("COMMENT"):
                cursor.string_literal()
            if not cursor.accept(","):
                break
    cursor.expect(">")


def read_expression(cursor: TokenCursor) -> str:
    """A default's expression, as written: literals and Spark's own functions, no query."""
    start = cursor.offset()
    depth = 0
    while not cursor.at_end():
        word = cursor.source().upper()
        if depth == 0 and (word in (",", ")", *_BEHIND) or (cursor.looking_at("NOT", "NULL"))):
            break
        if word in ("SELECT", "WITH", "FROM", "TABLE", "VALUES"):
            cursor.fail("DEFAULT takes a constant, no query", ErrorCode.NOT_SUPPORTED)
        if word.lower() in VOLATILE:
            cursor.fail(
                f"DEFAULT takes a constant; {word.lower()} differs from row to row",
                ErrorCode.NOT_SUPPORTED,
                "Write it in the INSERT.",
            )
        if cursor.at_identifier() and cursor.source(1) == "(":
            _check_function(cursor)
        depth += {"(": 1, ")": -1}.get(word, 0)
        cursor.skip()
    if cursor.offset() == start:
        cursor.fail("Expected the default's value")
    return cursor.text_from(start)


def _check_function(cursor: TokenCursor) -> None:
    name = cursor.source().strip("`").lower()
    if name in DENIED or name in SESSION_FUNCTIONS:
        cursor.fail(f"The function {name} cannot stand in DEFAULT", ErrorCode.NOT_SUPPORTED)
    if name not in ALLOWED:
        cursor.fail(f"There is no function {name}", ErrorCode.FUNCTION_NOT_FOUND)
