"""SQL of moments that casts, operators and functions share.

What a ``timestamp with time zone`` shows on its clock depends on its zone, which is known when the
statement is translated. Everything that looks at the clock goes through ``local``, which refuses a
value whose zone is not known.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqe.model.trino_types import DATE, TIMESTAMP_TZ, VARCHAR, TrinoType, carrier
from sqe.trino.dialect.errors import not_supported
from sqe.trino.dialect.repeated import both_repeated, with_variable
from sqe.trino.dialect.typed import Typed, fail, string
from sqe.trino.dialect.zones import SESSION, SESSION_IF_UTC

MICROS_OF_DAY = 86_400_000_000
MILLIS_OF_DAY = 86_400_000


def zone_of_type(kind: TrinoType, at: int) -> str:
    if not kind.zone:
        raise not_supported("A column or expression of different time zones", at)
    return kind.zone


def local(value: Typed, at: int) -> str:
    """The date and time on the clock, a TIMESTAMP_NTZ; of a date its midnight."""
    if value.type == DATE:
        return f"CAST({value.sql} AS TIMESTAMP_NTZ)"
    if value.type.base != TIMESTAMP_TZ:
        return value.sql
    return local_in(value.sql, zone_of_type(value.type, at))


def zone_sql(zone: str) -> str:
    """SQL of a zone's name. Of values of which some are in UTC and some in the zone of a view's
    reader it is known only to a reader in UTC."""
    if zone == SESSION:
        return "current_timezone()"
    if zone == SESSION_IF_UTC:
        message = string("A column or expression of different time zones is not supported")
        other = fail("NOT_SUPPORTED", message, VARCHAR)
        return f"IF(current_timezone() = 'UTC', 'UTC', {other})"
    return string(zone)


def text_names_zone(text: str, zone: str, utc: Sequence[str], *, by_name: bool = False) -> str:
    """SQL of whether a text that may name a zone names this one, or none. ``utc`` are names of UTC;
    ``by_name``: the name of another zone can be written too."""
    in_utc = ", ".join(map(string, utc))
    if zone == "UTC":
        return f"{text} IN ('', {in_utc})"
    named = f"{text} IN ('', {zone_sql(zone)})" if by_name else f"{text} = ''"
    if zone != SESSION:
        return named
    return f"({named} OR ({zone_sql(zone)} = 'UTC' AND {text} IN ({in_utc})))"


def local_in(sql: str, zone: str) -> str:
    """What the clocks of a zone show at an instant."""
    plain = f"CAST({sql} AS TIMESTAMP_NTZ)"
    return plain if zone == "UTC" else f"convert_timezone('UTC', {zone_sql(zone)}, {plain})"


def instant(sql: str, zone: str) -> str:
    """The instant of a local time. In a gap the clock is put forward; of a time that comes twice
    the first is meant."""
    shifted = sql if zone == "UTC" else f"convert_timezone({zone_sql(zone)}, 'UTC', {sql})"
    return f"CAST({shifted} AS TIMESTAMP)"


def local_day(value: Typed, at: int) -> str:
    return value.sql if value.type == DATE else f"CAST({local(value, at)} AS DATE)"


def with_clock(value: Typed, changed: str, at: int) -> str:
    """The value with another time on its clock, ``changed`` (SQL of a TIMESTAMP_NTZ). Where that
    time comes twice the offset stays what it was, if it can."""
    if value.type.base != TIMESTAMP_TZ:
        return changed
    zone = zone_of_type(value.type, at)
    if zone == "UTC" or zone[0] in "+-":
        return instant(changed, zone)

    def write(old: str, new: str) -> str:
        offset = f"({micros_of(local_in(old, zone))} - unix_micros({old}))"
        kept = f"timestamp_micros({micros_of(new)} - {offset})"
        return f"IF({local_in(kept, zone)} = {new}, {kept}, {instant(new, zone)})"

    return both_repeated(value.sql, changed, write)


def micros_of(ntz: str) -> str:
    """Microseconds since the epoch of a TIMESTAMP_NTZ."""
    return f"unix_micros(CAST({ntz} AS TIMESTAMP))"


def micros(value: Typed) -> str:
    """Microseconds since the epoch, of the instant or of the clock of a ``timestamp``."""
    if value.type.base == TIMESTAMP_TZ:
        return f"unix_micros({value.sql})"
    return micros_of(f"CAST({value.sql} AS TIMESTAMP_NTZ)" if value.type == DATE else value.sql)


def millis(value: Typed) -> str:
    """Whole milliseconds since the epoch."""
    return f"unix_millis({as_instant(value)})"


def as_instant(value: Typed) -> str:
    """A Spark TIMESTAMP of it, where only distances count."""
    return value.sql if value.type.base == TIMESTAMP_TZ else f"CAST({value.sql} AS TIMESTAMP)"


def from_micros(sql: str, kind: TrinoType) -> str:
    """The value of a type of moments from microseconds since the epoch."""
    moment = f"timestamp_micros({sql})"
    return moment if carrier(kind) == "timestamp" else f"CAST({moment} AS {carrier(kind)})"


def round_to(sql: str, unit: int) -> str:
    """A whole number rounded to a multiple, halves up."""
    if unit == 1:
        return sql
    return with_variable(f"({sql} + {unit // 2})", lambda half: f"({half} - pmod({half}, {unit}))")


def round_moment(value: Typed, digits: int) -> str:
    """A timestamp of fewer digits of a second."""
    if value.type.precision <= digits:
        return value.sql
    return from_micros(round_to(micros(value), 10 ** (6 - digits)), value.type)
