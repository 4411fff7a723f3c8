"""DECLARE, SET VARIABLE and DROP TEMPORARY VARIABLE: variables of a session.

What a variable is given is a query of one row, the statement's ``inner``: it is bound, decided on
and run like any other of its user's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sqlglot import Token, exp

from sqe.errors import ErrorCode, UserError
from sqe.model.variables import variable_name, variable_not_found
from sqe.sql.cursor import TokenCursor
from sqe.sql.splice import Edit, splice
from sqe.sql.statement import NamedCommand, Span, Statement, StatementKind, blank, position_at
from sqe.sql.traits import DecidedBy, Effect, RunsOn, Traits, session_change

ParseInner = Callable[[str], Statement]
_WORDS = ("VARIABLE", "VAR")
_CHANGE = Traits(
    effect=Effect.SESSION,
    decided_by=DecidedBy.RELATIONS,
    runs_on=RunsOn.COORDINATOR_AND_ENGINE,
    in_transaction=True,
)
_NO_DEFAULT = "NULL   "  # in its place, as long as the word


@dataclass(frozen=True)
class DeclareVariable(NamedCommand):
    """``type`` is empty where the value tells. The query gives the value of all of them, before it
    is cast; ``default`` is its expression."""

    traits = _CHANGE

    names: tuple[str, ...]
    type: str
    default: str
    replace: bool = False


@dataclass(frozen=True)
class SetVariable(NamedCommand):
    """The query has a column for each of ``targets``. ``defaults``: the numbers of those that get
    their default, whatever it gives."""

    traits = _CHANGE

    targets: tuple[tuple[str, ...], ...]
    defaults: frozenset[int] = frozenset()


@dataclass(frozen=True)
class DropVariable(NamedCommand):
    traits = session_change(DecidedBy.EVERYBODY)

    parts: tuple[str, ...]
    if_exists: bool = False


def parse_declare(text: str, tokens: list[Token], parse_inner: ParseInner) -> Statement:
    cursor = TokenCursor(text, tokens)
    cursor.expect("DECLARE")
    replace = cursor.accept("OR", "REPLACE")
    cursor.accept_before_name(*_WORDS)
    names = [_read_new_name(cursor)]
    while cursor.accept(","):
        names.append(_read_new_name(cursor))
    _refuse_repeated(names)
    kind = _read_until(cursor, "DEFAULT", "=")
    if kind:
        _check_type(cursor, parse_inner(f"SELECT CAST(NULL AS {kind})"))
    start = end = cursor.offset()
    if not cursor.at_end():
        cursor.skip()
        start, end = cursor.offset(), len(text)
    elif not kind:
        cursor.fail("A variable needs a type or a default", ErrorCode.INVALID_ARGUMENT)
    default = text[start:end] or "NULL"
    inner = _parse_query(cursor, select_before(text, start) + default, parse_inner)
    if not _is_lone_expression(inner.tree):
        raise UserError(
            ErrorCode.INVALID_ARGUMENT,
            "The default of a variable is one expression, without subqueries.",
            hint="SET VARIABLE takes a subquery.",
            position=position_at(text, start),
        )
    command = DeclareVariable(tuple(names), kind, default, replace)
    return Statement(text, StatementKind.COMMAND, command=command, inner=inner)


def _is_lone_expression(tree: exp.Expr) -> bool:
    """``SELECT x``, with nothing behind it and no query in it."""
    parts = {key for key, part in tree.args.items() if part}
    lone = isinstance(tree, exp.Select) and parts == {"expressions"} and len(tree.expressions) == 1
    return lone and not any(node is not tree for node in tree.find_all(exp.Query))


def _check_type(cursor: TokenCursor, cast: Statement) -> None:
    tree = cast.tree
    if not _is_lone_expression(tree) or not isinstance(tree.expressions[0], exp.Cast):
        cursor.fail("Expected a type, DEFAULT or =")


def select_before(text: str, start: int) -> str:
    """SELECT before a list of values, so that every value keeps its place in the text."""
    before = blank(text, start)[:start]
    word = "SELECT "
    return word + before[len(word) :] if before[: len(word)].isspace() else word


def parse_set_variables(
    text: str, tokens: list[Token], parse_inner: ParseInner
) -> Statement | None:
    cursor = TokenCursor(text, tokens)
    cursor.expect("SET")
    if cursor.accept_before_name(*_WORDS) is None or cursor.looking_at("="):
        return None
    parse_values = _parse_row if cursor.accept("(") else _parse_list
    targets, defaults, inner = parse_values(text, cursor, parse_inner)
    _refuse_repeated([target[-1] for target in targets])
    command = SetVariable(tuple(targets), defaults)
    return Statement(text, StatementKind.COMMAND, command=command, inner=inner)


_Values = tuple[list[tuple[str, ...]], frozenset[int], Statement]


def _parse_list(text: str, cursor: TokenCursor, parse_inner: ParseInner) -> _Values:
    """``x = 1, y = DEFAULT``"""
    targets: list[tuple[str, ...]] = []
    defaults: set[int] = set()
    query, end = "", 0
    while True:
        targets.append(cursor.take_dotted_name("a variable")[0])
        cursor.expect("=")
        start = cursor.offset()
        value = _read_until(cursor, ",")
        if not value:
            cursor.fail("Expected a value")
        if value.upper() == "DEFAULT":
            defaults.add(len(targets) - 1)
            value = _NO_DEFAULT
        query += "," + blank(text[end + 1 : start], start - end - 1) if query else ""
        query = query or select_before(text, start)
        query, end = query + value, start + len(value)
        if not cursor.accept(","):
            break
    cursor.expect_end()
    inner = _parse_query(cursor, query, parse_inner)
    _refuse_inner_default(cursor, inner)
    return targets, frozenset(defaults), inner


def _parse_row(text: str, cursor: TokenCursor, parse_inner: ParseInner) -> _Values:
    """``x, y) = (SELECT 1, 2)``"""
    if cursor.looking_at(")"):
        cursor.fail("Expected a variable", ErrorCode.INVALID_ARGUMENT)
    targets = [cursor.take_dotted_name("a variable")[0]]
    while cursor.accept(","):
        targets.append(cursor.take_dotted_name("a variable")[0])
    for sign in (")", "=", "("):
        cursor.expect(sign)
    start = cursor.offset()
    if not cursor.rest().endswith(")"):
        cursor.fail("Expected )")
    query = blank(text[: cursor.last_end() - 1], start)
    inner = _parse_query(cursor, query, parse_inner)
    places = _find_defaults(cursor, inner)
    if places:
        query = splice(query, [Edit(span, _NO_DEFAULT) for span in places.values()]).text
        inner = _parse_query(cursor, query, parse_inner)
    return targets, frozenset(places), inner


def _find_defaults(cursor: TokenCursor, inner: Statement) -> dict[int, Span]:
    """Where DEFAULT is an item of the query's list, and not the name of a column."""
    if any(word.name.upper() == "DEFAULT" for word in inner.tree.find_all(exp.Var)):
        cursor.refuse("DEFAULT in VALUES", "SET VARIABLE name = DEFAULT is.")
    items = _items_of(inner.tree)
    places = {index: item.this.meta for index, item in enumerate(items) if _is_default(item)}
    named = [node for node in inner.tree.find_all(exp.Identifier) if node.name.lower() == "default"]
    if not inner.references and len(named) > len(places):
        _refuse_inner_default(cursor, inner, beside=len(places))
        return {}
    if places and inner.references:
        cursor.refuse("DEFAULT in a query over tables", "SET VARIABLE name = DEFAULT is.")
    return {index: Span(meta["start"], meta["end"] + 1) for index, meta in places.items()}


