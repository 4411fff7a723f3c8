"""Comparison with Trino's meaning.

Doubles compare as IEEE says: NaN is equal to nothing, where Spark thinks it equal to itself and
larger than all. Arrays, maps and rows are equal if all their parts are, and it is unknown whether
they are if a NULL decides.
"""

from __future__ import annotations

from sqe.model.trino_types import BOOLEAN, DOUBLE, REAL, TrinoType, field_of_row
from sqe.trino.dialect.casts import coerce
from sqe.trino.dialect.coercion import common_type
from sqe.trino.dialect.errors import mismatch, not_supported
from sqe.trino.dialect.repeated import both_repeated
from sqe.trino.dialect.typed import Typed, fail, string

_INCOMPARABLE = ("hyperloglog", "function")
_UNORDERED = ("map", "json")
# Trino has no operators of its own for these.
_NAMED = {">": "<", ">=": "<=", "<>": "="}


def compare(operator: str, left: Typed, right: Typed, at: int) -> Typed:
    common = common_type(left.type, right.type)
    ordered = operator not in ("=", "<>", "IS DISTINCT FROM")
    if common is None or _holds(common, _INCOMPARABLE) or (ordered and _holds(common, _UNORDERED)):
        shown = f"{left.type.display} {_NAMED.get(operator, operator)} {right.type.display}"
        raise mismatch(f"Cannot apply operator: {shown}", at)
    return compare_typed(operator, coerce(left, common, at), coerce(right, common, at), at)


def compare_typed(operator: str, left: Typed, right: Typed, at: int) -> Typed:
    """Both are of one type."""
    kind = left.type
    ordered = operator not in ("=", "<>", "IS DISTINCT FROM")
    if ordered and _holds(kind, ("ipaddress",)):  # its text is not in the addresses' order
        raise not_supported(f"Comparison of {kind}", at)
    if operator == "IS DISTINCT FROM":
        return Typed(BOOLEAN, _distinct(left, right, at))
    if kind.base in ("array", "map", "row"):
        return Typed(BOOLEAN, _compare_parts(operator, left, right, at))
    if kind.base == "char" and operator not in ("=", "<>"):
        padded = [f"rpad({side.sql}, {kind.length}, ' ')" for side in (left, right)]
        return Typed(BOOLEAN, f"({padded[0]} {operator} {padded[1]})")
    plain = f"({left.sql} {operator} {right.sql})"
    if kind in (REAL, DOUBLE):
        return Typed(BOOLEAN, _compare_floats(operator, left, right, plain))
    return Typed(BOOLEAN, plain)


def _with_both_zeros(operator: str, value: Typed, kind: TrinoType) -> str | None:
    """A comparison with zero. Iceberg leaves out files by their bounds, and there -0.0 is less than
    0.0: the text must not let it leave out the other one."""
    name = "FLOAT" if kind == REAL else "DOUBLE"
    plus, minus = f"CAST(0 AS {name})", f"CAST('-0.0' AS {name})"
    if operator == "=":
        return f"({value.sql} = {plus} OR {value.sql} = {minus})"
    if operator == ">=":
        return f"({value.sql} >= {minus} AND NOT isnan({value.sql}))"
    return f"({value.sql} <= {plus})" if operator == "<=" else None


_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def _compare_floats(operator: str, left: Typed, right: Typed, plain: str) -> str:
    if _is_number(right) and right.constant == 0 and not _is_number(left):
        zeros = _with_both_zeros(operator, left, left.type)
        if zeros is not None:
            return zeros
    if _is_number(left) and left.constant == 0 and not _is_number(right):
        zeros = _with_both_zeros(_TURNED.get(operator, operator), right, right.type)
        if zeros is not None:
            return zeros
    if _is_number(right):  # only a NaN on the left is seen differently, and only as the larger
        guard = operator in (">", ">=") and not _is_number(left)
        return f"({plain} AND NOT isnan({left.sql}))" if guard else plain
    if _is_number(left):
        guard = operator in ("<", "<=")
        return f"({plain} AND NOT isnan({right.sql}))" if guard else plain
    return both_repeated(left.sql, right.sql, lambda one, other: _floats(operator, one, other))


def _floats(operator: str, one: str, other: str) -> str:
    answer = "true" if operator == "<>" else "false"
    unknown = f"{one} IS NULL OR {other} IS NULL"
    plain = f"({one} {operator} {other})"
    return f"IF(isnan({one}) OR isnan({other}), IF({unknown}, NULL, {answer}), {plain})"


def _is_number(value: Typed) -> bool:
    """A constant that is not NaN."""
    return isinstance(value.constant, int | float) and value.constant == value.constant


