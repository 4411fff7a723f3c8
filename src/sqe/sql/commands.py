"""Statements the coordinator answers by itself, and their grammar.

Spark's syntax comes first; Trino's spelling is taken where it does not clash.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlglot.tokenizer_core import Token

from sqe.sql.cursor import TokenCursor, command_tokens
from sqe.sql.settings import parse_reset, parse_set
from sqe.sql.statement import Access, Command, NamedCommand, Reference, Span
from sqe.sql.table_properties import read_properties, read_property_name
from sqe.sql.traits import DecidedBy, catalog_change, look, session_change


@dataclass(frozen=True, slots=True)
class Name:
    """A dotted name and its place in the text."""

    parts: tuple[str, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class NamePattern:
    """What stands behind LIKE in SHOW.

    As in Spark: ``*`` is any sequence, ``|`` separates alternatives, case does not matter, spaces
    around are dropped, and ``_`` is itself, because it is common in names. In addition ``%`` is
    any sequence, as Trino's clients write it. With an ESCAPE, which only Trino has, the pattern is
    SQL's: ``%``, ``_`` and the escape character, nothing else.
    """

    text: str
    escape: str | None = None

    def matches(self, name: str) -> bool:
        return re.fullmatch(self._regex(), name, re.IGNORECASE | re.DOTALL) is not None

    def _regex(self) -> str:
        if self.escape is None:
            alternatives = self.text.strip().split("|")
            return "|".join(
                re.sub(r"[*%]+", ".*", re.sub(r"[^*%\w]", r"\\\g<0>", alternative))
                for alternative in alternatives
            )
        pattern, pieces = iter(self.text), []
        for char in pattern:
            if char == self.escape:
                pieces.append(re.escape(next(pattern, "")))
            else:
                pieces.append({"%": ".*", "_": "."}.get(char) or re.escape(char))
        return "".join(pieces)


@dataclass(frozen=True)
class ShowCatalogs(NamedCommand):
    traits = look(DecidedBy.EVERYBODY)

    pattern: NamePattern | None = None


@dataclass(frozen=True)
class ShowCatalogsExtended(NamedCommand):
    """With where they are, as whom they know the user, and whether they answer."""

    traits = look(DecidedBy.EVERYBODY)

    pattern: NamePattern | None = None


@dataclass(frozen=True)
class ShowSchemas(NamedCommand):
    traits = look(DecidedBy.LISTED_SCHEMAS)

    within: Name | None = None
    pattern: NamePattern | None = None


@dataclass(frozen=True)
class ShowTables(NamedCommand):
    traits = look(DecidedBy.SEEN_SCHEMA)

    schema: Name | None = None
    pattern: NamePattern | None = None


@dataclass(frozen=True)
class ShowTableExtended(NamedCommand):
    """Tables and views, each with what DESCRIBE EXTENDED tells of it."""

    traits = look(DecidedBy.SEEN_SCHEMA)

    schema: Name | None
    pattern: NamePattern


@dataclass(frozen=True)
class ShowViews(NamedCommand):
    traits = look(DecidedBy.SEEN_SCHEMA)

    schema: Name | None = None
    pattern: NamePattern | None = None


@dataclass(frozen=True)
class ShowColumns(NamedCommand):
    """The table is the statement's only reference."""

    traits = look(DecidedBy.RELATIONS)


@dataclass(frozen=True)
class ShowCreate(NamedCommand):
    """The relation is the statement's only reference."""

    traits = look(DecidedBy.RELATIONS)

    view: bool = False  # the user wrote VIEW


@dataclass(frozen=True)
class ShowCreateSchema(NamedCommand):
    traits = look(DecidedBy.SEEN_SCHEMA)

    schema: Name


@dataclass(frozen=True)
class ShowFunctions(NamedCommand):
    """Spark's own, and those that people have written: in a schema (the session's) and in the
    session itself. Of a schema that the user does not see, none."""

    traits = look(DecidedBy.EVERYBODY)

    pattern: NamePattern | None = None
    user: bool = True
    system: bool = True
    schema: Name | None = None


@dataclass(frozen=True)
class ShowProcedures(NamedCommand):
    traits = look(DecidedBy.EVERYBODY)

    pattern: NamePattern | None = None


@dataclass(frozen=True)
class ShowSession(NamedCommand):
    traits = look(DecidedBy.EVERYBODY)

    pattern: NamePattern | None = None


@dataclass(frozen=True)
class ShowCurrentSchema(NamedCommand):
    """Where the session stands."""

    traits = look(DecidedBy.EVERYBODY)


