"""Spark's type spelling to Iceberg's schema JSON, for views that SQE stores itself."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from sqe.errors import ErrorCode, UserError
from sqe.model.query import Column

_PRIMITIVES = {
    "tinyint": "int",
    "smallint": "int",
    "int": "int",
    "bigint": "long",
    "float": "float",
    "double": "double",
    "boolean": "boolean",
    "string": "string",
    "binary": "binary",
    "date": "date",
    "timestamp": "timestamptz",
    "timestamp_ntz": "timestamp",
    "variant": "variant",
    "void": "unknown",
}


def iceberg_schema(columns: Sequence[Column]) -> dict[str, Any]:
    """A schema with fresh field ids. INVALID_ARGUMENT for a type Iceberg does not have."""
    ids = itertools.count(1)
    fields = [
        {
            "id": next(ids),
            "name": column.name,
            "required": False,
            "type": column.type,
            **({"doc": column.comment} if column.comment else {}),
        }
        for column in columns
    ]
    for field in fields:
        field["type"] = _Reader(str(field["type"]), ids).read()
    return {"type": "struct", "schema-id": 0, "fields": fields}


class _Reader:
    """Reads ``struct<a:int,b:array<string>>`` from left to right."""

    def __init__(self, text: str, ids: Iterator[int]) -> None:
        self._text = text
        self._at = 0
        self._ids = ids

    def read(self) -> Any:
        regex = self._type()
        if self._at != len(self._text):
            raise self._unknown_type()
        return regex

    def _type(self) -> Any:
        word = self._until("<>,:(")
        if word == "array":
            return self._array()
        if word == "map":
            return self._map()
        if word == "struct":
            return self._struct()
        if word == "decimal" and self._peek() == "(":
            end = self._text.index(")", self._at)
            arguments = self._text[self._at + 1 : end].replace(" ", "")
            self._at = end + 1
            return f"decimal({arguments.replace(',', ', ')})"
        if word in ("char", "varchar") and self._peek() == "(":
            self._at = self._text.index(")", self._at) + 1
            return "string"
        if word.startswith("string collate"):
            return "string"
        if word not in _PRIMITIVES:
            raise self._unknown_type()
        return _PRIMITIVES[word]

    def _array(self) -> Any:
        self._expect("<")
        element_id = next(self._ids)
        element = self._type()
        self._expect(">")
        return {
            "type": "list",
            "element-id": element_id,
            "element": element,
            "element-required": False,
        }

    def _map(self) -> Any:
        self._expect("<")
        key_id, value_id = next(self._ids), next(self._ids)
        key = self._type()
        self._expect(",")
        value = self._type()
        self._expect(">")
        return {
            "type": "map",
            "key-id": key_id,
            "key": key,
            "value-id": value_id,
            "value": value,
            "value-required": False,
        }

    def _struct(self) -> Any:
        self._expect("<")
        fields = []
        while self._peek() != ">":
            name = self._name()
            self._expect(":")
            field_id = next(self._ids)
            fields.append({"id": field_id, "name": name, "required": False, "type": self._type()})
            if self._peek() == ",":
                self._at += 1
        self._expect(">")
        return {"type": "struct", "fields": fields}

    def _name(self) -> str:
        if self._peek() != "`":
            return self._until(":")
        end = self._text.index("`", self._at + 1)
        name = self._text[self._at + 1 : end]
        self._at = end + 1
        return name

    def _until(self, stops: str) -> str:
        start = self._at
        while self._at < len(self._text) and self._text[self._at] not in stops:
            self._at += 1
        return self._text[start : self._at].strip()

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _expect(self, sign: str) -> None:
        if self._peek() != sign:
            raise self._unknown_type()
        self._at += 1

    def _unknown_type(self) -> UserError:
        return UserError(
            ErrorCode.NOT_SUPPORTED,
            f"Iceberg has no type for {self._text}.",
            hint="Cast the column to another type in the view's query.",
        )
