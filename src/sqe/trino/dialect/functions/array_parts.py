"""Parts of arrays: elements, slices, n-grams, combinations."""

from __future__ import annotations

from sqe.trino.dialect.functions.arrays import INVALID, argument_error
from sqe.trino.dialect.functions.registry import Bound, declare
from sqe.trino.dialect.once import once
from sqe.trino.dialect.typed import fail, spark_type

_MAX_COMBINATIONS = 100_000


def _element_at(call: Bound) -> str:
    error = argument_error(call, "SQL array indices start at 1")
    return once(
        [call.sql(0), call.sql(1)],
        lambda a, i: (
            f"CASE WHEN {i} = 0 AND {a} IS NOT NULL THEN {error} "
            f"WHEN abs({i}) <= size({a}) THEN element_at({a}, try_cast({i} AS INT)) END"
        ),
    )


def _slice(call: Bound) -> str:
    start = argument_error(call, "SQL array indices start at 1")
    length = argument_error(call, "length must be greater than or equal to 0")
    return once(
        [call.sql(0), call.sql(1), call.sql(2)],
        lambda a, i, n: (
            f"CASE WHEN {a} IS NULL OR {i} IS NULL OR {n} IS NULL THEN NULL "
            f"WHEN {n} < 0 THEN {length} WHEN {i} = 0 THEN {start} "
            f"WHEN {i} > size({a}) OR {i} < - size({a}) THEN slice({a}, 1, 0) "
            f"ELSE slice({a}, try_cast({i} AS INT), CAST(least({n}, size({a})) AS INT)) END"
        ),
    )


def _trim(call: Bound) -> str:
    negative = argument_error(call, "size must not be negative")
    beyond = "concat('size must not exceed array cardinality ', {0}, ': ', {1})"
    return once(
        [call.sql(0), call.sql(1)],
        lambda a, n: (
            f"CASE WHEN {a} IS NULL OR {n} IS NULL THEN NULL WHEN {n} < 0 THEN {negative} "
            f"WHEN {n} > size({a}) THEN "
            f"{fail(INVALID, beyond.format(f'size({a})', n), call.returns, call.at)} "
            f"ELSE slice({a}, 1, try_cast(size({a}) - {n} AS INT)) END"
        ),
    )


def _ngrams(call: Bound) -> str:
    error = argument_error(call, "N must be positive")
    return once(
        [call.sql(0), call.sql(1)],
        lambda a, n: (
            f"CASE WHEN {a} IS NULL OR {n} IS NULL THEN NULL WHEN {n} <= 0 THEN {error} "
            f"WHEN {n} >= size({a}) THEN array({a}) "
            f"ELSE transform(sequence(1, size({a}) - {n} + 1), i -> slice({a}, i, {n})) END"
        ),
    )


def _combinations(call: Bound) -> str:
    if not call.arguments[1].is_constant:
        raise call.refuse("a size that is not constant")
    size = call.arguments[1].constant
    if not isinstance(size, int):
        return f"CAST(NULL AS {spark_type(call.returns, call.at)})"
    if size < 0:
        return argument_error(call, f"combination size must not be negative: {size}")
    if size > 5:
        return argument_error(call, f"combination size must not exceed 5: {size}")
    if size == 0:
        return f"IF({call.sql(0)} IS NULL, NULL, array(slice({call.sql(0)}, 1, 0)))"
    error = argument_error(call, "combinations exceed max size")

    def write(a: str) -> str:
        count = " * ".join(f"(CAST(size({a}) AS DOUBLE) - {i}) / {i + 1}" for i in range(size))
        return (
            f"CASE WHEN {a} IS NULL THEN NULL WHEN size({a}) < {size} THEN slice("
            f"array({a}), 1, 0) WHEN {count} > {_MAX_COMBINATIONS} THEN {error} "
            f"ELSE {_choose(a, size, [])} END"
        )

    return once([call.sql(0)], write)


def _choose(items: str, left: int, picked: list[str]) -> str:
    """Arrays of ``left`` more elements, each behind the last one picked."""
    name = f"c{len(picked)}"
    after = f"{picked[-1]} + 1" if picked else "1"
    indexes = f"sequence({after}, size({items}) - {left - 1})"
    if left == 1:
        inside = ", ".join(f"{items}[{index} - 1]" for index in [*picked, name])
        return f"transform({indexes}, {name} -> array({inside}))"
    return f"flatten(transform({indexes}, {name} -> {_choose(items, left - 1, [*picked, name])}))"


declare(
    "element_at",
    "(array(E), bigint) -> E",
    _element_at,
    description="Get element of array at given index",
)
declare(
    "slice",
    "(array(E), bigint, bigint) -> array(E)",
    _slice,
    description="Subsets an array given an offset (1-indexed) and length",
)
declare(
    "trim_array",
    "(array(E), bigint) -> array(E)",
    _trim,
    description="Remove elements from the end of array",
)
declare(
    "reverse",
    "(array(E)) -> array(E)",
    "reverse({0})",
    description="Returns an array which has the reversed order of the given array.",
)
declare(
    "shuffle",
    "(array(E)) -> array(E)",
    "shuffle({0})",
    deterministic=False,
    description="Generates a random permutation of the given array.",
)
declare(
    "flatten",
    "(array(array(E))) -> array(E)",
    "flatten(filter({0}, x -> x IS NOT NULL))",
    description="Flattens the given array",
)
declare(
    "ngrams",
    "(array(T), integer) -> array(array(T))",
    _ngrams,
    description="Return N-grams for the input",
)
declare(
    "combinations",
    "(array(T), integer) -> array(array(T))",
    _combinations,
    description="Return n-element subsets from array",
)
