"""How a guard reads an older state of a restricted table.

A policy is about today's columns, which are known by their ids. An older state is shown under
today's names: a column that has been renamed since is the same column, one that is gone is not
shown, and one that a rule asks about and that was not there yet is NULL, as Iceberg has it for the
rows of that time. So it does not matter to users how columns that they do not see have changed.

Which state is meant is found here, in the metadata that the engine will read: what nobody can say
before the engine does is refused, and what is not there is the same error for every table.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from sqe.binding.bound import BoundTable
from sqe.catalog.protocol import Json
from sqe.catalog.schemas import current_schema
from sqe.errors import AccessError, ErrorCode, UserError
from sqe.model.names import quote
from sqe.model.query import Column
from sqe.rewrite.moments import moment_of
from sqe.rewrite.travel import Version, read_suffix, read_travel


@dataclass(frozen=True)
class State:
    """``travel`` stands behind the table's name. ``items``: a select list that gives the columns
    their names of today; empty where they have them. ``columns`` are those of today's that were
    there, which are all that can be shown."""

    travel: str
    items: str
    columns: tuple[Column, ...]


@dataclass(frozen=True)
class Wanted:
    """Of today's columns, by name in lower case: what is shown of the table, and what the policy's
    expressions are about."""

    shown: Collection[str]
    asked: Collection[str]


def find_state(table: BoundTable, travel: str, wanted: Wanted, time_zone: str) -> State:
    """``travel`` is what the user wrote behind the table's name."""
    if not travel and not table.suffix:
        return State("", "", table.columns)
    named = _read_version(table, travel)
    version = named if named.moment is None else _find_version(table, named.moment, time_zone)
    schema = _schema_of(table, version)
    if travel and version is not named:
        travel = f" VERSION AS OF {version.snapshot}"
    return _map_columns(table, schema, travel, wanted)


def _read_version(table: BoundTable, travel: str) -> Version:
    if table.suffix and travel:
        raise _unknown_state(table)
    version = read_suffix(table.suffix[-1]) if table.suffix else read_travel(travel)
    if version is None:
        raise _unknown_state(table)
    return version


def _find_version(table: BoundTable, moment: str, time_zone: str) -> Version:
    millis = moment_of(moment, time_zone)
    if millis is None:
        raise _unknown_state(table)
    entries = table.metadata.get("snapshot-log") or ()
    before = [entry["snapshot-id"] for entry in entries if entry["timestamp-ms"] <= millis]
    if not before:
        raise _no_state(table, "a snapshot of that time")
    return Version(snapshot=int(before[-1]))


def _schema_of(table: BoundTable, version: Version) -> Json:
    """A branch has the table's columns as they are now, everything else those of its snapshot."""
    metadata = table.metadata
    snapshot = version.snapshot
    if snapshot is None:
        reference = (metadata.get("refs") or {}).get(version.reference)
        if reference is None:
            raise _no_state(table, f"a branch or tag {version.reference}")
        if reference.get("type") == "branch":
            return current_schema(metadata)
        snapshot = int(reference["snapshot-id"])
    for candidate in metadata.get("snapshots") or ():
        if candidate["snapshot-id"] == snapshot:
            return _schema(metadata, candidate.get("schema-id"))
    raise _no_state(table, f"a snapshot {snapshot}")


def _schema(metadata: Json, number: int | None) -> Json:
    """Snapshots of old writers have no number: engines read them with today's schema."""
    if number is None:
        return current_schema(metadata)
    return next(
        schema for schema in metadata.get("schemas") or () if schema.get("schema-id") == number
    )


def _map_columns(table: BoundTable, schema: Json, travel: str, wanted: Wanted) -> State:
    then = {field["id"]: field for field in schema["fields"]}
    now = {field["name"]: field for field in current_schema(table.metadata)["fields"]}
    items: list[str] = []
    columns: list[Column] = []
    as_today = True
    for column in table.columns:
        name, today = column.name.lower(), now[column.name]
        before = then.get(today["id"])
        if before is not None:
            columns.append(column)
        if name not in wanted.shown and name not in wanted.asked:
            continue
        if before is None:
            if name not in wanted.asked:
                continue
            if today.get("initial-default") is not None:
                raise _not_shown(table)
            items.append(f"CAST(NULL AS {column.type}) AS {quote(column.name)}")
            as_today = False
            continue
        if _parts(before["type"]) != _parts(today["type"]) and name in wanted.asked:
            raise _not_shown(table)
        as_today = as_today and before["name"] == today["name"]
        items.append(_item(before, today, column))
    return State(travel, "" if as_today else ", ".join(items), tuple(columns))


def _item(before: Any, today: Any, column: Column) -> str:
    value = quote(before["name"])
    if isinstance(today["type"], str) and before["type"] != today["type"]:
        value = f"CAST({value} AS {column.type})"
    return f"{value} AS {quote(column.name)}"


def _parts(kind: Any) -> Any:
    """What a type is made of: the names and ids of its fields, for they can change places."""
    if isinstance(kind, str):
        return None
    if kind["type"] == "struct":
        return [(field["id"], field["name"], _parts(field["type"])) for field in kind["fields"]]
    return [_parts(kind[key]) for key in ("element", "key", "value") if key in kind]


def _unknown_state(table: BoundTable) -> UserError:
    return UserError(
        ErrorCode.NOT_SUPPORTED,
        f"You see only part of {table.name}: which state of it is read must be plain.",
        hint="Write VERSION AS OF a snapshot, branch or tag, or TIMESTAMP AS OF"
        " '2026-01-31 12:00:00', or of now() less an INTERVAL of days, hours or minutes.",
    )


def _no_state(table: BoundTable, what: str) -> UserError:
    return UserError(ErrorCode.SNAPSHOT_NOT_FOUND, f"{table.name} does not have {what}.")


def _not_shown(table: BoundTable) -> AccessError:
    return AccessError(
        ErrorCode.ACCESS_DENIED,
        f"You see only part of {table.name}, and this older state of it cannot be shown.",
    )
