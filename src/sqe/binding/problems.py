"""What is wrong with a name, in words that know only what the user may know of."""

from __future__ import annotations

import difflib
from collections.abc import Callable

from sqe.binding.resolve import Candidate
from sqe.errors import ErrorCode, UserError
from sqe.model.names import RelationName
from sqe.sql.statement import Access, Reference, Statement, position_at

Known = Callable[[], tuple[list[str], list[str]]]  # catalogs, and schemas of the one that is meant
# What Spark takes for a data source in front of a path.
_FILE_FORMATS = frozenset(
    {"avro", "binaryfile", "csv", "delta", "hive", "iceberg", "jdbc", "json", "orc", "parquet"}
    | {"text", "xml"}
)


def refuse_existing(statement: Statement, reference: Reference, name: RelationName) -> None:
    if reference.access is Access.CREATE and not reference.if_exists:
        raise UserError(
            ErrorCode.TABLE_ALREADY_EXISTS,
            f"{name} already exists.",
            hint="Use IF NOT EXISTS or OR REPLACE.",
            position=position_at(statement.text, reference.span.start),
        )


def refuse_views(statement: Statement, reference: Reference, name: RelationName) -> None:
    """A view's name where a table must stand."""
    where = position_at(statement.text, reference.span.start)
    if reference.access is Access.CREATE and statement.traits.creates_table:
        raise UserError(
            ErrorCode.TABLE_ALREADY_EXISTS,
            f"{name} is a view.",
            hint="Drop it first, or choose another name.",
            position=where,
        )
    changes = reference.access in (Access.WRITE, Access.ALTER)
    if not changes or statement.traits.changes_views:
        return
    hint = "ALTER VIEW changes its query, its properties or its name."
    raise UserError(
        ErrorCode.NOT_SUPPORTED,
        f"{name} is a view; it cannot be written to.",
        hint=hint if reference.access is Access.ALTER else "",
        position=where,
    )


def no_schema(
    statement: Statement, reference: Reference, reading: Candidate, known: Known
) -> UserError:
    """What comes before the table's name is not there: a catalog or a schema is misspelled."""
    first = reference.parts[0]
    where = position_at(statement.text, reference.span.start, reference.span.of(statement.text))
    if len(reference.parts) == 2 and first.lower() in _FILE_FORMATS:
        return UserError(
            ErrorCode.NOT_SUPPORTED,
            f"Reading files by path ({first}.`…`) is not supported.",
            hint="Load them into a table first.",
            position=where,
        )
    catalogs, schemas = known()
    if len(reference.parts) > 2 and first not in (*catalogs, *schemas):
        code, what, near = ErrorCode.CATALOG_NOT_FOUND, f"Catalog {first}", catalogs
    else:
        code, what, near = ErrorCode.SCHEMA_NOT_FOUND, f"Schema {reading.schema}", schemas
        first = reading.schema.path[0]
    close = difflib.get_close_matches(first, near, n=1)
    return UserError(
        code,
        f"{what} does not exist.",
        hint=f"Did you mean {close[0]}?" if close else "",
        position=where,
    )


def not_found(
    statement: Statement, reference: Reference, name: str, neighbours: list[str]
) -> UserError:
    """The same words whether the relation is absent or hidden from this user."""
    close = difflib.get_close_matches(
        reference.parts[-1].lower(), [neighbour.lower() for neighbour in neighbours], n=1
    )
    written = next((n for n in neighbours if close and n.lower() == close[0]), "")
    if written == reference.parts[-1]:  # listed, but not this user's to read
        written = ""
    return UserError(
        ErrorCode.TABLE_NOT_FOUND,
        f"Table or view {name} does not exist.",
        hint=f"Did you mean {written}?" if written else "",
        position=position_at(
            statement.text, reference.span.start, reference.span.of(statement.text)
        ),
    )