@dataclass(frozen=True)
class ShowTableProperties(NamedCommand):
    """The table is the statement's only reference."""

    traits = look(DecidedBy.RELATIONS)

    key: str | None = None


@dataclass(frozen=True)
class DescribeTable(NamedCommand):
    """The table is the statement's only reference."""

    traits = look(DecidedBy.RELATIONS)

    extended: bool = False
    column: Name | None = None
    as_json: bool = False


@dataclass(frozen=True)
class DescribeSchema(NamedCommand):
    traits = look(DecidedBy.SEEN_SCHEMA)

    schema: Name
    extended: bool = False


@dataclass(frozen=True)
class UseSchema(NamedCommand):
    """``USE x``: a schema of the current catalog if there is one of that name, else a catalog."""

    traits = session_change(DecidedBy.USED_SCHEMA)

    name: Name
    catalog: bool = False  # the user said it is a catalog
    schema: bool = False  # the user said it is a schema


@dataclass(frozen=True)
class CreateSchema(NamedCommand):
    traits = catalog_change(DecidedBy.CREATED_SCHEMA)

    schema: Name
    if_not_exists: bool = False
    properties: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class DropSchema(NamedCommand):
    traits = catalog_change(DecidedBy.DROPPED_SCHEMA)

    schema: Name
    if_exists: bool = False
    cascade: bool = False


@dataclass(frozen=True)
class DropTable(NamedCommand):
    """The table is the statement's only reference."""

    traits = catalog_change()

    if_exists: bool = False
    purge: bool = False


@dataclass(frozen=True)
class DropView(NamedCommand):
    """The view is the statement's only reference. A temporary view of that name wins."""

    traits = catalog_change()

    if_exists: bool = False


Parsed = tuple[Command, tuple[Reference, ...]]


def parse_command(text: str, tokens: Sequence[Token]) -> Parsed | None:
    """The command and the relations it names, or None where the statement is not a command.

    ``tokens`` are Spark's for ``text``. A statement that starts like a command and goes wrong is a
    SYNTAX_ERROR; a form of Spark's that SQE does not have is refused by name.
    """
    cursor = TokenCursor(text, command_tokens(text, tokens))
    first = text[tokens[0].start : tokens[0].end + 1].upper() if tokens else ""
    family = _FAMILIES.get(first)
    if family is None:
        return None
    # By position, not by word: command_tokens has put another word in SHOW's place.
    cursor.skip()
    parsed = family(cursor)
    if parsed is not None:
        cursor.expect_end()
    return parsed


def _alone(command: Command) -> Parsed:
    return command, ()


def _about(command: Command, name: Name, access: Access, if_exists: bool = False) -> Parsed:
    reference = Reference(name.parts, name.span, access, if_exists=if_exists)
    return command, (reference,)


def _name(cursor: TokenCursor, what: str) -> Name:
    return Name(*cursor.take_dotted_name(what))


def _within(cursor: TokenCursor, what: str) -> Name | None:
    return _name(cursor, what) if cursor.accept_one_of("FROM", "IN") else None


def _pattern(cursor: TokenCursor) -> NamePattern | None:
    if not cursor.accept("LIKE") and not cursor.at_string():
        return None
    text = cursor.string_literal("a pattern in quotes")
    escape = None
    if cursor.accept("ESCAPE"):
        escape = cursor.string_literal()
        if len(escape) != 1:
            cursor.fail("ESCAPE takes one character")
    return NamePattern(text, escape)


_SCHEMA_WORDS = ("SCHEMA", "DATABASE", "NAMESPACE")
# Read elsewhere, or by more than one word.
_OTHER_SHOWS = (
    "CREATE TABLE", "CREATE VIEW", "CREATE SCHEMA", "CREATE FUNCTION", "CREATE CATALOG",
    "STATS", "MAINTENANCE",
    "MATERIALIZED VIEWS", "ROLES", "CURRENT SCHEMA",
    "CURRENT ROLES", "ROLE GRANTS", "GRANTS", "ROW FILTERS", "COLUMN MASKS", "TAGS",
    "EFFECTIVE POLICY",
)  # fmt: skip
_REFUSED_SHOWS = (
    "PARTITIONS", "GRANT", "ROLE", "PRINCIPALS", "INDEXES", "LOCKS",
    "TRANSACTIONS", "COMPACTIONS", "MACROS", "VARIABLES", "BRANCHES",
    "COLLATIONS", "CACHED TABLES",
)  # fmt: skip


