"""MERGE."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqe.model.trino_types import carrier
from sqe.trino.dialect.analyzer import Analyzer
from sqe.trino.dialect.context import Context, KnownColumn
from sqe.trino.dialect.errors import Refused, mismatch
from sqe.trino.dialect.nodes import Expression, Identifier, Relation
from sqe.trino.dialect.scope import Field, Scope
from sqe.trino.dialect.statements.nodes import Merge, MergeCase
from sqe.trino.dialect.statements.rows import table_to_change
from sqe.trino.dialect.statements.written import (
    ON_INSERT,
    ON_UPDATE,
    absent,
    columns_of,
    qualifier_of,
    show_types,
    store_value,
    target_fields,
    types_match,
)
from sqe.trino.dialect.translated import Translated
from sqe.trino.dialect.typed import quote_name


@dataclass(frozen=True)
class _Merge:
    """``unmatched`` is the scope of rows that only the source has; the target's are NULL."""

    node: Merge
    analyzer: Analyzer
    columns: Sequence[KnownColumn]
    matched: Scope
    unmatched: Scope


def merge(node: Merge, context: Context) -> Translated:
    target, known = table_to_change(context, node.name, node.at, "Merging into")
    analyzer = Analyzer(context)
    relation = analyzer.make_id("r")
    mine = target_fields(known, relation, qualifier_of(target, node.alias))
    source, theirs = _source(node.source, analyzer)
    nulls = tuple(
        Field(clause.name, clause.type, f"CAST(NULL AS {carrier(clause.type)})", clause.qualifier)
        for clause in mine
    )
    scope = Scope(mine + theirs)
    run = _Merge(node, analyzer, columns_of(known), scope, Scope(nulls + theirs))
    _check_names(run)
    test = analyzer.predicate(node.condition, scope, "The MERGE predicate")
    cases = " ".join(_case(run, case, i) for i, case in enumerate(node.cases))
    text = f"MERGE INTO {target.spark} AS {relation} USING {source} ON {test} {cases}"
    return Translated(text, update_type="MERGE", counts=True)


def _source(node: Relation, analyzer: Analyzer) -> tuple[str, tuple[Field, ...]]:
    """As a subquery, whatever it is: Spark takes tables and subqueries only."""
    read = analyzer.queries.relations.read(node, Scope())
    name = analyzer.make_id("r")
    names = [f"c{i}" for i in range(len(read.fields))]
    listed = ", ".join(f"{field.sql} AS {c}" for field, c in zip(read.fields, names, strict=True))
    fields = tuple(
        Field(field.name, field.type, f"{name}.{c}", field.qualifier, field.hidden)
        for field, c in zip(read.fields, names, strict=True)
    )
    return f"(SELECT {listed} FROM {read.text}) AS {name}", fields


def _columns_of(case: MergeCase) -> tuple[Identifier, ...]:
    return case.columns or tuple(assignment.column for assignment in case.assignments)


def _check_names(run: _Merge) -> None:
    there = {column.name.lower() for column in run.columns}
    for case in run.node.cases:
        seen: set[str] = set()
        for column_name in _columns_of(case):
            name = column_name.name.lower()
            if name not in there:
                message = f"Merge column name does not exist in target table: {name}"
                raise Refused("COLUMN_NOT_FOUND", message, run.node.at)
            if name in seen:
                message = f"Merge column name is specified more than once: {name}"
                raise Refused("DUPLICATE_COLUMN_NAME", message, run.node.at)
            seen.add(name)


def _case(run: _Merge, case: MergeCase, index: int) -> str:
    insert = case.action == "INSERT"
    scope = run.unmatched if insert else run.matched
    # A condition also where there is none: Spark lets DELETE alone match a row more than once.
    test = "true"
    if case.condition is not None:
        test = run.analyzer.predicate(case.condition, scope, "WHERE clause predicate")
    head = f"WHEN {'NOT MATCHED' if insert else 'MATCHED'} AND {test} THEN {case.action}"
    if case.action == "DELETE":
        return head
    values = _values(run, case, index, scope)
    if not insert:
        sets = (f"{quote_name(name)} = {value}" for name, value in values.items())
        return f"{head} SET {', '.join(sets)}"
    for column in run.columns:
        missing = absent(column, case.at)
        if column.name not in values and missing is not None:
            values[column.name] = missing
    names = ", ".join(map(quote_name, values))
    return f"{head} ({names}) VALUES ({', '.join(values.values())})"


def _values(run: _Merge, case: MergeCase, index: int, scope: Scope) -> dict[str, str]:
    """The columns that the case writes, and the SQL of their values."""
    by_name = {column.name.lower(): column for column in run.columns}
    named = _columns_of(case)
    columns = (
        [by_name[typed_value.name.lower()] for typed_value in named] if named else list(run.columns)
    )
    written: Sequence[Expression] = case.values or [
        assignment.value for assignment in case.assignments
    ]
    if len(columns) != len(written):
        message = (
            f"Number of merge columns ({len(columns)}) isn't equal to number of expressions "
            f"({len(written)})"
        )
        raise Refused("TYPE_MISMATCH", message, case.at)
    values = [run.analyzer.expression(typed_value, scope) for typed_value in written]
    actual_types, wanted = [value.type for value in values], [column.type for column in columns]
    if not types_match(wanted, actual_types):
        message = (
            f"MERGE table column types don't match for MERGE case {index}, SET expressions: "
            f"Table: {show_types(wanted)}, Expressions: {show_types(actual_types)}"
        )
        raise mismatch(message, case.at)
    null = ON_INSERT if case.action == "INSERT" else ON_UPDATE
    return {
        column.name: store_value(value, column, case.at, null)
        for column, value in zip(columns, values, strict=True)
    }
