"""CREATE CATALOG … USING … WITH (…), ALTER CATALOG … SET PROPERTIES, DROP CATALOG,
SHOW CREATE CATALOG: Trino's statements, with SQE's properties."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import Token

from sqe.sql.cursor import TokenCursor, command_tokens
from sqe.sql.statement import NamedCommand, Statement, StatementKind
from sqe.sql.table_properties import read_property_name
from sqe.sql.traits import DecidedBy, catalog_change, look

Properties = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class CreateCatalog(NamedCommand):
    """``kind``: the type of catalog, or the service that speaks Iceberg REST."""

    traits = catalog_change(DecidedBy.ADMINISTRATION)

    name: str
    kind: str
    properties: Properties = ()
    if_not_exists: bool = False


@dataclass(frozen=True)
class AlterCatalog(NamedCommand):
    """The properties that are named change, the others stay."""

    traits = catalog_change(DecidedBy.ADMINISTRATION)

    name: str
    properties: Properties


@dataclass(frozen=True)
class DropCatalog(NamedCommand):
    """SQE knows it no more; what is in it stays where it is."""

    traits = catalog_change(DecidedBy.ADMINISTRATION)

    name: str
    if_exists: bool = False


@dataclass(frozen=True)
class ShowCreateCatalog(NamedCommand):
    traits = look(DecidedBy.ADMINISTRATION)

    name: str


def parse_catalog(text: str, tokens: list[Token]) -> Statement | None:
    """None for a statement about anything else."""
    cursor = TokenCursor(text, command_tokens(text, tokens))
    first = text[tokens[0].start : tokens[0].end + 1].upper()
    cursor.skip()
    if first == "SHOW" and not cursor.accept("CREATE"):
        return None
    if not cursor.accept("CATALOG"):
        return None
    command = _READERS[first](cursor)
    cursor.expect_end()
    return Statement(text, StatementKind.COMMAND, command=command)


def _read_create(cursor: TokenCursor) -> CreateCatalog:
    if_not_exists = cursor.accept("IF", "NOT", "EXISTS")
    name = cursor.identifier("a catalog's name")
    cursor.expect("USING")
    kind = cursor.identifier("a type of catalog").lower()
    for clause in ("COMMENT", "AUTHORIZATION"):
        if cursor.looking_at(clause):
            cursor.refuse(f"CREATE CATALOG … {clause}")
    properties = _read_properties(cursor) if cursor.accept("WITH") else ()
    return CreateCatalog(name, kind, properties, if_not_exists)


def _read_alter(cursor: TokenCursor) -> AlterCatalog:
    name = cursor.identifier("a catalog's name")
    cursor.expect("SET", "PROPERTIES")
    return AlterCatalog(name, _read_properties(cursor))


def _read_drop(cursor: TokenCursor) -> DropCatalog:
    if_exists = cursor.accept("IF", "EXISTS")
    name = cursor.identifier("a catalog's name")
    if cursor.looking_at("CASCADE"):
        cursor.refuse("DROP CATALOG … CASCADE", "What is in a catalog stays there.")
    cursor.accept("RESTRICT")
    return DropCatalog(name, if_exists)


def _read_show(cursor: TokenCursor) -> ShowCreateCatalog:
    return ShowCreateCatalog(cursor.identifier("a catalog's name"))


def _read_properties(cursor: TokenCursor) -> Properties:
    """With brackets or, as Trino's ALTER has it, without."""
    brackets = cursor.accept("(")
    properties: dict[str, str] = {}
    while not properties or cursor.accept(","):
        name = read_property_name(cursor)
        if name in properties:
            cursor.fail(f"The property {name} is given twice")
        cursor.expect("=")
        properties[name] = cursor.property_value()
    if brackets:
        cursor.expect(")")
    return tuple(properties.items())


_READERS = {"ALTER": _read_alter, "CREATE": _read_create, "DROP": _read_drop, "SHOW": _read_show}
