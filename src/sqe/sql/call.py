"""CALL [catalog.]system.procedure(…): which procedure, on which table, with which values.

Spark runs the procedure with the user's own text: the table's name, the catalog and moments are
replaced by what the query was granted. Everything else has been read and understood here.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

from sqlglot import Token, exp

from sqe.errors import ErrorCode, SqeError, UserError
from sqe.sql.arguments import read_value
from sqe.sql.cursor import TokenCursor
from sqe.sql.procedures import PROCEDURES, RUNNABLE, Parameter, Procedure
from sqe.sql.statement import (
    Access,
    Details,
    Reference,
    Span,
    Statement,
    StatementKind,
    position_at,
)
from sqe.sql.text_names import parts_of
from sqe.sql.traits import DecidedBy, RunsOn, Traits

ParseInner = Callable[[str], Statement]


@dataclass(frozen=True)
class Argument:
    parameter: Parameter
    value: Any  # see sql/arguments.py
    span: Span  # of the value alone


@dataclass(frozen=True)
class ProcedureCall(Details):
    """A procedure that Spark runs. The table is the statement's only reference."""

    procedure: Procedure
    prefix: Span  # of the whole dotted name in front of the parenthesis
    catalog: str  # as written; empty where the session's is meant
    arguments: tuple[Argument, ...]

    def value(self, name: str) -> Any:
        """None where it is not given."""
        return next(
            (argument.value for argument in self.arguments if argument.parameter.name == name), None
        )

    def span(self, name: str) -> Span | None:
        return next(
            (argument.span for argument in self.arguments if argument.parameter.name == name), None
        )


@dataclass(frozen=True)
class RegisterTable(ProcedureCall):
    """A procedure that SQE carries out itself, on the catalog."""

    traits = Traits(
        decided_by=DecidedBy.PROCEDURE,
        runs_on=RunsOn.COORDINATOR,
        creates_table=True,
    )

    @property
    def label(self) -> str:
        return "call"


def parse_call(text: str, tokens: list[Token], parse_inner: ParseInner) -> Statement:
    """``tokens`` begin with CALL."""
    cursor = TokenCursor(text, tokens)
    cursor.expect("CALL")
    parts, prefix = cursor.take_dotted_name("a procedure's name")
    procedure = _procedure(text, parts, prefix)
    cursor.expect("(")
    arguments = _arguments(cursor, procedure)
    cursor.expect_end()
    for argument in arguments:
        _check(text, procedure, argument, parse_inner)
    catalog = parts[0] if len(parts) == 3 else ""
    made = RegisterTable if procedure.access is Access.CREATE else ProcedureCall
    call = made(procedure, prefix, catalog, tuple(arguments))
    kind = StatementKind.COMMAND if isinstance(call, RegisterTable) else StatementKind.CALL
    return Statement(text, kind, (_table(text, call),), command=call)


def _procedure(text: str, parts: tuple[str, ...], at: Span) -> Procedure:
    name = parts[-1].lower()
    where = position_at(text, at.start, at.of(text))
    procedure = PROCEDURES.get(name)
    if procedure is None:
        names = [runnable.name for runnable in RUNNABLE]
        close = difflib.get_close_matches(name, names, n=1)
        hint = f"Did you mean {close[0]}? " if close else ""
        raise UserError(
            ErrorCode.FUNCTION_NOT_FOUND,
            f"There is no procedure {parts[-1]}.",
            hint=f"{hint}SHOW PROCEDURES lists them: {', '.join(sorted(names))}.",
            position=where,
        )
    if len(parts) not in (2, 3) or parts[-2].lower() != "system":
        raise UserError(
            ErrorCode.FUNCTION_NOT_FOUND,
            f"There is no procedure {'.'.join(parts)}.",
            hint=f"Procedures are in the schema system: CALL system.{name}(…).",
            position=where,
        )
    if procedure.refused:
        raise UserError(
            ErrorCode.NOT_SUPPORTED,
            f"The procedure {name} is not supported: {procedure.refused}.",
            hint=procedure.instead,
            position=where,
        )
    return procedure


