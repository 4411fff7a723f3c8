"""CREATE of schemas, tables and views; DROP, TRUNCATE, COMMENT, ANALYZE and REFRESH."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqe.trino.dialect.function_parser import specification
from sqe.trino.dialect.nodes import Identifier, Query, Statement
from sqe.trino.dialect.statements.nodes import (
    Analyze,
    Comment,
    CreateFunction,
    CreateMaterializedView,
    CreateSchema,
    CreateTable,
    CreateTableAs,
    CreateView,
    Drop,
    DropFunction,
    DropSchema,
    RefreshMaterializedView,
    Truncate,
)
from sqe.trino.dialect.statements.parsing.access import create_role, drop_role
from sqe.trino.dialect.statements.parsing.catalogs import create_catalog, drop_catalog
from sqe.trino.dialect.statements.parsing.clauses import (
    comment,
    principal,
    table_element,
    with_properties,
)

if TYPE_CHECKING:
    from sqe.trino.dialect.parser import Parser

_CREATES = ("'CATALOG'", "'FUNCTION'", "'MATERIALIZED'", "'OR'", "'ROLE'", "'SCHEMA'", "'TABLE'")


def create(p: Parser) -> Statement:
    at = p.expect("CREATE")
    or_replace = p.accept("OR", "REPLACE")
    if p.accept("TABLE"):
        return _table(p, at, or_replace)
    if p.accept("VIEW"):
        return _view(p, at, or_replace)
    if p.accept("MATERIALIZED", "VIEW"):
        return _create_materialized_view(p, at, or_replace)
    if p.looking_at("FUNCTION"):
        return CreateFunction(at, specification(p), or_replace)
    if or_replace:
        p.fail("'FUNCTION'", "'MATERIALIZED'", "'TABLE'", "'VIEW'")
    if p.accept("SCHEMA"):
        return _schema(p, at)
    if p.accept("ROLE"):
        return create_role(p, at)
    if p.accept("CATALOG"):
        return create_catalog(p, at)
    p.fail(*_CREATES, "'VIEW'")


def _schema(p: Parser, at: int) -> Statement:
    if_not_exists = p.accept("IF", "NOT", "EXISTS")
    name = p.name()
    owner = principal(p) if p.accept("AUTHORIZATION") else None
    return CreateSchema(at, name, if_not_exists, owner, with_properties(p))


def _table(p: Parser, at: int, or_replace: bool) -> Statement:
    if_not_exists = p.accept("IF", "NOT", "EXISTS")
    name = p.name()
    aliases = _aliases(p)
    if not aliases and p.looking_at("("):
        elements = p.take_bracketed_list(lambda: table_element(p))
        return CreateTable(
            at, name, elements, or_replace, if_not_exists, comment(p), with_properties(p)
        )
    note, properties = comment(p), with_properties(p)
    p.expect("AS")
    query = _root_query(p)
    with_data = True
    if p.accept("WITH"):
        with_data = not p.accept("NO")
        p.expect("DATA")
    return CreateTableAs(
        at, name, query, aliases, or_replace, if_not_exists, note, properties, with_data
    )


def _root_query(p: Parser) -> Query:
    """Only here a query in brackets may have a WITH."""
    if not p.looking_at("(", "WITH"):
        return p.query()
    p.expect("(")
    query = p.query()
    p.expect(")")
    return query


def _aliases(p: Parser) -> tuple[Identifier, ...]:
    """``(a, b)`` in front of AS; empty if there are no brackets or columns have types in them."""
    place = p.mark()
    if not p.accept("(") or not p.is_identifier():
        p.rewind(place)
        return ()
    p.identifier()
    plain = p.looking_at_any(",", ")")
    p.rewind(place)
    return p.identifiers() if plain else ()


def _view(p: Parser, at: int, or_replace: bool) -> Statement:
    name = p.name()
    note = comment(p)
    security = p.expect_any("DEFINER", "INVOKER") if p.accept("SECURITY") else ""
    properties = with_properties(p)
    if not p.accept("AS"):
        p.fail("'AS'", "'COMMENT'", "'SECURITY'", "'WITH'")
    start = p.here
    query = p.query()
    return CreateView(at, name, query, p.text_since(start), or_replace, note, security, properties)


def _create_materialized_view(p: Parser, at: int, or_replace: bool) -> Statement:
    if_not_exists = p.accept("IF", "NOT", "EXISTS")
    name = p.name()
    grace_period = p.accept("GRACE", "PERIOD")
    if grace_period:
        p.primary()
    note, properties = comment(p), with_properties(p)
    p.expect("AS")
    start = p.here
    query = p.query()
    return CreateMaterializedView(
        at,
        name,
        query,
        p.text_since(start),
        or_replace,
        if_not_exists,
        grace_period,
        note,
        properties,
    )


def drop(p: Parser) -> Statement:
    at = p.expect("DROP")
    if p.accept("SCHEMA"):
        if_exists = p.accept("IF", "EXISTS")
        name = p.name()
        return DropSchema(at, name, if_exists, p.accept_any("CASCADE", "RESTRICT") == "CASCADE")
    if p.accept("ROLE"):
        return drop_role(p, at)
    if p.accept("CATALOG"):
        return drop_catalog(p, at)
    if p.accept("FUNCTION"):
        return _drop_function(p, at)
    if p.accept("MATERIALIZED"):
        p.expect("VIEW")
        kind = "MATERIALIZED VIEW"
    else:
        kind = p.expect_any("TABLE", "VIEW")
    if_exists = p.accept("IF", "EXISTS")
    return Drop(at, kind, p.name(), if_exists)


def _drop_function(p: Parser, at: int) -> Statement:
    if_exists = p.accept("IF", "EXISTS")
    name = p.name()
    p.expect("(")
    types = () if p.looking_at(")") else p.comma_list(lambda: _argument_type(p))
    p.expect(")")
    return DropFunction(at, name, types, if_exists)


def _argument_type(p: Parser) -> str:
    """Of a parameter, which may have its name in front of it."""
    if p.is_identifier() and p.is_identifier(1):
        p.identifier()
    return p.type_text()[0]


def truncate(p: Parser) -> Statement:
    at = p.expect("TRUNCATE")
    p.expect("TABLE")
    return Truncate(at, p.name())


def comment_on(p: Parser) -> Statement:
    at = p.expect("COMMENT")
    p.expect("ON")
    kind = p.expect_any("COLUMN", "TABLE", "VIEW")
    name = p.name()
    p.expect("IS")
    text = None if p.accept("NULL") else p.string().value
    return Comment(at, kind, name, text)


def analyze(p: Parser) -> Statement:
    at = p.expect("ANALYZE")
    name = p.name()
    return Analyze(at, name, with_properties(p))


def refresh(p: Parser) -> Statement:
    at = p.expect("REFRESH")
    p.expect("MATERIALIZED")
    p.expect("VIEW")
    return RefreshMaterializedView(at, p.name())
