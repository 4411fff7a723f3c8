"""Statements around a statement, and those sqlglot's grammar lacks.

EXPLAIN, DESCRIBE QUERY and CREATE VIEW hold a query; its text keeps its place (what stands before
it is blanked out), so that every offset and line number in it is one of the user's own text.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sqlglot import Token

from sqe.errors import ErrorCode
from sqe.sql.commands import property_list
from sqe.sql.cursor import TokenCursor
from sqe.sql.statement import Access, Command, Reference, Statement, StatementKind

ParseInner = Callable[[str], Statement]

_QUERY_WORDS = ("SELECT", "WITH", "VALUES", "FROM", "TABLE", "MAP", "REDUCE", "(")
_ALTER_ACTIONS = (
    ("ADD", "COLUMN"),
    ("ADD", "COLUMNS"),
    ("DROP", "COLUMN"),
    ("DROP", "COLUMNS"),
    ("RENAME", "COLUMN"),
    ("ALTER", "COLUMN"),
    ("CHANGE", "COLUMN"),
    ("SET", "TBLPROPERTIES"),
    ("UNSET", "TBLPROPERTIES"),
)


@dataclass(frozen=True)
class DescribeQuery(Command):
    """DESCRIBE [QUERY] select: the columns of the statement's ``inner``."""


@dataclass(frozen=True)
class ViewDefinition(Command):
    """What CREATE [TEMPORARY] VIEW says besides the query."""

    parts: tuple[str, ...]
    columns: tuple[tuple[str, str], ...]  # (name, comment); empty: the query's own names
    comment: str
    properties: tuple[tuple[str, str], ...]
    replace: bool
    if_not_exists: bool
    query_text: str


@dataclass(frozen=True)
class ExplainMode(Command):
    """EXPLAIN's word: EXTENDED, FORMATTED, COST or nothing."""

    word: str = ""


def blank(text: str, end: int) -> str:
    """The text with everything before ``end`` turned to blanks; lines stay where they are."""
    return "".join("\n" if c == "\n" else " " for c in text[:end]) + text[end:]


def parse_form(
    text: str,
    tokens: list[Token],
    retokenize: Callable[[str], list[Token]],
    parse_inner: ParseInner,
) -> Statement | None:
    """The statement if it is one of these forms, None otherwise."""
    first = tokens[0].text.upper()
    if first == "EXPLAIN":
        return _explain(text, tokens[0].end + 1, retokenize, parse_inner)
    if first in ("DESCRIBE", "DESC"):
        return _describe_query(text, tokens, parse_inner)
    if first == "CREATE":
        return _create_view(text, tokens, parse_inner)
    if first == "ALTER":
        return _alter_table(text, tokens)
    if first == "TRUNCATE":
        return _truncate_table(text, tokens)
    return None


def _explain(
    text: str,
    end: int,
    retokenize: Callable[[str], list[Token]],
    parse_inner: ParseInner,
) -> Statement:
    behind = blank(text, end)
    tokens = retokenize(behind)
    word = tokens[0].text.upper()
    if word == "CODEGEN":
        TokenCursor(text, tokens).refuse("EXPLAIN CODEGEN", "Use EXPLAIN or EXPLAIN FORMATTED.")
    mode = word if word in ("ANALYZE", "EXTENDED", "FORMATTED", "COST") else ""
    inner = parse_inner(blank(text, tokens[0].end + 1) if mode else behind)
    kind = StatementKind.EXPLAIN_ANALYZE if mode == "ANALYZE" else StatementKind.EXPLAIN
    return Statement(text, kind, command=ExplainMode(mode), inner=inner)


def _describe_query(text: str, tokens: list[Token], parse_inner: ParseInner) -> Statement | None:
    cursor = TokenCursor(text, tokens)
    cursor.skip()
    start = 1
    if cursor.looking_at("QUERY") and cursor.source(1).upper() in _QUERY_WORDS:
        start = 2
    elif cursor.source().upper() not in _QUERY_WORDS:
        return None
    elif cursor.looking_at("TABLE"):
        return None  # DESCRIBE TABLE t is a command, not the query TABLE t
    if start >= len(tokens):
        cursor.fail("Expected a query")
    inner = parse_inner(blank(text, tokens[start].start))
    if inner.kind is not StatementKind.QUERY:
        cursor.refuse(f"DESCRIBE of {inner.label}")
    return Statement(text, StatementKind.COMMAND, command=DescribeQuery(), inner=inner)


