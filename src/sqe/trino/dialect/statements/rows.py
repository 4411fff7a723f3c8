"""INSERT, DELETE and UPDATE."""

from __future__ import annotations

from sqe.trino.dialect.analyzer import Analyzer
from sqe.trino.dialect.context import Context, Known, KnownColumn
from sqe.trino.dialect.errors import Refused, mismatch
from sqe.trino.dialect.nodes import Name
from sqe.trino.dialect.scope import Scope
from sqe.trino.dialect.statements.names import (
    Target,
    check_writable,
    find_changed,
    no_table,
    target_of,
)
from sqe.trino.dialect.statements.nodes import Delete, Insert, Update
from sqe.trino.dialect.statements.written import (
    ON_UPDATE,
    absent,
    columns_of,
    qualifier_of,
    refuse_view,
    show_types,
    store_value,
    target_fields,
    types_match,
    where_clause,
)
from sqe.trino.dialect.translated import Translated
from sqe.trino.dialect.typed import quote_name


def table_to_change(context: Context, name: Name, at: int, doing: str) -> tuple[Target, Known]:
    target = target_of(context, name, at)
    known = find_changed(context, target)
    if known is None:
        raise no_table(target, at)
    refuse_view(known, doing, at)
    check_writable(target, known)
    return target, known


def insert(node: Insert, context: Context) -> Translated:
    target, known = table_to_change(context, node.name, node.at, "Inserting into")
    analyzer = Analyzer(context)
    built = analyzer.queries.query(node.query, Scope())
    columns = _insert_columns(node, known)
    actual_types = [column.type for column in built.columns]
    if not types_match([column.type for column in columns], actual_types):
        message = (
            "Insert query has mismatched column types: "
            f"Table: {show_types([column.type for column in columns])}, "
            f"Query: {show_types(actual_types)}"
        )
        raise mismatch(message, node.at)
    source = analyzer.make_id("r")
    values = {
        column.name: store_value(field.as_typed, column, node.at)
        for column, field in zip(columns, built.fields(source), strict=True)
    }
    for column in columns_of(known):
        missing = absent(column, node.at)
        if column.name not in values and missing is not None:
            values[column.name] = missing
    names = ", ".join(map(quote_name, values))
    text = f"INSERT INTO {target.spark} ({names}) SELECT {', '.join(values.values())} "
    return Translated(f"{text}FROM ({built.text}) AS {source}", update_type="INSERT", counts=True)


def _insert_columns(node: Insert, known: Known) -> list[KnownColumn]:
    """The columns that are written to, in the order of the query's."""
    if not node.columns:
        return columns_of(known)
    by_name = {column.name.lower(): column for column in columns_of(known)}
    columns: list[KnownColumn] = []
    for column_name in node.columns:
        name = column_name.name.lower()
        if name not in by_name:
            message = f"Insert column name does not exist in target table: {name}"
            raise Refused("COLUMN_NOT_FOUND", message, node.at)
        if by_name[name] in columns:
            message = f"Insert column name is specified more than once: {name}"
            raise Refused("DUPLICATE_COLUMN_NAME", message, node.at)
        columns.append(by_name[name])
    return columns


def delete(node: Delete, context: Context) -> Translated:
    target, known = table_to_change(context, node.name, node.at, "Deleting from")
    analyzer = Analyzer(context)
    relation = analyzer.make_id("r")
    text = f"DELETE FROM {target.spark} AS {relation}"
    if node.where is not None:
        scope = Scope(target_fields(known, relation, qualifier_of(target)))
        text += where_clause(analyzer, node.where, scope)
    return Translated(text, update_type="DELETE", counts=True)


def update(node: Update, context: Context) -> Translated:
    target, known = table_to_change(context, node.name, node.at, "Updating")
    by_name = {column.name.lower(): column for column in columns_of(known)}
    columns: list[KnownColumn] = []
    for assignment in node.assignments:
        name = assignment.column.name.lower()
        if name not in by_name:
            message = f"The UPDATE SET target column {name} doesn't exist"
            raise Refused("COLUMN_NOT_FOUND", message, assignment.column.at)
        if by_name[name] in columns:
            message = f"The UPDATE SET target column {name} is assigned more than once"
            raise Refused("DUPLICATE_COLUMN_NAME", message, assignment.column.at)
        columns.append(by_name[name])
    analyzer = Analyzer(context)
    relation = analyzer.make_id("r")
    scope = Scope(target_fields(known, relation, qualifier_of(target)))
    values = [analyzer.expression(assignment.value, scope) for assignment in node.assignments]
    actual_types, wanted = [value.type for value in values], [column.type for column in columns]
    if not types_match(wanted, actual_types):
        message = (
            "UPDATE table column types don't match SET expressions: "
            f"Table: {show_types(wanted)}, Expressions: {show_types(actual_types)}"
        )
        raise mismatch(message, node.at)
    sets = ", ".join(
        f"{quote_name(column.name)} = {store_value(value, column, assignment.value.at, ON_UPDATE)}"
        for column, value, assignment in zip(columns, values, node.assignments, strict=True)
    )
    text = f"UPDATE {target.spark} AS {relation} SET {sets}"
    if node.where is not None:
        text += where_clause(analyzer, node.where, scope)
    return Translated(text, update_type="UPDATE", counts=True)
