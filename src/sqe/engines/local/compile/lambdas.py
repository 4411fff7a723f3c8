"""Functions of arrays that take a lambda."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlglot import exp

from sqe.engines.local.compile.compiling import Compiling
from sqe.engines.local.compile.value import Value, make_value
from sqe.engines.local.compile.variables import bind_variables, variable_of
from sqe.engines.local.plan import NotLocal
from sqe.engines.local.types import BOOLEAN, INT, SparkType, array_of

Body = tuple[Value, list[str]]  # what the lambda gives, and DuckDB's names of its variables


def transform(here: Compiling, node: exp.Transform) -> Value:
    items = _list(here, node.this)
    body, names = _lambda(here, node.expression, _of_elements(items))
    kind = SparkType(items.type.name, parts=(body.type,))
    sql = f"list_transform({items.sql}, lambda {', '.join(names)}: {_exactly(body)})"
    return make_value(sql, kind, "", items, body, nullable=items.nullable)


def keep(here: Compiling, node: Any) -> Value:
    items = _list(here, node.this)
    body, names = _lambda(here, node.expression, _of_elements(items))
    _need_condition(body)
    sql = f"list_filter({items.sql}, lambda {', '.join(names)}: {body.sql})"
    return make_value(sql, items.type, "", items, body, nullable=items.nullable)


def exists(here: Compiling, node: exp.Exists) -> Value:
    return _any_or_all(here, node.this, node.expression, decides="true")


def forall(here: Compiling, node: exp.Anonymous) -> Value:
    _need_arguments(node, 2)
    return _any_or_all(here, *node.expressions, decides="false")


def _any_or_all(here: Compiling, listed: Any, function: Any, *, decides: str) -> Value:
    """One element decides; without it, an unknown one leaves it open."""
    items = _list(here, listed)
    body, names = _lambda(here, function, _of_elements(items)[:1])
    _need_condition(body)
    tests = f"list_transform({items.sql}, lambda {names[0]}: {_exactly(body)})"
    other = "false" if decides == "true" else "true"
    found = f"list_contains(tests, {decides})"
    unknown = "len(tests) > list_count(tests)"
    choice = f"CASE WHEN {found} THEN {decides} WHEN {unknown} THEN NULL ELSE {other} END"
    sql = f"list_transform([{tests}], lambda tests: CASE WHEN tests IS NOT NULL THEN {choice} END)"
    return make_value(f"({sql})[1]", BOOLEAN, "", items, body, nullable=True)


def zip_with(here: Compiling, node: exp.Anonymous) -> Value:
    """To the length of the longer array: what the other one lacks is NULL."""
    _need_arguments(node, 3)
    one, other = (_list(here, side) for side in node.expressions[:2])
    if "bag" in (one.type.name, other.type.name):
        raise NotLocal("zip_with of collected values is Spark's")
    function = node.expressions[2]
    place = f"place_{_depth(here)}"
    sides = [Value(f"({side.sql})[{place}]", side.type.element, "", True) for side in (one, other)]
    names = _names(function, (2,))
    with bind_variables(here, dict(zip(names, sides, strict=True))):
        body = here.value(function.this)
    kind = array_of(body.type)
    longest = f"greatest(len({one.sql}), len({other.sql})) + 1"
    listed = f"list_transform(range(1, {longest}), lambda {place}: {_exactly(body)})"
    missing = f"{one.sql} IS NULL OR {other.sql} IS NULL"
    sql = f"CASE WHEN {missing} THEN CAST(NULL AS {kind.duckdb}) ELSE {listed} END"
    return make_value(sql, kind, "", one, other, body, nullable=one.nullable or other.nullable)


def reduce_(here: Compiling, node: exp.Reduce) -> Value:
    """DuckDB adds up in the element's own type."""
    items, start = _list(here, node.this), here.value(node.args["initial"])
    if items.type.name != "array" or start.type != items.type.element or not start.type.is_plain:
        raise NotLocal("an aggregate() that starts from another type is Spark's")
    sides = [Value("", start.type, ""), Value("", items.type.element, "")]
    body, names = _lambda(here, node.args["merge"], sides, (2,))
    if body.type != start.type:
        raise NotLocal("an aggregate() to another type is Spark's")
    merge = f"lambda {', '.join(names)}: {_exactly(body)}"
    reduced = f"list_reduce({items.sql}, {merge}, {start.sql})"
    sql = f"CASE WHEN {items.sql} IS NULL THEN NULL ELSE {reduced} END"
    value = make_value(sql, start.type, "", items, start, body, nullable=True)
    finish = node.args.get("finish")
    if finish is None:
        return value
    end, ends = _lambda(here, finish, [value])
    last = f"(list_transform([{sql}], lambda {ends[0]}: {_exactly(end)}))[1]"
    return make_value(last, end.type, "", value, end, nullable=True)


def _list(here: Compiling, node: Any) -> Value:
    if node.find(exp.Query) is not None:
        raise NotLocal("a query in a function that takes a lambda is Spark's")
    value = here.value(node)
    if not value.type.is_list:
        raise NotLocal(f"a lambda over {value.type} is Spark's")
    return value


def _of_elements(items: Value) -> list[Value]:
    """An element, and its place where there is an order; DuckDB counts from one."""
    element = Value("", items.type.element, "", True)
    return [element] if items.type.name == "bag" else [element, Value("", INT, "", False)]


def _lambda(
    here: Compiling, node: Any, sides: list[Value], counts: tuple[int, ...] = (1, 2)
) -> Body:
    names = _names(node, counts)
    if len(names) > len(sides):
        raise NotLocal("a lambda with so many variables is Spark's")
    held = [variable_of(name, side) for name, side in zip(names, sides, strict=False)]
    written = [value.sql for value in held]
    if len(held) == 2 and counts == (1, 2):  # the second is a place
        held[1] = Value(f"CAST({held[1].sql} - 1 AS INTEGER)", INT, "", False)
    with bind_variables(here, dict(zip(names, held, strict=True))):
        return here.value(node.this), written


def _names(node: Any, counts: tuple[int, ...]) -> list[str]:
    if not isinstance(node, exp.Lambda) or len(node.expressions) not in counts:
        raise NotLocal("this lambda is Spark's")
    names = [variable.name.lower() for variable in node.expressions]
    if len(set(names)) < len(names):
        raise NotLocal("this lambda is Spark's")
    return names


def _depth(here: Compiling) -> int:
    return len(here.variables)


def _need_condition(body: Value) -> None:
    if body.type != BOOLEAN:
        raise NotLocal("a lambda that is not a condition is Spark's")


def _need_arguments(node: exp.Anonymous, count: int) -> None:
    if len(node.expressions) != count:
        raise NotLocal(f"{node.name} with {len(node.expressions)} arguments is Spark's")


def _exactly(body: Value) -> str:
    """DuckDB gives some NULLs and constants another type."""
    return f"CAST({body.sql} AS {body.type.duckdb})"


LAMBDAS: dict[str, Callable[[Compiling, Any], Value]] = {"forall": forall, "zip_with": zip_with}
