"""DECLARE and SET VARIABLE: a row of an ordinary, guarded query is kept in the session."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqe.engines.fallback import Engines, run_with_fallback
from sqe.engines.protocol import Run
from sqe.engines.router import Router
from sqe.errors import ErrorCode, InternalError, SqeError, UserError, error_of
from sqe.model.literals import ddl_of, literal_of
from sqe.model.query import Column
from sqe.model.types import parse_type
from sqe.model.variables import SessionVariable, find_variable, variable_not_found
from sqe.results.stream import ResultStream, result_of_rows
from sqe.rewrite.guarded import GuardedStatement, guard_constant, inner_statement
from sqe.sessions.variable_values import make_variable, python_value
from sqe.sql.parse import parse
from sqe.sql.variable_uses import find_variable_uses, write_out_variables
from sqe.sql.variables import DeclareVariable, SetVariable


def declare_variables(
    guarded: GuardedStatement, run: Run, engines: Engines, router: Router
) -> ResultStream:
    command = guarded.bound.statement.command
    if not isinstance(command, DeclareVariable):
        raise InternalError(ErrorCode.INTERNAL_ERROR, "DECLARE without names.")
    work = _Work(run, engines, router)
    [column], [value] = work.read_row(inner_statement(guarded))
    if command.type:
        column, value = work.cast(column, value, command.type)
    variables = [make_variable(name, column, value, command.default) for name in command.names]
    run.session.keep_variables(variables, replace=command.replace, new=True)
    return result_of_rows((), [])


def set_variables(
    guarded: GuardedStatement, run: Run, engines: Engines, router: Router
) -> ResultStream:
    """A query without a row sets them to NULL."""
    command = guarded.bound.statement.command
    if not isinstance(command, SetVariable):
        raise InternalError(ErrorCode.INTERNAL_ERROR, "SET VARIABLE without a target.")
    work = _Work(run, engines, router)
    targets = [_find(run, parts) for parts in command.targets]
    columns, row = work.read_row(inner_statement(guarded))
    if len(row) != len(targets):
        raise UserError(
            ErrorCode.INVALID_ARGUMENT,
            f"The query gives {len(row)} values for {len(targets)} variables.",
        )
    variables = []
    for number, variable in enumerate(targets):
        column, value = columns[number], row[number]
        kind = ddl_of(parse_type(variable.type))
        if number in command.defaults:
            column, value = work.evaluate(f"CAST(({variable.default}\n) AS {kind})")
        elif column.type != variable.type:
            column, value = work.cast(column, value, kind)
        variables.append(make_variable(variable.name, column, value, variable.default))
    run.session.keep_variables(variables, replace=True, new=False)
    return result_of_rows((), [])


@dataclass(frozen=True)
class _Work:
    run: Run
    engines: Engines
    router: Router

    def read_row(self, query: GuardedStatement) -> tuple[tuple[Column, ...], list[Any]]:
        routed = self.router.route(query, self.run.session)
        rows: list[list[Any]] = []
        with run_with_fallback(
            routed, self.engines, self.run, lambda prepared, run: prepared.run(run)
        ) as result:
            for batch in result:
                self.run.cancellation.check()
                for number in range(min(batch.num_rows, 2)):
                    rows.append([python_value(column[number]) for column in batch.columns])
                if len(rows) > 1:
                    raise UserError(
                        ErrorCode.USER_ERROR,
                        "The query gives more than one row for the variables.",
                        hint="LIMIT 1 takes one of them.",
                    )
            columns = result.columns
        return columns, rows[0] if rows else [None] * len(columns)

    def cast(self, column: Column, value: Any, kind: str) -> tuple[Column, Any]:
        return self.evaluate(f"CAST({literal_of(parse_type(column.type), value)} AS {kind})")

    def evaluate(self, expression: str) -> tuple[Column, Any]:
        """Of constants, and variables."""
        try:
            statement = parse(f"SELECT {expression}")
            uses = find_variable_uses(
                statement, lambda start: None, set(), self.run.session.variables
            )
            query = guard_constant(parse(write_out_variables(statement, uses)))
            [column], [value] = self.read_row(query)
        except SqeError as error:  # places in our own text would mislead
            raise error_of(error.code, error.message, hint=error.hint) from error
        return column, value


def _find(run: Run, parts: tuple[str, ...]) -> SessionVariable:
    variable = find_variable(run.session.variables, parts)
    if variable is None:
        raise variable_not_found(parts)
    return variable
