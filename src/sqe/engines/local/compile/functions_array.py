"""Functions of arrays, as DuckDB writes them. Both engines number elements from one, or say so.

DuckDB leaves NULLs out of some lists and takes a NULL list for an empty one in others, so what is
NULL is said first.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqe.engines.local.compile.arithmetic import give_up
from sqe.engines.local.compile.built import Build, Built, need
from sqe.engines.local.compile.compiling import Compiling
from sqe.engines.local.compile.value import Value, any_nullable
from sqe.engines.local.scan_types import identifier
from sqe.engines.local.types import (
    BIGINT,
    BOOLEAN,
    INT,
    STRING,
    VOID,
    SparkType,
    array_of,
    common_type,
    map_of,
    struct_of,
)
from sqe.model.names import quote_text

_MANY = 10_000  # elements that are made out of nothing


def make_array(here: Compiling, values: Sequence[Value]) -> Built:
    kind = VOID
    for value in values:
        kind = common_type(kind, value.type)
    wanted = array_of(kind)
    items = ", ".join(value.cast(kind) for value in values)
    return f"CAST([{items}] AS {wanted.duckdb})", wanted, False


def size(here: Compiling, values: Sequence[Value]) -> Built:
    need(len(values) == 1, "size takes one argument")
    value = values[0]
    need(value.type.is_list or value.type.name == "map", f"size of {value.type} is Spark's")
    function = "len" if value.type.is_list else "cardinality"
    return f"CAST({function}({value.sql}) AS INTEGER)", INT, value.nullable


def join_texts(here: Compiling, values: Sequence[Value]) -> Built:
    """DuckDB leaves NULLs out too, and gives NULL where nothing else is there."""
    need(len(values) in (2, 3), "array_join takes two or three arguments")
    need(values[0].type == array_of(STRING), "array_join of other than strings is Spark's")
    need(all(value.type in (STRING, VOID) for value in values[1:]), "array_join takes strings")
    listed, between = values[0].sql, values[1].cast(STRING)
    if len(values) == 3:
        listed = f"list_transform({listed}, lambda item: coalesce(item, {values[2].cast(STRING)}))"
    if isinstance(values[1].literal, str):
        joined = f"coalesce(array_to_string({listed}, {between}), '')"
    else:  # which array_to_string does not take
        some = f"list_filter({listed}, lambda item: item IS NOT NULL)"
        joined = f"list_reduce({some}, lambda text, item: text || {between} || item)"
        joined = f"CASE WHEN list_count({listed}) = 0 THEN '' ELSE {joined} END"
    return _unless_null(values, joined, STRING), STRING, any_nullable(*values)


def contains(here: Compiling, values: Sequence[Value]) -> Built:
    """NULL where it is not found among NULLs."""
    items, item, _ = _items_and_one(values, "array_contains")
    found = f"list_contains({items}, {item})"
    unknown = f"len({items}) > list_count({items})"
    sql = f"CASE WHEN {found} THEN true WHEN {unknown} THEN NULL ELSE false END"
    return _unless_null(values, sql, BOOLEAN), BOOLEAN, True


def position(here: Compiling, values: Sequence[Value]) -> Built:
    items, item, _ = _items_and_one(values, "array_position")
    sql = f"CAST(coalesce(list_position({items}, {item}), 0) AS BIGINT)"
    return _unless_null(values, sql, BIGINT), BIGINT, any_nullable(*values)


def remove(here: Compiling, values: Sequence[Value]) -> Built:
    items, item, kind = _items_and_one(values, "array_remove")
    sql = f"list_filter({items}, lambda item: item IS NULL OR item <> {item})"
    return _unless_null(values, sql, array_of(kind)), array_of(kind), any_nullable(*values)


def append(function: str) -> Build:
    def build(here: Compiling, values: Sequence[Value]) -> Built:
        need(len(values) == 2 and values[0].type.name == "array", f"{function} takes an array")
        kind = common_type(values[0].type.element, values[1].type)
        items, item = values[0].cast(array_of(kind)), f"[{values[1].cast(kind)}]"
        sides = (items, item) if function == "array_append" else (item, items)
        sql = _unless_null(values[:1], f"list_concat({', '.join(sides)})", array_of(kind))
        return sql, array_of(kind), values[0].nullable

    return build


def overlap(here: Compiling, values: Sequence[Value]) -> Built:
    """NULL where neither shares a value with the other, and a NULL of one might be that."""
    one, other, _ = _alike(values, "arrays_overlap")
    some = f"len({one}) > 0 AND len({other}) > 0"
    nulls = f"(len({one}) > list_count({one}) OR len({other}) > list_count({other}))"
    sql = (
        f"CASE WHEN list_has_any({one}, {other}) THEN true "
        f"WHEN {some} AND {nulls} THEN NULL ELSE false END"
    )
    return _unless_null(values, sql, BOOLEAN), BOOLEAN, True


def combine(function: str) -> Build:
    """array_union, array_intersect, array_except: without repetitions, in the order of the first
    array; NULL is a value like others."""

    def build(here: Compiling, values: Sequence[Value]) -> Built:
        one, other, kind = _alike(values, function)
        if function == "array_union":
            sql = _without_repetitions(f"list_concat({one}, {other})")
        else:
            word = "IS NOT NULL" if function == "array_intersect" else "IS NULL"
            kept = f"list_position({one}, item) = i AND list_position({other}, item) {word}"
            sql = f"list_filter({one}, lambda item, i: {kept})"
        return _unless_null(values, sql, array_of(kind)), array_of(kind), any_nullable(*values)

    return build


def distinct(here: Compiling, values: Sequence[Value]) -> Built:
    need(len(values) == 1 and values[0].type.is_list, "array_distinct takes an array")
    kind, sql = values[0].type, values[0].sql
    _need_equal(kind.element, "array_distinct")
    if kind.name == "bag":  # no order to keep, and quicker
        null = f"CASE WHEN len({sql}) > list_count({sql}) THEN [NULL] ELSE [] END"
        together = f"list_concat(list_distinct({sql}), CAST({null} AS {kind.duckdb}))"
        return _unless_null(values, together, kind), kind, values[0].nullable
    return _without_repetitions(sql), kind, values[0].nullable


def sort(function: str) -> Build:
    """Both engines compare strings by their bytes. What made a bag's order does not show."""

    def build(here: Compiling, values: Sequence[Value]) -> Built:
        need(1 <= len(values) <= 2 and values[0].type.is_list, f"this {function} is Spark's")
        element = values[0].type.element
        plain = element.is_plain and not element.is_float
        need(plain, f"{function} of {element} is Spark's")
        order = "'ASC', 'NULLS LAST'"
        if function == "sort_array":
            up = values[1].literal if len(values) == 2 else True
            need(isinstance(up, bool), "sort_array by a computed order is Spark's")
            order = "'ASC', 'NULLS FIRST'" if up else "'DESC', 'NULLS LAST'"
        else:
            need(len(values) == 1, "array_sort by a lambda is Spark's")
        return f"list_sort({values[0].sql}, {order})", array_of(element), values[0].nullable

    return build


