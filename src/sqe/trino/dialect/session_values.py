"""What a statement knows of its session: the moment it began, the zone, the user, the catalog.

In a statement they are constants. In the text of a view they are Spark's functions; when a
statement of Trino's reads the view, ``values_for_views`` take their place, so that they are the
same in the whole statement, those of its session, whatever engine runs it.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping

from sqe.model.trino_types import DATE, VARCHAR, TrinoType, time, timestamp, timestamp_tz
from sqe.trino.dialect.context import Context
from sqe.trino.dialect.errors import not_supported
from sqe.trino.dialect.moments import MICROS_OF_DAY, from_micros, micros, zone_sql
from sqe.trino.dialect.repeated import with_variable
from sqe.trino.dialect.temporal_literals import (
    clock,
    date_value,
    instant_sql,
    instant_value,
    time_value,
    timestamp_sql,
    timestamp_value,
)
from sqe.trino.dialect.typed import Typed, string
from sqe.trino.dialect.zones import MATERIALIZED_VIEW, session_start, session_zone, zone_of_client

_NULL = "CAST(NULL AS STRING)"


def values_for_views(context: Context) -> Mapping[str, str]:
    """SQL of the values, by the functions that stand for them in a view's text."""
    client, zone = context.client, zone_of_client(context.client)
    began = context.now.replace(tzinfo=None)
    local = clock(began, zone)
    return {
        "current_timestamp": instant_sql(began),
        "localtimestamp": timestamp_sql(local),
        "current_date": date_value(local.date()).sql,
        "current_timezone": string(zone),
        "current_user": string(context.user),
        "current_catalog": string(client.catalog) if client.catalog else _NULL,
        "current_schema": string(client.schema) if client.schema else _NULL,
    }


def start(digits: int, at: int) -> Typed:
    """current_timestamp."""
    kind = timestamp_tz(digits, session_zone(at))
    began = session_start(at)
    if began is None:
        return _cut(Typed(timestamp_tz(6, kind.zone), "current_timestamp()"), digits)
    return instant_value(_without_digits(began, digits), kind)


def local_start(digits: int, at: int) -> Typed:
    """localtimestamp."""
    began = _local(at)
    if began is None:
        return _cut(Typed(timestamp(6), "localtimestamp()"), digits)
    return timestamp_value(_without_digits(began, digits), digits)


def local_time(digits: int, at: int) -> Typed:
    began = _local(at)
    if began is None:
        of_day = f"pmod({micros(local_start(digits, at))}, {MICROS_OF_DAY})"
        return Typed(time(digits), of_day)
    began = _without_digits(began, digits)
    seconds = (began.hour * 60 + began.minute) * 60 + began.second
    return time_value(seconds * 1_000_000 + began.microsecond, digits)


def today(at: int) -> Typed:
    began = _local(at)
    return Typed(DATE, "current_date()") if began is None else date_value(began.date())


def start_year(at: int) -> str:
    """SQL of the year, of UTC."""
    began = session_start(at)
    return "year(current_timestamp())" if began is None else str(began.year)


def zone_name(at: int) -> Typed:
    zone = session_zone(at)
    if session_start(at) is None:
        return Typed(VARCHAR, zone_sql(zone))
    return Typed(VARCHAR, string(zone), zone)


def of_client(name: str, value: str | None, context: Context, at: int) -> Typed:
    """The user, the catalog, the schema; ``name`` is the function that answers it."""
    if context.stored == MATERIALIZED_VIEW:
        raise not_supported(f"{name} in a materialized view", at)
    if context.stored:
        return Typed(VARCHAR, f"{name}()")
    return Typed(VARCHAR, _NULL, None) if value is None else Typed(VARCHAR, string(value), value)


def _local(at: int) -> datetime.datetime | None:
    zone, began = session_zone(at), session_start(at)
    return None if began is None else clock(began, zone)


def _without_digits(moment: datetime.datetime, digits: int) -> datetime.datetime:
    unit = 10 ** (6 - digits)
    return moment.replace(microsecond=moment.microsecond // unit * unit)


# Of a second; the local engine knows these, and not the microseconds of a moment.
_UNITS = {0: "SECOND", 3: "MILLISECOND"}


def _cut(value: Typed, digits: int) -> Typed:
    """Without the digits behind, which are not rounded."""
    kind = TrinoType(value.type.base, (digits,), zone=value.type.zone)
    if digits == 6:
        return Typed(kind, value.sql)
    local = kind.base == "timestamp"
    if digits in _UNITS:
        moment = f"CAST({value.sql} AS TIMESTAMP)" if local else value.sql
        cut = f"date_trunc('{_UNITS[digits]}', {moment})"
        return Typed(kind, f"CAST({cut} AS TIMESTAMP_NTZ)" if local else cut)
    unit = 10 ** (6 - digits)
    cut = with_variable(micros(value), lambda sql: f"({sql} - pmod({sql}, {unit}))")
    return Typed(kind, from_micros(cut, kind))