def _show(cursor: TokenCursor) -> Parsed:
    word = cursor.accept_one_of(*_SHOWS)
    if word is not None:
        return _SHOWS[word](cursor)
    if cursor.accept("CREATE", "TABLE"):
        return _about(ShowCreate(), _name(cursor, "a table"), Access.DESCRIBE)
    if cursor.accept("CREATE", "VIEW"):
        return _about(ShowCreate(view=True), _name(cursor, "a view"), Access.DESCRIBE)
    if cursor.looking_at("CREATE") and cursor.source(1).upper() in _SCHEMA_WORDS:
        cursor.skip()
        cursor.skip()
        return _alone(ShowCreateSchema(_name(cursor, "a schema")))
    if cursor.looking_at("CURRENT") and cursor.source(1).upper() in _SCHEMA_WORDS:
        cursor.skip()
        cursor.skip()
        return _alone(ShowCurrentSchema())
    for scope in ("USER", "SYSTEM", "ALL"):
        if cursor.accept(scope, "FUNCTIONS"):
            return _show_functions(cursor, scope)
    for form in _REFUSED_SHOWS:
        if cursor.looking_at(*form.split()):
            cursor.refuse(f"SHOW {form}")
    shows = ", ".join([*_SHOWS, *_OTHER_SHOWS])
    cursor.fail(f"SHOW takes one of {shows}")


def _show_catalogs(cursor: TokenCursor) -> Parsed:
    if cursor.accept("EXTENDED"):
        return _alone(ShowCatalogsExtended(_pattern(cursor)))
    return _alone(ShowCatalogs(_pattern(cursor)))


def _show_schemas(cursor: TokenCursor) -> Parsed:
    return _alone(ShowSchemas(_within(cursor, "a catalog"), _pattern(cursor)))


def _show_tables(cursor: TokenCursor) -> Parsed:
    return _alone(ShowTables(_within(cursor, "a schema"), _pattern(cursor)))


def _show_table_extended(cursor: TokenCursor) -> Parsed:
    cursor.expect("EXTENDED")
    schema = _within(cursor, "a schema")
    pattern = _pattern(cursor)
    if pattern is None:
        cursor.fail("Expected LIKE and a pattern in quotes")
    if cursor.looking_at("PARTITION"):
        cursor.refuse(
            "SHOW TABLE EXTENDED of one partition", "SELECT from the table's .partitions."
        )
    return _alone(ShowTableExtended(schema, pattern))


def _show_views(cursor: TokenCursor) -> Parsed:
    return _alone(ShowViews(_within(cursor, "a schema"), _pattern(cursor)))


def _show_columns(cursor: TokenCursor) -> Parsed:
    table = _within(cursor, "a table")
    if table is None:
        cursor.fail("Expected FROM or IN and a table")
    schema = _within(cursor, "a schema")
    if schema is not None:
        if len(table.parts) > 1:
            cursor.fail("The schema is named twice")
        table = Name(schema.parts + table.parts, table.span)
    return _about(ShowColumns(), table, Access.DESCRIBE)


def _show_functions(cursor: TokenCursor, scope: str = "ALL") -> Parsed:
    schema = _within(cursor, "a schema")
    pattern = _pattern(cursor)
    if pattern is None and cursor.at_identifier():
        pattern = NamePattern(cursor.identifier())  # Spark takes SHOW FUNCTIONS abs
    return _alone(ShowFunctions(pattern, scope != "SYSTEM", scope != "USER", schema))


def _show_procedures(cursor: TokenCursor) -> Parsed:
    within = _within(cursor, "the schema system")
    if within is not None and within.parts[-1].lower() != "system":
        cursor.refuse("SHOW PROCEDURES of another schema than system", "SHOW PROCEDURES lists all.")
    return _alone(ShowProcedures(_pattern(cursor)))


def _show_session(cursor: TokenCursor) -> Parsed:
    return _alone(ShowSession(_pattern(cursor)))


def _show_properties(cursor: TokenCursor) -> Parsed:
    table, key = _name(cursor, "a table"), None
    if cursor.accept("("):
        key = read_property_name(cursor)
        cursor.expect(")")
    return _about(ShowTableProperties(key), table, Access.DESCRIBE)


_SHOWS: dict[str, Callable[[TokenCursor], Parsed]] = {
    "CATALOGS": _show_catalogs,
    "SCHEMAS": _show_schemas,
    "DATABASES": _show_schemas,
    "NAMESPACES": _show_schemas,
    "TABLE": _show_table_extended,
    "TABLES": _show_tables,
    "VIEWS": _show_views,
    "COLUMNS": _show_columns,
    "FUNCTIONS": _show_functions,
    "PROCEDURES": _show_procedures,
    "SESSION": _show_session,
    "TBLPROPERTIES": _show_properties,
}


