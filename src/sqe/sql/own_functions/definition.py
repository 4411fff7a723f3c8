"""CREATE [TEMPORARY] FUNCTION, DROP, DESCRIBE and SHOW CREATE FUNCTION, in Spark's words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from sqlglot import Token, exp

from sqe.errors import ErrorCode
from sqe.model.functions import FunctionParameter
from sqe.sql.column_definitions import read_expression
from sqe.sql.commands import Name
from sqe.sql.cursor import TokenCursor, command_tokens
from sqe.sql.own_functions.calls import is_value_of_a_row
from sqe.sql.own_functions.clauses import read_clauses
from sqe.sql.own_functions.texts import quote_always
from sqe.sql.statement import NamedCommand, Span, Statement, StatementKind
from sqe.sql.traits import DecidedBy, Effect, RunsOn, Traits, look, session_change

ParseInner = Callable[[str], Statement]

_QUERY_WORDS = ("SELECT", "WITH", "VALUES", "FROM", "TABLE")
_HINT = "Write what it computes as one expression or query in SQL, behind RETURN."
_UNITS = ("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND", "TO")


@dataclass(frozen=True)
class CreateFunction(NamedCommand):
    """The statement inside is what its body would be in a query, to find out what is wrong with it.

    ``returns``: empty of a table function, and where the body is to tell.
    """

    traits: ClassVar[Traits] = Traits(
        decided_by=DecidedBy.FUNCTION_OWNER, runs_on=RunsOn.COORDINATOR_AND_ENGINE
    )

    name: Name
    parameters: tuple[FunctionParameter, ...]
    returns: str
    is_table: bool
    columns: tuple[FunctionParameter, ...]
    body: str
    is_query: bool
    replace: bool = False
    if_not_exists: bool = False
    comment: str = ""
    deterministic: bool | None = None
    origin: tuple[tuple[str, str], ...] = ()  # see ``SqlFunction``


@dataclass(frozen=True)
class CreateTemporaryFunction(CreateFunction):
    """It lives in the session."""

    traits: ClassVar[Traits] = Traits(
        effect=Effect.SESSION,
        decided_by=DecidedBy.EVERYBODY,
        runs_on=RunsOn.COORDINATOR_AND_ENGINE,
        in_transaction=True,
    )


@dataclass(frozen=True)
class DropFunction(NamedCommand):
    traits = Traits(decided_by=DecidedBy.FUNCTION_OWNER, runs_on=RunsOn.COORDINATOR)

    name: Name
    if_exists: bool = False


@dataclass(frozen=True)
class DropTemporaryFunction(NamedCommand):
    traits = session_change(DecidedBy.EVERYBODY)

    name: Name
    if_exists: bool = False


@dataclass(frozen=True)
class DescribeFunction(NamedCommand):
    traits = look(DecidedBy.EVERYBODY)

    name: Name
    extended: bool = False


@dataclass(frozen=True)
class ShowCreateFunction(NamedCommand):
    traits = look(DecidedBy.EVERYBODY)

    name: Name


def parse_create_function(
    text: str, tokens: Sequence[Token], parse_inner: ParseInner
) -> Statement | None:
    cursor = TokenCursor(text, tokens)
    cursor.expect("CREATE")
    replace = cursor.accept("OR", "REPLACE")
    temporary = cursor.accept_one_of("TEMPORARY", "TEMP") is not None
    if not cursor.accept("FUNCTION"):
        return None
    if_not_exists = cursor.accept("IF", "NOT", "EXISTS")
    if if_not_exists and (replace or temporary):
        other = "OR REPLACE" if replace else "TEMPORARY"
        cursor.fail(f"IF NOT EXISTS and {other} exclude each other", ErrorCode.SYNTAX_ERROR)
    name = Name(*cursor.take_dotted_name("the function's name"))
    if temporary and len(name.parts) > 1:
        cursor.refuse("A qualified name for a temporary function", "Give it a name of one part.")
    if cursor.looking_at("AS"):
        cursor.refuse("A function of a Java class", _HINT)
    parameters = _parameters(cursor)
    is_table, returns, columns = _returns(cursor)
    clauses = read_clauses(cursor)
    body, is_query = _body(cursor, text, is_table)
    kind = CreateTemporaryFunction if temporary else CreateFunction
    command = kind(
        name=name,
        parameters=parameters,
        returns=returns,
        is_table=is_table,
        columns=columns,
        body=body.of(text),
        is_query=is_query,
        replace=replace,
        if_not_exists=if_not_exists,
        comment=clauses.comment,
        deterministic=clauses.deterministic,
        origin=clauses.origin,
    )
    _check_body(command, parse_inner, cursor)
    inner = parse_inner(_check_text(command, text, body))
    return Statement(text, StatementKind.COMMAND, command=command, inner=inner)


def _parameters(cursor: TokenCursor) -> tuple[FunctionParameter, ...]:
    cursor.expect("(")
    parameters = () if cursor.accept(")") else _fields(cursor, "parameter")
    defaults = [parameter.default is not None for parameter in parameters]
    if defaults != sorted(defaults):
        cursor.fail("A parameter without DEFAULT stands behind one with it")
    return parameters


def _fields(cursor: TokenCursor, what: str) -> tuple[FunctionParameter, ...]:
    """Parameters, or the columns of a table function, up to the closing parenthesis."""
    fields: list[FunctionParameter] = []
    while True:
        if cursor.accept_before_name("IN", "OUT", "INOUT"):
            cursor.refuse("IN, OUT and INOUT of a parameter", "Write its name and type alone.")
        name = cursor.identifier(f"a {what}'s name")
        if any(field.name.lower() == name.lower() for field in fields):
            cursor.fail(f"The {what} {name} is defined twice", ErrorCode.AMBIGUOUS_NAME)
        kind = read_any_type(cursor)
        default, comment = None, ""
        if cursor.looking_at("NOT", "NULL"):
            cursor.refuse(f"NOT NULL of a {what}", "Check it in the body.")
        if what == "parameter" and cursor.accept("DEFAULT"):
            default = read_expression(cursor)
        if cursor.accept("COMMENT"):
            comment = cursor.string_literal()
        fields.append(FunctionParameter(name, kind, default, comment))
        if cursor.accept(")"):
            return tuple(fields)
        cursor.expect(",")


def read_any_type(cursor: TokenCursor) -> str:
    """A type as written, whatever it is: the engine says whether there is one of that name."""
    start = cursor.offset()
    interval = cursor.looking_at("INTERVAL")
    if not cursor.at_identifier():
        cursor.fail("Expected a type")
    cursor.skip()
    while interval and cursor.source().upper() in _UNITS:
        cursor.skip()
    for opening, closing in (("<", ">"), ("(", ")")):
        if not cursor.source().startswith(opening):
            continue
        depth = 0
        while depth or cursor.source().startswith(opening):
            if cursor.at_end():
                cursor.fail(f"Expected {closing}")
            depth += cursor.source().count(opening) - cursor.source().count(closing)
            cursor.skip()
    if cursor.looking_at("COLLATE"):
        cursor.refuse("COLLATE of a function's parameter or result")
    return cursor.text_from(start)


def _returns(cursor: TokenCursor) -> tuple[bool, str, tuple[FunctionParameter, ...]]:
    """Whether it is a table function, the type, and the columns."""
    if not cursor.accept("RETURNS"):
        return False, "", ()
    if cursor.accept("TABLE"):
        return True, "", _fields(cursor, "column") if cursor.accept("(") else ()
    return False, read_any_type(cursor), ()


def _body(cursor: TokenCursor, text: str, is_table: bool) -> tuple[Span, bool]:
    if cursor.looking_at("BEGIN"):
        cursor.refuse("A function's body of several statements (BEGIN … END)", _HINT)
    if cursor.looking_at("AS"):
        cursor.refuse("A function's body behind AS", _HINT)
    cursor.expect("RETURN")
    if cursor.at_end():
        cursor.fail("Expected an expression or a query")
    is_query = is_table or cursor.source().upper() in _QUERY_WORDS
    return Span(cursor.offset(), len(text)), is_query


def _check_text(command: CreateFunction, text: str, body: Span) -> str:
    """``SELECT body FROM parameters``. The body keeps its place in the text if it can."""
    relation = ", ".join(
        f"CAST(({parameter.default or 'NULL'}) AS {parameter.type})"
        f" AS {quote_always(parameter.name)}"
        for parameter in command.parameters
    )
    source = f"(SELECT {relation}) AS {quote_always(command.name.parts[-1])}" if relation else ""
    if command.is_table:
        head = f"SELECT * FROM {f'{source}, LATERAL ' if source else ''}("  # noqa: S608
        names = ", ".join(quote_always(column.name) for column in command.columns)
        tail = f") AS {quote_always('rows')}{f'({names})' if names else ''}"
        if command.columns:
            casts = ", ".join(
                f"CAST({quote_always('rows')}.{quote_always(column.name)} AS {column.type})"
                for column in command.columns
            )
            head = head.replace("SELECT *", f"SELECT {casts}", 1)
        elif source:
            head = head.replace("SELECT *", f"SELECT {quote_always('rows')}.*", 1)
    else:
        head = "SELECT CAST((" if command.returns else "SELECT ("
        tail = f") AS {command.returns})" if command.returns else ")"
        tail += f" AS {quote_always('result')}"
        tail += f" FROM {source}" if source else ""
    blank = "".join("\n" if character == "\n" else " " for character in text[: body.start])
    before = blank[: -len(head)] if len(head) <= len(blank) else ""
    return before + head + body.of(text) + tail


def _check_body(command: CreateFunction, parse_inner: ParseInner, cursor: TokenCursor) -> None:
    """By itself it is one query, or one expression about one row: aggregates, window functions and
    generators are only for queries inside of it."""
    alone = parse_inner(command.body if command.is_query else f"SELECT {command.body}")
    if alone.kind is not StatementKind.QUERY:
        cursor.fail("Expected an expression or a query")
    if command.parameters and alone.tree.find(exp.Limit, exp.Offset, exp.Fetch) is not None:
        # It would count rows before they are compared with a parameter, unless that is a column's
        # equal of the very same type.
        cursor.refuse(
            "LIMIT or OFFSET in the body of a function with parameters",
            "Spark does not take it for each call. Use max, min_by or row_number().",
        )
    if command.is_query:
        return
    said = [key for key, value in alone.tree.args.items() if value]
    if said != ["expressions"] or len(alone.tree.expressions) != 1:
        cursor.fail("The body is not one expression")
    [expression] = alone.tree.expressions
    if isinstance(expression, exp.Alias):
        cursor.fail("The body is an expression without a name of its own")
    inside = expression.walk(prune=lambda node: isinstance(node, exp.Query))
    if not all(is_value_of_a_row(node) for node in inside):
        cursor.refuse(
            "A function's body with an aggregate, window function or generator",
            "Write a query in it: RETURN (SELECT max(a) FROM t).",
        )


def parse_drop_function(text: str, tokens: Sequence[Token]) -> Statement | None:
    cursor = TokenCursor(text, tokens)
    cursor.expect("DROP")
    temporary = cursor.accept_one_of("TEMPORARY", "TEMP") is not None
    if not cursor.accept("FUNCTION"):
        return None
    if_exists = cursor.accept("IF", "EXISTS")
    name = Name(*cursor.take_dotted_name("the function's name"))
    cursor.expect_end()
    kind = DropTemporaryFunction if temporary else DropFunction
    return Statement(text, StatementKind.COMMAND, command=kind(name, if_exists))


def parse_describe_function(text: str, tokens: Sequence[Token]) -> Statement | None:
    """Spark also takes the signs of operators: DESCRIBE FUNCTION +."""
    cursor = TokenCursor(text, tokens)
    cursor.skip()
    if not cursor.accept_before_name("FUNCTION"):
        return None
    extended = cursor.accept_before_name("EXTENDED") is not None
    if cursor.at_identifier():
        name = Name(*cursor.take_dotted_name("a function's name"))
    else:
        read = cursor.string_literal if cursor.at_string() else cursor.rest
        word, span = cursor.read_with_span(read)
        name = Name((word,), span)
    cursor.expect_end()
    return Statement(text, StatementKind.COMMAND, command=DescribeFunction(name, extended))


def parse_show_create_function(text: str, tokens: Sequence[Token]) -> Statement | None:
    cursor = TokenCursor(text, command_tokens(text, tokens))
    cursor.skip()
    if not cursor.accept("CREATE", "FUNCTION"):
        return None
    name = Name(*cursor.take_dotted_name("the function's name"))
    cursor.expect_end()
    return Statement(text, StatementKind.COMMAND, command=ShowCreateFunction(name))
