"""Conditions that let Iceberg skip files: a stored column compared with constants.

Leaving a condition out only costs time; each one that is used must hold for every row that the
query can need.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator
from decimal import Decimal, InvalidOperation
from typing import Any

from sqlglot import exp

from sqe.engines.local.compile.constants import Known, constant, since_now
from sqe.engines.local.compile.scans import MetadataDraft, TableColumn
from sqe.engines.local.compile.scope import Scope, SourceColumn
from sqe.engines.local.plan import Comparison, SinceNow
from sqe.engines.local.types import SparkType, parse_type

_OPERATORS: dict[type[exp.Expr], tuple[str, str]] = {
    exp.EQ: ("=", "="),
    exp.GT: (">", "<"),
    exp.GTE: (">=", "<="),
    exp.LT: ("<", ">"),
    exp.LTE: ("<=", ">="),
}
_INTEGERS = ("tinyint", "smallint", "int", "bigint")
_MAX_VALUES = 200  # PyIceberg itself gives up on longer lists

Found = tuple[Any, str, tuple[Any, ...]]  # a column's node, an operator, constants


def _any(column: SourceColumn) -> bool:
    return True


def prune(
    condition: Any,
    scope: Scope,
    known: Known,
    keeps: Callable[[SourceColumn], bool] = _any,
) -> None:
    """Tells the scans below ``scope`` what holds for all rows that count.

    A comparison is never true of NULL. So in WHERE it may prune the optional side of an outer join
    too: a row that finds no partner then has NULL there, and fails the condition as before. IS NULL
    may not. In ON of an outer join ``keeps`` leaves the columns of the side that is optional.
    """
    for node, op, values in _comparisons(condition, known):
        column = _column(node, scope)
        if column is None or not keeps(column):
            continue
        for origin in column.prunes:
            if op == "isnull" and (origin is not column or column.optional):
                continue
            comparison = _comparison_on_stored(origin, op, values)
            if comparison is not None:
                origin.draft.pruning.append(comparison)
    for left, right in _equal_columns(condition):
        one, other = _column(left, scope), _column(right, scope)
        if one is not None and other is not None:
            follow(one, other, keeps)


def _equal_columns(node: Any) -> Iterator[tuple[exp.Column, exp.Column]]:
    if isinstance(node, exp.Paren):
        yield from _equal_columns(node.this)
    elif isinstance(node, exp.And):
        yield from _equal_columns(node.this)
        yield from _equal_columns(node.expression)
    elif isinstance(node, exp.EQ):
        sides = node.this, node.expression
        if all(isinstance(side, exp.Column) for side in sides):
            yield sides


def follow(
    one: SourceColumn, other: SourceColumn, keeps: Callable[[SourceColumn], bool] = _any
) -> None:
    """The two are equal in every row that counts: of a list of names only those that the other one
    has are needed. Only a relation's own column has no values but those of one place."""
    for target, source in ((one, other), (other, one)):
        if not isinstance(source, TableColumn) or not keeps(target):
            continue
        for origin in target.prunes:
            names = origin.type_text == source.type_text == "string"
            if names and isinstance(origin.draft, MetadataDraft):
                origin.draft.follows.append((origin.stored, source))


def _comparisons(node: Any, known: Known) -> Iterator[Found]:
    """Every conjunct of a form that is certain."""
    for kind, read in _FORMS:
        if isinstance(node, kind):
            yield from read(node, known)
            return


def _both(node: Any, known: Known) -> Iterator[Found]:
    yield from _comparisons(node.this, known)
    yield from _comparisons(node.expression, known)


def _from_comparison(node: Any, known: Known) -> Iterator[Found]:
    forward, backward = _OPERATORS[type(node)]
    yield from _prune_column(node.this, forward, [node.expression], known)
    yield from _prune_column(node.expression, backward, [node.this], known)


def _between(node: exp.Between, known: Known) -> Iterator[Found]:
    if not node.args.get("symmetric"):
        for side, op in (("low", ">="), ("high", "<=")):
            yield from _prune_column(node.this, op, [node.args[side]], known)


def _from_in_list(node: exp.In, known: Known) -> Iterator[Found]:
    if node.expressions and not node.args.get("query"):
        yield from _prune_column(node.this, "in", node.expressions, known)


def _is_null(node: exp.Is, known: Known) -> Iterator[Found]:
    if isinstance(node.expression, exp.Null):
        yield node.this, "isnull", ()


def _from_not(node: exp.Not, known: Known) -> Iterator[Found]:
    """NOT (x IS NULL). No other negation is used."""
    inner = node.this.this if isinstance(node.this, exp.Paren) else node.this
    if isinstance(inner, exp.Is) and isinstance(inner.expression, exp.Null):
        yield inner.this, "notnull", ()


def _prune_column(column: Any, op: str, nodes: list[Any], known: Known) -> Iterator[Found]:
    if isinstance(column, exp.Column):
        values = tuple(_constant(node, op, known) for node in nodes)
        if None not in values:
            yield column, op, values


def _constant(node: Any, op: str, known: Known) -> Any:
    """Moments that move with the clock are lower bounds only: rows are looked for a little before
    the engine's own clock is read."""
    value = constant(node, known)
    return since_now(node) if value is None and op in (">", ">=") else value


