"""ALTER TABLE: every form is read to its end before any of it reaches Spark.

Spark's own forms and Iceberg's (partition fields, write order, identifier fields). What changes
only metadata that Spark has no DDL for (defaults, names) is the coordinator's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlglot import Token

from sqe.sql.alter_actions import ColumnUse, Reading, read_action
from sqe.sql.column_definitions import ColumnDefinition
from sqe.sql.cursor import TokenCursor
from sqe.sql.statement import Access, Command, Details, Reference, Statement, StatementKind
from sqe.sql.traits import DecidedBy, RunsOn, Traits, change_with_engine

ParseInner = Callable[[str], Statement]


@dataclass(frozen=True)
class RenameTable(Command):
    """ALTER TABLE or VIEW … RENAME TO. The references are the old name and the new one."""

    traits = Traits(
        decided_by=DecidedBy.RELATIONS,
        runs_on=RunsOn.COORDINATOR,
        changes_views=True,
    )

    view: bool = False

    @property
    def label(self) -> str:
        return "alter view" if self.view else "alter table"


@dataclass(frozen=True)
class ColumnsWithDefaults(Command):
    """CREATE TABLE or ADD COLUMN with DEFAULT. ``inner`` is the statement without the defaults."""

    traits = change_with_engine()

    columns: tuple[ColumnDefinition, ...]  # those with a default
    kind: StatementKind

    @property
    def label(self) -> str:
        return self.kind.label


@dataclass(frozen=True)
class AlterTable(Details):
    """The columns an ALTER TABLE that Spark runs names, to be looked for before it does."""

    uses: tuple[ColumnUse, ...]


def parse_alter_table(text: str, tokens: list[Token], parse_inner: ParseInner) -> Statement | None:
    cursor = TokenCursor(text, tokens)
    cursor.expect("ALTER")
    if not cursor.accept("TABLE"):
        return None
    parts, span = cursor.take_dotted_name("a table's name")
    reference = Reference(parts, span, Access.ALTER)
    if cursor.accept("RENAME", "TO"):
        return read_rename(text, cursor, reference, view=False)
    reading = Reading(text, cursor)
    read_action(reading)
    cursor.expect_end()
    if reading.set_default is not None:
        return Statement(text, StatementKind.COMMAND, (reference,), command=reading.set_default)
    changed = without_defaults(text, reading.columns, StatementKind.ALTER_TABLE, parse_inner)
    return changed or Statement(
        text, StatementKind.ALTER_TABLE, (reference,), command=AlterTable(tuple(reading.uses))
    )


def without_defaults(
    text: str,
    columns: Sequence[ColumnDefinition],
    kind: StatementKind,
    parse_inner: ParseInner,
) -> Statement | None:
    """The statement around one that Spark can run: the defaults' clauses are blanked out of it.

    None where no column has a default.
    """
    with_defaults = tuple(column for column in columns if column.default is not None)
    if not with_defaults:
        return None
    blanked = text
    for column in with_defaults:
        # Spark adds no required column; with a default Iceberg can, and SQE says so to it.
        required = column.not_null if kind is StatementKind.ALTER_TABLE else None
        for span in (column.clause, required):
            if span is not None:
                blank = "".join(c if c == "\n" else " " for c in span.of(text))
                blanked = blanked[: span.start] + blank + blanked[span.end :]
    command = ColumnsWithDefaults(with_defaults, kind)
    return Statement(text, StatementKind.COMMAND, command=command, inner=parse_inner(blanked))


def read_rename(text: str, cursor: TokenCursor, source: Reference, view: bool) -> Statement:
    parts, span = cursor.take_dotted_name("the new name")
    cursor.expect_end()
    if len(parts) == 1:  # as in Spark: the new name stays in the old one's schema
        parts = (*source.parts[:-1], *parts)
    target = Reference(parts, span, Access.CREATE, if_exists=True)
    return Statement(text, StatementKind.COMMAND, (source, target), command=RenameTable(view))