def _items_of(tree: exp.Expr) -> list[exp.Expr]:
    if isinstance(tree, exp.Values) and len(tree.expressions) == 1:
        tree = tree.expressions[0]
    return list(tree.expressions) if isinstance(tree, exp.Select | exp.Tuple) else []


def _is_default(item: exp.Expr) -> bool:
    name = item.this if isinstance(item, exp.Column) else None
    return (
        isinstance(name, exp.Identifier)
        and not name.quoted
        and item.args.get("table") is None
        and name.this.lower() == "default"
    )


def _refuse_inner_default(cursor: TokenCursor, inner: Statement, beside: int = 0) -> None:
    """``beside``: how many of them stand alone. Where a table is read they may be its columns."""
    columns = [column for column in inner.tree.find_all(exp.Column) if _is_default(column)]
    if not inner.references and len(columns) > beside:
        cursor.fail("DEFAULT stands alone, as a whole value", ErrorCode.INVALID_ARGUMENT)


def parse_drop_variable(text: str, tokens: list[Token]) -> Statement | None:
    cursor = TokenCursor(text, tokens)
    cursor.expect("DROP")
    if cursor.looking_at("VARIABLE") and cursor.source(1) not in ("", "."):
        cursor.fail("Variables are dropped with DROP TEMPORARY VARIABLE")
    if not any(cursor.accept("TEMPORARY", word) for word in _WORDS):
        return None
    if_exists = cursor.accept("IF", "EXISTS")
    parts, _ = cursor.take_dotted_name("a variable")
    cursor.expect_end()
    return Statement(text, StatementKind.COMMAND, command=DropVariable(parts, if_exists))


def _read_new_name(cursor: TokenCursor) -> str:
    position = cursor.position()
    parts, _ = cursor.take_dotted_name("a variable's name")
    if variable_name(parts) is None:
        error = variable_not_found(parts)
        raise UserError(
            error.code,
            f"{'.'.join(parts)} cannot be a variable's name.",
            hint="Variables are in system.session: name them without a qualifier.",
            position=position,
        )
    return parts[-1]


def _refuse_repeated(names: list[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name.lower() in seen:
            raise UserError(ErrorCode.INVALID_ARGUMENT, f"The variable {name} is named twice.")
        seen.add(name.lower())


def _read_until(cursor: TokenCursor, *ends: str) -> str:
    """The text up to one of these outside of parentheses, or the end."""
    start, depth = cursor.offset(), 0
    while not cursor.at_end():
        word = cursor.source().upper()
        if depth == 0 and word in ends:
            break
        depth += (word in ("(", "[")) - (word in (")", "]"))
        cursor.skip()
    return cursor.text_from(start) if cursor.offset() > start else ""


def _parse_query(cursor: TokenCursor, text: str, parse_inner: ParseInner) -> Statement:
    inner = parse_inner(text)
    if inner.kind is not StatementKind.QUERY:
        cursor.fail("Expected an expression or a query")
    if inner.markers:
        cursor.refuse(
            "A parameter marker as the value of a variable", "EXECUTE IMMEDIATE has them."
        )
    return inner