def extreme(function: str) -> Build:
    """array_min and array_max: without NULLs."""

    def build(here: Compiling, values: Sequence[Value]) -> Built:
        need(len(values) == 1 and values[0].type.is_list, f"{function} takes an array")
        element = values[0].type.element
        plain = element.is_plain and not element.is_float and element != VOID
        need(plain, f"{function} of {element} is Spark's")
        return f"list_{function[-3:]}({values[0].sql})", element, True

    return build


def slice_(here: Compiling, values: Sequence[Value]) -> Built:
    need(len(values) == 3 and values[0].type.name == "array", "slice takes an array")
    need(all(v.type.name in ("tinyint", "smallint", "int") for v in values[1:]), "slice takes ints")
    items, kind = values[0].sql, values[0].type
    start, length = (value.cast(BIGINT) for value in values[1:])
    first = f"CASE WHEN {start} > 0 THEN {start} ELSE len({items}) + {start} + 1 END"
    sql = (
        f"CASE WHEN {start} = 0 OR {length} < 0 THEN {give_up('a slice of no place', kind)} "
        f"WHEN abs({start}) > len({items}) OR {length} = 0 THEN CAST([] AS {kind.duckdb}) "
        f"ELSE list_slice({items}, {first}, {first} + {length} - 1) END"
    )
    return _unless_null(values, sql, kind), kind, any_nullable(*values)


