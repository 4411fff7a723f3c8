"""USE, SET SESSION, RESET SESSION, SHOW SESSION."""

from __future__ import annotations

import re
import zoneinfo
from collections.abc import Iterator

from sqe.coordinator.call import Answer, CommandCall, Row, answer, nearest, strings
from sqe.errors import ErrorCode
from sqe.model.names import SchemaName
from sqe.sessions.session import PROPERTIES
from sqe.sql.commands import ResetSession, SetSession, ShowSession, UseSchema
from sqe.sql.statement import Command, Span

_DESCRIPTIONS = {
    "sqe.engine": "Which engine runs queries",
    "sqe.partition_overwrite": "What INSERT OVERWRITE replaces: the table, or partitions it fills",
    "sqe.time_zone": "The time zone of timestamps, e.g. Europe/Vienna or +01:00",
    "sqe.wap_branch": "Write to, and read, this branch of tables with write.wap.enabled",
    "sqe.wap_id": "Stage writes to such tables under this id, until publish_changes",
}
_OFFSET = re.compile(r"[+-](0\d|1[0-7]):[0-5]\d\Z|[+-]18:00\Z")
_REGION = re.compile(r"[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*\Z")


def _use(command: UseSchema, call: CommandCall) -> list[Row]:
    call.session.use(_used(command, call))
    return []


def _used(command: UseSchema, call: CommandCall) -> SchemaName:
    name = command.name
    if command.catalog:
        if len(name.parts) > 1:
            raise call.error(
                ErrorCode.INVALID_ARGUMENT, "A catalog's name has one part.", name.span
            )
        return _start_of(call.catalog_named(name.parts[0]) or name.parts[0], call, name.span)
    found = call.existing(call.schema(name))
    if found is not None:
        return found
    catalog = call.catalog_named(name.parts[0]) if len(name.parts) == 1 else None
    if catalog is not None and not command.schema:
        return _start_of(catalog, call, name.span)
    error = call.no_schema(call.schema(name), name.span)
    if not error.hint and not command.schema:
        error.hint = nearest(name.parts[0], call.catalog_names)
    raise error


def _start_of(catalog: str, call: CommandCall, at: Span) -> SchemaName:
    """Where a session stands that has named a catalog only: in ``default``, if there is one."""
    call.open(catalog, at)
    return call.existing(SchemaName(catalog, ("default",))) or SchemaName(catalog, ())


def _set(command: SetSession, call: CommandCall) -> list[Row]:
    name = _known(command.name, call, command.span)
    call.session.set_property(name, _checked(name, command, call))
    return []


def _reset(command: ResetSession, call: CommandCall) -> list[Row]:
    call.session.set_property(_known(command.name, call, command.span), None)
    return []


def _known(name: str, call: CommandCall, at: Span) -> str:
    if name.lower() in PROPERTIES:
        return name.lower()
    raise call.error(
        ErrorCode.INVALID_SESSION_PROPERTY,
        f"There is no session property {name}.",
        at,
        nearest(name, PROPERTIES) or "SHOW SESSION lists them.",
    )


def _checked(name: str, command: SetSession, call: CommandCall) -> str:
    values, value = PROPERTIES[name], command.value.strip()
    if values is None:
        if name != "sqe.time_zone" or _is_time_zone(value):
            return value
        zones = zoneinfo.available_timezones()
        hint = nearest(value, zones) or "It is a region such as Europe/Vienna, or +01:00."
    else:
        if value.lower() in values:
            return value.lower()
        hint = f"It takes {', '.join(values)}."
    raise call.error(
        ErrorCode.INVALID_SESSION_PROPERTY,
        f"{value!r} is not a value of {name}.",
        command.span,
        hint,
    )


def _is_time_zone(value: str) -> bool:
    zones = zoneinfo.available_timezones()
    # A machine without a time zone database leaves the question to Spark.
    region = value in zones if zones else bool(_REGION.match(value))
    return region or bool(_OFFSET.match(value))


def _show(command: ShowSession, call: CommandCall) -> Iterator[Row]:
    for name, (value, default) in sorted(call.session.properties().items()):
        if command.pattern is None or command.pattern.matches(name):
            values = PROPERTIES[name]
            about = _DESCRIPTIONS.get(name, "")
            choices = f" ({', '.join(values)})" if values else ""
            yield name, value, default, about + choices


SESSION: dict[type[Command], Answer] = {
    UseSchema: answer((), _use),
    SetSession: answer((), _set),
    ResetSession: answer((), _reset),
    ShowSession: answer(strings("name", "value", "default", "description"), _show),
}
