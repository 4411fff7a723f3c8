"""CREATE, DROP, DESCRIBE and SHOW CREATE FUNCTION."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

from sqe.access.functions import SqlFunctions
from sqe.binding.bound import BoundAbsent, BoundMetadata, BoundStatement, BoundTable, BoundView
from sqe.coordinator.call import Answer, CommandCall, Row, answer, strings
from sqe.engines.protocol import Engine, Run
from sqe.errors import AccessError, ErrorCode, InternalError, UserError
from sqe.model.functions import FunctionParameter, SqlFunction
from sqe.model.names import RelationName, quote, string_literal
from sqe.results.stream import ResultStream, result_of_rows
from sqe.rewrite.guarded import GuardedStatement, inner_statement
from sqe.sessions.session import Session
from sqe.sql.functions import ALLOWED, DENIED, VOLATILE
from sqe.sql.own_functions.definition import (
    CreateFunction,
    CreateTemporaryFunction,
    DescribeFunction,
    DropFunction,
    DropTemporaryFunction,
    ShowCreateFunction,
)
from sqe.sql.own_functions.names import with_full_names
from sqe.sql.statement import Command


def create_function(
    guarded: GuardedStatement, run: Run, spark: Engine, functions: SqlFunctions
) -> ResultStream:
    """Whoever makes it must be able to run its body."""
    command, session = guarded.bound.statement.command, run.session
    if not isinstance(command, CreateFunction):
        raise InternalError(ErrorCode.INTERNAL_ERROR, "CREATE FUNCTION without a definition.")
    temporary = isinstance(command, CreateTemporaryFunction)
    _refuse_sparks_name(command)
    name = None if temporary else functions.new_name(command.name.parts, session)
    existing = functions.store.find(name) if name is not None else None
    if name is not None:
        functions.check_create(session.identity, name)
    if existing is not None:
        if command.if_not_exists:
            return result_of_rows((), [])
        if not command.replace:
            raise _exists(existing)
        functions.check_change(session.identity, existing)
    elif temporary and not command.replace and session.temporary_function(command.name.parts[0]):
        raise _exists(_function(command, None, guarded, run, spark, functions))
    function = _function(command, name, guarded, run, spark, functions)
    if name is None:
        session.keep_function(function, replace=command.replace)
    elif not functions.store.put(function, replaces=existing):
        raise _exists(function)
    return result_of_rows((), [])


def _function(  # noqa: PLR0913  the parts of one definition
    command: CreateFunction,
    name: RelationName | None,
    guarded: GuardedStatement,
    run: Run,
    spark: Engine,
    functions: SqlFunctions,
) -> SqlFunction:
    inner = inner_statement(guarded)
    analysed = spark.prepare(inner, run.session).describe(run).columns
    function = SqlFunction(
        short_name=command.name.parts[-1],
        name=name,
        parameters=command.parameters,
        returns="" if command.is_table else command.returns or analysed[0].type,
        body=_body(command, inner.bound, run.session, functions),
        is_query=command.is_query,
        columns=command.columns,
        written=command.body,
        comment=command.comment,
        deterministic=command.deterministic,
        owner=run.session.identity.user,
        created_at=time.time(),
        origin=dict(command.origin),
    )
    if command.is_table and not command.columns:
        columns = tuple(FunctionParameter(one.name, one.type) for one in analysed)
        function = replace(function, columns=columns)
    return function


def _body(
    command: CreateFunction, bound: BoundStatement, session: Session, functions: SqlFunctions
) -> str:
    """With full names of what it reads and calls, so that it means the same in any schema, and
    nothing in a statement that calls it can take their place."""
    temporary = isinstance(command, CreateTemporaryFunction)
    names: dict[tuple[str, ...], tuple[str, ...]] = {}
    for reference in bound.references:
        parts, target = reference.reference.parts, reference.stored_target
        key = tuple(part.lower() for part in parts)
        if isinstance(target, BoundTable):
            names[key] = (*target.name.parts, *target.suffix)
        elif isinstance(target, BoundMetadata):
            names[key] = parts if len(parts) > 2 else (target.catalog, *parts)
        elif isinstance(target, BoundView) and target.relation is not None:
            names[key] = target.relation.parts
        elif isinstance(target, BoundAbsent):
            raise InternalError(ErrorCode.INTERNAL_ERROR, "A body reads what is not there.")
        elif not temporary:
            raise UserError(
                ErrorCode.NOT_SUPPORTED,
                f"A function cannot be made of temporary view {parts[0]}, which ends with the "
                "session.",
                hint="Use CREATE TEMPORARY FUNCTION.",
            )

    def full_name(parts: tuple[str, ...]) -> tuple[str, ...] | None:
        called = functions.find(parts, session)
        if called is not None and called.name is None and not temporary:
            raise UserError(
                ErrorCode.NOT_SUPPORTED,
                f"A function cannot be made of temporary function {parts[0]}, which ends with the "
                "session.",
                hint="Use CREATE TEMPORARY FUNCTION.",
            )
        return called.name.parts if called is not None and called.name is not None else None

    return with_full_names(command.body, command.is_query, names, full_name, functions.limits)


def _refuse_sparks_name(command: CreateFunction) -> None:
    """A function of Spark's comes first, so that nobody could call this one by its name alone."""
    [*before, name] = command.name.parts
    if not before and name.lower() in ALLOWED | DENIED.keys():
        raise UserError(
            ErrorCode.INVALID_ARGUMENT,
            f"Spark has a function {name}, which would be called instead.",
            hint="Choose another name.",
        )


