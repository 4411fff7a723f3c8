"""Every cell of a batch as a JSON text.

Numbers keep all their digits (a decimal is a JSON number, so read it as a decimal); NaN and the
infinities, which JSON has no numbers for, are strings; so are dates, timestamps and binary.
"""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.types as kinds

from sqe.results.nesting import Spans, validity
from sqe.results.texts.cells import Spelling, texts
from sqe.results.texts.names import unique_names

_encode = json.JSONEncoder(ensure_ascii=False).encode


def json_texts(array: pa.Array, spark_type: str = "") -> list[str]:
    """One JSON text per value, ``null`` for NULL."""
    kind = array.type
    if kinds.is_struct(kind):
        return _with_nulls(_structs(array), array)
    if kinds.is_map(kind):
        return _with_nulls(_maps(array), array)
    if kinds.is_nested(kind):
        return _with_nulls(_lists(array), array)
    plain = texts(array, spark_type, Spelling.PORTABLE)
    if kinds.is_boolean(kind) or kinds.is_integer(kind) or kinds.is_decimal(kind):
        return ["null" if text is None else text for text in plain]
    if kinds.is_floating(kind):
        return ["null" if text is None else _float(text) for text in plain]
    return ["null" if text is None else _encode(text) for text in plain]


def _float(text: str) -> str:
    return f'"{text}"' if text in ("NaN", "Infinity", "-Infinity") else text


def _structs(array: pa.Array) -> list[str]:
    names = unique_names([field.name for field in array.type])
    columns = [json_texts(array.field(i)) for i in range(array.type.num_fields)]
    return objects(names, columns) or ["{}"] * len(array)


def objects(names: list[str], columns: list[list[str]]) -> list[str]:
    """Rows as JSON objects, from columns of JSON texts."""
    heads = [f"{_encode(name)}: " for name in names]
    return [
        "{" + ", ".join(map(str.__add__, heads, row)) + "}" for row in zip(*columns, strict=True)
    ]


def _maps(array: pa.Array) -> list[str]:
    """An object where the keys are strings; else a list of {key, value}, which loses nothing."""
    spans = Spans(array)
    keys = json_texts(spans.children(array.keys))
    values = json_texts(spans.children(array.items))
    if kinds.is_string(array.keys.type):
        pairs = [f"{key}: {value}" for key, value in zip(keys, values, strict=True)]
        return spans.join(pairs, "{}")
    return spans.join(objects(["key", "value"], [keys, values]), "[]")


def _lists(array: pa.Array) -> list[str]:
    spans = Spans(array)
    return spans.join(json_texts(spans.children(array.values)), "[]")


def _with_nulls(values: list[str], array: pa.Array) -> list[str]:
    return [text if valid else "null" for text, valid in zip(values, validity(array), strict=True)]
