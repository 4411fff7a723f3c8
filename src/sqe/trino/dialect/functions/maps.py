"""Functions of maps. Those with a lambda are in ``lambdas``."""

from __future__ import annotations

from sqe.model.trino_types import TrinoType, field_of_row
from sqe.trino.dialect.errors import Refused
from sqe.trino.dialect.functions.arrays import argument_error, distinct
from sqe.trino.dialect.functions.registry import Bound, declare
from sqe.trino.dialect.once import holds, holds_null, is_float, once
from sqe.trino.dialect.subscripts import show_key
from sqe.trino.dialect.typed import fail

_INVALID = "INVALID_FUNCTION_ARGUMENT"


def build_map(call: Bound, keys: str, values: str) -> str:
    """A map of two arrays, with Trino's errors for keys that are NULL or there twice."""
    kind = call.returns.types[0]
    if holds(kind, "map"):
        raise call.refuse(f"keys of type {kind}")
    error = argument_error(call, "map key cannot be null")
    length = argument_error(call, "Key and value arrays must be the same length")
    inside = holds_null(kind, "k")
    unknown = argument_error(call, "map key cannot be indeterminate")

    def write(k: str, v: str) -> str:
        unique = distinct(kind, k, call.at)
        whole = f"WHEN exists({k}, k -> {inside}) THEN {unknown} " if inside else ""
        return (
            f"CASE WHEN {k} IS NULL OR {v} IS NULL THEN NULL "
            f"WHEN size({k}) <> size({v}) THEN {length} "
            f"WHEN exists({k}, k -> k IS NULL) THEN {error} "
            f"{whole}"
            f"WHEN size({unique}) < size({k}) THEN {_duplicate_key_error(call, kind, k)} "
            f"ELSE map_from_arrays({k}, {v}) END"
        )

    return once([keys, values], write)


def _duplicate_key_error(call: Bound, kind: TrinoType, keys: str) -> str:
    """The error for a key that is there twice; it names the first one that is met again."""
    again = f"element_at(filter({keys}, (k, i) -> exists(slice({keys}, 1, i), y -> y <=> k)), 1)"
    shown = show_key(kind, again, call.at)
    message = f"concat('Duplicate map keys (', {shown}, ') are not allowed')"
    return fail(_INVALID, message, call.returns, call.at)


def _map(call: Bound) -> str:
    if call.returns.types[0].base == "unknown":
        return _map_without_keys(call)
    return build_map(call, call.sql(0), call.sql(1))


def _map_without_keys(call: Bound) -> str:
    """The only map of keys that are all NULL is the empty one."""
    error = argument_error(call, "map key cannot be null")
    length = argument_error(call, "Key and value arrays must be the same length")
    return once(
        [call.sql(0), call.sql(1)],
        lambda k, v: (
            f"CASE WHEN {k} IS NULL OR {v} IS NULL THEN NULL "
            f"WHEN size({k}) <> size({v}) THEN {length} WHEN size({k}) > 0 THEN {error} "
            f"ELSE map_from_arrays({k}, {v}) END"
        ),
    )


def _element_at(call: Bound) -> str:
    kind = call.arguments[0].type.types[0]
    if kind.base == "unknown":
        return "NULL"
    if is_float(kind):
        return once(
            [call.sql(1)], lambda k: f"IF(isnan({k}), NULL, element_at({call.sql(0)}, {k}))"
        )
    return f"element_at({call.sql(0)}, {call.sql(1)})"


def _concat(call: Bound) -> str:
    """The last map that has a key gives its value."""
    if len(call.arguments) < 2:
        message = "There must be two or more concatenation arguments to map_concat"
        raise Refused(_INVALID, message, call.at)
    written = call.sql(0)
    for argument in call.arguments[1:]:
        written = once(
            [written, argument.sql],
            lambda a, b: (
                f"map_concat(map_filter({a}, (k, v) -> "
                f"{b} IS NULL OR NOT map_contains_key({b}, k)), {b})"
            ),
        )
    return written


def _fields(call: Bound) -> tuple[TrinoType, str, str]:
    """The row of the entries, and how its two fields are called."""
    kind = call.arguments[0].type.element
    return kind, field_of_row(kind, 0), field_of_row(kind, 1)


def _from_entries(call: Bound) -> str:
    _, key, value = _fields(call)
    entry = argument_error(call, "map entry cannot be null")

    def write(a: str) -> str:
        made = build_map(call, f"transform({a}, e -> e.{key})", f"transform({a}, e -> e.{value})")
        if call.returns.types[0].base == "unknown":
            made = f"IF(size({a}) > 0, {argument_error(call, 'map key cannot be null')}, map())"
        return f"IF(exists({a}, e -> e IS NULL), {entry}, {made})"

    return once([call.sql(0)], write)


def _multimap(call: Bound) -> str:
    _, key, value = _fields(call)
    kind = call.returns.types[0]
    if holds(kind, "map") or kind.base == "unknown":
        raise call.refuse(f"keys of type {kind}")
    entry = argument_error(call, "map entry cannot be null")
    null = argument_error(call, "map key cannot be null")

    def write(a: str) -> str:
        keys = distinct(kind, f"transform({a}, e -> e.{key})", call.at)
        values = f"transform(filter({a}, e -> e.{key} <=> k), e -> e.{value})"
        return (
            f"CASE WHEN exists({a}, e -> e IS NULL) THEN {entry} "
            f"WHEN exists({a}, e -> e.{key} IS NULL) THEN {null} "
            f"ELSE map_from_entries(transform({keys}, k -> struct(k, {values}))) END"
        )

    return once([call.sql(0)], write)


def _entries(call: Bound) -> str:
    return f"transform(map_entries({call.sql(0)}), e -> named_struct('f0', e.key, 'f1', e.value))"


declare(
    "map",
    "(array(K), array(V)) -> map(K, V)",
    _map,
    description="Constructs a map from the given key/value arrays",
)
declare("map", "() -> map(unknown, unknown)", "map()", description="Creates an empty map")
declare(
    "element_at",
    "(map(K, V), K) -> V",
    _element_at,
    description="Get value for the given key, or null if it does not exist",
)
declare(
    "map_keys",
    "(map(K, V)) -> array(K)",
    "map_keys({0})",
    description="Returns the keys of the given map(K,V) as an array",
)
declare(
    "map_values",
    "(map(K, V)) -> array(V)",
    "map_values({0})",
    description="Returns the values of the given map(K,V) as an array",
)
declare(
    "map_entries",
    "(map(K, V)) -> array(row(K, V))",
    _entries,
    description="Construct an array of entries from a given map",
)
declare(
    "map_from_entries",
    "(array(row(K, V))) -> map(K, V)",
    _from_entries,
    description="Construct a map from an array of entries",
)
declare(
    "multimap_from_entries",
    "(array(row(K, V))) -> map(K, array(V))",
    _multimap,
    description="Construct a multimap from an array of entries",
)
declare(
    "map_concat", "(map(K, V), ...) -> map(K, V)", _concat, description="Concatenates given maps"
)
