"""Looks for the columns that ALTER TABLE names, so that an error says what is wrong and where.

Spark and Iceberg would refuse the same changes, in their own words.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import Any

from sqe.binding.bound import BoundStatement, BoundTable
from sqe.catalog.protocol import Json
from sqe.catalog.schemas import current_schema
from sqe.errors import ErrorCode, UserError
from sqe.sql.alter import AlterTable
from sqe.sql.alter_actions import ColumnUse, Role
from sqe.sql.statement import position_at

_ADDED = (Role.ADDED, Role.ADDED_REQUIRED)
_DROPPED = (Role.DROPPED, Role.DROPPED_IF_THERE)


def check_changes(bound: BoundStatement) -> None:
    command = bound.statement.command
    if not isinstance(command, AlterTable):
        return
    target = bound.references[0].target
    if not isinstance(target, BoundTable) or target.loaded is None:
        return
    metadata = target.loaded.metadata
    fields = {tuple(p.lower() for p in path): (i, path) for i, path in _fields(metadata)}
    for use in command.uses:
        problem = _problem(use, fields, metadata, target)
        if problem is not None:
            code, message, hint = problem
            text = bound.statement.text
            place = position_at(text, use.span.start, use.span.of(text))
            raise UserError(code, message, hint=hint, position=place)


_Fields = dict[tuple[str, ...], tuple[int, tuple[str, ...]]]
_Problem = tuple[ErrorCode, str, str]


def _problem(
    use: ColumnUse, fields: _Fields, metadata: Json, target: BoundTable
) -> _Problem | None:
    key = tuple(part.lower() for part in use.path)
    written = ".".join(use.path)
    there = key in fields
    if use.role in _ADDED:
        if there:
            return ErrorCode.AMBIGUOUS_NAME, f"{target.name} already has a column {written}.", ""
        if use.role is Role.ADDED_REQUIRED:
            return (
                ErrorCode.CONSTRAINT_VIOLATION,
                f"The column {written} cannot be NOT NULL: the rows that are there have no value.",
                "Leave NOT NULL out, or give it a DEFAULT (format version 3).",
            )
        return None if not key[:-1] else _parent(use, fields, target)
    if not there:
        if use.role is Role.DROPPED_IF_THERE:
            return None
        return _column_problem(written, fields, target)
    if use.role in _DROPPED:
        return _explain_use(fields[key][0], written, metadata)
    return None


def _parent(use: ColumnUse, fields: _Fields, target: BoundTable) -> _Problem | None:
    parent = tuple(part.lower() for part in use.path[:-1])
    return None if parent in fields else _column_problem(".".join(use.path[:-1]), fields, target)


def _column_problem(written: str, fields: _Fields, target: BoundTable) -> _Problem:
    known = {".".join(key): ".".join(path) for key, (_, path) in fields.items()}
    close = difflib.get_close_matches(written.lower(), list(known), n=1)
    hint = f"Did you mean {known[close[0]]}?" if close else ""
    return ErrorCode.COLUMN_NOT_FOUND, f"{target.name} has no column {written}.", hint


def _explain_use(ident: int, written: str, metadata: Json) -> _Problem | None:
    """Iceberg drops no column that the current partitioning, order or key is made of."""
    for part in _current_fields(metadata, "partition-specs", "spec-id", "default-spec-id"):
        if part.get("source-id") == ident and part.get("transform") != "void":
            return (
                ErrorCode.INVALID_ARGUMENT,
                f"The table is partitioned by {written}; it cannot be dropped.",
                f"ALTER TABLE … DROP PARTITION FIELD {part['name']} first.",
            )
    for order in _current_fields(metadata, "sort-orders", "order-id", "default-sort-order-id"):
        if order.get("source-id") == ident:
            return (
                ErrorCode.INVALID_ARGUMENT,
                f"The table is written in the order of {written}; it cannot be dropped.",
                "ALTER TABLE … WRITE UNORDERED first.",
            )
    if ident in (current_schema(metadata).get("identifier-field-ids") or ()):
        return (
            ErrorCode.INVALID_ARGUMENT,
            f"{written} is an identifier field; it cannot be dropped.",
            f"ALTER TABLE … DROP IDENTIFIER FIELDS {written} first.",
        )
    return None


def _current_fields(metadata: Json, many: str, key: str, current: str) -> list[Json]:
    for candidate in metadata.get(many) or ():
        if candidate.get(key) == metadata.get(current):
            fields: list[Json] = candidate["fields"]
            return fields
    return []


def _fields(metadata: Json) -> Iterator[tuple[int, tuple[str, ...]]]:
    yield from _inside(current_schema(metadata), ())


def _inside(node: Any, above: tuple[str, ...]) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Every field with the names on the way to it, as Spark spells them (``a.element.b``)."""
    if not isinstance(node, dict):
        return
    for field in node.get("fields") or ():
        path = (*above, field["name"])
        yield field["id"], path
        yield from _inside(field["type"], path)
    for part in ("element", "key", "value"):
        if part in node:
            path = (*above, part)
            yield node[f"{part}-id"], path
            yield from _inside(node[part], path)