def _describe(cursor: TokenCursor) -> Parsed | None:
    if cursor.accept_before_name("SELECT", "WITH", "VALUES", "FROM", "QUERY") or (
        cursor.looking_at("(")
    ):
        return None
    refused = cursor.accept_before_name("CATALOG", "PROCEDURE")
    if refused:
        cursor.refuse(f"DESCRIBE {refused}")
    if cursor.accept_before_name(*_SCHEMA_WORDS):
        extended = cursor.accept_before_name("EXTENDED") is not None
        return _alone(DescribeSchema(_name(cursor, "a schema"), extended))
    cursor.accept_before_name("TABLE")
    extended = cursor.accept_before_name("EXTENDED", "FORMATTED") is not None
    table = _name(cursor, "a table")
    if cursor.looking_at("PARTITION", "("):
        cursor.refuse("DESCRIBE of one partition", "SELECT from the table's .partitions instead.")
    as_json = cursor.accept("AS", "JSON")
    if as_json and not extended:
        cursor.refuse("DESCRIBE … AS JSON without EXTENDED", "Write DESCRIBE EXTENDED t AS JSON.")
    column = None
    if not as_json and cursor.at_identifier():
        column = _name(cursor, "a column")
        if cursor.looking_at("AS", "JSON"):
            cursor.refuse("DESCRIBE of a column AS JSON", "Describe the whole table.")
    return _about(DescribeTable(extended, column, as_json), table, Access.DESCRIBE)


def _use(cursor: TokenCursor) -> Parsed:
    word = cursor.accept_before_name("CATALOG", *_SCHEMA_WORDS)
    catalog = word == "CATALOG"
    name = _name(cursor, "a catalog" if catalog else "a schema")
    return _alone(UseSchema(name, catalog=catalog, schema=word in _SCHEMA_WORDS))


def _set(cursor: TokenCursor) -> Parsed:
    if not cursor.accept("CATALOG"):
        return _alone(parse_set(cursor))
    if not cursor.at_string():
        return _alone(UseSchema(_name(cursor, "a catalog"), catalog=True))
    name, span = cursor.read_with_span(cursor.string_literal)
    return _alone(UseSchema(Name((name,), span), catalog=True))


def _reset(cursor: TokenCursor) -> Parsed:
    return _alone(parse_reset(cursor))


def property_list(cursor: TokenCursor) -> list[tuple[str, str]]:
    return [(property_.name, property_.value) for property_ in read_properties(cursor)]


def _create(cursor: TokenCursor) -> Parsed | None:
    if not cursor.accept_one_of(*_SCHEMA_WORDS):
        return None
    if_not_exists = cursor.accept("IF", "NOT", "EXISTS")
    schema = _name(cursor, "a schema")
    properties: dict[str, str] = {}
    while not cursor.at_end():
        if cursor.accept("COMMENT"):
            properties["comment"] = cursor.string_literal()
        elif cursor.looking_at("LOCATION") or cursor.looking_at("MANAGED", "LOCATION"):
            cursor.refuse("LOCATION of a schema", "The catalog decides where its data lies.")
        elif cursor.looking_at("DEFAULT", "COLLATION"):
            cursor.refuse("A collation of a schema")
        elif cursor.accept("WITH"):
            if not cursor.accept("DBPROPERTIES"):
                cursor.accept("PROPERTIES")
            for key, value in property_list(cursor):
                if key.lower() in ("location", "owner"):
                    cursor.refuse(f"The reserved property {key} of a schema")
                properties[key] = value
        else:
            break
    return _alone(CreateSchema(schema, if_not_exists, tuple(properties.items())))


def _drop(cursor: TokenCursor) -> Parsed | None:
    what = cursor.accept_one_of("TABLE", "VIEW", *_SCHEMA_WORDS)
    if what is None:
        return None
    if_exists = cursor.accept("IF", "EXISTS")
    name = _name(cursor, "a schema" if what in _SCHEMA_WORDS else f"a {what.lower()}")
    if what == "TABLE":
        purge = cursor.accept("PURGE")
        return _about(DropTable(if_exists, purge), name, Access.DROP, if_exists)
    if what == "VIEW":
        return _about(DropView(if_exists), name, Access.DROP, if_exists)
    cascade = cursor.accept_one_of("RESTRICT", "CASCADE") == "CASCADE"
    return _alone(DropSchema(name, if_exists, cascade))


_FAMILIES: dict[str, Callable[[TokenCursor], Parsed | None]] = {
    "SHOW": _show,
    "DESCRIBE": _describe,
    "DESC": _describe,
    "USE": _use,
    "SET": _set,
    "RESET": _reset,
    "CREATE": _create,
    "DROP": _drop,
}
