"""Many rows of values for one ``INSERT … VALUES (?, …)``: one statement, and so one commit.

An engine reads the rows as a relation with a column for each marker. So every marker must have one
type in all rows; a type that a row alone would have is widened only where the table stores the same
value either way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from sqlglot import TokenType, exp

from sqe.binding.bound import BoundTable
from sqe.errors import ErrorCode, UserError
from sqe.model.query import Column, Parameter
from sqe.model.types import Plain, parse_type
from sqe.rewrite.guarded import GuardedStatement, ParameterRows
from sqe.rewrite.parameter_values import check_parameter
from sqe.rewrite.writes_text import find_target, insert_parts, tokens_behind
from sqe.sql.dialect import MARKER
from sqe.sql.statement import Access, Span, Statement, StatementKind

Row = Sequence[Parameter]
_VOID = "void"
# What a value may be made of: evaluated for each row it is what it is in VALUES.
_VALUES = (
    exp.Placeholder,
    exp.Literal,
    exp.Null,
    exp.Boolean,
    exp.Cast,
    exp.DataType,
    exp.DataTypeParam,
    exp.Paren,
    exp.Neg,
)
_INTS = {"tinyint": 3, "smallint": 5, "int": 10, "bigint": 20}  # digits; in order
_FLOATS = ("float", "double")
_EXACT = 2**53  # up to here a double has every whole number
_DIGITS = 38


@dataclass(frozen=True, slots=True)
class RowText:
    """The places of a row: ``opening`` is ``VALUES (``, ``closing`` is ``)``; a value each."""

    opening: Span
    closing: Span
    values: tuple[Any, ...]
    columns: tuple[str, ...]  # as they are listed, in small letters; empty: all of the table's


def row_text(statement: Statement) -> RowText | None:
    """None where it is no INSERT of one row whose values are markers, literals and casts."""
    if statement.kind is not StatementKind.INSERT or not statement.markers:
        return None
    values = statement.tree.args.get("expression")
    if not isinstance(values, exp.Values) or len(values.expressions) != 1:
        return None
    [row] = values.expressions
    parts = insert_parts(statement)
    if parts is None or parts.by_name or parts.defaults or not isinstance(row, exp.Tuple):
        return None
    if not all(
        isinstance(node, _VALUES) for expression in row.expressions for node in expression.walk()
    ):
        return None
    tokens = [
        token
        for token in tokens_behind(statement, find_target(statement))
        if token.start >= parts.source.start
    ]
    kinds = [tokens[n].token_type for n in (0, 1, -1)]
    if kinds != [TokenType.VALUES, TokenType.L_PAREN, TokenType.R_PAREN]:
        return None
    opening, closing = (
        Span(tokens[0].start, tokens[1].end + 1),
        Span(tokens[-1].start, parts.source.end),
    )
    return RowText(opening, closing, tuple(row.expressions), parts.columns)


def types_may_fit(rows: Sequence[Row]) -> bool:
    """Whether each marker has one plain type in all rows, or numbers of several."""
    for values in zip(*rows, strict=True):
        kinds_there = {value.type for value in values} - {_VOID}
        kinds = [parse_type(kind_text) for kind_text in kinds_there]
        if not all(isinstance(kind, Plain) for kind in kinds):
            return False
        if len(kinds_there) > 1 and not all(_is_number(kind_text) for kind_text in kinds_there):
            return False
    return True


def with_rows(guarded: GuardedStatement, rows: Sequence[Row]) -> GuardedStatement:
    """The statement as it may run: for all of the rows at once."""
    text = row_text(guarded.bound.statement)
    if text is None:
        raise UserError(ErrorCode.NOT_SUPPORTED, "Only INSERT … VALUES takes rows of parameters.")
    count = len(guarded.bound.statement.markers)
    kept: list[list[Parameter]] = []
    for number, row in enumerate(rows, 1):
        if len(row) != count:
            raise UserError(
                ErrorCode.INVALID_ARGUMENT,
                f"The statement has {count} parameter markers, and row {number} has {len(row)}"
                " values.",
                hint="Give one value for each ? of the text, in order.",
            )
        kept.append([check_parameter(value, place, number) for place, value in enumerate(row, 1)])
    targets = _targets(guarded, text)
    rows_there = []
    for place, (values, target) in enumerate(zip(zip(*kept, strict=True), targets, strict=True), 1):
        kind = common_type(values, target)
        if kind is None:
            raise MixedTypes(place)
        rows_there.append((kind, tuple(_as_type(value.value, kind) for value in values)))
    types, columns = zip(*rows_there, strict=True)
    return replace(guarded, rows=ParameterRows(types, columns))


class MixedTypes(UserError):
    """The rows are not one statement: row by row they mean what they mean."""

    def __init__(self, place: int) -> None:
        super().__init__(
            ErrorCode.TYPE_MISMATCH,
            f"The values of parameter {place} have several types.",
            hint="Give values of one type, or run the statement once for each row.",
        )


def common_type(values: Sequence[Parameter], target: str) -> str | None:
    """The type of a column of these values. ``target``: the type they are stored as, or empty where
    they are not stored as they are. None: none is the same as their own types one by one."""
    kinds = {value.type for value in values} - {_VOID}
    if len(kinds) <= 1:
        return kinds.pop() if kinds else _VOID
    if not _is_number(target) or not all(_is_number(kind_text) for kind_text in kinds):
        return None
    if kinds <= _INTS.keys():
        return max(kinds, key=list(_INTS).index)
    if not kinds.intersection(_FLOATS):
        return _common_decimal(kinds)
    whole = all(kind_text in _INTS or kind_text in _FLOATS for kind_text in kinds)
    exact = all(abs(v.value) <= _EXACT for v in values if isinstance(v.value, int))
    return "double" if whole and exact and target in _FLOATS else None


def _common_decimal(types: set[str]) -> str | None:
    kinds = [
        Plain("decimal", _INTS[type_text], 0) if type_text in _INTS else parse_type(type_text)
        for type_text in types
    ]
    plain = [kind for kind in kinds if isinstance(kind, Plain)]
    scale = max(kind.scale or 0 for kind in plain)
    digits = max((kind.precision or 0) - (kind.scale or 0) for kind in plain)
    return f"decimal({digits + scale},{scale})" if digits + scale <= _DIGITS else None


def _as_type(value: object, kind: str) -> object:
    if isinstance(value, int) and not isinstance(value, bool):
        if kind in _FLOATS:
            return float(value)
        return Decimal(value) if kind.startswith("decimal") else value
    return value


def _is_number(kind: str) -> bool:
    return kind in _INTS or kind in _FLOATS or kind.startswith("decimal(")


def _targets(guarded: GuardedStatement, text: RowText) -> list[str]:
    """For each marker the type that it alone is cast to or stored as, or nothing."""
    columns = _columns_of_rows(guarded, text)
    by_start: dict[int, str] = {}
    for value, column in zip(text.values, columns, strict=False):
        if isinstance(value, exp.Placeholder) and column is not None:
            by_start[value.meta[MARKER]] = column.type
        elif isinstance(value, exp.Cast) and isinstance(value.this, exp.Placeholder):
            by_start[value.this.meta[MARKER]] = value.to.sql("spark").lower()
    return [by_start.get(span.start, "") for span in guarded.bound.statement.markers]


def _columns_of_rows(guarded: GuardedStatement, text: RowText) -> list[Column | None]:
    """The table's columns in the order of the values."""
    for reference in guarded.bound.references:
        target = reference.target
        if reference.reference.access is Access.WRITE and isinstance(target, BoundTable):
            if not text.columns:
                return list(target.columns)
            stored = {column.name.lower(): column for column in target.columns}
            return [stored.get(name) for name in text.columns]
    return []