def _exists(function: SqlFunction) -> UserError:
    return UserError(
        ErrorCode.FUNCTION_ALREADY_EXISTS,
        f"Function {function.shown_name} already exists.",
        hint="Use CREATE OR REPLACE FUNCTION.",
    )


def _drop(command: DropFunction, call: CommandCall) -> list[Row]:
    functions = call.functions.functions
    function = functions.find_kept(command.name.parts, call.session)
    if function is None or function.name is None:
        if command.if_exists:
            return []
        raise _none_of_name(command.name.parts, call)
    functions.check_change(call.session.identity, function)
    functions.store.drop(function.name)
    return []


def _drop_temporary(command: DropTemporaryFunction, call: CommandCall) -> list[Row]:
    [*before, name] = command.name.parts
    if before or not (call.session.forget_function(name) or command.if_exists):
        raise _none_of_name(command.name.parts, call)
    return []


def _none_of_name(parts: tuple[str, ...], call: CommandCall) -> UserError:
    return call.error(
        ErrorCode.FUNCTION_NOT_FOUND,
        f"Function {'.'.join(parts)} does not exist.",
        hint="SHOW FUNCTIONS lists them.",
    )


def _describe(command: DescribeFunction, call: CommandCall) -> Iterator[Row]:
    """What Spark tells of one of its own is in its documentation."""
    parts = command.name.parts
    name = parts[0].lower()
    if len(parts) == 1 and name in ALLOWED:
        yield (f"Function:    {name}",)
        yield ("Type:        BUILT-IN",)
        if command.extended:
            yield (f"Deterministic: {str(name not in VOLATILE).lower()}",)
        yield (f"Usage:       https://spark.apache.org/docs/latest/api/sql/#{name}",)
        return
    function = call.functions.functions.find(parts, call.session)
    if function is None:
        raise _none_of_name(parts, call)
    for line in _description(function, call, extended=command.extended):
        yield (line,)


def _description(function: SqlFunction, call: CommandCall, *, extended: bool) -> Iterator[str]:
    yield f"Function:    {function.shown_name}"
    yield f"Type:        {'TABLE' if function.is_table else 'SCALAR'}"
    lines = [_parameter_text(one, comments=extended) for one in function.parameters] or ["()"]
    for index, line in enumerate(lines):
        yield f"{'Input:' if index == 0 else '':<13}{line}"
    yield f"{'Returns:':<13}{function.result}"
    if not extended:
        return
    if function.comment:
        yield f"{'Comment:':<13}{function.comment}"
    if function.deterministic is not None:
        yield f"{'Deterministic:':<15}{str(function.deterministic).lower()}"
    yield f"{'Owner:':<13}{function.owner}"
    made = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(function.created_at))
    yield f"{'Create Time:':<13}{made} UTC"
    if call.functions.tells_body(function, call.session):
        yield f"{'Body:':<13}{function.written}"


def _parameter_text(parameter: FunctionParameter, *, comments: bool) -> str:
    text = f"{quote(parameter.name)} {parameter.type}"
    if parameter.default is not None:
        text += f" DEFAULT {parameter.default}"
    if comments and parameter.comment:
        text += f" COMMENT {string_literal(parameter.comment)}"
    return text


def _show_create(command: ShowCreateFunction, call: CommandCall) -> Iterator[Row]:
    function = call.functions.functions.find(command.name.parts, call.session)
    if function is None:
        raise _none_of_name(command.name.parts, call)
    if not call.functions.tells_body(function, call.session):
        raise AccessError(
            ErrorCode.ACCESS_DENIED,
            f"You do not see all that function {function.shown_name} reads; its body tells more.",
        )
    yield (create_text(function),)


def create_text(function: SqlFunction) -> str:
    """DDL that makes the same function again."""
    parameters = ", ".join(_parameter_text(one, comments=True) for one in function.parameters)
    kind = "TEMPORARY FUNCTION" if function.name is None else "FUNCTION"
    lines = [f"CREATE {kind} {function.shown_name}({parameters})", f"RETURNS {function.result}"]
    if function.deterministic is not None:
        lines.append("DETERMINISTIC" if function.deterministic else "NOT DETERMINISTIC")
    if function.comment:
        lines.append(f"COMMENT {string_literal(function.comment)}")
    return "\n".join([*lines, f"RETURN {function.body}"])


FUNCTIONS: dict[type[Command], Answer] = {
    DropFunction: answer((), _drop),
    DropTemporaryFunction: answer((), _drop_temporary),
    DescribeFunction: answer(strings("function_desc"), _describe),
    ShowCreateFunction: answer(strings("createfunction_stmt"), _show_create),
}
