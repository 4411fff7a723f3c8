"""INSERT, DELETE, UPDATE and MERGE."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqe.trino.dialect.nodes import Statement
from sqe.trino.dialect.statements.nodes import Assignment, Delete, Insert, Merge, MergeCase, Update

if TYPE_CHECKING:
    from sqe.trino.dialect.parser import Parser

_QUERY = ("SELECT", "WITH", "VALUES", "TABLE", "(")


def insert(p: Parser) -> Statement:
    at = p.expect("INSERT")
    p.expect("INTO")
    name = p.name()
    if not p.looking_at_any(*_QUERY):
        p.fail("'('", "'WITH'", "<query>")
    columns = p.identifiers() if _lists_columns(p) else ()
    return Insert(at, name, p.query(), columns)


def _lists_columns(p: Parser) -> bool:
    """Brackets with names in them; a query may stand in brackets too."""
    place = p.mark()
    is_list = p.accept("(") and p.is_identifier()
    if is_list:
        p.identifier()
        is_list = p.looking_at_any(",", ")")
    p.rewind(place)
    return is_list


def delete(p: Parser) -> Statement:
    at = p.expect("DELETE")
    p.expect("FROM")
    name = p.name()
    return Delete(at, name, p.expression() if p.accept("WHERE") else None)


def update(p: Parser) -> Statement:
    at = p.expect("UPDATE")
    name = p.name()
    p.expect("SET")
    assignments = p.comma_list(lambda: _assignment(p))
    return Update(at, name, assignments, p.expression() if p.accept("WHERE") else None)


def _assignment(p: Parser) -> Assignment:
    at = p.here
    column = p.identifier()
    p.expect("=")
    return Assignment(at, column, p.expression())


def merge(p: Parser) -> Statement:
    at = p.expect("MERGE")
    p.expect("INTO")
    name = p.name()
    alias = None
    if p.accept("AS") or (p.is_identifier() and not p.looking_at("USING")):
        alias = p.identifier()
    if not p.accept("USING"):
        p.fail("'AS'", "'USING'", "<identifier>")
    source = p.relation()
    p.expect("ON")
    condition = p.expression()
    if not p.looking_at("WHEN"):
        p.fail("'WHEN'")
    cases = []
    while p.looking_at("WHEN"):
        cases.append(_case(p))
    return Merge(at, name, alias, source, condition, tuple(cases))


def _case(p: Parser) -> MergeCase:
    at = p.expect("WHEN")
    matched = not p.accept("NOT")
    p.expect("MATCHED")
    condition = p.expression() if p.accept("AND") else None
    p.expect("THEN")
    if not matched:
        p.expect("INSERT")
        columns = p.identifiers() if p.looking_at("(") else ()
        p.expect("VALUES")
        return MergeCase(
            at, "INSERT", condition, columns=columns, values=p.take_bracketed_list(p.expression)
        )
    if p.expect_any("DELETE", "UPDATE") == "DELETE":
        return MergeCase(at, "DELETE", condition)
    p.expect("SET")
    return MergeCase(at, "UPDATE", condition, p.comma_list(lambda: _assignment(p)))