def unfit_test(guarded: GuardedStatement, text: RowText, name_of: Callable[[int], str]) -> str:
    """A condition in Spark's SQL that is true of rows whose values cannot be stored, and fails of
    none. ``name_of`` a marker's number is the column with its values."""
    starts = {span.start: n for n, span in enumerate(guarded.bound.statement.markers)}
    tests = ["FALSE"]
    for value, column in zip(text.values, _columns_of_rows(guarded, text), strict=True):
        names = [name_of(starts[node.meta[MARKER]]) for node in value.find_all(exp.Placeholder)]
        if column is None or not names:
            continue
        tried = _try_cast(value, lambda node: name_of(starts[node.meta[MARKER]]))
        there = " AND ".join(f"{name} IS NOT NULL" for name in names)
        tests.append(f"({there} AND try_cast({tried} AS {column.type}) IS NULL)")
        if not column.nullable:
            tests.append(f"({tried} IS NULL)")
    return " OR ".join(tests)


def _try_cast(value: exp.Expr, name_of: Callable[[exp.Placeholder], str]) -> str:
    """The value with casts that give NULL where they fail."""
    if isinstance(value, exp.Placeholder):
        return name_of(value)
    if isinstance(value, exp.Cast):
        return f"try_cast({_try_cast(value.this, name_of)} AS {value.to.sql('spark')})"
    if isinstance(value, exp.Paren):
        return f"({_try_cast(value.this, name_of)})"
    if isinstance(value, exp.Neg):
        return f"try_subtract(0, {_try_cast(value.this, name_of)})"
    return str(value.sql("spark"))
