"""CASE and IF."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sqlglot import exp

from sqe.engines.local.compile.arithmetic import give_up
from sqe.engines.local.compile.casts import type_of_cast
from sqe.engines.local.compile.compiling import Compiling
from sqe.engines.local.compile.literals import null
from sqe.engines.local.compile.operators import compare
from sqe.engines.local.compile.value import Value, any_nullable, format_name, make_value
from sqe.engines.local.plan import NotLocal
from sqe.engines.local.types import BOOLEAN, VOID, SparkType, common_type, decimal_of


def case(here: Compiling, node: exp.Case) -> Value:
    operand = here.value(node.this) if node.this is not None else None
    conditions, results = [], []
    for branch in node.args["ifs"]:
        test = here.value(branch.this)
        conditions.append(compare(here, "=", operand, test) if operand is not None else test)
        results.append(_branch(here, branch.args["true"]))
    default = node.args.get("default")
    otherwise = _branch(here, default) if default is not None else null()
    names = [
        format_name("WHEN {} THEN {}", condition, result)
        for condition, result in zip(conditions, results, strict=True)
    ]
    if default is not None:
        names.append(format_name("ELSE {}", otherwise))
    name = f"CASE {' '.join(names)} END" if all(names) else ""
    return choose(conditions, [*results, otherwise], name)


def _branch(here: Compiling, node: Any) -> Value:
    """A loop over digits, which the Trino dialect writes behind the short way for numbers of an
    ordinary size. Where a row needs it, Spark does the query."""
    if isinstance(node, exp.Cast) and not node.args.get("safe") and node.find(exp.Reduce):
        kind = type_of_cast(node.args["to"])
        return Value(give_up("an aggregate() over an array", kind), kind, "")
    return here.value(node)


def when(here: Compiling, node: exp.If) -> Value:
    condition, true = here.condition(node.this), here.value(node.args["true"])
    false = node.args.get("false")
    if false is None:
        raise NotLocal("IF without an else is Spark's")
    otherwise = here.value(false)
    name = format_name("(IF({}, {}, {}))", condition, true, otherwise)
    return choose([condition], [true, otherwise], name)


def choose(conditions: list[Value], results: list[Value], name: str) -> Value:
    """The first result whose condition is true, the last result if none is."""
    if any(condition.type != BOOLEAN for condition in conditions):
        raise NotLocal("a condition that is not a boolean is Spark's")
    kind = results[0].type
    for result in results[1:]:
        kind = common_type(kind, result.type)
    sql = _case(conditions, [result.cast(kind) for result in results])
    value = make_value(sql, kind, name, *conditions, *results, nullable=any_nullable(*results))
    short = [_short(result, kind) for result in results]
    if any(result.quick for result in results) and all(short):
        return replace(value, quick=_case(conditions, short))
    return value


def _case(conditions: list[Value], results: list[str]) -> str:
    branches = " ".join(
        f"WHEN {condition.sql} THEN {result}"
        for condition, result in zip(conditions, results, strict=False)
    )
    return f"CASE {branches} ELSE {results[-1]} END"


def _short(value: Value, kind: SparkType) -> str:
    """The value in 18 digits, as ``Value.quick`` has it; empty if it may have more."""
    if value.type == VOID:
        return "NULL"
    if value.quick:
        return value.quick if value.type.scale == kind.scale else ""
    if not (value.type.is_decimal or value.type.is_integral):
        return ""
    held = decimal_of(value.type)
    fits = held.precision - held.scale + kind.scale <= 18
    return f"CAST({value.sql} AS DECIMAL(18,{kind.scale}))" if fits else ""
