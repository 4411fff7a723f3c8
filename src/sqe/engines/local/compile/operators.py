"""Operators: arithmetic, comparisons, AND, OR, NOT, IS, BETWEEN, IN, LIKE."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from decimal import Decimal
from typing import Any

from sqlglot import exp

from sqe.engines.local.compile import arithmetic
from sqe.engines.local.compile.arithmetic import give_up
from sqe.engines.local.compile.compiling import Compiling, in_utc
from sqe.engines.local.compile.functions_text import to_lower
from sqe.engines.local.compile.literals import beside
from sqe.engines.local.compile.scope import Scope
from sqe.engines.local.compile.value import (
    Value,
    format_list_name,
    format_name,
    make_value,
    need_equatable,
)
from sqe.engines.local.plan import NotLocal
from sqe.engines.local.types import (
    BOOLEAN,
    DATE,
    INT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    SparkType,
    common_type,
)
from sqe.sql.dialect import CALL

ARITHMETIC: dict[Any, str] = {
    exp.Add: "+",
    exp.Sub: "-",
    exp.Mul: "*",
    exp.Div: "/",
    exp.Mod: "%",
    exp.IntDiv: "div",
    exp.BitwiseAnd: "&",
    exp.BitwiseOr: "|",
    exp.BitwiseXor: "^",
}
COMPARISONS: dict[Any, str] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.GT: ">",
    exp.GTE: ">=",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.NullSafeEQ: "<=>",
    exp.NullSafeNEQ: "is distinct from",
}
_NAMES = {"<>": "(NOT ({} = {}))", "<=>": "({} <=> {})", "is distinct from": "(NOT ({} <=> {}))"}
_DUCKDB = {"<=>": "IS NOT DISTINCT FROM", "is distinct from": "IS DISTINCT FROM"}
_DATE_UNITS = ("DAY", "WEEK", "MONTH", "YEAR")
_CLOCK_UNITS = ("HOUR", "MINUTE", "SECOND")


def binary(here: Compiling, node: Any) -> Value:
    operator = ARITHMETIC[type(node)]
    if isinstance(node.expression, exp.Interval):
        return _shift(here, operator, here.value(node.this), node.expression)
    left, right = here.value(node.this), here.value(node.expression)
    if DATE in (left.type, right.type):
        return _add_days(operator, left, right)
    value = arithmetic.binary(operator, left, right)
    if CALL in node.meta:  # mod(a, b), written as a function
        return replace(value, name=format_name("mod({}, {})", left, right))
    return value


def _add_days(operator: str, left: Value, right: Value) -> Value:
    day, count = (left, right) if left.type == DATE else (right, left)
    moves = operator == "+" or (operator == "-" and day is left)
    if not moves or count.type.name not in ("tinyint", "smallint", "int"):
        raise NotLocal(f"{operator} on {left.type} and {right.type} is Spark's")
    name = format_name("date_add({}, {})" if operator == "+" else "date_sub({}, {})", day, count)
    return make_value(f"({day.sql} {operator} {count.cast(INT)})", DATE, name, day, count)


def bit_not(here: Compiling, node: exp.BitwiseNot) -> Value:
    value = here.value(node.this)
    if not value.type.is_integral:
        raise NotLocal(f"~ of {value.type} is Spark's")
    return make_value(f"(~ {value.sql})", value.type, format_name("~{}", value), value)


def _shift(here: Compiling, sign: str, moment: Value, interval: exp.Interval) -> Value:
    """A date or moment plus or minus a literal interval of one unit."""
    unit = str(interval.args.get("unit") or "").upper().rstrip("S")
    amount = interval.this
    clock = unit in _CLOCK_UNITS
    if (
        sign not in ("+", "-")
        or not isinstance(amount, exp.Literal)
        or not re.fullmatch(r"-?\d{1,6}", str(amount.this))
        or not (unit in _DATE_UNITS or clock)
        or moment.type not in (DATE, TIMESTAMP, TIMESTAMP_NTZ)
        or (moment.type == DATE and clock)
    ):
        raise NotLocal("this date arithmetic is Spark's")
    if moment.type == TIMESTAMP:
        in_utc(here, "a timestamp plus an interval")
    by = f"{sign} INTERVAL ({amount.this}) {unit}"
    sql = f"({moment.sql} {by})"
    if moment.type == DATE:
        sql = f"CAST({moment.sql} {by} AS DATE)"
    if moment.type == TIMESTAMP:
        sql = f"CAST(CAST({moment.sql} AS TIMESTAMP) {by} AS TIMESTAMPTZ)"
    name = _interval_name(sign, moment, int(str(amount.this)), unit)
    return make_value(sql, moment.type, name, moment)


def _interval_name(sign: str, moment: Value, amount: int, unit: str) -> str:
    if unit == "WEEK":
        amount, unit = 7 * amount, "DAY"
    digits = f"{abs(amount):02d}" if unit in _CLOCK_UNITS else str(abs(amount))
    interval = f"INTERVAL '{'-' if amount < 0 else ''}{digits}' {unit}"
    if moment.type == DATE and unit == "DAY":
        days = f"extractansiintervaldays({interval})"
        return format_name(f"date_add({{}}, {days if sign == '+' else f'(- {days})'})", moment)
    return format_name(f"{{}} {sign} {interval}", moment)


def comparison(here: Compiling, node: Any) -> Value:
    return compare(
        here, COMPARISONS[type(node)], here.value(node.this), here.value(node.expression)
    )


def compare(here: Compiling, operator: str, left: Value, right: Value) -> Value:
    left, right = beside(here, left, right), beside(here, right, left)
    shown_left, shown_right = left, right
    if left.type.is_decimal and right.bare and right.type.is_integral:
        right = arithmetic.as_decimal(right)  # with its own digits: the column stays as it is
    elif right.type.is_decimal and left.bare and left.type.is_integral:
        left = arithmetic.as_decimal(left)
    if shown_left.type.is_integral and right.type.is_decimal and right.bare:
        shown_right = _whole_bound(operator, right, ">", "<=")
    elif shown_right.type.is_integral and left.type.is_decimal and left.bare:
        shown_left = _whole_bound(operator, left, ">=", "<")
    kind = common_type(left.type, right.type)
    if kind.is_float:
        _read_as_spark_prunes("not" if here.negated else operator, left, right)
    if kind.parts:
        _check_nested(operator, kind)
    sql = f"({left.cast(kind)} {_DUCKDB.get(operator, operator)} {right.cast(kind)})"
    name = format_name(_NAMES.get(operator, f"({{}} {operator} {{}})"), shown_left, shown_right)
    distinct = operator in _DUCKDB
    return make_value(sql, BOOLEAN, name, left, right, nullable=False if distinct else None)


def _check_nested(operator: str, kind: SparkType) -> None:
    """Nested values are equal alike, but a NULL inside of one is first to Spark and last to
    DuckDB."""
    if operator not in ("=", "<>", *_DUCKDB):
        raise NotLocal(f"{operator} on {kind} is Spark's")
    need_equatable(kind, f"{operator} on")


def _whole_bound(operator: str, bound: Value, *floors: str) -> Value:
    """A decimal as written beside an integer: Spark takes the next whole number instead. Beyond
    all bigints it compares nothing at all, and NULL is smaller too."""
    if operator not in ("<", "<=", ">", ">="):
        return bound
    number = Decimal(bound.name)
    whole = math.floor(number) if operator in floors else math.ceil(number)
    if not -(2**63) < whole < 2**63 - 1:
        raise NotLocal("an integer compared with a number beyond bigint is Spark's")
    return replace(bound, name=str(whole))


def _read_as_spark_prunes(operator: str, left: Value, right: Value) -> None:
    """Spark lets Iceberg skip files by their bounds, which do not count NaN and tell -0.0 from 0.0:
    rows get lost there. So such columns have to be free of them in every file."""
    if left.column and right.column:
        return  # never put to files
    sides = (left, right)
    stored = any(side.origins for side in sides)
    far = (side.literal for side in sides if isinstance(side.literal, float))
    if stored and not all(map(math.isfinite, far)):
        raise NotLocal("columns compared with NaN or infinity are Spark's")
    zero = any(side.known_value == 0 and not isinstance(side.known_value, bool) for side in sides)
    equal = operator in ("=", "<>", *_DUCKDB)
    for column in (c for side in sides if side.type.is_float for c in side.origins):
        if not equal:
            column.draft.without_nan.add(column.stored)
        if zero and operator not in ("<", ">", "<>"):
            column.draft.without_zero.add(column.stored)


def connect(here: Compiling, node: Any) -> Value:
    operator = "AND" if isinstance(node, exp.And) else "OR"
    left, right = here.condition(node.this), here.condition(node.expression)
    sql = f"({left.sql} {operator} {right.sql})"
    return make_value(
        sql, BOOLEAN, format_name(f"({{}} {operator} {{}})", left, right), left, right
    )


def negation(here: Compiling, node: exp.Not) -> Value:
    outside, here.negated = here.negated, True
    value = here.condition(node.this)
    here.negated = outside
    inner = node.this.unnest() if isinstance(node.this, exp.Paren) else node.this
    name = format_name("(NOT {})", value)
    if isinstance(inner, exp.Is) and inner is node.this and value.name.endswith(" IS NULL)"):
        name = value.name.removesuffix(" IS NULL)") + " IS NOT NULL)"
    return make_value(f"(NOT {value.sql})", BOOLEAN, name, value)


def is_kind(here: Compiling, node: exp.Is) -> Value:
    value = here.value(node.this)
    if isinstance(node.expression, exp.Null):
        sql = f"({value.sql} IS NULL)"
        return make_value(sql, BOOLEAN, format_name("({} IS NULL)", value), value, nullable=False)
    if isinstance(node.expression, exp.Boolean) and value.type == BOOLEAN:
        return compare(here, "<=>", value, here.value(node.expression))
    raise NotLocal("this form of IS is Spark's")


def between(here: Compiling, node: exp.Between) -> Value:
    value, low, high = (here.value(n) for n in (node.this, node.args["low"], node.args["high"]))
    if node.args.get("symmetric"):
        raise NotLocal("BETWEEN SYMMETRIC is Spark's")
    above, below = compare(here, ">=", value, low), compare(here, "<=", value, high)
    sql = f"({above.sql} AND {below.sql})"
    return make_value(
        sql, BOOLEAN, format_name("between({}, {}, {})", value, low, high), value, low, high
    )


def within(here: Compiling, node: exp.In) -> Value:
    value = here.value(node.this)
    query = node.args.get("query")
    if query is not None:
        return _within_query(here, value, query.this)
    items = [beside(here, here.value(item), value) for item in node.expressions]
    if not items:
        raise NotLocal("IN over nothing is Spark's")
    kind = _common(value, items)
    if kind.parts:
        raise NotLocal(f"IN over {kind} is Spark's")
    if kind.is_float:
        for item in items:
            _read_as_spark_prunes("=", value, item)  # a list is never turned around
    sql = f"({value.cast(kind)} IN ({', '.join(item.cast(kind) for item in items)}))"
    name = format_name("({} IN ({}))", value, format_list_name("{}", items))
    return make_value(sql, BOOLEAN, name, value, *items)


def _common(value: Value, items: list[Value]) -> SparkType:
    kind = value.type
    for item in items:
        kind = common_type(kind, item.type)
    return kind


def _within_query(here: Compiling, value: Value, query: Any) -> Value:
    lent = here.scope.lent
    relation = here.query(query, Scope(parent=here.scope))
    if len(relation.outputs) != 1:
        raise NotLocal("IN over a query of several columns is Spark's")
    output_type = relation.outputs[0].type
    kind = common_type(value.type, output_type)
    if kind.parts:
        raise NotLocal(f"IN over {kind} is Spark's")
    inner = relation.sql
    if kind != output_type:
        inner = f"SELECT CAST(c1 AS {kind.duckdb}) FROM ({inner}) AS listed"  # noqa: S608
    if kind.is_float:  # to Spark's NOT IN, 0.0 is not -0.0
        raise NotLocal("IN over a query of doubles is Spark's")
    sql = f"({value.cast(kind)} IN ({inner}))"
    name = format_name("({} IN (listquery()))", value) if here.scope.lent == lent else ""
    return make_value(sql, BOOLEAN, name, value, nullable=True)


def like(here: Compiling, node: Any) -> Value:
    """LIKE and ILIKE, with a pattern that is written out."""
    sign = _sign(here, node)
    if sign is not None:
        return sign
    value, pattern = here.value(node.this), here.value(node.expression)
    return _like(node, value, pattern, "")


def _sign(here: Compiling, node: Any) -> Value | None:
    """``CAST(x AS STRING) LIKE '-%'`` of a double: how Spark's SQL sees the sign of a zero."""
    text, pattern = node.this, node.expression
    minus = isinstance(pattern, exp.Literal) and pattern.is_string and pattern.this == "-%"
    if not minus or not isinstance(node, exp.Like) or not isinstance(text, exp.Cast):
        return None
    if text.args.get("safe") or text.args["to"].this != exp.DataType.Type.TEXT:
        return None
    value = here.value(text.this)
    if not value.type.is_float or node.args.get("negate"):
        return None
    sql = f"(signbit({value.sql}) AND NOT isnan({value.sql}))"
    return make_value(sql, BOOLEAN, "", value)


