"""CASE and IF."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from sqe.engines.local.compile.compiling import Compiling
from sqe.engines.local.compile.literals import null
from sqe.engines.local.compile.operators import compare
from sqe.engines.local.compile.value import Value, any_nullable, made, shown
from sqe.engines.local.plan import NotLocal
from sqe.engines.local.types import BOOLEAN, VOID, SparkType, common_type, decimal_of


def case(here: Compiling, node: exp.Case) -> Value:
    operand = here.value(node.this) if node.this is not None else None
    conditions, results = [], []
    for branch in node.args["ifs"]:
        test = here.value(branch.this)
        conditions.append(compare(here, "=", operand, test) if operand is not None else test)
        results.append(here.value(branch.args["true"]))
    default = node.args.get("default")
    otherwise = here.value(default) if default is not None else null()
    names = [
        shown("WHEN {} THEN {}", condition, result)
        for condition, result in zip(conditions, results, strict=True)
    ]
    if default is not None:
        names.append(shown("ELSE {}", otherwise))
    name = f"CASE {' '.join(names)} END" if all(names) else ""
    return choose(conditions, [*results, otherwise], name)


def when(here: Compiling, node: exp.If) -> Value:
    condition, true = here.condition(node.this), here.value(node.args["true"])
    false = node.args.get("false")
    if false is None:
        raise NotLocal("IF without an else is Spark's")
    otherwise = here.value(false)
    name = shown("(IF({}, {}, {}))", condition, true, otherwise)
    return choose([condition], [true, otherwise], name)


def choose(conditions: list[Value], results: list[Value], name: str) -> Value:
    """The first result whose condition is true, the last result if none is."""
    if any(condition.type != BOOLEAN for condition in conditions):
        raise NotLocal("a condition that is not a boolean is Spark's")
    kind = results[0].type
    for result in results[1:]:
        kind = common_type(kind, result.type)
    sql = _case(conditions, [result.cast(kind) for result in results])
    value = made(sql, kind, name, *conditions, *results, nullable=any_nullable(*results))
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
