"""Writes what a function in SQL says in place of its calls, before anything is bound.

So policies, both engines and everything else see a statement without such functions. An argument
is cast to its parameter's type, the result to the function's. What reads nothing is written with
its arguments in place of the parameters; what reads tables becomes a subquery that has them as
columns of its own, so that the engine tells its names apart as in any other query.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NoReturn

from sqlglot import exp

from sqe.errors import ErrorCode, SqeError, UserError, error_of
from sqe.model.functions import SqlFunction
from sqe.sql.own_functions.body import Body
from sqe.sql.own_functions.definition import CreateFunction
from sqe.sql.own_functions.texts import body_as_query, has_marker, quote_always
from sqe.sql.parse import parse
from sqe.sql.refusals import no_function
from sqe.sql.splice import Edit, splice
from sqe.sql.statement import FunctionCall, Span, Statement, position_at
from sqe.sql.text import TextLimits

MOST_OPEN = 32  # functions inside of functions
FindFunction = Callable[[tuple[str, ...]], SqlFunction | None]


class _TooDeep(UserError):
    """About all functions that are open, and not the one whose body is read."""


def write_functions_in(statement: Statement, find: FindFunction, limits: TextLimits) -> Statement:
    """``statement`` is parsed with ``own_functions``. ``find`` raises what stands in the way of a
    function that is there."""
    if isinstance(statement.command, CreateFunction) and statement.inner is not None:
        return replace(statement, inner=write_functions_in(statement.inner, find, limits))
    calls = tuple(_calls_of(statement))
    return _Writing(statement, find, limits).write(calls) if calls else statement


def _calls_of(statement: Statement) -> Iterator[FunctionCall]:
    yield from statement.calls
    if statement.inner is not None:
        yield from _calls_of(statement.inner)


class _Writing:
    """Of one statement."""

    def __init__(self, statement: Statement, find: FindFunction, limits: TextLimits) -> None:
        self._statement = statement
        self._find = find
        self._limits = limits
        self._bodies: dict[str, Body] = {}
        prefix = "sqe_value"
        while prefix in statement.text.lower():
            prefix += "_"
        self._fresh = (f"{prefix}{number}" for number in itertools.count(1))

    def write(self, calls: Sequence[FunctionCall]) -> Statement:
        text = self._statement.text
        written = self._segment(text, Span(0, len(text)), calls, ())
        if written == text:
            return parse(text, self._limits)
        self._refuse_hidden_views()
        return parse(written, self._limits)

    def _segment(
        self, text: str, span: Span, calls: Sequence[FunctionCall], open_: tuple[str, ...]
    ) -> str:
        """A part of the text, with all calls in it written out."""
        edits: list[Edit] = []
        end = span.start
        for call in calls:
            if call.span.start < end or call.span.end > span.end:
                continue  # it is in another one's arguments, or not in this part
            function = self._find(call.parts)
            if function is None:
                if call.unknown:
                    raise no_function(text, call.name_span.start, ".".join(call.parts))
                continue  # its arguments are looked at by themselves
            inside = [
                self._segment(text, argument.span, calls, open_) for argument in call.arguments
            ]
            edits.append(Edit(call.span, self._expansion(text, call, function, inside, open_)))
            end = call.span.end
        pieces = [Edit(Span(0, span.start), ""), *edits, Edit(Span(span.end, len(text)), "")]
        return self._check_size(splice(text, pieces).text)

    def _expansion(
        self,
        text: str,
        call: FunctionCall,
        function: SqlFunction,
        arguments: Sequence[str],
        open_: tuple[str, ...],
    ) -> str:
        def fail(
            message: str, code: ErrorCode = ErrorCode.NOT_SUPPORTED, hint: str = ""
        ) -> NoReturn:
            place = position_at(text, call.name_span.start, call.name_span.of(text))
            raise UserError(code, message, hint=hint, position=None if open_ else place)

        name = function.shown_name
        if call.clause:
            fail(f"Function {name} is written in SQL: it cannot be called with {call.clause}.")
        if call.is_table is not function.is_table:
            kind = "a table function" if function.is_table else "no table function"
            fail(f"{name} is {kind}.", ErrorCode.INVALID_ARGUMENT)
        values = _values(call, function, arguments, fail)
        body = self._body(function, open_)
        if function.is_table:
            return _table(body, values, self._fresh, aliased=call.aliased)
        marked = any(map(has_marker, arguments))
        # An argument that the body leaves out is right or wrong all the same.
        lost = body.leaves_out and not (call.of_rows or call.in_lambda)
        if not body.reads and not marked and not lost and body.uses is not None:
            written = body.with_values(values, self._fresh)
            value = f"CAST(({written}) AS {function.returns})"
        elif call.of_rows or call.in_lambda:
            where = "inside of a lambda" if call.in_lambda else "with an aggregate or a window"
            fail(
                f"Function {name} becomes a subquery: it cannot be called {where}.",
                hint="Compute its argument in a subquery: SELECT f(a) FROM (SELECT … AS a).",
            )
        else:
            source = f" FROM {body.with_relation(values, self._fresh)}" if values else ""
            value = f"(SELECT CAST(({body.text}) AS {function.returns}){source})"
        shown = ", ".join(argument.span.of(text) for argument in call.arguments)
        alias = f" AS {quote_always(f'{name}({shown})')}" if call.is_item else ""
        return value + alias

    def _body(self, function: SqlFunction, open_: tuple[str, ...]) -> Body:
        key = function.shown_name.lower()
        if key in open_:
            path = " calls ".join([*open_[open_.index(key) :], key])
            message = f"Functions cannot call themselves: {path}."
            raise _TooDeep(ErrorCode.INVALID_ARGUMENT, message)
        if len(open_) >= MOST_OPEN:
            message = f"Functions call each other more than {MOST_OPEN} levels deep."
            raise _TooDeep(ErrorCode.STATEMENT_TOO_COMPLEX, message)
        if key not in self._bodies:
            self._bodies[key] = self._close(function, (*open_, key))
        return self._bodies[key]

    def _close(self, function: SqlFunction, open_: tuple[str, ...]) -> Body:
        """The body without calls of other functions."""
        text, start = body_as_query(function.body, function.is_query)
        try:
            statement = parse(text, self._limits, own_functions=True)
            span = Span(start, start + len(function.body))
            body = Body(function, self._segment(text, span, statement.calls, open_), self._limits)
            body.reads  # noqa: B018  what is wrong with it is told here
            return body
        except _TooDeep:
            raise
        except SqeError as error:
            message = f"In function {function.shown_name}: {error.message}"
            raise error_of(error.code, message, hint=error.hint) from error

    def _check_size(self, text: str) -> str:
        if len(text) > self._limits.statement_bytes:
            raise UserError(
                ErrorCode.STATEMENT_TOO_LARGE,
                "With the bodies of its functions in place of their calls, the statement has more "
                f"than {self._limits.statement_bytes:,} characters.",
                hint="A function that names a parameter twice writes its argument twice.",
            )
        return text

    def _refuse_hidden_views(self) -> None:
        """A temporary view in a body, and a query of the same name in the statement's WITH."""
        views = set[str]().union(*(body.short_names for body in self._bodies.values()))
        tree = _tree_of(self._statement)
        if tree is None or not views:
            return
        for query in tree.find_all(exp.CTE):
            if query.alias.lower() in views:
                raise UserError(
                    ErrorCode.AMBIGUOUS_NAME,
                    f"{query.alias} is a query of this WITH, and a temporary view that a function "
                    "reads.",
                    hint="Give the query another name.",
                )


