"""CAST to JSON and from it, and the literal ``JSON '…'``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqe.model.trino_types import (
    BIGINT,
    BOOLEAN,
    DOUBLE,
    INTEGERS,
    JSON,
    REAL,
    VARCHAR,
    TrinoType,
    decimal,
    field_of_row,
)
from sqe.trino.dialect import json_sql
from sqe.trino.dialect.casts import cast, casts
from sqe.trino.dialect.errors import Refused, mismatch, not_supported
from sqe.trino.dialect.json_literal import canonical, quote_json
from sqe.trino.dialect.literals import literal_of
from sqe.trino.dialect.once import once
from sqe.trino.dialect.typed import Typed, fail, spark_type, string

if TYPE_CHECKING:
    from sqe.trino.dialect.context import Context

_NUMBERS = "tinyint smallint integer bigint real double decimal"
_INVALID = "INVALID_CAST_ARGUMENT"
_KEYS = ("boolean", "varchar", *_NUMBERS.split())


@literal_of("json")
def _literal(text: str, at: int, context: Context) -> Typed:
    try:
        written = canonical(text)
    except ValueError:
        raise Refused("INVALID_LITERAL", f"'{text}' is not a valid JSON literal", at) from None
    return Typed(JSON, string(written), written)


# --------------------------------------------------------------- to JSON


@casts(f"boolean varchar date timestamp array map row {_NUMBERS}", "json")
def _to_json(value: Typed, target: TrinoType, safe: bool, at: int) -> str:
    _check(value.type, value.type, at)
    return json_text(value, at)


@casts("char time time_with_time_zone timestamp_with_time_zone uuid ipaddress varbinary "
       "interval_day_to_second interval_year_to_month", "json")  # fmt: skip
def _not_to_json(value: Typed, target: TrinoType, safe: bool, at: int) -> str:
    raise mismatch(f"Cannot cast {value.type.display} to json", at)


def _check(kind: TrinoType, whole: TrinoType, at: int) -> None:
    """Whether all inside of a type can be JSON."""
    if kind.base == "map" and kind.types[0].base not in (*_KEYS, "unknown"):
        if kind.types[0].base in ("date", "timestamp"):
            raise Refused(_INVALID, f"Cannot cast {whole.display} to JSON", at)
        raise mismatch(f"Cannot cast {whole.display} to json", at)
    parts = [*kind.types, *(field.type for field in kind.fields)]
    plain = ("boolean", "varchar", "date", "timestamp", "json", "unknown", *_NUMBERS.split())
    if not parts and kind.base not in plain:
        raise mismatch(f"Cannot cast {whole.display} to json", at)
    for part in parts:
        _check(part, whole, at)


def json_text(value: Typed, at: int, depth: int = 0) -> str:
    """The JSON text of a value; NULL for NULL."""
    kind, sql = value.type, value.sql
    base = kind.base
    if base == "json":
        return sql
    if base == "unknown":
        return "CAST(NULL AS STRING)"
    if kind in (REAL, DOUBLE):
        return f"to_json(CAST({sql} AS VARIANT))"
    if base == "boolean" or kind in INTEGERS or base == "decimal":
        return f"CAST({sql} AS STRING)"
    if base == "varchar":
        return json_sql.quote_string(sql)
    if base in ("date", "timestamp"):
        return f"concat('\"', {cast(value, VARCHAR, at).sql}, '\"')"
    return once([sql], lambda v: _container(Typed(kind, v), at, depth))


def _item(value: Typed, at: int, depth: int) -> str:
    return f"coalesce({json_text(value, at, depth + 1)}, 'null')"


def _container(value: Typed, at: int, depth: int) -> str:
    kind, sql, element = value.type, value.sql, f"j{depth}"
    if kind.base == "array":
        inside = _item(Typed(kind.element, element), at, depth)
        return f"concat('[', array_join(transform({sql}, {element} -> {inside}), ','), ']')"
    if kind.base == "map":
        key = _key_text(Typed(kind.types[0], f"{element}.key"))
        item = _item(Typed(kind.types[1], f"{element}.value"), at, depth)
        entries = f"transform(map_entries({sql}), {element} -> struct({key} AS k, {item} AS v))"
        name = json_sql.quote_string(f"{element}.k")
        members = f"transform(array_sort({entries}), {element} -> concat({name}, ':', {element}.v))"
        return f"concat('{{', array_join({members}, ','), '}}')"
    parts: list[str] = []
    for i, field in enumerate(kind.fields):
        name = string(("," if i else "") + quote_json(field.name or "") + ":")
        inner = Typed(field.type, f"{sql}.{field_of_row(kind, i)}")
        parts += [name, _item(inner, at, depth)]
    return f"IF({sql} IS NULL, NULL, concat('{{', {', '.join(parts)}, '}}'))"


def _key_text(key: Typed) -> str:
    """What becomes the name of a member."""
    if key.type in (REAL, DOUBLE):
        return f"replace(to_json(CAST({key.sql} AS VARIANT)), '\"', '')"
    return f"CAST({key.sql} AS STRING)"


# ------------------------------------------------------------- from JSON


@casts("json", f"boolean varchar array map row {_NUMBERS}")
def _from_json(value: Typed, target: TrinoType, safe: bool, at: int) -> str:
    if safe and target.base in ("array", "map", "row"):
        raise not_supported(f"TRY_CAST of json to {target.display}", at)
    return once([json_sql.variant(value.sql)], lambda v: read(v, target, at, safe=safe))


@casts("json", "char date time timestamp time_with_time_zone timestamp_with_time_zone uuid "
       "ipaddress varbinary interval_day_to_second interval_year_to_month")  # fmt: skip
def _not_from_json(value: Typed, target: TrinoType, safe: bool, at: int) -> str:
    raise mismatch(f"Cannot cast json to {target.display}", at)


def read(value: str, target: TrinoType, at: int, *, safe: bool = False, depth: int = 0) -> str:
    """What a VARIANT is as another type."""
    if target.base == "json":
        return json_sql.print_variant(value)
    if target.base in ("array", "map", "row"):
        return once([value], lambda v: _read_container(v, target, at, depth))
    if target.base not in _KEYS:
        raise mismatch(f"Cannot cast json to {target.display}", at)
    failed = "NULL" if safe else _cast_failure(target, at)

    def body(v: str, k: str) -> str:
        big = "NULL"
        if target not in INTEGERS and target != BOOLEAN:
            number = f"CAST({v} AS {spark_type(decimal(38), at)})"
            big = f"IF({k} LIKE 'DECIMAL%', {_safe(decimal(38), number, target, at)}, NULL)"
        return (
            f"IF({v} IS NULL OR {k} = 'VOID', NULL, coalesce(CASE {k} "
            f"WHEN 'BIGINT' THEN {_safe(BIGINT, f'CAST({v} AS BIGINT)', target, at)} "
            f"WHEN 'DOUBLE' THEN {_safe(DOUBLE, f'CAST({v} AS DOUBLE)', target, at)} "
            f"WHEN 'STRING' THEN {_safe(VARCHAR, f'CAST({v} AS STRING)', target, at)} "
            f"WHEN 'BOOLEAN' THEN {_boolean(v, target, at)} ELSE {big} END, {failed}))"
        )

    return once([value, json_sql.kind(value)], body)


def _safe(source: TrinoType, sql: str, target: TrinoType, at: int) -> str:
    """A cast that gives NULL for what does not fit; the caller knows that the value is not NULL."""
    if target.base == "varchar" and target.length is not None:
        text = cast(Typed(source, sql), VARCHAR, at, safe=True).sql if source != VARCHAR else sql
        long = fail("GENERIC_INTERNAL_ERROR", string("Character count exceeds length limit"))
        return f"IF(length({text}) > {target.length}, {long}, {text})"
    if source == target or (source.base == target.base == "varchar"):
        return sql
    return cast(Typed(source, sql), target, at, safe=True).sql


def _boolean(value: str, target: TrinoType, at: int) -> str:
    if target == BOOLEAN:
        return f"CAST({value} AS BOOLEAN)"
    if target.base == "varchar":
        return f"CAST(CAST({value} AS BOOLEAN) AS STRING)"
    return f"CAST(IF(CAST({value} AS BOOLEAN), 1, 0) AS {spark_type(target, at)})"


def _cast_failure(target: TrinoType, at: int, message: str = "") -> str:
    text = message or f"Cannot cast json to {target.display}"
    return fail(_INVALID, string(text), target, at)


def _read_container(value: str, target: TrinoType, at: int, depth: int) -> str:
    reader = {"array": _read_array, "map": _read_map, "row": _read_row}[target.base]
    kind = json_sql.kind(value)
    inside = reader(value, kind, target, at, depth)
    return f"CASE WHEN {value} IS NULL OR {kind} = 'VOID' THEN NULL {inside} END"


def _read_array(value: str, kind: str, target: TrinoType, at: int, depth: int) -> str:
    element = f"j{depth}"
    item = read(element, target.element, at, depth=depth + 1)
    wrong = _cast_failure(target, at, f"Cannot cast to {target.display}. Expected a json array")
    return (
        f"WHEN {kind} LIKE 'ARRAY%' THEN transform(CAST({value} AS ARRAY<VARIANT>), "
        f"{element} -> {item}) ELSE {wrong}"
    )


def _read_map(value: str, kind: str, target: TrinoType, at: int, depth: int) -> str:
    entry = f"j{depth}"
    if target.types[0].base not in _KEYS:
        raise mismatch(f"Cannot cast json to {target.display}", at)
    key = _safe(VARCHAR, f"{entry}.key", target.types[0], at)
    if target.types[0].base != "varchar":
        key = f"coalesce({key}, {_cast_failure(target.types[0], at)})"
    item = read(f"{entry}.value", target.types[1], at, depth=depth + 1)
    entries = f"map_entries(CAST({value} AS MAP<STRING, VARIANT>))"
    wrong = _cast_failure(target, at, f"Cannot cast to {target.display}. Expected a json object")
    twice = _cast_failure(
        target, at, f"Cannot cast to {target.display}. Duplicate map keys are not allowed"
    )
    made = f"transform({entries}, {entry} -> struct({key} AS k, {item} AS v))"
    filled = once(
        [made],
        lambda e: (
            f"IF(size(array_distinct(transform({e}, x -> x.k))) < size({e}), {twice}, "
            f"map_from_entries({e}))"
        ),
    )
    return f"WHEN {kind} LIKE 'OBJECT%' THEN {filled} ELSE {wrong}"


def _read_row(value: str, kind: str, target: TrinoType, at: int, depth: int) -> str:
    count = len(target.fields)
    shown = f"Cannot cast to {target.display}. "
    length = _cast_failure(target, at, f"{shown}Expected a json array of {count} items")
    wrong = _cast_failure(target, at, f"{shown}Expected a json array or object")
    items = f"CAST({value} AS ARRAY<VARIANT>)"
    by_place = _row(target, [f"get({items}, {i})" for i in range(count)], at, depth)
    if any(field.name is None for field in target.fields):
        by_name = _cast_failure(
            target, at, f"{shown}Cannot cast a JSON object to anonymous row type"
        )
    else:
        by_name = _by_name(value, target, at, depth)
    return (
        f"WHEN {kind} LIKE 'ARRAY%' THEN IF(size({items}) <> {count}, {length}, {by_place}) "
        f"WHEN {kind} LIKE 'OBJECT%' THEN {by_name} ELSE {wrong}"
    )


def _by_name(value: str, target: TrinoType, at: int, depth: int) -> str:
    """Names are the same in any case of letters, and may be there once."""
    entries = f"map_entries(CAST({value} AS MAP<STRING, VARIANT>))"
    twice = _cast_failure(target, at, f"Cannot cast to {target.display}. Duplicate field")

    def body(e: str) -> str:
        names = [string((field.name or "").lower()) for field in target.fields]
        members = [f"get(filter({e}, x -> lower(x.key) = {name}), 0).value" for name in names]
        many = " OR ".join(f"size(filter({e}, x -> lower(x.key) = {name})) > 1" for name in names)
        return f"IF({many}, {twice}, {_row(target, members, at, depth)})"

    return once([entries], body)


def _row(target: TrinoType, items: list[str], at: int, depth: int) -> str:
    parts = []
    for i, (field, item) in enumerate(zip(target.fields, items, strict=True)):
        name = string(field.name if field.name is not None else f"f{i}")
        parts.append(f"{name}, {read(item, field.type, at, depth=depth + 1)}")
    return f"named_struct({', '.join(parts)})"