def _create_view(text: str, tokens: list[Token], parse_inner: ParseInner) -> Statement | None:
    cursor = TokenCursor(text, tokens)
    cursor.expect("CREATE")
    replace = cursor.accept("OR", "REPLACE")
    if cursor.looking_at("GLOBAL"):
        cursor.refuse("CREATE GLOBAL TEMPORARY VIEW", "Use CREATE TEMPORARY VIEW or CREATE VIEW.")
    temporary = cursor.accept_one_of("TEMPORARY", "TEMP") is not None
    if not cursor.accept("VIEW"):
        return None
    if_not_exists = cursor.accept("IF", "NOT", "EXISTS")
    parts, span = cursor.dotted_name("the view's name")
    if temporary and len(parts) > 1:
        cursor.refuse("A qualified name for a temporary view", "Give it a name of one part.")
    columns = _view_columns(cursor)
    comment, properties = _view_clauses(cursor)
    if cursor.looking_at("USING"):
        cursor.refuse("CREATE VIEW … USING", "Create a table, or a view over a query.")
    cursor.expect("AS")
    if cursor.at_end():
        cursor.fail("Expected a query")
    start = cursor.offset()
    inner = parse_inner(blank(text, start))
    if inner.kind is not StatementKind.QUERY:
        cursor.fail("Expected a query")
    kind = StatementKind.CREATE_TEMPORARY_VIEW if temporary else StatementKind.CREATE_VIEW
    definition = ViewDefinition(
        parts=parts,
        columns=columns,
        comment=comment,
        properties=properties,
        replace=replace,
        if_not_exists=if_not_exists,
        query_text=text[start:],
    )
    tolerant = replace or if_not_exists
    references = (Reference(parts, span, Access.CREATE, if_exists=tolerant),)
    return Statement(text, kind, () if temporary else references, command=definition, inner=inner)


def _view_columns(cursor: TokenCursor) -> tuple[tuple[str, str], ...]:
    if not cursor.accept("("):
        return ()
    columns = []
    while True:
        name = cursor.identifier("a column name")
        comment = cursor.string_literal() if cursor.accept("COMMENT") else ""
        if cursor.at_identifier():  # a type: only views over a data source have them
            cursor.refuse("CREATE VIEW … USING", "Create a table, or a view over a query.")
        columns.append((name, comment))
        if cursor.accept(")"):
            return tuple(columns)
        cursor.expect(",")


def _view_clauses(cursor: TokenCursor) -> tuple[str, tuple[tuple[str, str], ...]]:
    comment = ""
    properties: list[tuple[str, str]] = []
    while True:
        if cursor.accept("COMMENT"):
            comment = cursor.string_literal()
        elif cursor.accept("TBLPROPERTIES"):
            properties += property_list(cursor)
        elif cursor.accept("WITH", "SCHEMA"):
            if not cursor.accept("COMPENSATION"):
                cursor.refuse("WITH SCHEMA other than COMPENSATION")
        else:
            return comment, tuple(properties)


def _truncate_table(text: str, tokens: list[Token]) -> Statement:
    cursor = TokenCursor(text, tokens)
    cursor.skip()
    cursor.expect("TABLE")
    parts, span = cursor.dotted_name("a table's name")
    if cursor.looking_at("PARTITION"):
        cursor.refuse("TRUNCATE TABLE … PARTITION", "Use DELETE.")
    cursor.expect_end()
    return Statement(text, StatementKind.TRUNCATE_TABLE, (Reference(parts, span, Access.WRITE),))


def _alter_table(text: str, tokens: list[Token]) -> Statement | None:
    cursor = TokenCursor(text, tokens)
    cursor.expect("ALTER")
    if not cursor.accept("TABLE"):
        return None
    parts, span = cursor.dotted_name("a table's name")
    words = (cursor.source().upper(), cursor.source(1).upper())
    if words not in _ALTER_ACTIONS:
        cursor.refuse(f"ALTER TABLE … {' '.join(words).strip() or 'nothing'}")
    if any(token.text.upper() in ("SELECT", "LOCATION") for token in tokens):
        cursor.fail("ALTER TABLE takes no query and no location", ErrorCode.NOT_SUPPORTED)
    reference = Reference(parts, span, Access.ALTER)
    return Statement(text, StatementKind.ALTER_TABLE, (reference,))
