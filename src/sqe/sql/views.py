"""CREATE [TEMPORARY] VIEW and ALTER VIEW: what they say besides the query they hold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from sqlglot import Token

from sqe.sql.alter import read_rename
from sqe.sql.alter_actions import read_names
from sqe.sql.cursor import TokenCursor
from sqe.sql.statement import Access, Command, Details, Reference, Statement, StatementKind, blank
from sqe.sql.table_properties import read_properties
from sqe.sql.traits import DecidedBy, RunsOn, Traits

ParseInner = Callable[[str], Statement]


@dataclass(frozen=True)
class ViewDefinition(Details):
    """What CREATE [TEMPORARY] VIEW says besides the query."""

    parts: tuple[str, ...]
    columns: tuple[tuple[str, str], ...]  # (name, comment); empty: the query's own names
    comment: str
    properties: tuple[tuple[str, str], ...]
    replace: bool
    if_not_exists: bool
    query_text: str
    alter: bool = False  # ALTER VIEW: it must be there, and keeps what is not said anew
    definer: bool = False  # SECURITY DEFINER: read with the rights of who makes it
    evolves: bool = False  # WITH SCHEMA TYPE EVOLUTION: its columns' types are those of its query


@dataclass(frozen=True)
class AlterViewProperties(Command):
    """ALTER VIEW … SET or UNSET TBLPROPERTIES, or WITH SCHEMA TYPE EVOLUTION (``evolves``). The
    view is the statement's only reference."""

    traits = Traits(
        decided_by=DecidedBy.RELATIONS,
        runs_on=RunsOn.COORDINATOR,
        changes_views=True,
    )

    updates: tuple[tuple[str, str], ...] = ()
    removals: tuple[str, ...] = ()
    if_exists: bool = False
    evolves: bool = False

    @property
    def label(self) -> str:
        return "alter view"


def parse_create_view(text: str, tokens: list[Token], parse_inner: ParseInner) -> Statement | None:
    cursor = TokenCursor(text, tokens)
    cursor.expect("CREATE")
    replace = cursor.accept("OR", "REPLACE")
    if cursor.looking_at("GLOBAL"):
        cursor.refuse("CREATE GLOBAL TEMPORARY VIEW", "Use CREATE TEMPORARY VIEW or CREATE VIEW.")
    temporary = cursor.accept_one_of("TEMPORARY", "TEMP") is not None
    if not cursor.accept("VIEW"):
        return None
    if_not_exists = cursor.accept("IF", "NOT", "EXISTS")
    parts, span = cursor.take_dotted_name("the view's name")
    if temporary and len(parts) > 1:
        cursor.refuse("A qualified name for a temporary view", "Give it a name of one part.")
    columns = _view_columns(cursor)
    clauses = _view_clauses(cursor, temporary=temporary)
    if cursor.looking_at("USING"):
        cursor.refuse("CREATE VIEW … USING", "Create a table, or a view over a query.")
    cursor.expect("AS")
    inner, query_text = read_query(text, cursor, parse_inner)
    kind = StatementKind.CREATE_TEMPORARY_VIEW if temporary else StatementKind.CREATE_VIEW
    definition = ViewDefinition(
        parts=parts,
        columns=columns,
        comment=clauses.comment,
        properties=tuple(clauses.properties),
        replace=replace,
        if_not_exists=if_not_exists,
        query_text=query_text,
        definer=clauses.security == "DEFINER",
        evolves=clauses.evolves,
    )
    tolerant = replace or if_not_exists
    references = (Reference(parts, span, Access.CREATE, if_exists=tolerant),)
    return Statement(text, kind, () if temporary else references, command=definition, inner=inner)


def read_query(text: str, cursor: TokenCursor, parse_inner: ParseInner) -> tuple[Statement, str]:
    """The query that the rest of the text is, and that rest."""
    if cursor.at_end():
        cursor.fail("Expected a query")
    start = cursor.offset()
    inner = parse_inner(blank(text, start))
    if inner.kind is not StatementKind.QUERY:
        cursor.fail("Expected a query")
    return inner, text[start:]


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


@dataclass
class _Clauses:
    comment: str = ""
    properties: list[tuple[str, str]] = field(default_factory=list)
    security: str = ""
    evolves: bool = False


