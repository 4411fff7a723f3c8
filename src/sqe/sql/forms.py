"""Statements around a statement, and those sqlglot's grammar lacks.

EXPLAIN and DESCRIBE QUERY hold a query; its text keeps its place (what stands before it is blanked
out), so that every offset and line number in it is one of the user's own text.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sqlglot import Token

from sqe.sql.access.parse import explain_policy, parse_access
from sqe.sql.alter import parse_alter_table
from sqe.sql.analyze import parse_analyze, parse_show_stats
from sqe.sql.call import parse_call
from sqe.sql.catalogs import parse_catalog
from sqe.sql.comments import parse_comment
from sqe.sql.copy import parse_copy
from sqe.sql.create_table import parse_create_table
from sqe.sql.cursor import TokenCursor
from sqe.sql.materialized import parse_materialized
from sqe.sql.own_functions.definition import (
    parse_create_function,
    parse_describe_function,
    parse_drop_function,
    parse_show_create_function,
)
from sqe.sql.queries import parse_kill
from sqe.sql.schema_changes import parse_alter_schema
from sqe.sql.statement import Access, Command, Details, Reference, Statement, StatementKind, blank
from sqe.sql.traits import DecidedBy, RunsOn, look
from sqe.sql.unload import parse_unload
from sqe.sql.variables import parse_declare, parse_drop_variable, parse_set_variables
from sqe.sql.views import parse_alter_view, parse_create_view

ParseInner = Callable[[str], Statement]

_QUERY_WORDS = ("SELECT", "WITH", "VALUES", "FROM", "TABLE", "MAP", "REDUCE", "(")


@dataclass(frozen=True)
class DescribeQuery(Command):
    """DESCRIBE [QUERY] select: the columns of the statement's ``inner``."""

    traits = look(DecidedBy.RELATIONS, RunsOn.COORDINATOR_AND_ENGINE)


@dataclass(frozen=True)
class ExplainMode(Details):
    """EXPLAIN's word: EXTENDED, FORMATTED, COST or nothing."""

    word: str = ""


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
    for form in _FORMS.get(first, ()):
        statement = form(text, tokens, parse_inner)
        if statement is not None:
            return statement
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
    if word == "POLICY":
        return explain_policy(text, parse_inner(blank(text, tokens[0].end + 1)))
    mode = word if word in ("ANALYZE", "EXTENDED", "FORMATTED", "COST") else ""
    inner = parse_inner(blank(text, tokens[0].end + 1) if mode else behind)
    kind = StatementKind.EXPLAIN_ANALYZE if mode == "ANALYZE" else StatementKind.EXPLAIN
    return Statement(text, kind, command=ExplainMode(mode), inner=inner, markers=inner.markers)


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


def _truncate_table(text: str, tokens: list[Token]) -> Statement:
    cursor = TokenCursor(text, tokens)
    cursor.skip()
    cursor.expect("TABLE")
    parts, span = cursor.take_dotted_name("a table's name")
    if cursor.looking_at("PARTITION"):
        cursor.refuse("TRUNCATE TABLE … PARTITION", "Use DELETE.")
    cursor.expect_end()
    return Statement(text, StatementKind.TRUNCATE_TABLE, (Reference(parts, span, Access.WRITE),))


_Form = Callable[[str, list[Token], ParseInner], Statement | None]


def _flat(form: Callable[[str, list[Token]], Statement | None]) -> _Form:
    """A form that holds no other statement."""
    return lambda text, tokens, parse_inner: form(text, tokens)


# By the first word; the first that knows the statement gives it.
_FORMS: dict[str, tuple[_Form, ...]] = {
    "ALTER": (
        _flat(parse_catalog),
        _flat(parse_access),
        parse_alter_table,
        parse_alter_view,
        _flat(parse_alter_schema),
    ),
    "ANALYZE": (_flat(parse_analyze),),
    "APPLY": (_flat(parse_access),),
    "CALL": (parse_call,),
    "COMMENT": (_flat(parse_comment),),
    "COPY": (parse_unload, _flat(parse_copy)),
    "CREATE": (
        _flat(parse_catalog),
        parse_materialized,
        _flat(parse_access),
        parse_create_function,
        parse_create_view,
        parse_create_table,
    ),
    "DECLARE": (parse_declare,),
    "DENY": (_flat(parse_access),),
    "DESC": (_describe_query, _flat(parse_describe_function)),
    "DESCRIBE": (_describe_query, _flat(parse_describe_function)),
    "DROP": (
        _flat(parse_catalog),
        parse_materialized,
        _flat(parse_access),
        _flat(parse_drop_variable),
        _flat(parse_drop_function),
    ),
    "GRANT": (_flat(parse_access),),
    "KILL": (_flat(parse_kill),),
    "REFRESH": (parse_materialized,),
    "REMOVE": (_flat(parse_access),),
    "REPLACE": (parse_create_table,),
    "REVOKE": (_flat(parse_access),),
    "SET": (parse_set_variables,),
    "SHOW": (
        _flat(parse_catalog),
        parse_materialized,
        parse_show_stats,
        _flat(parse_access),
        _flat(parse_show_create_function),
    ),
    "TRUNCATE": (_flat(_truncate_table),),
    "UNLOAD": (parse_unload,),
}
