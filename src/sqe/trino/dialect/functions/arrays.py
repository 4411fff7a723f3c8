"""Functions of arrays. Lambdas over them are in ``lambdas``."""

from __future__ import annotations

from sqe.model.trino_types import TrinoType
from sqe.trino.dialect.errors import Refused
from sqe.trino.dialect.functions.registry import Bound, declare, null_for_null
from sqe.trino.dialect.once import holds, holds_null, is_float, once
from sqe.trino.dialect.typed import fail, spark_type, string

INVALID = "INVALID_FUNCTION_ARGUMENT"


def argument_error(call: Bound, message: str) -> str:
    """SQL that fails as Trino does for a wrong argument; it has the type of the call."""
    return fail(INVALID, string(message), call.returns, call.at)


def _element(call: Bound) -> TrinoType:
    return call.arguments[0].type.element


def refuse_maps(call: Bound) -> None:
    """Spark cannot compare maps."""
    if holds(_element(call), "map"):
        raise call.refuse(f"elements of type {_element(call)}")


# ------------------------------------------------------- is it in there


def _search(call: Bound, plain: str, absent: str) -> str:
    """``plain`` looks for argument 1 in argument 0 as Spark does: NaN would be found."""
    refuse_maps(call)
    kind = _element(call)
    items, wanted = call.sql(0), call.sql(1)
    if is_float(kind):
        text = plain.format("{0}", "{1}")
        missing = absent.format("{0}")
        return once(
            [items, wanted],
            lambda a, v: f"IF(isnan({v}), {missing.format(a)}, {text.format(a, v)})",
        )
    if holds_null(kind, "v") is None:
        return plain.format(items, wanted)
    if holds(kind, "real", "double"):
        raise call.refuse(f"elements of type {kind}")
    name = call.function.name
    message = string(f"{name} does not support arrays with elements that are null or contain null")
    error = fail("NOT_SUPPORTED", message, call.returns, call.at)
    # Stricter than Trino, which looks at the NULLs only where the rest is equal.
    return once(
        [items, wanted],
        lambda a, v: (
            f"IF({holds_null(_element_array(kind), a)} OR {holds_null(kind, v)}, "
            f"{error}, {plain.format(a, v)})"
        ),
    )


def _element_array(kind: TrinoType) -> TrinoType:
    return TrinoType("array", types=(kind,))


def _contains(call: Bound) -> str:
    absent = "IF({0} IS NULL OR exists({0}, y -> y IS NULL), NULL, false)"
    return _search(call, "array_contains({0}, {1})", absent)


def _position(call: Bound) -> str:
    plain = "CAST(array_position({0}, {1}) AS BIGINT)"
    return _search(call, plain, "IF({0} IS NULL, NULL, 0L)")


def _remove(call: Bound) -> str:
    return _search(call, "array_remove({0}, {1})", "{0}")


# ------------------------------------------------------------------ sets


def distinct(kind: TrinoType, items: str, at: int) -> str:
    """Without repetitions. Spark takes 0.0 and -0.0 of an array of doubles for two."""
    if not is_float(kind):
        return f"array_distinct({items})"
    empty = f"CAST(array() AS array<{spark_type(kind, at)}>)"
    return (
        f"aggregate({items}, {empty}, (s, x) -> IF(exists(s, y -> y <=> x), s, array_append(s, x)))"
    )


def _distinct(call: Bound) -> str:
    refuse_maps(call)
    return distinct(_element(call), call.sql(0), call.at)


def _union(call: Bound) -> str:
    refuse_maps(call)
    return distinct(_element(call), f"concat({call.sql(0)}, {call.sql(1)})", call.at)


def _intersect(call: Bound) -> str:
    """In the order of the longer array, the first of two that are as long."""
    refuse_maps(call)
    kind = _element(call)

    def common(longer: str, shorter: str) -> str:
        if not is_float(kind):
            return f"array_intersect({longer}, {shorter})"
        return f"filter({distinct(kind, longer, call.at)}, x -> exists({shorter}, y -> y <=> x))"

    return once(
        [call.sql(0), call.sql(1)],
        lambda a, b: f"IF(size({a}) < size({b}), {common(b, a)}, {common(a, b)})",
    )


def _except(call: Bound) -> str:
    refuse_maps(call)
    kind = _element(call)
    if not is_float(kind):
        return f"array_except({call.sql(0)}, {call.sql(1)})"
    left = distinct(kind, call.sql(0), call.at)
    return once(
        [call.sql(1)],
        lambda b: f"IF({b} IS NULL, NULL, filter({left}, x -> NOT exists({b}, y -> y <=> x)))",
    )