def _view_clauses(cursor: TokenCursor, *, temporary: bool) -> _Clauses:
    clauses = _Clauses()
    while True:
        if cursor.accept("COMMENT"):
            clauses.comment = cursor.string_literal()
        elif cursor.accept("TBLPROPERTIES"):
            clauses.properties += read_view_properties(cursor)
        elif cursor.looking_at("SECURITY"):
            if temporary:
                cursor.refuse("SECURITY of a temporary view", "It is read by its own user only.")
            clauses.security = _security(cursor, clauses)
        elif cursor.looking_at("WITH", "SCHEMA"):
            if temporary:
                cursor.refuse("WITH SCHEMA of a temporary view", "It gives what its query gives.")
            clauses.evolves = _schema_mode(cursor)
        elif cursor.looking_at("DEFAULT", "COLLATION"):
            cursor.refuse("DEFAULT COLLATION of a view", "Write COLLATE in its query.")
        else:
            return clauses


def _schema_mode(cursor: TokenCursor) -> bool:
    """Whether its types evolve; else they are kept. Views are inlined: whether a query could not
    give them any more (BINDING), or gives more columns (EVOLUTION), is not known in time."""
    cursor.expect("WITH", "SCHEMA")
    if cursor.accept("COMPENSATION"):
        return False
    if cursor.accept("TYPE", "EVOLUTION"):
        return True
    mode = cursor.accept_one_of("BINDING", "EVOLUTION")
    if mode is None:
        cursor.fail("Expected BINDING, COMPENSATION, TYPE EVOLUTION or EVOLUTION")
    cursor.refuse(f"WITH SCHEMA {mode}", "COMPENSATION and TYPE EVOLUTION are.")


def _security(cursor: TokenCursor, found: _Clauses) -> str:
    cursor.expect("SECURITY")
    word = cursor.accept_one_of("DEFINER", "INVOKER")
    if word is None or found.security:
        cursor.fail("Expected DEFINER or INVOKER, once")
    return word


# What SQE or the catalog keeps there itself.
_RESERVED = frozenset(
    {"location", "owner", "provider", "create_engine_version", "engine_version"}
    | {"spark.query-column-names"}
)


def read_view_properties(cursor: TokenCursor) -> list[tuple[str, str]]:
    properties = read_properties(cursor)
    for prop in properties:
        _refuse_reserved(cursor, prop.name)
    return [(prop.name, prop.value) for prop in properties]


def _refuse_reserved(cursor: TokenCursor, name: str) -> None:
    if name.lower() in _RESERVED or name.lower().startswith("sqe."):
        cursor.refuse(f"The reserved property {name} of a view", "Choose another name.")


def parse_alter_view(text: str, tokens: list[Token], parse_inner: ParseInner) -> Statement | None:
    cursor = TokenCursor(text, tokens)
    cursor.expect("ALTER")
    if not cursor.accept("VIEW"):
        return None
    parts, span = cursor.take_dotted_name("the view's name")
    reference = Reference(parts, span, Access.ALTER)
    if cursor.accept("RENAME", "TO"):
        return read_rename(text, cursor, reference, view=True)
    command: AlterViewProperties | None = None
    if cursor.accept("SET", "TBLPROPERTIES"):
        command = AlterViewProperties(updates=tuple(read_view_properties(cursor)))
    elif cursor.accept("UNSET", "TBLPROPERTIES"):
        tolerant = cursor.accept("IF", "EXISTS")
        names = tuple(name for name, _ in read_names(cursor))
        for name in names:
            _refuse_reserved(cursor, name)
        command = AlterViewProperties(removals=names, if_exists=tolerant)
    elif cursor.looking_at("WITH", "SCHEMA"):
        if not _schema_mode(cursor):
            cursor.refuse("ALTER VIEW … WITH SCHEMA COMPENSATION", "ALTER VIEW … AS keeps types.")
        command = AlterViewProperties(evolves=True)
    if command is not None:
        cursor.expect_end()
        return Statement(text, StatementKind.COMMAND, (reference,), command=command)
    cursor.accept("AS")
    return _new_query(text, cursor, reference, parse_inner)


def _new_query(
    text: str, cursor: TokenCursor, reference: Reference, parse_inner: ParseInner
) -> Statement:
    if cursor.source().upper() not in ("SELECT", "WITH", "VALUES", "FROM", "TABLE", "("):
        cursor.fail("Expected AS and a query, SET, UNSET or RENAME TO")
    inner, query_text = read_query(text, cursor, parse_inner)
    definition = ViewDefinition(
        parts=reference.parts,
        columns=(),
        comment="",
        properties=(),
        replace=True,
        if_not_exists=False,
        query_text=query_text,
        alter=True,
    )
    return Statement(text, StatementKind.CREATE_VIEW, (reference,), command=definition, inner=inner)