def _arguments(cursor: TokenCursor, procedure: Procedure) -> list[Argument]:
    arguments: list[Argument] = []
    named = False
    while not cursor.accept(")"):
        if arguments:
            cursor.expect(",")
        if cursor.source(1) == "=>" and cursor.at_identifier():
            named = True
            parameter = _read_name(cursor, procedure)
            cursor.expect("=>")
        elif named:
            _invalid(cursor, "An argument without a name may not stand behind one with a name")
        else:
            parameter = _positional(cursor, procedure, len(arguments))
        if any(argument.parameter is parameter for argument in arguments):
            _invalid(cursor, f"{parameter.name} is given twice")
        if parameter.refused:
            _invalid(cursor, f"{parameter.name} is not supported: {parameter.refused}")
        value, span = _value(cursor, parameter)
        if value is None and parameter.required:
            _invalid(cursor, f"{parameter.name} may not be NULL")
        arguments.append(Argument(parameter, value, span))
    names_there = {argument.parameter.name for argument in arguments}
    missing = [
        argument.name
        for argument in procedure.parameters
        if argument.required and argument.name not in names_there
    ]
    if missing:
        _invalid(
            cursor,
            f"{procedure.name} needs {' and '.join(missing)}",
            f"CALL system.{procedure.signature}",
        )
    return arguments


def _value(cursor: TokenCursor, parameter: Parameter) -> tuple[Any, Span]:
    return cursor.read_with_span(lambda: read_value(cursor, parameter.type, parameter.name))


def _read_name(cursor: TokenCursor, procedure: Procedure) -> Parameter:
    name = cursor.source().strip("`")
    parameter = procedure.parameter(name)
    if parameter is None:
        names = [candidate.name for candidate in procedure.parameters if not candidate.refused]
        close = difflib.get_close_matches(name.lower(), names, n=1)
        hint = f"Did you mean {close[0]}?" if close else f"It takes {', '.join(names)}."
        _invalid(cursor, f"{procedure.name} has no parameter {name}", hint)
    cursor.skip()
    return parameter


def _positional(cursor: TokenCursor, procedure: Procedure, index: int) -> Parameter:
    if index >= len(procedure.parameters):
        _invalid(cursor, f"{procedure.name} takes {len(procedure.parameters)} arguments at most")
    return procedure.parameters[index]


def _check(text: str, procedure: Procedure, argument: Argument, parse_inner: ParseInner) -> None:
    if argument.parameter.predicate and argument.value is not None:
        reason = _fault(argument.value, parse_inner)
        if reason:
            raise UserError(
                ErrorCode.NOT_SUPPORTED,
                f"The condition of {procedure.name} is not accepted: {reason}",
                hint="It is a condition on the table's columns, as behind WHERE.",
                position=position_at(text, argument.span.start, argument.span.of(text)[:40]),
            )


def _fault(condition: str, parse_inner: ParseInner) -> str:
    """Why the condition may not reach Spark, which would evaluate whatever is in it."""
    query = f"SELECT 1 WHERE (\n{condition}\n)"  # looked at, never run
    try:
        parsed = parse_inner(query)
    except SqeError as error:
        return error.message
    if parsed.calls:  # nobody writes out what they call in here
        return f"function {'.'.join(parsed.calls[0].parts)} is none of Spark's."
    tree = parsed.tree
    where = tree.args.get("where") if isinstance(tree, exp.Select) else None
    set_arguments = {name for name, value in tree.args.items() if value}
    if (
        where is None
        or not isinstance(where.this, exp.Paren)
        or set_arguments != {"expressions", "where"}
    ):
        return "it is more than one condition."
    if any(True for _ in where.find_all(exp.Query, exp.Table)):
        return "it holds a subquery."
    return ""


def _table(text: str, call: ProcedureCall) -> Reference:
    argument = next(
        candidate for candidate in call.arguments if candidate.parameter.name == "table"
    )
    parts = parts_of(argument.value, text, argument.span)
    if call.catalog and len(parts) > 1 and parts[0].lower() != call.catalog.lower():
        parts = (call.catalog, *parts)
    return Reference(parts, argument.span, call.procedure.access, literal=True)


def _invalid(cursor: TokenCursor, message: str, hint: str = "") -> NoReturn:
    raise UserError(
        ErrorCode.INVALID_ARGUMENT, f"{message}.", hint=hint, position=cursor.position()
    )
