"""CASE and IF."""

from __future__ import annotations

from sqlglot import exp

from sqe.engines.local.compile.compiling import Compiling
from sqe.engines.local.compile.literals import null
from sqe.engines.local.compile.operators import compare
from sqe.engines.local.compile.value import Value, any_nullable, made, shown
from sqe.engines.local.plan import NotLocal
from sqe.engines.local.types import BOOLEAN, common_type


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
    tail = shown("ELSE {}", otherwise) if default is not None else ""
    certain = all(names) and (tail or default is None)
    name = f"CASE {' '.join([*names, tail]).strip()} END" if certain else ""
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
    branches = " ".join(
        f"WHEN {condition.sql} THEN {result.cast(kind)}"
        for condition, result in zip(conditions, results, strict=False)
    )
    sql = f"CASE {branches} ELSE {results[-1].cast(kind)} END"
    nullable = any_nullable(*results)
    return made(sql, kind, name, *conditions, *results, nullable=nullable)
