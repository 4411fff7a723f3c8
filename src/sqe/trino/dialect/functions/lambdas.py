"""Functions that take a lambda, over arrays and maps."""

from __future__ import annotations

from sqe.model.trino_types import TrinoType
from sqe.trino.dialect import nodes
from sqe.trino.dialect.calls import CallSite, special
from sqe.trino.dialect.casts import coerce
from sqe.trino.dialect.coercion import common_type
from sqe.trino.dialect.errors import Refused, mismatch
from sqe.trino.dialect.functions.arrays import argument_error
from sqe.trino.dialect.functions.maps import build_map
from sqe.trino.dialect.functions.registry import Bound, declare
from sqe.trino.dialect.once import lambda_parts
from sqe.trino.dialect.typed import Typed


def _sort(call: Bound) -> str:
    """Spark takes any number from a comparator, Trino only these three."""
    names, body = lambda_parts(call.sql(1))
    error = argument_error(call, "Lambda comparator must return either -1, 0, or 1")
    number = f"CASE {body} WHEN -1 THEN -1 WHEN 0 THEN 0 WHEN 1 THEN 1 ELSE size({error}) END"
    return f"array_sort({call.sql(0)}, ({', '.join(names)}) -> {number})"


def _transform_keys(call: Bound) -> str:
    names, body = lambda_parts(call.sql(1))
    key, value = names
    entries = f"map_entries({call.sql(0)})"
    # The key and the value are read from one entry: a lambda of two parameters has none.
    keys = f"transform({entries}, e_ -> {_bind_entry(body, key, value)})"
    return build_map(call, keys, f"map_values({call.sql(0)})")


def _bind_entry(body: str, key: str, value: str) -> str:
    return f"transform(array(e_.key), {key} -> transform(array(e_.value), {value} -> {body})[0])[0]"


@special("reduce")
def _reduce(site: CallSite) -> Typed:
    """The state has the type that both its first value and the lambda's answer become."""
    node = site.node
    if len(node.arguments) != 4 or not all(
        isinstance(argument, nodes.Lambda) for argument in node.arguments[2:]
    ):
        raise Refused("FUNCTION_NOT_FOUND", "Unexpected parameters for function reduce. Expected: "
                      "reduce(array(T), S, function(S,T,S), function(S,R))", node.at)  # fmt: skip
    items, first = site.argument(0), site.argument(1)
    step, last = node.arguments[2:]
    if items.type.base != "array":
        raise Refused("FUNCTION_NOT_FOUND", "Unexpected parameters for function reduce: "
                      f"{items.type.display} is no array", node.at)  # fmt: skip
    assert isinstance(step, nodes.Lambda) and isinstance(last, nodes.Lambda)  # noqa: S101
    state = first.type
    written, body = _lambda(site, step, (state, items.type.element))
    while body.type != state:
        wider = common_type(state, body.type)
        if wider is None or wider == state:
            break
        state = wider
        written, body = _lambda(site, step, (state, items.type.element))
    if common_type(state, body.type) != state:
        raise mismatch(f"Unexpected type of the state: {body.type} instead of {state}", step.at)
    body = coerce(body, state, step.at)
    finish, answer = _lambda(site, last, (state,))
    start = coerce(first, state, node.at)
    return Typed(
        answer.type,
        f"aggregate({items.sql}, {start.sql}, {written} -> {body.sql}, {finish} -> {answer.sql})",
    )


def _lambda(site: CallSite, node: nodes.Lambda, kinds: tuple[TrinoType, ...]) -> tuple[str, Typed]:
    """Its parameters as Spark writes them, and its body for parameters of these types."""
    if len(node.parameters) != len(kinds):
        message = (
            f"Expected a lambda that takes {len(kinds)} argument(s) but got {len(node.parameters)}"
        )
        raise Refused("INVALID_PARAMETER_USAGE", message, node.at)
    names = site.scope.names_of_variables(len(kinds))
    variables = {
        parameter.name.lower(): Typed(kind, name)
        for parameter, kind, name in zip(node.parameters, kinds, names, strict=True)
    }
    body = site.analyzer.expression(node.body, site.scope.inside_lambda(variables))
    return (f"({', '.join(names)})" if len(names) > 1 else names[0]), body


def _elsewhere(call: Bound) -> str:
    raise call.refuse("its calls are translated elsewhere")


declare(
    "reduce",
    "(array(T), S, function(S, T, S), function(S, R)) -> R",
    _elsewhere,
    description="Reduce elements of the array into a single value",
)
declare(
    "transform",
    "(array(T), function(T, U)) -> array(U)",
    "transform({0}, {1})",
    description="Apply lambda to each element of the array",
)
declare(
    "filter",
    "(array(T), function(T, boolean)) -> array(T)",
    "filter({0}, {1})",
    description="Return array containing elements that match the given predicate",
)
declare(
    "any_match",
    "(array(T), function(T, boolean)) -> boolean",
    "exists({0}, {1})",
    description="Returns true if the array contains one or more elements that match the given "
    "predicate",
)
declare(
    "all_match",
    "(array(T), function(T, boolean)) -> boolean",
    "forall({0}, {1})",
    description="Returns true if all elements of the array match the given predicate",
)
declare(
    "none_match",
    "(array(T), function(T, boolean)) -> boolean",
    "(NOT exists({0}, {1}))",
    description="Returns true if all elements of the array don't match the given predicate",
)
declare(
    "zip_with",
    "(array(T), array(U), function(T, U, R)) -> array(R)",
    "zip_with({0}, {1}, {2})",
    description="Merge two arrays, element-wise, into a single array using the lambda function",
)
declare(
    "array_sort",
    "(array(T), function(T, T, integer)) -> array(T)",
    _sort,
    description="Sorts the given array with a lambda comparator.",
)
declare(
    "map_filter",
    "(map(K, V), function(K, V, boolean)) -> map(K, V)",
    "map_filter({0}, {1})",
    description="return map containing entries that match the given predicate",
)
declare(
    "transform_keys",
    "(map(K, V), function(K, V, N)) -> map(N, V)",
    _transform_keys,
    description="Apply lambda to each entry of the map and transform the key",
)
declare(
    "transform_values",
    "(map(K, V), function(K, V, N)) -> map(K, N)",
    "transform_values({0}, {1})",
    description="Apply lambda to each entry of the map and transform the value",
)
declare(
    "map_zip_with",
    "(map(K, V), map(K, W), function(K, V, W, N)) -> map(K, N)",
    "map_zip_with({0}, {1}, {2})",
    description="Merge two maps into a single map by applying the lambda function to the pair "
    "of values with the same key",
)
