"""Arrays made from other values, and texts and maps made from arrays."""

from __future__ import annotations

from sqe.model.trino_types import VARCHAR
from sqe.trino.dialect.casts import cast
from sqe.trino.dialect.errors import Refused
from sqe.trino.dialect.functions.arrays import INVALID, argument_error, distinct, refuse_maps
from sqe.trino.dialect.functions.registry import Bound, declare
from sqe.trino.dialect.once import once
from sqe.trino.dialect.typed import Typed, spark_type

_MAX_ENTRIES = 10_000


def _repeat(call: Bound) -> str:
    word = "count argument of repeat function must be"
    negative = argument_error(call, f"{word} greater than or equal to 0")
    many = argument_error(call, f"{word} less than or equal to {_MAX_ENTRIES}")
    return once(
        [call.sql(1)],
        lambda n: (
            f"CASE WHEN {n} IS NULL THEN NULL WHEN {n} < 0 THEN {negative} "
            f"WHEN {n} > {_MAX_ENTRIES} THEN {many} "
            f"ELSE array_repeat({call.sql(0)}, try_cast({n} AS INT)) END"
        ),
    )


def _sequence(call: Bound) -> str:
    zero = argument_error(call, "step must not be zero")
    wrong = argument_error(
        call,
        "sequence stop value should be greater than or equal to start value if step is greater "
        "than zero otherwise stop should be less than or equal to start",
    )
    many = argument_error(
        call, f"result of sequence function must not have more than {_MAX_ENTRIES} entries"
    )
    step = f"IF({call.sql(1)} < {call.sql(0)}, -1L, 1L)"
    if len(call.arguments) == 3:
        step = call.sql(2)
    exact = "CAST({} AS DECIMAL(20, 0))"
    return once(
        [call.sql(0), call.sql(1), step],
        lambda a, b, n: (
            f"CASE WHEN {a} IS NULL OR {b} IS NULL OR {n} IS NULL THEN NULL "
            f"WHEN {n} = 0 THEN {zero} WHEN ({n} > 0 AND {b} < {a}) OR ({n} < 0 AND {b} > {a}) "
            f"THEN {wrong} WHEN abs({exact.format(b)} - {exact.format(a)}) >= "
            f"{_MAX_ENTRIES} * abs({exact.format(n)}) THEN {many} ELSE sequence({a}, {b}, {n}) END"
        ),
    )


def _zip(call: Bound) -> str:
    inside = ", ".join(argument.sql for argument in call.arguments)
    return f"CAST(arrays_zip({inside}) AS {spark_type(call.returns, call.at)})"


def _concat(call: Bound) -> str:
    if len(call.arguments) < 2:
        message = "There must be two or more concatenation arguments to concat"
        raise Refused(INVALID, message, call.at)
    return f"concat({', '.join(argument.sql for argument in call.arguments)})"


def _append(call: Bound) -> str:
    items = call.sql(0)
    return once([call.sql(1)], lambda e: f"IF({e} IS NULL, NULL, concat({items}, array({e})))")


def _prepend(call: Bound) -> str:
    items = call.sql(1)
    return once([call.sql(0)], lambda e: f"IF({e} IS NULL, NULL, concat(array({e}), {items}))")


def _join(call: Bound) -> str:
    kind = call.arguments[0].type.element
    if kind.base in ("array", "map", "row"):
        raise Refused("OPERATOR_NOT_FOUND", f"Cannot cast {kind.display} to varchar", call.at)
    shown = cast(Typed(kind, "e"), VARCHAR, call.at).sql
    texts = call.sql(0) if shown == "e" else f"transform({call.sql(0)}, e -> {shown})"
    return f"array_join({', '.join([texts, *(argument.sql for argument in call.arguments[1:])])})"


def _histogram(call: Bound) -> str:
    refuse_maps(call)
    kind = call.arguments[0].type.element
    keys = distinct(kind, "filter({0}, x -> x IS NOT NULL)", call.at)
    return once(
        [call.sql(0)],
        lambda a: (
            "map_from_entries(transform("
            f"{keys.format(a)}, k -> struct(k, CAST(size(filter({a}, y -> y <=> k)) AS BIGINT))))"
        ),
    )


declare(
    "repeat",
    "(T, bigint) -> array(T)",
    _repeat,
    description="Repeat an element for a given number of times",
)
declare(
    "sequence",
    ["(bigint, bigint) -> array(bigint)", "(bigint, bigint, bigint) -> array(bigint)"],
    _sequence,
    description="Sequence function to generate synthetic arrays",
)
for _kinds in ("AB", "ABC", "ABCD", "ABCDE"):
    _arrays = ", ".join(f"array({one})" for one in _kinds)
    declare(
        "zip",
        f"({_arrays}) -> array(row({', '.join(_kinds)}))",
        _zip,
        description="Merges the given arrays, element-wise, into a single array of rows.",
    )
declare(
    "concat",
    "(E, array(E)) -> array(E)",
    _prepend,
    description="Concatenates an element to an array",
)
declare("concat", "(array(E), ...) -> array(E)", _concat, description="Concatenates given arrays")
declare(
    "concat",
    "(array(E), E) -> array(E)",
    _append,
    description="Concatenates an array to an element",
)
declare(
    "array_join",
    ["(array(E), varchar) -> varchar", "(array(E), varchar, varchar) -> varchar"],
    _join,
    description="Concatenates the elements of the given array using a delimiter and an "
    "optional string to replace nulls",
)
declare(
    "array_histogram",
    "(array(T)) -> map(T, bigint)",
    _histogram,
    description="Return a map containing the counts of the elements in the array",
)
