"""Clauses that several statements share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqe.trino.dialect.nodes import Expression, Identifier
from sqe.trino.dialect.statements.nodes import (
    Argument,
    ColumnDefinition,
    LikeClause,
    Principal,
    Properties,
    Property,
)

if TYPE_CHECKING:
    from sqe.trino.dialect.parser import Parser


def comment(p: Parser) -> str | None:
    return p.string().value if p.accept("COMMENT") else None


def with_properties(p: Parser) -> Properties:
    return p.take_bracketed_list(lambda: property_(p)) if p.accept("WITH") else ()


def property_(p: Parser) -> Property:
    at = p.here
    name = p.identifier()
    p.expect("=")
    value: Expression | None = None
    if not p.accept("DEFAULT"):
        value = p.expression()
    return Property(at, name, value)


def column_definition(p: Parser) -> ColumnDefinition:
    at = p.here
    name = p.name()
    kind, type_at = p.type_text()
    default = p.expression() if p.accept("DEFAULT") else None
    not_null = p.accept("NOT", "NULL")
    return ColumnDefinition(
        at, name, kind, type_at, not_null, default, comment(p), with_properties(p)
    )


def table_element(p: Parser) -> ColumnDefinition | LikeClause:
    if not p.looking_at("LIKE"):
        if not p.is_identifier():
            p.fail("'LIKE'", "<identifier>")
        return column_definition(p)
    at = p.expect("LIKE")
    name = p.name()
    word = p.accept_any("INCLUDING", "EXCLUDING")
    if word is not None:
        p.expect("PROPERTIES")
    return LikeClause(at, name, word == "INCLUDING")


def principal(p: Parser) -> Principal:
    """``USER ann``, ``ROLE admin``, or a name alone. USER and ROLE are names too."""
    at = p.here
    kind = ""
    if p.looking_at_any("USER", "ROLE") and p.is_identifier(1):
        kind = p.expect_any("USER", "ROLE")
    return Principal(at, kind, p.identifier())


def arguments(p: Parser) -> tuple[Argument, ...]:
    """``(a, name => b)``; the brackets may be empty."""
    if p.accept("(", ")"):
        return ()
    return p.take_bracketed_list(lambda: _argument(p))


def _argument(p: Parser) -> Argument:
    at = p.here
    name: Identifier | None = None
    if p.is_identifier():
        place = p.mark()
        name = p.identifier()
        if not p.accept("=>"):
            p.rewind(place)
            name = None
    return Argument(at, name, p.expression())
