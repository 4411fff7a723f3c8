"""ALTER SCHEMA … SET and UNSET PROPERTIES."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import Token

from sqe.sql.alter_actions import read_names
from sqe.sql.commands import Name
from sqe.sql.cursor import TokenCursor
from sqe.sql.statement import NamedCommand, Statement, StatementKind
from sqe.sql.table_properties import read_properties
from sqe.sql.traits import DecidedBy, catalog_change

_SCHEMAS = ("SCHEMA", "DATABASE", "NAMESPACE")
_RESERVED = frozenset({"location", "owner"})


@dataclass(frozen=True)
class AlterSchema(NamedCommand):
    traits = catalog_change(DecidedBy.ALTERED_SCHEMA)

    schema: Name
    updates: tuple[tuple[str, str], ...] = ()
    removals: tuple[str, ...] = ()


def parse_alter_schema(text: str, tokens: list[Token]) -> Statement | None:
    cursor = TokenCursor(text, tokens)
    cursor.expect("ALTER")
    if cursor.accept_one_of(*_SCHEMAS) is None:
        return None
    schema = Name(*cursor.take_dotted_name("a schema"))
    if cursor.accept("SET", "DBPROPERTIES") or cursor.accept("SET", "PROPERTIES"):
        updates = tuple((property_.name, property_.value) for property_ in read_properties(cursor))
        _refuse_reserved(cursor, [name for name, _ in updates])
        command = AlterSchema(schema, updates=updates)
    elif cursor.accept("UNSET", "DBPROPERTIES") or cursor.accept("UNSET", "PROPERTIES"):
        cursor.accept("IF", "EXISTS")
        removals = tuple(name for name, _ in read_names(cursor))
        _refuse_reserved(cursor, removals)
        command = AlterSchema(schema, removals=removals)
    elif cursor.looking_at("SET", "LOCATION") or cursor.looking_at("SET", "MANAGED"):
        cursor.refuse("LOCATION of a schema", "The catalog decides where its data lies.")
    elif cursor.looking_at("DEFAULT", "COLLATION"):
        cursor.refuse("A collation of a schema")
    elif cursor.looking_at("RENAME"):
        cursor.refuse("Renaming a schema", "Create another and rename its tables into it.")
    else:
        cursor.fail("Expected SET PROPERTIES or UNSET PROPERTIES")
    cursor.expect_end()
    return Statement(text, StatementKind.COMMAND, command=command)


def _refuse_reserved(cursor: TokenCursor, names: list[str] | tuple[str, ...]) -> None:
    for name in names:
        if name.lower() in _RESERVED:
            cursor.refuse(f"The reserved property {name} of a schema")
