"""Constants as written in a query: numbers, strings, dates and moments, with their signs."""

from __future__ import annotations

import calendar
import datetime
import re
from decimal import Decimal
from typing import Any, Protocol

from sqlglot import exp

from sqe.engines.local.compile.parameters import Parameters
from sqe.engines.local.compile.travel import local_moment
from sqe.engines.local.plan import NotLocal

_Type = exp.DataType.Type
_INTEGERS = (_Type.TINYINT, _Type.SMALLINT, _Type.INT, _Type.BIGINT)
_MOMENTS = (_Type.TIMESTAMPTZ, _Type.TIMESTAMPLTZ)
_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}:\d{2}(\.\d{1,6})?)?\Z")


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
        return _shifted(node, known)
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
    if not isinstance(value, str) or not _MOMENT.match(value):
        return None
    try:
        if wanted == _Type.DATE and len(value) == len("2024-01-01"):
            return datetime.date.fromisoformat(value)
        if wanted in _MOMENTS:
            return local_moment(value, known.time_zone)
    except (ValueError, NotLocal):
        return None
    return None


def _shifted(node: Any, known: Known) -> datetime.date | None:
    """A date and an interval: DATE '1994-01-01' + INTERVAL '1' YEAR."""
    day, interval = constant(node.this, known), node.expression
    if type(day) is not datetime.date or not isinstance(interval, exp.Interval):
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


def _months_later(day: datetime.date, months: int) -> datetime.date:
    """The same day of the month, or the month's last."""
    total = day.year * 12 + day.month - 1 + months
    year, month = divmod(total, 12)
    last = calendar.monthrange(year, month + 1)[1]
    return datetime.date(year, month + 1, min(day.day, last))