def _overlap(call: Bound) -> str:
    refuse_maps(call)
    if is_float(_element(call)):
        raise call.refuse(f"elements of type {_element(call)}")
    return f"arrays_overlap({call.sql(0)}, {call.sql(1)})"


def _contains_sequence(call: Bound) -> str:
    refuse_maps(call)
    return once(
        [call.sql(0), call.sql(1)],
        lambda a, b: (
            f"CASE WHEN {a} IS NULL OR {b} IS NULL THEN NULL WHEN size({b}) = 0 THEN true "
            f"WHEN size({a}) < size({b}) THEN false "
            f"ELSE exists(sequence(1, size({a}) - size({b}) + 1), "
            f"i -> slice({a}, i, size({b})) <=> {b}) END"
        ),
    )


# ----------------------------------------------------------------- order


def _compare_elements(call: Bound, written: str) -> str:
    """``written`` compares elements of {0}; Trino cannot if there is a NULL inside of them."""
    kind = _element(call)
    if holds(kind, "map", "json"):
        raise Refused("FUNCTION_NOT_FOUND", f"Unexpected parameters for function "
                      f"{call.function.name}: {kind} is not orderable", call.at)  # fmt: skip
    inside = holds_null(kind, "e")
    if inside is None:
        return once([call.sql(0)], lambda a: written.format(a))
    word = "ROW comparison not supported for fields with null elements"
    if kind.base == "array":
        word = "ARRAY comparison not supported for arrays with null elements"
    error = fail("NOT_SUPPORTED", string(word), call.returns, call.at)
    return once(
        [call.sql(0)],
        lambda a: f"IF(exists({a}, e -> {inside}), {error}, {written.format(a)})",
    )


def _extreme(call: Bound) -> str:
    """NULL if there is one among the elements; NaN only where there is nothing else."""
    name, kind = call.function.name, _element(call)
    if kind.base == "unknown":
        return "NULL"
    extreme = f"{name}({{0}})"
    if is_float(kind):
        extreme = f"coalesce({name}(filter({{0}}, x -> NOT isnan(x))), {name}({{0}}))"
    return _compare_elements(call, f"IF(exists({{0}}, x -> x IS NULL), NULL, {extreme})")


def _sort(call: Bound) -> str:
    return (
        call.sql(0)
        if _element(call).base == "unknown"
        else _compare_elements(call, "array_sort({0})")
    )


# ---------------------------------------------------------- declarations

_PAIR = "(array(E), array(E)) -> array(E)"
declare(
    "cardinality",
    ["(array(E)) -> bigint", "(map(K, V)) -> bigint"],
    "CAST(size({0}) AS BIGINT)",
    description="Returns the cardinality (length) of the array",
)
declare(
    "contains",
    "(array(T), T) -> boolean",
    _contains,
    description="Determines whether given value exists in the array",
)
declare(
    "contains_sequence",
    "(array(T), array(T)) -> boolean",
    _contains_sequence,
    description="Determines whether an array contains a sequence, with the values in the "
    "exact order",
)
declare(
    "array_position",
    "(array(T), T) -> bigint",
    _position,
    description="Returns the position of the first occurrence of the given value in array "
    "(or 0 if not found)",
)
declare(
    "array_remove",
    "(array(E), E) -> array(E)",
    _remove,
    description="Remove specified values from the given array",
)
declare(
    "array_distinct",
    "(array(E)) -> array(E)",
    _distinct,
    description="Remove duplicate values from the given array",
)
declare("array_union", _PAIR, _union, description="Union elements of the two given arrays")
declare(
    "array_intersect",
    _PAIR,
    null_for_null(_intersect),
    description="Intersects elements of the two given arrays",
)
declare(
    "array_except",
    _PAIR,
    _except,
    description="Returns an array of elements that are in the first array but not the second, "
    "without duplicates.",
)
declare(
    "arrays_overlap",
    "(array(E), array(E)) -> boolean",
    _overlap,
    description="Returns true if arrays have common elements",
)
declare("array_max", "(array(T)) -> T", _extreme, description="Get maximum value of array")
declare("array_min", "(array(T)) -> T", _extreme, description="Get minimum value of array")
declare(
    "array_sort",
    "(array(E)) -> array(E)",
    _sort,
    description="Sorts the given array in ascending order according to the natural ordering "
    "of its elements.",
)