def concat(values: Sequence[Value]) -> Built:
    """concat() of arrays."""
    kind = values[0].type
    for value in values[1:]:
        kind = common_type(kind, value.type)
    need(kind.name == "array", f"concat of {kind} is Spark's")
    listed = [value.cast(kind) for value in values]
    sql = listed[0]
    for more in listed[1:]:
        sql = f"list_concat({sql}, {more})"
    return _unless_null(values, sql, kind), kind, any_nullable(*values)


def flatten(here: Compiling, values: Sequence[Value]) -> Built:
    need(len(values) == 1 and values[0].type.name == "array", "flatten takes an array")
    kind = values[0].type.element
    need(kind.name == "array", "flatten takes an array of arrays")
    sql = values[0].sql
    null = f"len({sql}) > list_count({sql})"
    flat = f"CASE WHEN {null} THEN NULL ELSE flatten({sql}) END"
    return _unless_null(values, flat, kind), kind, True


def repeat(here: Compiling, values: Sequence[Value]) -> Built:
    need(len(values) == 2, "array_repeat takes two arguments")
    need(values[1].type.name in ("tinyint", "smallint", "int"), "array_repeat takes an int")
    kind, often = array_of(values[0].type), values[1].sql
    items = f"list_transform(range(greatest({often}, 0)), lambda i: {values[0].sql})"
    many = f"WHEN {often} > {_MANY} THEN {give_up('an array so long', kind)}"
    sql = f"CASE {many} ELSE CAST({items} AS {kind.duckdb}) END"
    return _unless_null(values[1:], sql, kind), kind, values[1].nullable


def sequence(here: Compiling, values: Sequence[Value]) -> Built:
    """Of whole numbers. A step that leads away from the end is an error, which Spark has."""
    need(len(values) in (2, 3), "sequence takes two or three arguments")
    kind = common_type(values[0].type, values[1].type)
    need(kind.is_integral and kind in (INT, BIGINT), f"sequence of {kind} is Spark's")
    need(all(value.type.is_integral for value in values), "sequence takes whole numbers")
    start, stop = (value.cast(BIGINT) for value in values[:2])
    step = f"CASE WHEN {start} <= {stop} THEN 1 ELSE -1 END"
    if len(values) == 3:
        step = values[2].cast(BIGINT)
    wanted = array_of(kind)
    far = f"abs(CAST({start} AS HUGEINT) - {stop}) > {_MANY}"
    up, down = f"{start} < {stop} AND ({step}) < 0", f"{start} > {stop} AND ({step}) > 0"
    away = f"({step}) = 0 OR ({up}) OR ({down})"
    sql = (
        f"CASE WHEN {far} OR {away} THEN {give_up('a sequence of this kind', wanted)} "
        f"ELSE CAST(generate_series({start}, {stop}, {step}) AS {wanted.duckdb}) END"
    )
    return _unless_null(values, sql, wanted), wanted, any_nullable(*values)


def get(here: Compiling, values: Sequence[Value]) -> Built:
    """The element at a place counted from zero; NULL where there is none."""
    need(len(values) == 2 and values[0].type.name == "array", "get takes an array")
    need(values[1].type.name in ("tinyint", "smallint", "int"), "get takes an int")
    place = values[1].cast(BIGINT)
    sql = f"CASE WHEN {place} >= 0 THEN ({values[0].sql})[{place} + 1] END"
    return sql, values[0].type.element, True


def map_of_arrays(here: Compiling, values: Sequence[Value]) -> Built:
    """What is wrong with the keys is Spark's to say."""
    need(len(values) == 2 and all(v.type.name == "array" for v in values), "it takes two arrays")
    keys, items = (value.sql for value in values)
    kind = map_of(values[0].type.element, values[1].type.element)
    sql = _make_map(f"len({keys}) <> len({items}) OR ", keys, f"map({keys}, {items})", kind)
    return _unless_null(values, sql, kind), kind, any_nullable(*values)


