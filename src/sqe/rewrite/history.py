"""Which columns of a restricted table an older state of it has.

A policy is about today's columns, which are known by their ids. Where a name meant another column
then, or nobody can say which state is meant before the engine does, the query is refused.
"""

from __future__ import annotations

import re
from typing import Any

from sqe.binding.bound import BoundTable
from sqe.catalog.protocol import Json
from sqe.catalog.schemas import current_schema
from sqe.errors import AccessError, ErrorCode
from sqe.model.query import Column

_VERSION = re.compile(
    r"(?:for\s+)?(?:system_)?version\s+as\s+of\s+(?:(?P<id>\d+)|'(?P<name>[^'\\]*)')\s*\Z",
    re.IGNORECASE,
)
_NAMED = re.compile(r"(?P<kind>branch|tag)_(?P<name>.+)\Z")


def columns_read(table: BoundTable, travel: str) -> tuple[Column, ...]:
    """Those of today's columns that are there in the state that is read. ``travel`` is what the
    user wrote behind the table's name."""
    if not travel and not table.suffix:
        return table.columns
    metadata = table.metadata
    now = current_schema(metadata)["fields"]
    there = {_there(table, now, schema) for schema in _schemas(metadata, table.suffix, travel)}
    if len(there) != 1:
        raise _doubtful(table)
    [ids] = there
    kept = {field["name"] for field in now if field["id"] in ids}
    return tuple(column for column in table.columns if column.name in kept)


def _there(table: BoundTable, now: list[Any], schema: Json) -> frozenset[int]:
    """The ids of today's columns that the schema has, under the names they have today."""
    then = {field["id"]: field["name"] for field in schema["fields"]}
    ids = {name.lower(): number for number, name in then.items()}
    for field in now:
        number, name = field["id"], field["name"]
        if then.get(number, name) != name or ids.get(name.lower(), number) != number:
            raise _doubtful(table)
    return frozenset(field["id"] for field in now if field["id"] in then)


def _schemas(metadata: Json, suffix: tuple[str, ...], travel: str) -> list[Json]:
    """Of the states that may be meant: one where the text says which, else all there were."""
    written = _VERSION.match(travel.strip()) if travel else None
    named = _NAMED.match(suffix[-1]) if suffix else None
    if named is not None and not travel:
        return _of_name(metadata, named["name"])
    if suffix or written is None:
        return _list_schemas(metadata)
    wanted = written["id"] or written["name"]
    return _of_snapshot(metadata, int(wanted)) if wanted.isdigit() else _of_name(metadata, wanted)


def _of_name(metadata: Json, name: str) -> list[Json]:
    """A branch has the table's columns as they are now, a tag has those of its snapshot."""
    reference = (metadata.get("refs") or {}).get(name)
    if reference is None:
        return _list_schemas(metadata)  # the engine will say that there is none
    if reference.get("type") == "branch":
        return [current_schema(metadata)]
    return _of_snapshot(metadata, int(reference["snapshot-id"]))


def _of_snapshot(metadata: Json, wanted: int) -> list[Json]:
    schemas = _list_schemas(metadata)
    for snapshot in metadata.get("snapshots") or ():
        if snapshot["snapshot-id"] == wanted and snapshot.get("schema-id") is not None:
            return [
                schema for schema in schemas if schema.get("schema-id") == snapshot["schema-id"]
            ]
    return schemas


def _list_schemas(metadata: Json) -> list[Json]:
    return list(metadata.get("schemas") or [])


def _doubtful(table: BoundTable) -> AccessError:
    return AccessError(
        ErrorCode.ACCESS_DENIED,
        f"You see only part of {table.name}, and its columns have changed: you may read only what"
        " it is now.",
        hint="VERSION AS OF a snapshot that has today's columns works.",
    )
