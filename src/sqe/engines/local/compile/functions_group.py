"""Aggregate functions, as DuckDB writes them.

``after`` is what stands behind the call: FILTER, OVER, or nothing.
"""

from __future__ import annotations

from collections.abc import Callable

from sqe.engines.local.compile.arithmetic import average, average_type, give_up, sum_type
from sqe.engines.local.compile.built import Built, need
from sqe.engines.local.compile.digits import nines
from sqe.engines.local.compile.value import Value, need_equatable, opaque
from sqe.engines.local.types import BIGINT, BOOLEAN, DOUBLE, bag_of

Write = Callable[[Value, str, str], Built]


# Digits that ten thousand million rows cannot make more than 38 of. DuckDB adds in 128 bits, which
# hold a little more than 38 digits, and does not look.
_SAFE_DIGITS = 28


def total(value: Value, distinct: str, after: str) -> Built:
    need(value.type.is_numeric, "sum takes a number")
    need(not (distinct and value.type.is_float), "distinct doubles are Spark's")
    kind = sum_type(value.type)
    quick = "" if "OVER (" in after else value.quick
    argument = value.cast(DOUBLE) if kind == DOUBLE else quick or value.sql
    sql = f"CAST(sum({distinct}{argument}){after} AS {kind.duckdb})"
    if value.type.is_decimal and value.type.precision > _SAFE_DIGITS:
        most = nines(38, kind)
        more = give_up("a sum of more than 38 digits", kind)
        fits = f"{sql} BETWEEN -{most} AND {most} OR {sql} IS NULL"
        sql = f"CASE WHEN {fits} THEN {sql} ELSE {more} END"
    return opaque(sql) if kind.is_integral else sql, kind, True


def mean(value: Value, distinct: str, after: str) -> Built:
    need(value.type.is_numeric, "avg takes a number")
    need(not (distinct and value.type.is_float), "distinct doubles are Spark's")
    return average(value, distinct, after), average_type(value.type), True


def extreme(name: str) -> Write:
    """Of -0.0 and 0.0 Spark takes the one it meets first: either is right."""

    def write(value: Value, distinct: str, after: str) -> Built:
        need(value.type.is_plain, f"{name} of {value.type} is Spark's")
        return f"{name}({value.sql}){after}", value.type, True

    return write


def collect(value: Value, distinct: str, after: str) -> Built:
    """Without NULLs, in no order that counts."""
    kind = bag_of(value.type)
    sql = f"coalesce(list({distinct}{value.sql}){after}, CAST([] AS {kind.duckdb}))"
    if value.nullable:
        sql = f"list_filter({sql}, lambda item: item IS NOT NULL)"
    return sql, kind, False


def collect_set(value: Value, distinct: str, after: str) -> Built:
    need_equatable(value.type, "collect_set of")
    need(not value.type.is_float, "collect_set of doubles is Spark's")
    need("OVER (" not in after, "collect_set over a window is Spark's")
    return collect(value, "DISTINCT ", after)


def count(value: Value, distinct: str, after: str) -> Built:
    return f"count({distinct}{value.sql}){after}", BIGINT, False


def count_if(value: Value, distinct: str, after: str) -> Built:
    need(value.type == BOOLEAN and not distinct, "count_if takes a condition")
    return f"count(CASE WHEN {value.sql} THEN 1 END){after}", BIGINT, False


def logical(name: str) -> Write:
    def write(value: Value, distinct: str, after: str) -> Built:
        need(value.type == BOOLEAN and not distinct, f"{name} takes a condition")
        return f"{name}({value.sql}){after}", BOOLEAN, True

    return write


def bits(name: str) -> Write:
    def write(value: Value, distinct: str, after: str) -> Built:
        need(value.type.is_integral and not distinct, f"{name} takes a whole number")
        return f"{name}({value.sql}){after}", value.type, True

    return write


def spread(name: str) -> Write:
    """Deviations and variances. Where numbers are not finite, or their squares not, DuckDB raises
    and Spark answers. Where all numbers are equal, DuckDB joins parts to almost 0, and Spark to 0.
    """

    def write(value: Value, distinct: str, after: str) -> Built:
        need(value.type.is_numeric, f"{name} takes a number")
        need(not distinct, f"{name}(DISTINCT …) is Spark's")
        number = value.cast(DOUBLE)
        if value.type.is_float:
            far = give_up("a deviation of numbers far away", DOUBLE)
            number = f"CASE WHEN abs({number}) >= 1e150 THEN {far} ELSE {number} END"
        sql = f"{name}({number}){after}"
        equal = f"min({number}){after} = max({number}){after}"
        return f"CASE WHEN {equal} AND {sql} IS NOT NULL THEN 0.0 ELSE {sql} END", DOUBLE, True

    return write