def _distinct(left: Typed, right: Typed, at: int) -> str:
    """NULLs are equal here, and NaNs."""
    kind = left.type
    if kind.base == "map" and not any(_holds(part, ("map",)) for part in kind.types):
        left_entries, other = (f"array_sort(map_entries({value.sql}))" for value in (left, right))
        return f"(NOT ({left_entries} <=> {other}))"
    if _holds(kind, ("map",)):
        raise not_supported(f"IS DISTINCT FROM of {kind}", at)
    return f"(NOT ({left.sql} <=> {right.sql}))"


def _compare_parts(operator: str, left: Typed, right: Typed, at: int) -> str:
    kind = left.type

    def write(one: str, other: str) -> str:
        if operator in ("=", "<>"):
            same = _equal(kind, one, other)
            return same if operator == "=" else f"(NOT {same})"
        unknown = f"{one} IS NULL OR {other} IS NULL"
        return f"IF({unknown}, NULL, {_order(kind, one, other, 1)} {operator} 0)"

    return both_repeated(left.sql, right.sql, write)


def _equal(kind: TrinoType, one: str, other: str, depth: int = 1) -> str:
    """True, false, or NULL where a NULL decides."""
    x, y = f"x{depth}_", f"y{depth}_"
    if kind.base == "row":
        tests = [
            _equal(field.type, f"{one}.{name}", f"{other}.{name}", depth + 1)
            for field, name in ((f, field_of_row(kind, i)) for i, f in enumerate(kind.fields))
        ]
        return f"({' AND '.join(tests)})"
    if kind.base == "array":
        same = _equal(kind.element, x, y, depth + 1)
        pairs = f"zip_with({one}, {other}, ({x}, {y}) -> {same})"
        return f"IF(size({one}) <> size({other}), false, forall({pairs}, {x} -> {x}))"
    if kind.base == "map":
        same = _equal(kind.types[1], f"{one}[{x}]", f"{other}[{x}]", depth + 1)
        test = f"IF(map_contains_key({other}, {x}), {same}, false)"
        tests_of_keys = f"forall(map_keys({one}), {x} -> {test})"
        return (
            f"IF(size({one}) <> size({other}), false, IF({other} IS NULL, NULL, {tests_of_keys}))"
        )
    return _floats("=", one, other) if kind in (REAL, DOUBLE) else f"({one} = {other})"


def _order(kind: TrinoType, one: str, other: str, depth: int) -> str:
    """-1, 0 or 1. NULLs inside cannot be ordered; NaN is larger than every number here."""
    if kind.base == "row":
        cases = []
        for i, field in enumerate(kind.fields):
            name = field_of_row(kind, i)
            cases += _step(field.type, f"{one}.{name}", f"{other}.{name}", "ROW", depth)
        return f"CASE {' '.join(cases)} ELSE 0 END"
    if kind.base == "array":
        x, y, state = f"x{depth}_", f"y{depth}_", f"a{depth}_"
        shorter = f"least(size({one}), size({other}))"
        parts = [f"slice({array}, 1, {shorter})" for array in (one, other)]
        pairs = f"zip_with({parts[0]}, {parts[1]}, ({x}, {y}) -> struct({x} AS x, {y} AS y))"
        step = " ".join(_step(kind.element, f"{x}.x", f"{x}.y", "ARRAY", depth))
        merged = f"({state}, {x}) -> CASE WHEN {state} <> 0 THEN {state} {step} ELSE 0 END"
        longer = f"CAST(sign(size({one}) - size({other})) AS INT)"
        final = f"{state} -> IF({state} <> 0, {state}, {longer})"
        return f"aggregate({pairs}, 0, {merged}, {final})"
    return f"CASE WHEN {one} < {other} THEN -1 WHEN {one} > {other} THEN 1 ELSE 0 END"


def _step(kind: TrinoType, one: str, other: str, what: str, depth: int) -> list[str]:
    where = "arrays with null elements" if what == "ARRAY" else "fields with null elements"
    error = fail("NOT_SUPPORTED", string(f"{what} comparison not supported for {where}"))
    order = _order(kind, one, other, depth + 1)
    return [
        f"WHEN {one} IS NULL OR {other} IS NULL THEN CAST({error} AS INT)",
        f"WHEN {order} <> 0 THEN {order}",
    ]


def _holds(kind: TrinoType, bases: tuple[str, ...]) -> bool:
    return (
        kind.base in bases
        or any(_holds(inner, bases) for inner in kind.types)
        or any(_holds(field.type, bases) for field in kind.fields)
    )
