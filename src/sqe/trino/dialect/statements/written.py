"""Values on their way into a table: checked against its columns, in the form they are stored."""

from __future__ import annotations

from collections.abc import Sequence

from sqe.model.trino_types import TrinoType
from sqe.trino.dialect import nodes
from sqe.trino.dialect.analyzer import Analyzer
from sqe.trino.dialect.casts import coerce
from sqe.trino.dialect.coercion import common_type
from sqe.trino.dialect.context import Known, KnownColumn
from sqe.trino.dialect.errors import Refused
from sqe.trino.dialect.scope import Field, Scope
from sqe.trino.dialect.statements.names import Target
from sqe.trino.dialect.typed import Typed, fail, quote_name, string

# What Trino calls a NULL where none may be: not the same in INSERT and in UPDATE.
ON_INSERT, ON_UPDATE = "CONSTRAINT_VIOLATION", "INVALID_ARGUMENTS"


def columns_of(known: Known) -> list[KnownColumn]:
    return [column for column in known.columns if not column.hidden]


def types_match(columns: Sequence[TrinoType], values: Sequence[TrinoType]) -> bool:
    return len(columns) == len(values) and all(
        common_type(value, column) is not None
        for column, value in zip(columns, values, strict=True)
    )


def show_types(kinds: Sequence[TrinoType]) -> str:
    return f"[{', '.join(kind.display for kind in kinds)}]"


def store_value(value: Typed, column: KnownColumn, at: int, null: str = ON_INSERT) -> str:
    """The SQL of the value for the column. ``null`` names the error where it may not be NULL."""
    coerced = coerce(value, column.type, at)
    if column.nullable or (value.is_constant and value.constant is not None):
        return coerced.sql
    return f"coalesce({coerced.sql}, {_null_error(column, null, at)})"


def absent(column: KnownColumn, at: int) -> str | None:
    """For a column that is not written to; None where it may be left out."""
    return None if column.nullable else _null_error(column, ON_INSERT, at)


def _null_error(column: KnownColumn, name: str, at: int) -> str:
    message = f"NULL value not allowed for NOT NULL column: {column.name}"
    return fail(name, string(message), column.type, at)


def target_fields(known: Known, relation: str, qualifier: tuple[str, ...]) -> tuple[Field, ...]:
    """The columns of a table that is changed, under its name in Spark's text."""
    return tuple(
        Field(
            column.name.lower(),
            column.type,
            f"{relation}.{quote_name(column.name)}",
            qualifier,
            column.hidden,
        )
        for column in columns_of(known)
    )


def qualifier_of(target: Target, alias: nodes.Identifier | None = None) -> tuple[str, ...]:
    if alias is not None:
        return (alias.name.lower(),)
    return (target.catalog, target.schema, target.name)


def where_clause(analyzer: Analyzer, node: nodes.Expression, scope: Scope) -> str:
    analyzer.note_filter(node)
    return f" WHERE {analyzer.predicate(node, scope, 'WHERE clause')}"


def refuse_view(known: Known, doing: str, at: int) -> None:
    """``doing``: Inserting into, Deleting from …"""
    if known.kind in ("VIEW", "MATERIALIZED VIEW"):
        message = f"{doing} {known.kind.lower()}s is not supported"
        raise Refused("NOT_SUPPORTED", message, at)
