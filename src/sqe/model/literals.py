"""Values as Spark's SQL, exactly: what is written is read back as the same value of that type."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from sqe.errors import ErrorCode, UserError
from sqe.model.names import quote, string_literal
from sqe.model.types import Array, Map, Plain, Struct, Type


def ddl_of(kind: Type) -> str:
    """The type as Spark's SQL spells it; names of members are quoted."""
    if isinstance(kind, Array):
        return f"ARRAY<{ddl_of(kind.element)}>"
    if isinstance(kind, Map):
        return f"MAP<{ddl_of(kind.key)}, {ddl_of(kind.value)}>"
    if isinstance(kind, Struct):
        if not kind.members:
            raise UserError(
                ErrorCode.NOT_SUPPORTED, "Values of structs without members are not supported."
            )
        return f"STRUCT<{', '.join(f'{quote(m.name)}: {ddl_of(m.type)}' for m in kind.members)}>"
    return str(kind).upper()


def literal_of(kind: Type, value: Any) -> str:
    """An expression that needs no parentheses. ``value`` is Python's, as Arrow gives it."""
    if value is None:
        return "NULL" if kind == Plain("void") else f"CAST(NULL AS {ddl_of(kind)})"
    if isinstance(kind, Plain):
        return _plain_literal(kind, value)
    if isinstance(kind, Array):
        parts = [literal_of(kind.element, element) for element in value]
        return f"CAST(array({', '.join(parts)}) AS {ddl_of(kind)})"
    if isinstance(kind, Map):
        pairs = value.items() if isinstance(value, Mapping) else value
        parts = [
            part for k, v in pairs for part in (literal_of(kind.key, k), literal_of(kind.value, v))
        ]
        return f"CAST(map({', '.join(parts)}) AS {ddl_of(kind)})"
    members = value.values() if isinstance(value, Mapping) else value
    parts = [literal_of(m.type, part) for m, part in zip(kind.members, members, strict=True)]
    return f"CAST(struct({', '.join(parts)}) AS {ddl_of(kind)})"


def _plain_literal(kind: Plain, value: Any) -> str:
    name = kind.name
    if name == "string":
        return string_literal(value)
    if name == "boolean":
        return "true" if value else "false"
    if name == "int" and value >= 0:
        return str(value)
    if name in ("tinyint", "smallint", "int", "bigint", "float", "double", "decimal"):
        text = f"{value:f}" if isinstance(value, Decimal) else repr(value)
        return f"CAST('{text}' AS {ddl_of(kind)})"
    if name == "binary":
        return f"X'{value.hex().upper()}'"
    if name == "date":
        return f"DATE '{value.isoformat()}'"
    if name == "timestamp":
        utc = value.astimezone(datetime.UTC).replace(tzinfo=None)
        return f"TIMESTAMP '{_moment(utc)}+00:00'"
    if name == "timestamp_ntz":
        return f"TIMESTAMP_NTZ '{_moment(value)}'"
    if name.startswith("interval") and isinstance(value, datetime.timedelta):
        return _interval(kind, value)
    raise UserError(ErrorCode.NOT_SUPPORTED, f"A constant of type {kind} is not supported.")


def _moment(value: datetime.datetime) -> str:
    return value.isoformat(sep=" ", timespec="microseconds")


def _interval(kind: Plain, value: datetime.timedelta) -> str:
    sign = "-" if value < datetime.timedelta() else ""
    rest = abs(value)
    hours, seconds = divmod(rest.seconds, 3600)
    minutes, seconds = divmod(seconds, 60)
    clock = f"{hours:02}:{minutes:02}:{seconds:02}.{rest.microseconds:06}"
    text = f"INTERVAL '{sign}{rest.days} {clock}' DAY TO SECOND"
    if kind.name == "interval day to second":
        return text
    return f"CAST({text} AS {ddl_of(kind)})"
