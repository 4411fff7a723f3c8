"""Constants as written in a query: numbers, strings, dates and moments, with their signs."""

from __future__ import annotations

import calendar
import datetime
import re
from contextlib import suppress
from decimal import Decimal
from typing import Any, Protocol

from sqlglot import exp

from sqe.engines.local.compile.parameters import Parameters
from sqe.engines.local.compile.travel import local_moment
from sqe.engines.local.plan import NotLocal, SinceNow

_Type = exp.DataType.Type
_INTEGERS = (_Type.TINYINT, _Type.SMALLINT, _Type.INT, _Type.BIGINT)
_MOMENTS = (_Type.TIMESTAMPTZ, _Type.TIMESTAMPLTZ)
_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}:\d{2}(\.\d{1,6})?)?\Z")
# The same with an offset, which is a moment whatever the session's time zone is.
_INSTANT = re.compile(r"\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}:\d{2}(\.\d{1,6})?[+-]\d{2}:\d{2}\Z")
_CLOCK_UNITS = ("SECOND", "MINUTE", "HOUR")
_CALENDAR_UNITS = ("DAY", "WEEK")  # of the session's time zone: not always as many hours
_CENTURY = datetime.timedelta(days=36_500)
_AMOUNT = re.compile(r"-?\d{1,9}\Z")


class Known(Protocol):
    """What a constant's value depends on besides its text."""

    time_zone: str
    parameters: Parameters


def constant(node: Any, known: Known) -> Any:
    """The value as a Python object, or None if it is not a constant beyond doubt."""
    if isinstance(node, exp.Paren):
        return constant(node.this, known)
    if isinstance(node, exp.Boolean):
        return bool(node.this)
    if isinstance(node, exp.Literal):
        return _literal(node)
    if isinstance(node, exp.Placeholder):
        return known.parameters.constant(node)
    if isinstance(node, exp.Neg):
        value = constant(node.this, known)
        number = isinstance(value, int | Decimal) and not isinstance(value, bool)
        return -value if number else None
    if isinstance(node, exp.Cast) and not node.args.get("safe"):
        return _cast(node, known)
    if isinstance(node, exp.Add | exp.Sub):
        start = constant(node.this, known)
        if isinstance(start, datetime.datetime):
            return _shift_moment(start, node)
        return _shift_date(start, node) if isinstance(start, datetime.date) else None
    return None


def since_now(node: Any) -> SinceNow | None:
    """The same of ``current_timestamp()`` and a number of hours or days more or less."""
    if isinstance(node, exp.Paren):
        return since_now(node.this)
    if isinstance(node, exp.CurrentTimestamp) and node.this is None:
        return SinceNow(datetime.timedelta())
    if isinstance(node, exp.Anonymous) and str(node.this).lower() == "now":
        return SinceNow(datetime.timedelta()) if not node.expressions else None
    if isinstance(node, exp.Add | exp.Sub):
        moment = since_now(node.this)
        shift = _interval(node, (*_CLOCK_UNITS, *_CALENDAR_UNITS))
        if moment is not None and shift is not None and abs(shift) < _CENTURY:
            return SinceNow(moment.shift + shift)
    return None


def _literal(node: exp.Literal) -> Any:
    text = str(node.this)
    if node.is_string:
        return text
    if text.isdigit():
        return int(text)
    return Decimal(text) if re.fullmatch(r"\d*\.\d+", text) else None


def _cast(node: exp.Cast, known: Known) -> Any:
    """A typed literal such as DATE '…' or 5L, which are casts to sqlglot."""
    wanted, value = node.args["to"].this, constant(node.this, known)
    if wanted in _INTEGERS and isinstance(value, int):
        return value
    if not isinstance(value, str):
        return None
    if wanted in _MOMENTS and _INSTANT.match(value):
        with suppress(ValueError):
            return datetime.datetime.fromisoformat(value)
    if not _MOMENT.match(value):
        return None
    try:
        if wanted == _Type.DATE and len(value) == len("2024-01-01"):
            return datetime.date.fromisoformat(value)
        if wanted in _MOMENTS:
            return local_moment(value, known.time_zone)
    except (ValueError, NotLocal):
        return None
    return None


def _shift_date(day: datetime.date, node: Any) -> datetime.date | None:
    """A date and an interval: DATE '1994-01-01' + INTERVAL '1' YEAR."""
    interval = node.expression
    if not isinstance(interval, exp.Interval):
        return None
    amount = interval.this
    if not isinstance(amount, exp.Literal) or not str(amount.this).isdigit():
        return None
    count = int(amount.this) * (1 if isinstance(node, exp.Add) else -1)
    unit = str(interval.args.get("unit") or "").upper().rstrip("S")
    try:
        if unit == "DAY":
            return day + datetime.timedelta(days=count)
        if unit in ("MONTH", "YEAR"):
            return _months_later(day, count * (12 if unit == "YEAR" else 1))
    except (ValueError, OverflowError):
        return None
    return None


def _shift_moment(moment: datetime.datetime, node: Any) -> datetime.datetime | None:
    """A moment and an interval of a clock: TIMESTAMP '…' - INTERVAL '1' HOUR."""
    shift = _interval(node, _CLOCK_UNITS)
    if shift is None or moment.tzinfo is None:
        return None
    try:
        return (moment.astimezone(datetime.UTC) + shift).astimezone(moment.tzinfo)
    except OverflowError:
        return None


def _interval(node: Any, units: tuple[str, ...]) -> datetime.timedelta | None:
    """What a sum or difference adds."""
    interval = node.expression
    amount = interval.this if isinstance(interval, exp.Interval) else None
    if not isinstance(amount, exp.Literal) or not _AMOUNT.match(str(amount.this)):
        return None
    unit = str(interval.args.get("unit") or "").upper().rstrip("S")
    if unit not in units:
        return None
    count = int(amount.this) * (1 if isinstance(node, exp.Add) else -1)
    try:
        return datetime.timedelta(**{f"{unit.lower()}s": count})
    except OverflowError:
        return None


def _months_later(day: datetime.date, months: int) -> datetime.date:
    """The same day of the month, or the month's last."""
    total = day.year * 12 + day.month - 1 + months
    year, month = divmod(total, 12)
    last = calendar.monthrange(year, month + 1)[1]
    return datetime.date(year, month + 1, min(day.day, last))
