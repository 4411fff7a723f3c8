"""SET and RESET: SQE's properties of a session, and settings of Spark's."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sqe.sql.cursor import TokenCursor
from sqe.sql.statement import Command, NamedCommand, Span
from sqe.sql.traits import DecidedBy, look, session_change

TIME_ZONE = "sqe.time_zone"
_SPARKS_TIME_ZONE = "spark.sql.session.timeZone"


@dataclass(frozen=True)
class SetSession(NamedCommand):
    """``SET SESSION name = value``, and Spark's ``SET name = value``, which shows what it did:
    under ``shown_as``, if there is such a name."""

    traits = session_change(DecidedBy.PROPERTY)

    name: str
    value: str
    span: Span
    shown_as: str = ""


@dataclass(frozen=True)
class ShowSetting(NamedCommand):
    """Spark's ``SET name``."""

    traits = look(DecidedBy.EVERYBODY)

    name: str
    span: Span


@dataclass(frozen=True)
class ResetSession(NamedCommand):
    traits = session_change(DecidedBy.PROPERTY)

    name: str
    span: Span


def parse_set(cursor: TokenCursor) -> Command:
    if cursor.looking_at("SESSION", "AUTHORIZATION"):
        cursor.refuse("SET SESSION AUTHORIZATION")
    if not cursor.looking_at("SESSION", ".") and cursor.accept("SESSION"):
        parts, span = cursor.take_dotted_name("a session property")
        if not cursor.accept("=") and not cursor.accept("TO"):
            cursor.fail("Expected = and a value")
        return SetSession(".".join(parts), _value(cursor), span)
    if cursor.accept("TIME", "ZONE"):
        return _set_time_zone(cursor)
    if cursor.looking_at("ROLE"):
        cursor.refuse(
            "SET ROLE", "All roles of a user are in force; SHOW CURRENT ROLES lists them."
        )
    return _set_setting(cursor)


def _set_setting(cursor: TokenCursor) -> Command:
    """Spark's own form."""
    if cursor.at_end() or cursor.looking_at("-"):
        cursor.refuse("SET alone", "SHOW SESSION lists what is set.")
    parts, span = cursor.take_dotted_name("the name of a setting")
    name = ".".join(parts)
    if cursor.at_end():
        return ShowSetting(name, span)
    cursor.expect("=")
    return SetSession(name, _value(cursor), span, shown_as=name)


def _value(cursor: TokenCursor) -> str:
    return cursor.string_literal() if cursor.at_string() else cursor.rest()


def parse_reset(cursor: TokenCursor) -> Command:
    if cursor.accept("SESSION"):
        parts, span = cursor.take_dotted_name("a session property")
    elif cursor.at_end():
        cursor.refuse("RESET of everything", "RESET takes the name of a setting.")
    else:
        parts, span = cursor.take_dotted_name("the name of a setting")
    return ResetSession(".".join(parts), span)


def _set_time_zone(cursor: TokenCursor) -> Command:
    if cursor.looking_at("LOCAL"):
        _, span = cursor.take_dotted_name()
        return ResetSession(TIME_ZONE, span)
    if cursor.accept("INTERVAL"):
        offset, span = cursor.read_with_span(lambda: _offset(cursor))
        return SetSession(TIME_ZONE, offset, span, shown_as=_SPARKS_TIME_ZONE)
    zone, span = cursor.read_with_span(lambda: cursor.string_literal("a time zone in quotes"))
    return SetSession(TIME_ZONE, zone, span, shown_as=_SPARKS_TIME_ZONE)


_UNIT_SECONDS = {"HOUR": 3600, "HOURS": 3600, "MINUTE": 60, "MINUTES": 60}
_OFFSET = re.compile(r"\s*([+-]?)(\d{1,2}):(\d{2})\s*\Z")


def _offset(cursor: TokenCursor) -> str:
    """An interval as an offset from UTC: ``INTERVAL '-08:30' HOUR TO MINUTE`` is -08:30."""
    seconds = 0
    while not cursor.at_end():
        sign = -1 if cursor.accept("-") else 1
        value = cursor.property_value()
        clock = _OFFSET.match(value)
        if clock and cursor.accept("HOUR", "TO", "MINUTE"):
            amount = int(clock[2]) * 3600 + int(clock[3]) * 60
            seconds += sign * (-amount if clock[1] == "-" else amount)
            continue
        unit = cursor.accept_one_of(*_UNIT_SECONDS)
        if unit is None or not re.fullmatch(r"\s*[+-]?\d{1,4}\s*", value):
            cursor.fail("The interval of a time zone is in hours and minutes")
        seconds += sign * int(value) * _UNIT_SECONDS[unit]
    if abs(seconds) > 18 * 3600:
        cursor.fail("The interval of a time zone is between -18 and +18 hours")
    hours, rest = divmod(abs(seconds), 3600)
    return f"{'-' if seconds < 0 else '+'}{hours:02}:{rest // 60:02}"
