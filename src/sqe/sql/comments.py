"""COMMENT ON SCHEMA, TABLE, VIEW or COLUMN … IS 'text' or NULL."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import Token

from sqe.sql.commands import Name
from sqe.sql.cursor import TokenCursor
from sqe.sql.statement import (
    Access,
    Command,
    NamedCommand,
    Reference,
    Span,
    Statement,
    StatementKind,
)
from sqe.sql.traits import DecidedBy, RunsOn, Traits, catalog_change

_SCHEMAS = ("SCHEMA", "DATABASE", "NAMESPACE")


@dataclass(frozen=True)
class CommentOn(NamedCommand):
    """Of a relation, the statement's only reference; ``column`` of it, if there is one."""

    traits = Traits(
        decided_by=DecidedBy.RELATIONS,
        runs_on=RunsOn.COORDINATOR,
        changes_views=True,
    )

    comment: str | None
    view: bool = False
    column: str | None = None


@dataclass(frozen=True)
class CommentOnSchema(Command):
    traits = catalog_change(DecidedBy.ALTERED_SCHEMA)

    schema: Name
    comment: str | None

    @property
    def label(self) -> str:
        return "comment on"


def parse_comment(text: str, tokens: list[Token]) -> Statement:
    cursor = TokenCursor(text, tokens)
    cursor.expect("COMMENT", "ON")
    what = cursor.accept_one_of("TABLE", "VIEW", "COLUMN", *_SCHEMAS)
    if what is None:
        cursor.fail("Expected SCHEMA, TABLE, VIEW or COLUMN")
    if what in _SCHEMAS:
        schema = Name(*cursor.take_dotted_name("a schema"))
        return Statement(
            text, StatementKind.COMMAND, command=CommentOnSchema(schema, _comment(cursor))
        )
    column = None
    if what == "COLUMN":
        parts, span, column = _column(cursor)
    else:
        parts, span = cursor.take_dotted_name(f"a {what.lower()}")
    command = CommentOn(_comment(cursor), what == "VIEW", column)
    reference = Reference(parts, span, Access.ALTER)
    return Statement(text, StatementKind.COMMAND, (reference,), command=command)


def _column(cursor: TokenCursor) -> tuple[tuple[str, ...], Span, str]:
    """``schema.table.column``: the table's name and place, and the column."""
    names = [cursor.read_with_span(lambda: cursor.identifier("a table and a column"))]
    while cursor.accept("."):
        names.append(cursor.read_with_span(cursor.identifier))
    if len(names) < 2:
        cursor.fail("COMMENT ON COLUMN takes a table and a column with a dot between them")
    table = names[:-1]
    parts = tuple(name for name, _ in table)
    return parts, Span(table[0][1].start, table[-1][1].end), names[-1][0]


def _comment(cursor: TokenCursor) -> str | None:
    cursor.expect("IS")
    comment = None if cursor.accept("NULL") else cursor.string_literal()
    cursor.expect_end()
    return comment
