"""Nested values that stand as JSON in a CSV file, as ``sqe sql -o csv`` writes them."""

from __future__ import annotations

from itertools import count
from typing import Any

from sqe.catalog.schemas import spark_type
from sqe.model.names import quote, string_literal


def expression_of_json(text: str, iceberg_type: Any) -> str:
    """The text, which is SQL, as a value of the type. What does not fit it is an error."""
    form = string_literal(f"value {_form(iceberg_type)}")
    wrapped = f"concat('{{\"value\":', {text}, '}}')"
    parsed = f"from_json({wrapped}, {form}, map('mode', 'FAILFAST')).value"
    return _convert(parsed, iceberg_type, count())


def _form(kind: Any) -> str:
    """Spark's type for the JSON: a map whose keys are no texts is a list of key and value."""
    if isinstance(kind, str):
        return spark_type(kind)
    if kind["type"] == "struct":
        fields = ", ".join(f"{quote(f['name'])}: {_form(f['type'])}" for f in kind["fields"])
        return f"struct<{fields}>"
    if kind["type"] == "list":
        return f"array<{_form(kind['element'])}>"
    key, value = _form(kind["key"]), _form(kind["value"])
    if key == "string":
        return f"map<string, {value}>"
    return f"array<struct<key: {key}, value: {value}>>"


def _convert(value: str, kind: Any, names: count[int]) -> str:
    """``value`` in the form of ``_form`` as one of the type itself."""
    if _is_its_form(kind):
        return value
    name = f"x{next(names)}"
    if kind["type"] == "struct":
        fields = []
        for field in kind["fields"]:
            inner = _convert(f"{value}.{quote(field['name'])}", field["type"], names)
            fields.append(f"{string_literal(field['name'])}, {inner}")
        return f"if({value} IS NULL, NULL, named_struct({', '.join(fields)}))"
    if kind["type"] == "list":
        return f"transform({value}, {name} -> {_convert(name, kind['element'], names)})"
    inner = _convert(f"{name}.value", kind["value"], names)
    if _form(kind["key"]) == "string":
        inner = _convert(name, kind["value"], names)
        return f"transform_values({value}, (k{name}, {name}) -> {inner})"
    key = _convert(f"{name}.key", kind["key"], names)
    return f"map_from_entries(transform({value}, {name} -> struct({key}, {inner})))"


def _is_its_form(kind: Any) -> bool:
    """Whether JSON of the type is read as the type itself: it has no map with keys of another type
    than text."""
    if isinstance(kind, str):
        return True
    if kind["type"] == "struct":
        return all(_is_its_form(field["type"]) for field in kind["fields"])
    if kind["type"] == "list":
        return _is_its_form(kind["element"])
    return _form(kind["key"]) == "string" and _is_its_form(kind["value"])
