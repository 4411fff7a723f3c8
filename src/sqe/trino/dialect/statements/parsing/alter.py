"""ALTER TABLE, SCHEMA, VIEW and MATERIALIZED VIEW."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqe.trino.dialect.nodes import Name, Statement
from sqe.trino.dialect.statements.nodes import (
    AddColumn,
    AlterColumn,
    DropColumn,
    ExecuteProcedure,
    RefreshView,
    Rename,
    RenameColumn,
    RenameSchema,
    SetAuthorization,
    SetProperties,
)
from sqe.trino.dialect.statements.parsing.catalogs import alter_catalog
from sqe.trino.dialect.statements.parsing.clauses import (
    arguments,
    column_definition,
    principal,
    property_,
)

if TYPE_CHECKING:
    from sqe.trino.dialect.parser import Parser


def alter(p: Parser) -> Statement:
    at = p.expect("ALTER")
    table_at = p.here
    if p.accept("TABLE"):
        return _table(p, at, table_at)
    if p.accept("SCHEMA"):
        return _schema(p, at)
    if p.accept("VIEW"):
        return _view(p, at)
    if p.accept("MATERIALIZED"):
        p.expect("VIEW")
        return _alter_materialized_view(p, at)
    if p.word_ahead(0) == "CATALOG" and p.accept("CATALOG"):  # errors list what Trino expects
        return alter_catalog(p, at)
    p.fail("'MATERIALIZED'", "'SCHEMA'", "'TABLE'", "'VIEW'")


def _schema(p: Parser, at: int) -> Statement:
    name = p.name()
    if p.accept("RENAME"):
        p.expect("TO")
        return RenameSchema(at, name, p.identifier())
    p.expect("SET")
    return _authorization(p, at, "SCHEMA", name)


def _view(p: Parser, at: int) -> Statement:
    name = p.name()
    word = p.expect_any("REFRESH", "RENAME", "SET")
    if word == "REFRESH":
        return RefreshView(at, name)
    if word == "SET":
        return _authorization(p, at, "VIEW", name)
    p.expect("TO")
    return Rename(at, "VIEW", name, p.name())


def _alter_materialized_view(p: Parser, at: int) -> Statement:
    kind = "MATERIALIZED VIEW"
    if_exists = p.accept("IF", "EXISTS")
    name = p.name()
    if p.accept("RENAME"):
        p.expect("TO")
        return Rename(at, kind, name, p.name(), if_exists)
    p.expect("SET")
    if p.accept("PROPERTIES"):
        return SetProperties(at, kind, name, p.comma_list(lambda: property_(p)))
    return _authorization(p, at, kind, name)


def _authorization(p: Parser, at: int, kind: str, name: Name) -> Statement:
    p.expect("AUTHORIZATION")
    return SetAuthorization(at, kind, name, principal(p))


def _table(p: Parser, at: int, table_at: int) -> Statement:
    if_exists = p.accept("IF", "EXISTS")
    name = p.name()
    word = p.expect_any("ADD", "ALTER", "DROP", "EXECUTE", "RENAME", "SET")
    if word == "ADD":
        return _add_column(p, at, name, if_exists)
    if word == "ALTER":
        return _alter_column(p, at, name, if_exists)
    if word == "DROP":
        p.expect("COLUMN")
        tolerant = p.accept("IF", "EXISTS")
        return DropColumn(at, name, p.name(), if_exists, tolerant)
    if word == "EXECUTE":
        procedure = p.identifier()
        call_arguments = arguments(p) if p.looking_at("(") else ()
        where = p.expression() if p.accept("WHERE") else None
        return ExecuteProcedure(at, name, procedure, call_arguments, where, table_at)
    if word == "RENAME":
        return _rename(p, at, name, if_exists)
    if p.accept("PROPERTIES"):
        return SetProperties(at, "TABLE", name, p.comma_list(lambda: property_(p)))
    return _authorization(p, at, "TABLE", name)


def _rename(p: Parser, at: int, name: Name, if_exists: bool) -> Statement:
    if p.expect_any("COLUMN", "TO") == "TO":
        return Rename(at, "TABLE", name, p.name(), if_exists)
    tolerant = p.accept("IF", "EXISTS")
    column = p.name()
    p.expect("TO")
    return RenameColumn(at, name, column, p.identifier(), if_exists, tolerant)


def _add_column(p: Parser, at: int, name: Name, if_exists: bool) -> Statement:
    p.expect("COLUMN")
    tolerant = p.accept("IF", "NOT", "EXISTS")
    column = column_definition(p)
    place = p.accept_any("FIRST", "LAST", "AFTER")
    after = p.identifier() if place == "AFTER" else None
    return AddColumn(
        at, name, column, if_exists, tolerant, place == "FIRST", after, place == "LAST"
    )


def _alter_column(p: Parser, at: int, name: Name, if_exists: bool) -> Statement:
    p.expect("COLUMN")
    column = p.name()
    word = p.expect_any("DROP", "SET")
    if word == "DROP":
        if p.accept("DEFAULT"):
            return AlterColumn(at, name, column, "DROP DEFAULT", if_exists=if_exists)
        p.expect("NOT")
        p.expect("NULL")
        return AlterColumn(at, name, column, "DROP NOT NULL", if_exists=if_exists)
    if p.accept("DEFAULT"):
        default = p.expression()
        return AlterColumn(at, name, column, "SET DEFAULT", default=default, if_exists=if_exists)
    p.expect("DATA")
    p.expect("TYPE")
    kind, type_at = p.type_text()
    return AlterColumn(at, name, column, "SET DATA TYPE", kind, type_at, None, if_exists)
