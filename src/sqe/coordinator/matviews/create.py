"""CREATE MATERIALIZED VIEW: its table, its rows, its definition and its state, in one commit."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from sqe.binding.bound import BoundAbsent, BoundTable
from sqe.catalog.materialized import Definition, State, is_materialized
from sqe.coordinator.matviews.checks import check_query
from sqe.coordinator.matviews.plan import FULL, inputs_of
from sqe.coordinator.matviews.write import compose_statement, count_written, with_state
from sqe.engines.protocol import Engine, Run
from sqe.errors import ErrorCode, InternalError, SqeError, UserError, error_of
from sqe.model.names import RelationName, quote, string_literal
from sqe.model.query import Column
from sqe.results.stream import ResultStream, result_of_rows
from sqe.rewrite.guarded import GuardedStatement, inner_statement
from sqe.sql.materialized import CreateMaterializedView
from sqe.sql.statement import Access, StatementKind


def create_materialized_view(guarded: GuardedStatement, run: Run, spark: Engine) -> ResultStream:
    command = guarded.bound.statement.command
    if not isinstance(command, CreateMaterializedView):
        raise InternalError(ErrorCode.INTERNAL_ERROR, "CREATE without a definition.")
    name = _free_name(guarded)
    target = guarded.bound.references[0].target
    if isinstance(target, BoundTable) and command.if_not_exists:
        return result_of_rows((), [])
    query = inner_statement(guarded)
    check_query(query, name, run.session)
    columns = spark.prepare(query, run.session).describe(run).columns
    _check_columns(command.columns or [column.name for column in columns], columns)
    inputs = inputs_of(query.bound)
    definition = Definition(
        command.query_text, run.session.schema, tuple(column.name for column in columns)
    )
    state = State(
        inputs.sources,
        int(time.time() * 1000),
        FULL,
        None,
        run.session.property("sqe.time_zone"),
        inputs.views,
    )
    words = _words(command)
    statement = compose_statement(
        StatementKind.CREATE_TABLE_AS, words, (name, target, Access.CREATE), query
    )
    try:
        count_written(statement, with_state(run, name, definition, state), spark)
    except SqeError as error:
        raise _at_home(error, words[1].count("\n")) from error
    return result_of_rows((), [])


def _free_name(guarded: GuardedStatement) -> RelationName:
    target = guarded.bound.references[0].target
    if isinstance(target, BoundTable) and target.loaded is not None:
        if not is_materialized(target.loaded.metadata):
            raise UserError(ErrorCode.TABLE_ALREADY_EXISTS, f"{target.name} is a table.")
        return target.name
    if isinstance(target, BoundAbsent):
        return target.name
    raise UserError(ErrorCode.INVALID_ARGUMENT, "That is no name for a materialized view.")


def _check_columns(names: Sequence[str], query_columns: Sequence[Column]) -> None:
    if len(names) != len(query_columns):
        raise UserError(
            ErrorCode.INVALID_ARGUMENT,
            f"The view lists {len(names)} columns and its query gives {len(query_columns)}.",
        )
    seen: set[str] = set()
    for name in names:
        if name.lower() in seen:
            raise UserError(
                ErrorCode.AMBIGUOUS_NAME,
                f"The view would have two columns named {name}.",
                hint="Give them different aliases, or list the view's columns behind its name.",
            )
        seen.add(name.lower())


def _words(command: CreateMaterializedView) -> tuple[str, str, str]:
    """CREATE TABLE … AS around the query. The line ends keep a closing comment closed, and every
    column of the query at its place in its line."""
    clauses = [" USING iceberg"]
    if command.partitioning:
        clauses.append(f" PARTITIONED BY {command.partitioning}")
    if command.comment:
        clauses.append(f" COMMENT {string_literal(command.comment)}")
    if command.properties:
        pairs = ", ".join(
            f"{string_literal(key)} = {string_literal(value)}" for key, value in command.properties
        )
        clauses.append(f" TBLPROPERTIES ({pairs})")
    verb = "CREATE OR REPLACE TABLE " if command.replace else "CREATE TABLE "
    head = "".join(clauses) + " AS"
    if not command.columns:
        return verb, f"{head}\n", ""
    listed = ", ".join(quote(name) for name in command.columns)
    tail = f"\n) AS rows_of_query({listed})"
    return verb, f"{head} SELECT * FROM (\n", tail  # noqa: S608  the query is the user's own


def _at_home(error: SqeError, lines: int) -> SqeError:
    """The error with its place in the user's text, without the lines in front of the query."""
    if error.position is None:
        return error
    line = error.position.line - lines
    position = replace(error.position, line=line) if line > 0 else None
    return error_of(error.code, error.message, hint=error.hint, position=position)