def _alternatives(node: exp.Or, known: Known) -> Iterator[Found]:
    """``a = 1 OR (a = 2 AND …) OR a IN (3, 4)``: a column that has one of these values in every
    branch."""
    common: dict[str, tuple[Any, list[Any]]] | None = None
    for branch in node.flatten():
        common_values: dict[str, tuple[Any, list[Any]]] = {}
        for column, op, values in _comparisons(branch, known):
            if op in ("=", "in"):
                common_values.setdefault(column.sql(), (column, list(values)))
        if common is not None:
            common_values = {
                name: (column, [*common[name][1], *values])
                for name, (column, values) in common_values.items()
                if name in common
            }
        common = common_values
    for column, either in (common or {}).values():
        yield column, "in", tuple(either)


def _like(node: exp.Like, known: Known) -> Iterator[Found]:
    yield from _pattern(node, "\\", known)


def _from_escape(node: exp.Escape, known: Known) -> Iterator[Found]:
    mark = constant(node.expression, known)
    if isinstance(node.this, exp.Like) and isinstance(mark, str) and len(mark) == 1:
        yield from _pattern(node.this, mark, known)


def _pattern(node: exp.Like, mark: str, known: Known) -> Iterator[Found]:
    """What comes before the first wildcard; all of it, where there is none."""
    text = constant(node.expression, known)
    constants = exp.Literal | exp.Placeholder
    if node.args.get("negate") or not isinstance(node.expression, constants):
        return
    if not isinstance(text, str) or not text:
        return
    prefix, rest = _before_wildcard(text, mark)
    if not rest:
        yield node.this, "=", (prefix,)
    elif prefix:
        yield node.this, "startswith", (prefix,)


def _before_wildcard(pattern: str, mark: str) -> tuple[str, str]:
    """The text that must stand first, and what is left of the pattern from its first wildcard on,
    or from an escape on that may be none."""
    prefix, place = "", 0
    while place < len(pattern) and pattern[place] not in "%_":
        if pattern[place] == mark:
            place += 1
            if pattern[place : place + 1] not in ("%", "_", mark) or place == len(pattern):
                return prefix, mark
        prefix += pattern[place]
        place += 1
    return prefix, pattern[place:]


_FORMS: tuple[tuple[Any, Callable[[Any, Known], Iterator[Found]]], ...] = (
    (exp.Paren, lambda node, known: _comparisons(node.this, known)),
    (exp.And, _both),
    (exp.Or, _alternatives),
    (exp.Between, _between),
    (exp.In, _from_in_list),
    (exp.Is, _is_null),
    (exp.Not, _from_not),
    (exp.Like, _like),
    (exp.Escape, _from_escape),
    (tuple(_OPERATORS), _from_comparison),
)


def _column(node: Any, scope: Scope) -> SourceColumn | None:
    if not isinstance(node, exp.Column) or isinstance(node.this, exp.Star):
        return None
    parts = [node.args.get(key) for key in ("catalog", "db", "table")]
    matching = list(scope.matches(node.name, tuple(p.name for p in parts if p is not None)))
    return matching[0] if len(matching) == 1 else None


def _comparison_on_stored(
    column: TableColumn, op: str, constants: tuple[Any, ...]
) -> Comparison | None:
    """The comparison in the column's own type, or None where there could be any doubt."""
    kind = parse_type(column.type_text)
    if not kind.is_plain:
        return None
    if not constants:
        return Comparison(column.stored, op)
    if isinstance(constants[0], SinceNow):
        moving = isinstance(column.draft, MetadataDraft) and kind.name == "timestamp"
        return Comparison(column.stored, op, constants[0]) if moving else None
    values = [_fit(value, kind) for value in constants]
    if None in values or len(values) > _MAX_VALUES:
        return None
    if op == "in":
        distinct = tuple(dict.fromkeys(values))
        if len(distinct) > 1:
            return Comparison(column.stored, op, distinct)
        op, values = "=", list(distinct)
    if op == "startswith" and kind.name != "string":
        return None
    return Comparison(column.stored, op, values[0])


def _fit(value: Any, kind: SparkType) -> object:
    """A constant as a value of the column's type. Doubles are left out: Iceberg's bounds do not
    know NaN, which is greater than every number."""
    if isinstance(value, bool):
        return value if kind.name == "boolean" else None
    if isinstance(value, int) and kind.name in _INTEGERS:
        return value
    if isinstance(value, int | Decimal) and kind.is_decimal:
        return _exact_decimal(Decimal(value), kind)
    if isinstance(value, str):
        if kind.name == "date":
            return _iso_date(value)
        return value if kind.name == "string" else None
    if isinstance(value, datetime.datetime):
        wanted = "timestamp" if value.tzinfo is not None else "timestamp_ntz"
        return value if kind.name == wanted else None
    if isinstance(value, datetime.date):
        return value if kind.name == "date" else None
    return None


def _iso_date(text: str) -> datetime.date | None:
    try:
        return datetime.date.fromisoformat(text) if len(text) == len("2024-01-01") else None
    except ValueError:
        return None


def _exact_decimal(value: Decimal, kind: SparkType) -> Decimal | None:
    try:
        scaled = value.quantize(Decimal(1).scaleb(-kind.scale))
    except InvalidOperation:
        return None
    fits = len(scaled.as_tuple().digits) <= kind.precision
    return scaled if scaled == value and fits else None
