"""``array[i]``, ``map[key]`` and ``row[i]``: an absent element is an error."""

from __future__ import annotations

from sqe.model.trino_types import BIGINT, VARCHAR, TrinoType
from sqe.trino.dialect import nodes
from sqe.trino.dialect.casts import CASTS, cast, coerce
from sqe.trino.dialect.coercion import can_coerce
from sqe.trino.dialect.errors import Refused, mismatch
from sqe.trino.dialect.once import is_float, once
from sqe.trino.dialect.typed import Typed, fail, field_of, null_of, string


def subscript(value: Typed, index: Typed, node: nodes.Subscript) -> Typed:
    if value.type.base == "row":
        return _row(value, index, node)
    if value.type.base == "array" and can_coerce(index.type, BIGINT):
        return _array(value, coerce(index, BIGINT, node.at), node.at)
    if value.type.base == "map" and can_coerce(index.type, value.type.types[0]):
        return _map(value, coerce(index, value.type.types[0], node.at), node.at)
    raise mismatch(f"Cannot apply operator: {value.type}[{index.type}]", node.at)


def _row(value: Typed, index: Typed, node: nodes.Subscript) -> Typed:
    if not isinstance(node.index, nodes.LongLiteral):
        message = "Subscript expression on ROW requires a constant index"
        raise Refused("EXPRESSION_NOT_CONSTANT", message, node.index.at)
    number = node.index.value
    if number < 1 or number > len(value.type.fields):
        message = f"ROW subscript is out of bounds: {number}"
        raise Refused("INVALID_FUNCTION_ARGUMENT", message, node.index.at)
    field = value.type.fields[number - 1]
    return Typed(field.type, field_of(value, number - 1))


def _array(value: Typed, index: Typed, at: int) -> Typed:
    kind = value.type.element

    def subscript_error(message: str) -> str:
        return fail("INVALID_FUNCTION_ARGUMENT", message, kind, at)

    zero = subscript_error(string("SQL array indices start at 1"))

    def body(a: str, i: str) -> str:
        negative = subscript_error(f"concat('Array subscript is negative: ', {i})")
        beyond = subscript_error(
            "concat('Array subscript must be less than or equal to array length: ', "
            f"{i}, ' > ', size({a}))"
        )
        return (
            f"CASE WHEN {a} IS NULL OR {i} IS NULL THEN NULL WHEN {i} = 0 THEN {zero} "
            f"WHEN {i} < 0 THEN {negative} WHEN {i} > size({a}) THEN {beyond} "
            f"ELSE get({a}, try_cast({i} - 1 AS INT)) END"
        )

    return Typed(kind, once([value.sql, index.sql], body))


def _map(value: Typed, key: Typed, at: int) -> Typed:
    """NaN is the key of nothing."""
    kind = value.type.types[1]

    def body(m: str, k: str) -> str:
        absent = f"concat('Key not present in map: ', {show_key(key.type, k, at)})"
        error = fail("INVALID_FUNCTION_ARGUMENT", absent, kind, at)
        there = f"map_contains_key({m}, {k})"
        if is_float(key.type):
            there += f" AND NOT isnan({k})"
        return (
            f"CASE WHEN {m} IS NULL OR {k} IS NULL THEN NULL "
            f"WHEN {there} THEN element_at({m}, {k}) ELSE {error} END"
        )

    if key.type.base == "unknown":
        return null_of(kind, at)
    return Typed(kind, once([value.sql, key.sql], body))


def show_key(kind: TrinoType, sql: str, at: int) -> str:
    """A key as messages show it; nothing where it has no text."""
    if kind.base != "varchar" and (kind.base, "varchar") not in CASTS:
        return "''"
    return cast(Typed(kind, sql), VARCHAR, at).sql
