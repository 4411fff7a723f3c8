"""CAST between arrays, maps and rows: element by element.

TRY_CAST of a container is NULL as a whole if one element fails.
"""

from __future__ import annotations

from sqe.model.trino_types import TrinoType, field_of_row
from sqe.trino.dialect.casts import cast, cast_failure, casts
from sqe.trino.dialect.repeated import with_variable
from sqe.trino.dialect.typed import Typed, spark_type, string


@casts("array", "array")
def _array(value: Typed, target: TrinoType, safe: bool, at: int) -> str:
    inside = _element("e", value.type.element, target.element, safe, at)
    if inside == "e":
        return value.sql
    return with_variable(value.sql, lambda sql: _array_of(sql, inside, target, safe, at))


def _array_of(sql: str, inside: str, target: TrinoType, safe: bool, at: int) -> str:
    made = f"transform({sql}, e -> {inside})"
    if not safe:
        return made
    return f"IF(exists({sql}, e -> {_fails('e', inside)}), {_null(target, at)}, {made})"


@casts("map", "map")
def _map(value: Typed, target: TrinoType, safe: bool, at: int) -> str:
    key = _element("k", value.type.types[0], target.types[0], safe, at)
    item = _element("v", value.type.types[1], target.types[1], safe, at)
    if key == "k" and item == "v":
        return value.sql
    return with_variable(value.sql, lambda sql: _map_of(sql, (key, item), target, safe, at))


def _map_of(sql: str, parts: tuple[str, str], target: TrinoType, safe: bool, at: int) -> str:
    key, item = parts
    keys = f"transform(map_keys({sql}), k -> {key})"
    items = f"transform(map_values({sql}), v -> {item})"
    made = f"map_from_arrays({keys}, {items})"
    tests = []
    if safe:
        tests.append(f"exists(map_keys({sql}), k -> {_fails('k', key)})")
        tests.append(f"exists(map_values({sql}), v -> {_fails('v', item)})")
    if tests:
        made = f"IF({' OR '.join(tests)}, {_null(target, at)}, {made})"
    if key != "k":  # two keys can become one
        twice = cast_failure(string("duplicate keys"), target, at, safe=safe)
        distinct = f"size(array_distinct({keys}))"
        made = f"IF({distinct} < size({sql}), {twice}, {made})"
    return made


@casts("row", "row")
def _row(value: Typed, target: TrinoType, safe: bool, at: int) -> str:
    return with_variable(value.sql, lambda sql: _row_of(sql, value.type, target, safe, at))


def _row_of(sql: str, source: TrinoType, target: TrinoType, safe: bool, at: int) -> str:
    parts, tests = [], [f"{sql} IS NULL"]
    for i, (mine, theirs) in enumerate(zip(source.fields, target.fields, strict=True)):
        field = f"{sql}.{field_of_row(source, i)}"
        made = _element(field, mine.type, theirs.type, safe, at)
        name = theirs.name if theirs.name is not None else f"f{i}"
        parts.append(f"{string(name)}, {made}")
        if safe and made != field:
            tests.append(f"({_fails(field, made)})")
    row = f"named_struct({', '.join(parts)})"
    return f"IF({' OR '.join(tests)}, {_null(target, at)}, {row})"


def _element(sql: str, source: TrinoType, target: TrinoType, safe: bool, at: int) -> str:
    return cast(Typed(source, sql), target, at, safe=safe).sql


def _fails(before: str, after: str) -> str:
    """A part that is there and cannot be cast."""
    return f"{before} IS NOT NULL AND {after} IS NULL"


def _null(target: TrinoType, at: int) -> str:
    return f"CAST(NULL AS {spark_type(target, at)})"
