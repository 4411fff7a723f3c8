"""Schemas as metadata JSON: checked, compared, and given fresh field ids."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from sqe.catalog.commit.failures import check, invalid, need
from sqe.catalog.protocol import Json

_PRIMITIVE = re.compile(
    r"boolean|int|long|float|double|date|time|timestamp|timestamptz|timestamp_ns|timestamptz_ns"
    r"|string|uuid|binary|unknown|variant|fixed\[\d+\]|decimal\(\d+,\d+\)"
    r"|geometry(\(.*\))?|geography(\(.*\))?"
)
_SINCE_V3 = re.compile(r"timestamp_ns|timestamptz_ns|unknown|variant|geometry.*|geography.*")


@dataclass(frozen=True, slots=True)
class Field:
    """A field anywhere in a schema, with its full name."""

    id: int
    name: str
    type: Any
    required: bool
    path_required: bool  # it and every struct around it
    in_collection: bool  # inside a list or map
    source: Json


def fields_of(schema: Json) -> dict[int, Field]:
    """Every field by id, nested ones too. INVALID_ARGUMENT for ids or names used twice."""
    fields: dict[int, Field] = {}
    names: dict[str, int] = {}
    for field in _walk(schema, "", True, False):
        check(field.id not in fields, f"Invalid schema: two fields have the id {field.id}.")
        check(
            field.name not in names,
            f"Invalid schema: multiple fields for name {field.name}:"
            f" {names.get(field.name)} and {field.id}",
        )
        fields[field.id] = field
        names[field.name] = field.id
    return fields


def _walk(node: Any, prefix: str, path_required: bool, inside: bool) -> Iterator[Field]:
    if not isinstance(node, dict):
        return
    kind = node.get("type")
    if kind == "struct":
        for entry in need(node.get("fields"), "Invalid schema: a struct has no fields."):
            check(isinstance(entry, dict), "Invalid schema: a field is not an object.")
            name = need(entry.get("name"), "Invalid schema: a field has no name.")
            required = bool(entry.get("required", False))
            field_id = need(entry.get("id"), f"Invalid schema: the field {name} has no id.")
            field_type = need(entry.get("type"), f"Invalid schema: the field {name} has no type.")
            deep = path_required and required
            yield Field(field_id, prefix + name, field_type, required, deep, inside, entry)
            yield from _walk(field_type, f"{prefix}{name}.", deep, inside)
    elif kind == "list":
        yield from _part(node, "element", prefix)
    elif kind == "map":
        yield from _part(node, "key", prefix)
        yield from _part(node, "value", prefix)
    else:
        raise invalid(f"Invalid schema: {kind!r} is not a nested type.")


def _part(node: Json, part: str, prefix: str) -> Iterator[Field]:
    part_id = need(node.get(f"{part}-id"), f"Invalid schema: no {part}-id.")
    part_type = need(node.get(part), f"Invalid schema: no {part}.")
    required = part == "key" or bool(node.get(f"{part}-required", False))
    yield Field(part_id, prefix + part, part_type, required, False, True, node)
    yield from _walk(part_type, f"{prefix}{part}.", False, True)


def check_schema(schema: Json, format_version: int) -> dict[int, Field]:
    """The schema's fields, once it is known to be one this format version can store."""
    fields = fields_of(schema)
    problems = []
    for field in fields.values():
        if isinstance(field.type, str):
            text = normal_type(field.type)
            check(_PRIMITIVE.fullmatch(text) is not None, f"Cannot parse type string: {text}")
            if format_version < 3 and _SINCE_V3.fullmatch(text):
                problems.append(f"Invalid type for {field.name}: {text} is not supported until v3")
        default = field.source.get("initial-default")
        if default is not None and format_version < 3:
            problems.append(
                f"Invalid initial default for {field.name}:"
                f" non-null default ({default}) is not supported until v3"
            )
    listed = "".join(f"\n- {problem}" for problem in problems)
    check(not problems, f"Invalid schema for v{format_version}:{listed}")
    for field_id in schema.get("identifier-field-ids") or ():
        _check_identifier(fields, field_id)
    return fields


def _check_identifier(fields: dict[int, Field], field_id: int) -> None:
    cannot = f"Cannot add fieldId {field_id} as an identifier field"
    field = need(fields.get(field_id), f"{cannot}: field does not exist")
    check(isinstance(field.type, str), f"{cannot}: not a primitive type field")
    check(field.path_required, f"{cannot}: not a required field")
    check(field.type not in ("float", "double"), f"{cannot}: must not be float or double field")
    check(not field.in_collection, f"{cannot}: must not be nested in a list or map")


def normal_type(text: str) -> str:
    return re.sub(r"\s+", "", text) if text.startswith(("decimal", "fixed")) else text


def same_schema(left: Json, right: Json) -> bool:
    """Equal but for their schema ids."""
    return _canonical(left) == _canonical(right) and _identifiers(left) == _identifiers(right)


def equal_schema_id(schemas: Iterable[Json], schema: Json) -> int | None:
    """Of the schema that is the same, if there is one."""
    return next((s.get("schema-id", 0) for s in schemas if same_schema(s, schema)), None)


def _identifiers(schema: Json) -> set[int]:
    return set(schema.get("identifier-field-ids") or ())


def _canonical(node: Any) -> Any:
    if isinstance(node, str):
        return normal_type(node)
    if not isinstance(node, dict):
        return node
    if node.get("type") == "struct":
        return [_canonical_field(entry) for entry in node["fields"]]
    return {
        key: _canonical(value) if key in ("element", "key", "value") else value
        for key, value in node.items()
    }


def _canonical_field(entry: Json) -> Json:
    kept = {key: value for key, value in entry.items() if value is not None}
    return {**kept, "type": _canonical(entry["type"]), "required": bool(entry.get("required"))}


def with_fresh_ids(schema: Json, next_id: Callable[[], int]) -> tuple[Json, dict[int, int]]:
    """The schema with new ids in Iceberg's order (a level before the levels below it), and
    what became of each old id."""
    renamed: dict[int, int] = {}

    def assign_id(old: Any) -> int:
        new = next_id()
        if isinstance(old, int):
            renamed[old] = new
        return new

    def visit(node: Any) -> Any:
        if not isinstance(node, dict):
            return node
        if node.get("type") == "struct":
            fields = [{**entry, "id": assign_id(entry.get("id"))} for entry in node["fields"]]
            return {**node, "fields": [{**f, "type": visit(f["type"])} for f in fields]}
        parts = [part for part in ("element", "key", "value") if part in node]
        ids = {f"{part}-id": assign_id(node.get(f"{part}-id")) for part in parts}
        return {**node, **ids, **{part: visit(node[part]) for part in parts}}

    fresh_schema = visit(schema)
    if schema.get("identifier-field-ids"):
        fresh_schema["identifier-field-ids"] = [
            need(renamed.get(old), f"Cannot add fieldId {old} as an identifier field")
            for old in schema["identifier-field-ids"]
        ]
    return fresh_schema, renamed