def compile_escape(here: Compiling, node: exp.Escape) -> Value:
    inner = node.this
    mark = here.value(node.expression).literal
    if not isinstance(inner, exp.Like | exp.ILike) or not isinstance(mark, str) or len(mark) != 1:
        raise NotLocal("this ESCAPE is Spark's")
    return _like(inner, here.value(inner.this), here.value(inner.expression), mark)


_OWN_MARK = "\\"  # Spark's escape where none is written; DuckDB has none then


def _like(node: Any, value: Value, pattern: Value, mark: str) -> Value:
    null = isinstance(node.expression, exp.Placeholder) and pattern.known_value is None
    if null and value.type == pattern.type == STRING:
        return make_value(f"({value.sql} LIKE {pattern.sql})", BOOLEAN, "", value, nullable=True)
    if value.type == pattern.type == STRING and pattern.known_value is None and not mark:
        return _like_computed(node, value, pattern)
    if value.type != STRING or not isinstance(pattern.known_value, str):
        raise NotLocal("LIKE with this pattern is Spark's")
    if "\\" in pattern.known_value and not mark:
        mark = _OWN_MARK
    if mark and (mark in "%_'" or not _escapes_fit(pattern.known_value, mark)):
        raise NotLocal("this ESCAPE is Spark's")
    escape = f" ESCAPE '{mark}'" if mark else ""
    name = format_name(f"{{}} LIKE {{}}{escape if mark != _OWN_MARK else ''}", value, pattern)
    sides = value.sql, pattern.sql
    if isinstance(node, exp.ILike):
        if pattern.bound is not None or not pattern.known_value.isascii() or mark:
            raise NotLocal("ILIKE beyond plain letters is Spark's")
        sides = to_lower(value.sql), pattern.sql.lower()
        name = format_name("ilike({}, {})", value, pattern)
    sql = f"({sides[0]} LIKE {sides[1]}{escape})"
    if node.args.get("negate"):
        sql, name = f"(NOT {sql})", format_name("(NOT {})", name)
    return make_value(sql, BOOLEAN, name, value)


def _like_computed(node: Any, value: Value, pattern: Value) -> Value:
    """DuckDB knows no escape then, so a pattern with one is Spark's."""
    if isinstance(node, exp.ILike):
        raise NotLocal("ILIKE with a computed pattern is Spark's")
    escapes = f"contains({pattern.sql}, '{_OWN_MARK}')"
    other = give_up("a computed pattern with an escape", BOOLEAN)
    sql = f"CASE WHEN {escapes} THEN {other} ELSE {value.sql} LIKE {pattern.sql} END"
    name = format_name("{} LIKE {}", value, pattern)
    if node.args.get("negate"):
        sql, name = f"(NOT {sql})", format_name("(NOT {})", name)
    return make_value(sql, BOOLEAN, name, value, pattern)


def _escapes_fit(pattern: str, mark: str) -> bool:
    """Whether the mark stands only before what it may: Spark raises otherwise."""
    rest = re.sub(re.escape(mark) + "[%_" + re.escape(mark) + "]", "", pattern)
    return mark not in rest
