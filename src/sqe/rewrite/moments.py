"""The moment that ``TIMESTAMP AS OF`` names, as Spark takes it, where that is plain."""

from __future__ import annotations

import datetime
import re
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from sqlglot import ErrorLevel, exp
from sqlglot.errors import ParseError, TokenError

from sqe.sql.dialect import DIALECT, SpanParser

_TEXT = re.compile(
    r"(?P<year>\d{4})-(?P<month>\d{1,2})-(?P<day>\d{1,2})"
    r"(?:[ T](?P<hour>\d{1,2}):(?P<minute>\d{1,2})(?::(?P<second>\d{1,2})(?:\.(?P<part>\d{1,9}))?)?"
    r" ?(?P<zone>Z|[+-]\d{2}:\d{2}|[A-Za-z_]+(?:/[A-Za-z_]+)*)?)?\Z"
)
_UNITS = {"WEEK": 604_800, "DAY": 86_400, "HOUR": 3600, "MINUTE": 60, "SECOND": 1}
_NUMBER = re.compile(r"-?\d+(\.\d+)?\Z")
_TIMESTAMPS = ("timestamp", "timestamptz", "timestampltz")
_WITHOUT_ZONE = ("timestampntz", "date")
_LONGEST = 1000  # characters


def moment_of(text: str, time_zone: str) -> int | None:
    """In milliseconds since 1970; ``time_zone`` is the session's. None: it is not a constant of a
    common form, or one of now."""
    if len(text) > _LONGEST:
        return None
    try:
        parser = SpanParser(dialect=DIALECT, error_level=ErrorLevel.RAISE)
        [tree] = parser.parse_into(exp.Condition, DIALECT.tokenize(text), text)
        seconds = _seconds(tree, time_zone)
        return int(seconds * 1000 // 1) if seconds is not None else None
    except (ParseError, TokenError, ValueError, ArithmeticError, KeyError):
        return None


def _seconds(node: Any, time_zone: str) -> Decimal | None:
    match node:
        case exp.Paren():
            return _seconds(node.this, time_zone)
        case exp.Literal(is_string=True):
            return _seconds_of_text(node.this, time_zone)
        case exp.Literal():
            return Decimal(node.this)
        case exp.Cast() if not node.args.get("format") and node.to.is_type(*_TIMESTAMPS):
            return _seconds_of_cast(node, time_zone)
        case exp.If():
            return _seconds_if_before(node, time_zone)
        case exp.Add() | exp.Sub() if isinstance(node.expression, exp.Interval):
            start, length = _seconds(node.this, time_zone), _length(node.expression)
            if start is None or length is None:
                return None
            return start + length if isinstance(node, exp.Add) else start - length
        case _ if _is_now(node):
            return Decimal(repr(datetime.datetime.now(datetime.UTC).timestamp()))
        case _:
            return None


def _seconds_of_cast(node: exp.Cast, time_zone: str) -> Decimal | None:
    """Of a text, or of a date or time without a zone, which is the session's."""
    inner, local = node.this, False
    while isinstance(inner, exp.Cast) and inner.to.is_type(*_WITHOUT_ZONE):
        inner, local = inner.this, True
    if not isinstance(inner, exp.Literal) or not inner.is_string:
        return None
    match = _TEXT.match(inner.this.strip())
    if local and (match is None or match["zone"]):
        return None
    return _seconds_of_text(inner.this, time_zone)


def _seconds_if_before(node: exp.If, time_zone: str) -> Decimal | None:
    """Trino's moments are held to the past: ``IF(moment < now, moment, NULL)``."""
    condition, moment, otherwise = node.this, node.args.get("true"), node.args.get("false")
    if not isinstance(condition, exp.LT) or not isinstance(otherwise, exp.Null):
        return None
    if moment is None or condition.this.unnest() != moment.unnest():
        return None
    seconds, limit = _seconds(moment, time_zone), _seconds(condition.expression, time_zone)
    return seconds if seconds is not None and limit is not None and seconds < limit else None


def _is_now(node: Any) -> bool:
    if isinstance(node, exp.Anonymous):
        return bool(node.name.lower() == "now" and not node.expressions)
    return isinstance(node, exp.CurrentTimestamp) and node.this is None


def _length(interval: exp.Interval) -> Decimal | None:
    amount, unit = interval.this, interval.args.get("unit")
    if not isinstance(amount, exp.Literal) or not isinstance(unit, exp.Var):
        return None
    seconds = _UNITS.get(unit.name.upper().removesuffix("S"))
    return Decimal(amount.this) * seconds if seconds and _NUMBER.match(amount.this) else None


def _seconds_of_text(text: str, time_zone: str) -> Decimal | None:
    match = _TEXT.match(text.strip())
    if match is None:
        return None
    year, month, day = (int(match[part]) for part in ("year", "month", "day"))
    hour, minute, second = (int(match[part] or 0) for part in ("hour", "minute", "second"))
    zone = _zone(match["zone"] or time_zone)
    moment = datetime.datetime(year, month, day, hour, minute, second, tzinfo=zone)
    micros = Decimal(f"0.{(match['part'] or '0')[:6]}")
    return Decimal(int(moment.timestamp())) + micros


def _zone(name: str) -> datetime.tzinfo:
    if name == "Z":
        return datetime.UTC
    if name[0] in "+-":
        hours, minutes = int(name[1:3]), int(name[4:6])
        sign = -1 if name[0] == "-" else 1
        return datetime.timezone(sign * datetime.timedelta(hours=hours, minutes=minutes))
    return ZoneInfo(name)
