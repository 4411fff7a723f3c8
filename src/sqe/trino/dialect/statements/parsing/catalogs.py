"""CREATE, ALTER and DROP CATALOG, and SHOW CREATE CATALOG: each from behind CATALOG."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqe.trino.dialect.nodes import Statement
from sqe.trino.dialect.statements.catalog_nodes import (
    AlterCatalog,
    CreateCatalog,
    DropCatalog,
    ShowCreateCatalog,
)
from sqe.trino.dialect.statements.parsing.clauses import (
    comment,
    principal,
    property_,
    with_properties,
)

if TYPE_CHECKING:
    from sqe.trino.dialect.parser import Parser


def create_catalog(p: Parser, at: int) -> Statement:
    if_not_exists = p.accept("IF", "NOT", "EXISTS")
    name = p.identifier()
    p.expect("USING")
    connector = p.identifier()
    note = comment(p)
    owner = principal(p) if p.accept("AUTHORIZATION") else None
    return CreateCatalog(at, name, connector, if_not_exists, note, owner, with_properties(p))


def drop_catalog(p: Parser, at: int) -> Statement:
    if_exists = p.accept("IF", "EXISTS")
    name = p.identifier()
    return DropCatalog(at, name, if_exists, p.accept_any("CASCADE", "RESTRICT") == "CASCADE")


def alter_catalog(p: Parser, at: int) -> Statement:
    name = p.identifier()
    p.expect("SET")
    p.expect("PROPERTIES")
    properties = [property_(p)]
    while p.accept(","):
        properties.append(property_(p))
    return AlterCatalog(at, name, tuple(properties))


def show_create_catalog(p: Parser, at: int) -> Statement:
    return ShowCreateCatalog(at, p.identifier())