def map_of_entries(here: Compiling, values: Sequence[Value]) -> Built:
    need(len(values) == 1 and values[0].type.name == "array", "map_from_entries takes an array")
    entry = values[0].type.element
    need(entry.name == "struct" and len(entry.parts) == 2, "an entry has two fields")
    key = quote_text(entry.names[0])
    items = values[0].sql
    keys = f"list_transform({items}, lambda entry: struct_extract(entry, {key}))"
    kind = map_of(*entry.parts)
    missing = f"len({items}) > list_count({items})"
    made = _make_map("", keys, f"map_from_entries({items})", kind)
    sql = f"CASE WHEN {missing} THEN CAST(NULL AS {kind.duckdb}) ELSE {made} END"
    return _unless_null(values, sql, kind), kind, True


def _make_map(wrong: str, keys: str, made: str, kind: SparkType) -> str:
    _need_equal(kind.parts[0], "a map's key")
    need(VOID not in kind.parts, "a map of NULLs is Spark's")
    other = give_up("a map of such keys", kind)
    twice = f"len(list_distinct({keys})) < len({keys})"  # which leaves NULLs out
    return f"CASE WHEN {wrong}{twice} THEN {other} ELSE CAST({made} AS {kind.duckdb}) END"


def zip_arrays(here: Compiling, values: Sequence[Value]) -> Built:
    """Of the length of the longest. Fields are called after columns, which is not known here."""
    need(bool(values) and all(v.type.name == "array" for v in values), "arrays_zip takes arrays")
    need(not any(v.column or v.type.element == VOID for v in values), "arrays_zip of columns")
    names = [str(place) for place, _ in enumerate(values)]
    element = struct_of(names, [value.type.element for value in values])
    kind = array_of(element)
    fields = (
        f"{identifier(name)} := ({value.sql})[place]"
        for name, value in zip(names, values, strict=True)
    )
    longest = f"greatest({', '.join(f'len({value.sql})' for value in values)})"
    sql = f"list_transform(range(1, {longest} + 1), lambda place: struct_pack({', '.join(fields)}))"
    return _unless_null(values, f"CAST({sql} AS {kind.duckdb})", kind), kind, any_nullable(*values)


def entries_of_map(part: str) -> Build:
    """map_keys and map_values: in the order in which the map was made, as on Spark."""

    def build(here: Compiling, values: Sequence[Value]) -> Built:
        need(len(values) == 1 and values[0].type.name == "map", f"{part} takes a map")
        kind = array_of(values[0].type.parts[0 if part == "map_keys" else 1])
        return f"{part}({values[0].sql})", kind, values[0].nullable

    return build


def _unless_null(values: Sequence[Value], sql: str, kind: SparkType) -> str:
    """NULL where one of them is."""
    missing = [f"{value.sql} IS NULL" for value in values if value.nullable]
    if not missing:
        return sql
    return f"CASE WHEN {' OR '.join(missing)} THEN CAST(NULL AS {kind.duckdb}) ELSE {sql} END"


def _without_repetitions(items: str) -> str:
    return f"list_filter({items}, lambda item, i: list_position({items}, item) = i)"


def _need_equal(kind: SparkType, what: str) -> None:
    need(kind.is_equatable and not kind.is_float, f"{what} of {kind} is Spark's")


def _items_and_one(values: Sequence[Value], what: str) -> tuple[str, str, SparkType]:
    """An array and what may be in it, of one type."""
    need(len(values) == 2 and values[0].type.is_list, f"{what} takes an array")
    kind = common_type(values[0].type.element, values[1].type)
    need(kind.is_plain and not kind.is_float and kind != VOID, f"{what} of {kind} is Spark's")
    need(VOID not in (values[1].type, values[0].type.element), f"{what} of NULLs is Spark's")
    wanted = SparkType(values[0].type.name, parts=(kind,))
    return values[0].cast(wanted), values[1].cast(kind), kind


def _alike(values: Sequence[Value], what: str) -> tuple[str, str, SparkType]:
    need(len(values) == 2 and all(v.type.name == "array" for v in values), f"{what} takes arrays")
    kind = common_type(values[0].type, values[1].type)
    _need_equal(kind.element, what)
    need(kind.element != VOID, f"{what} of nothing is Spark's")
    one, other = (value.cast(kind) for value in values)
    return one, other, kind.element