def _tree_of(statement: Statement) -> exp.Expr | None:
    while statement.tree is None and statement.inner is not None:
        statement = statement.inner
    tree: exp.Expr | None = statement.tree
    return tree


def _values(
    call: FunctionCall,
    function: SqlFunction,
    arguments: Sequence[str],
    fail: Callable[..., NoReturn],
) -> dict[str, str]:
    """SQL of each parameter's value, cast to its type, by its name in small letters; in the order
    of the call."""
    given: dict[str, str] = {}
    names = [parameter.name.lower() for parameter in function.parameters]
    for index, (argument, text) in enumerate(zip(call.arguments, arguments, strict=True)):
        name = argument.name.lower() or (names[index] if index < len(names) else "")
        if not argument.name and any(one.name for one in call.arguments[:index]):
            fail("An argument without a name stands behind one with a name.")
        if not name:
            fail(
                f"{_signature(function)} was given {len(arguments)} arguments.",
                ErrorCode.INVALID_ARGUMENT,
            )
        if name not in names:
            fail(f"{_signature(function)} has no {name}.", ErrorCode.INVALID_ARGUMENT)
        if name in given:
            fail(f"{_signature(function)} was given {name} twice.", ErrorCode.INVALID_ARGUMENT)
        given[name] = text
    for parameter in function.parameters:
        value = given.get(parameter.name.lower(), parameter.default)
        if value is None:
            what = f"{_signature(function)} was not given {parameter.name}."
            fail(what, ErrorCode.INVALID_ARGUMENT)
        given[parameter.name.lower()] = f"CAST(({value}) AS {parameter.type})"
    return given


def _signature(function: SqlFunction) -> str:
    parameters = ", ".join(f"{one.name} {one.type}" for one in function.parameters)
    return f"{function.shown_name}({parameters})"


def _table(body: Body, values: dict[str, str], fresh: Iterator[str], *, aliased: bool) -> str:
    """A derived table. The body's columns are told by their places."""
    function = body.function
    places = [next(fresh) for _ in function.columns]
    columns = ", ".join(
        f"CAST({place} AS {column.type}) AS {quote_always(column.name)}"
        for place, column in zip(places, function.columns, strict=True)
    )
    rows = f"({body.text}) AS {next(fresh)}({', '.join(places)})"
    source = f"{body.with_relation(values, fresh)}, LATERAL {rows}" if values else rows
    alias = "" if aliased else f" AS {quote_always(function.short_name)}"
    return f"(SELECT {columns} FROM {source}){alias}"  # noqa: S608  SQL is its work
