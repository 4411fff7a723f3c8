"""Variables of lambdas, and the way the Trino dialect gives a value a name:
``transform(array(x), v -> body)[0]`` computes ``x`` once, however often ``body`` has ``v``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from sqlglot import exp

from sqe.engines.local.compile.compiling import Compiling
from sqe.engines.local.compile.value import Value, any_aggregate
from sqe.engines.local.plan import NotLocal

_PLAIN = re.compile(r"[a-z_][a-z0-9_]*\Z", re.IGNORECASE)


def variable(here: Compiling, node: exp.Identifier) -> Value:
    value = here.variables.get(node.name.lower())
    if value is None:
        raise NotLocal(f"{node.name} is not a variable of a lambda")
    return value


def names_variable(node: Any, variables: Mapping[str, Value]) -> bool:
    return bool(variables) and any(
        name.name.lower() in variables for name in node.find_all(exp.Identifier)
    )


@contextmanager
def bind_variables(here: Compiling, variables: Mapping[str, Value]) -> Iterator[None]:
    """No name twice: Spark and DuckDB would have to agree which one is meant."""
    if any(name in here.variables for name in variables):
        raise NotLocal("a lambda's variable that hides another is Spark's")
    here.variables.update(variables)
    try:
        yield
    finally:
        for name in variables:
            del here.variables[name]


def variable_of(name: str, like: Value) -> Value:
    """A variable that stands for values of this kind. Texts of the same expression are the same,
    by which DuckDB knows what is grouped by: so its name is the user's."""
    if not _PLAIN.match(name):
        raise NotLocal("a lambda's variable of such a name is Spark's")
    sql = f"var_{name.lower()}"
    return Value(sql, like.type, "", like.nullable, aggregate=like.aggregate)


def compile_named_value(here: Compiling, node: exp.Bracket) -> Value | None:
    """None if it is something else."""
    call, places = node.this, node.expressions
    first = len(places) == 1 and isinstance(places[0], exp.Literal) and places[0].this == "0"
    if not isinstance(call, exp.Transform) or not first or node.args.get("offset"):
        return None
    listed, function = call.this, call.expression
    single = isinstance(listed, exp.Array) and len(listed.expressions) == 1
    if not single or not isinstance(function, exp.Lambda) or len(function.expressions) != 1:
        return None
    value = here.value(listed.expressions[0])
    name = function.expressions[0].name
    held = variable_of(name, value)
    with bind_variables(here, {name.lower(): held}):
        body = here.value(function.this)
    sql = f"list_transform([{value.sql}], lambda {held.sql}: {body.sql})[1]"
    result = Value(sql, body.type, "", body.nullable)
    return replace(result, aggregate=any_aggregate(value, body))
