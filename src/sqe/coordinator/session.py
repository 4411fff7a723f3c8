"""USE, SET, RESET, SHOW SESSION, SHOW CURRENT SCHEMA."""

from __future__ import annotations

import re
import zoneinfo
from collections.abc import Iterator

from sqe.coordinator.call import Answer, CommandCall, Row, answer, nearest, strings
from sqe.errors import ErrorCode
from sqe.model.names import SchemaName, quote
from sqe.model.variables import find_variable, variable_name, variable_not_found
from sqe.sessions.session import PROPERTIES
from sqe.sessions.spark_settings import OWN_PROPERTIES, SPARK_SETTINGS, why_refused
from sqe.sql.commands import ShowCurrentSchema, ShowSession, UseSchema
from sqe.sql.settings import ResetSession, SetSession, ShowSetting
from sqe.sql.statement import Command, Span
from sqe.sql.variables import DropVariable

_DESCRIPTIONS = {
    "sqe.engine": "Which engine runs queries",
    "sqe.partition_overwrite": "What INSERT OVERWRITE replaces: the table, or partitions it fills",
    "sqe.result_cache": "Whether answers are kept, and kept ones given, of result_cache.tables",
    "sqe.time_zone": "The time zone of timestamps, e.g. Europe/Vienna or +01:00",
    "sqe.wap_branch": "Write to, and read, this branch of tables with write.wap.enabled",
    "sqe.wap_id": "Stage writes to such tables under this id, until publish_changes",
}
_OFFSET = re.compile(r"[+-](0\d|1[0-7]):[0-5]\d\Z|[+-]18:00\Z")
_REGION = re.compile(r"[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*\Z")

_SETTING = strings("key", "value")
_UNSET = "<undefined>"  # Spark's word


def _use(command: UseSchema, call: CommandCall) -> list[Row]:
    call.session.use(_resolve_schema(command, call))
    return []


def _resolve_schema(command: UseSchema, call: CommandCall) -> SchemaName:
    name = command.name
    if command.catalog:
        if len(name.parts) > 1:
            raise call.error(
                ErrorCode.INVALID_ARGUMENT, "A catalog's name has one part.", name.span
            )
        return _start_of(call.catalog_named(name.parts[0]) or name.parts[0], call, name.span)
    schema = call.find_schema(call.schema(name))
    if schema is not None:
        return schema
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
    return call.find_schema(SchemaName(catalog, ("default",))) or SchemaName(catalog, ())


def _set(command: SetSession, call: CommandCall) -> list[Row]:
    if command.shown_as and find_variable(call.session.variables, (*command.name.split("."),)):
        raise call.error(
            ErrorCode.NOT_SUPPORTED,
            f"SET changes settings, and {command.name} is a variable.",
            command.span,
            f"Use SET VARIABLE {command.name} = …",
        )
    name = _property_name(command.name, call, command.span, sparks=bool(command.shown_as))
    value = _check_value(name, command, call)
    call.session.set_property(name, value)
    return [(command.shown_as, value)] if command.shown_as else []


def _drop_variable(command: DropVariable, call: CommandCall) -> list[Row]:
    name = variable_name(command.parts)
    dropped = name is not None and call.session.forget_variable(name)
    if not dropped and not command.if_exists:
        raise variable_not_found(command.parts)
    return []


def _setting(command: ShowSetting, call: CommandCall) -> list[Row]:
    name = _property_name(command.name, call, command.span, sparks=True)
    return [(command.name, call.session.property(name) or _UNSET)]


def _reset(command: ResetSession, call: CommandCall) -> list[Row]:
    call.session.set_property(_property_name(command.name, call, command.span), None)
    return []


def _property_name(name: str, call: CommandCall, at: Span, *, sparks: bool = False) -> str:
    """Of SQE's own properties, and of the settings of Spark that a session may change. ``sparks``:
    it is asked for in Spark's words, which take any name for a setting."""
    lower = OWN_PROPERTIES.get(name.lower(), name.lower())
    if lower in PROPERTIES:
        return lower
    if lower in SPARK_SETTINGS:
        return SPARK_SETTINGS[lower].name
    if sparks or lower.startswith("spark."):
        near = nearest(name, (setting.name for setting in SPARK_SETTINGS.values()))
        raise call.error(
            ErrorCode.NOT_SUPPORTED,
            f"{name} cannot be set: {why_refused(name)}.",
            at,
            near or "docs/reference/spark-settings.md lists the settings that can be.",
        )
    raise call.error(
        ErrorCode.INVALID_SESSION_PROPERTY,
        f"There is no session property {name}.",
        at,
        nearest(name, PROPERTIES) or "SHOW SESSION lists them.",
    )


def _check_value(name: str, command: SetSession, call: CommandCall) -> str:
    value = command.value.strip()
    setting = SPARK_SETTINGS.get(name.lower())
    values = PROPERTIES[name] if setting is None else None
    if setting is not None:
        if setting.values.accepts(value):
            return value
        hint = f"It takes {setting.values.label}."
    elif values is None:
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
            yield name, value, default, _describe(name)


def _describe(name: str) -> str:
    if name not in PROPERTIES:
        setting = SPARK_SETTINGS[name.lower()]
        return f"Spark's: {setting.about} ({setting.values.label})"
    values = PROPERTIES[name]
    return _DESCRIPTIONS.get(name, "") + (f" ({', '.join(values)})" if values else "")


def _current(command: ShowCurrentSchema, call: CommandCall) -> list[Row]:
    schema = call.session.schema
    return [(schema.catalog, ".".join(quote(part) for part in schema.path))]


SESSION: dict[type[Command], Answer] = {
    DropVariable: answer((), _drop_variable),
    UseSchema: answer((), _use),
    SetSession: Answer(lambda command: _SETTING if command.shown_as else (), _set),
    ResetSession: answer((), _reset),
    ShowSetting: answer(_SETTING, _setting),
    ShowCurrentSchema: answer(strings("catalog", "namespace"), _current),
    ShowSession: answer(strings("name", "value", "default", "description"), _show),
}
