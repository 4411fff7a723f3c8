"""CREATE TABLE … AS."""

from __future__ import annotations

from sqe.model.trino_types import UNKNOWN, TrinoType
from sqe.trino.dialect.analyzer import Analyzer
from sqe.trino.dialect.built import Built
from sqe.trino.dialect.casts import coerce
from sqe.trino.dialect.context import Context
from sqe.trino.dialect.errors import Refused
from sqe.trino.dialect.scope import Scope
from sqe.trino.dialect.statements.column_types import type_in_table
from sqe.trino.dialect.statements.names import find_changed, target_of
from sqe.trino.dialect.statements.nodes import CreateTableAs
from sqe.trino.dialect.statements.table_properties import read_options
from sqe.trino.dialect.statements.tables import (
    after_create,
    check_free,
    comment_clause,
    create_head,
)
from sqe.trino.dialect.translated import Translated
from sqe.trino.dialect.typed import quote_name


def create_table_as(node: CreateTableAs, context: Context) -> Translated:
    target = target_of(context, node.name, node.at)
    if check_free(context, target, node.or_replace, node.if_not_exists, node.at):
        return Translated("", update_type="CREATE TABLE", counts=True)
    analyzer = Analyzer(context)
    built = analyzer.queries.query(node.query, Scope())
    names = [alias.name.lower() for alias in node.aliases] or None
    if names is not None and len(names) != len(built.columns):
        message = (
            f"Column alias list has {len(names)} entries but relation has "
            f"{len(built.columns)} columns"
        )
        raise Refused("MISMATCHED_COLUMN_ALIASES", message, node.aliases[0].at)
    columns = name_columns(built, names, node.at)
    kinds = {name: type_in_table(kind, node.at) for name, kind in columns.items()}
    source = analyzer.make_id("r")
    items = ", ".join(
        f"{coerce(field.as_typed, kind, node.at).sql} AS {quote_name(name)}"
        for field, (name, kind) in zip(built.fields(source), kinds.items(), strict=True)
    )
    options = read_options(node.properties, target.catalog, kinds, context)
    text = create_head(target, node.or_replace, node.if_not_exists)
    text += f"{comment_clause(node.comment)}{options.clauses} AS SELECT {items} "
    text += f"FROM ({built.text}) AS {source}{'' if node.with_data else ' WHERE false'}"
    old = find_changed(context, target) if node.or_replace else None
    then = after_create(target, options, old, node.comment)
    return Translated(text, update_type="CREATE TABLE", then=then, counts=True)


def name_columns(built: Built, names: list[str] | None, at: int) -> dict[str, TrinoType]:
    """The columns that a table or view made of the query has."""
    columns: dict[str, TrinoType] = {}
    for i, column in enumerate(built.columns):
        name = names[i] if names is not None else column.name
        if name is None:
            message = f"Column name not specified at position {i + 1}"
            raise Refused("MISSING_COLUMN_NAME", message, at)
        name = name.lower()
        if name in columns:
            message = f"Column name '{name}' specified more than once"
            raise Refused("DUPLICATE_COLUMN_NAME", message, at)
        if column.type == UNKNOWN:
            raise Refused("COLUMN_TYPE_UNKNOWN", f"Column type is unknown: {name}", at)
        columns[name] = column.type
    return columns
