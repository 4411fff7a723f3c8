"""How Trino writes values, one at a time and as plainly as can be: what the encoder is held to."""

from __future__ import annotations

import base64
from datetime import UTC, datetime, timedelta
from decimal import Context, Decimal
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np

from sqe.model.trino_types import TIME, TIMESTAMP, TIMESTAMP_TZ, TrinoType

_SECOND = 1_000_000
_DAY = 86_400 * _SECOND
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


_WIDE = Context(prec=80)  # Python's own has 28 digits


def json_value(kind: TrinoType, value: Any, parametric: bool = True) -> Any:
    """What ``json.loads`` gives for a value of Trino's, from the value of its carrier."""
    if value is None:
        return None
    if kind.base in (TIMESTAMP, TIMESTAMP_TZ, TIME) and not parametric:
        value = (value + 500) // 1000 * 1000
        value = value % _DAY if kind.base == TIME else value
        kind = TrinoType(kind.base, (3,), zone=kind.zone)
    if kind.base == "array":
        return [json_value(kind.element, one, parametric) for one in value]
    if kind.base == "row":
        pairs = zip(kind.fields, value, strict=True)
        return [json_value(one.type, inside, parametric) for one, inside in pairs]
    if kind.base == "map":
        key_kind, value_kind = kind.types
        return {java(key_kind, k): json_value(value_kind, v, parametric) for k, v in value}
    if kind.base in ("real", "double"):
        text = java(kind, value)
        return text if text.lstrip("-")[0].isalpha() else float(text)
    if kind.base in ("boolean", "tinyint", "smallint", "integer", "bigint"):
        return value
    return java(kind, value)


def java(kind: TrinoType, value: Any) -> str:
    """What toString gives."""
    match kind.base:
        case _ if value is None:
            return "null"
        case "array":
            return "[" + ", ".join(java(kind.element, one) for one in value) + "]"
        case "row":
            fields = zip(kind.fields, value, strict=True)
            return "[" + ", ".join(java(one.type, inside) for one, inside in fields) + "]"
        case "map":
            pairs = [f"{java(kind.types[0], k)}={java(kind.types[1], v)}" for k, v in value]
            return "{" + ", ".join(pairs) + "}"
    return _plain(kind, value)


def _plain(kind: TrinoType, value: Any) -> str:
    match kind.base:
        case "boolean":
            return "true" if value else "false"
        case "real":
            return _number(str(np.float32(value)), value)
        case "double":
            return _number(repr(value), value)
        case "decimal":
            return format(value.quantize(Decimal(1).scaleb(-kind.scale), context=_WIDE), "f")
        case "char":
            return str(value).ljust(kind.numbers[0])
        case "varbinary":
            return base64.b64encode(value).decode()
    return _time(kind, value)


def _time(kind: TrinoType, value: Any) -> str:
    match kind.base:
        case "date":
            return _date(value)
        case "timestamp":
            return _clock(value, kind.precision)
        case "timestamp with time zone":
            at = _EPOCH + timedelta(microseconds=value)
            offset = at.astimezone(ZoneInfo(kind.zone)).utcoffset() or timedelta()
            local = value + offset // timedelta(microseconds=1)
            return f"{_clock(local, kind.precision)} {kind.zone}"
        case "time":
            return _clock(value, kind.precision)[11:]
        case "interval day to second":
            days, rest = divmod(abs(value), 86_400_000)
            return f"{'-' * (value < 0)}{days} {_clock(rest * 1000, 3)[11:]}"
        case "interval year to month":
            return f"{'-' * (value < 0)}{abs(value) // 12}-{abs(value) % 12}"
    return str(value)


def _number(text: str, value: float) -> str:
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "Infinity" if value > 0 else "-Infinity"
    sign, digits, exponent = Decimal(text).normalize().as_tuple()
    if len(digits) == 1:  # Java shows two digits at least, and then the nearest two
        sign, digits, exponent = Decimal(f"{value:.1e}").normalize().as_tuple()
    assert isinstance(exponent, int)
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        plain = format(Decimal(text).normalize(), "f")
        return plain if "." in plain else plain + ".0"
    shown = "".join(map(str, digits))
    power = exponent + len(digits) - 1
    return f"{'-' * sign}{shown[0]}.{shown[1:] or '0'}E{power}"


def _date(days: int) -> str:
    """Hinnant's algorithm, for any day."""
    days += 719_468
    era, day_of_era = divmod(days, 146_097)
    year_of_era = (
        day_of_era - day_of_era // 1460 + day_of_era // 36_524 - day_of_era // 146_096
    ) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    shifted = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * shifted + 2) // 5 + 1
    month = shifted + 3 if shifted < 10 else shifted - 9
    year = year_of_era + era * 400 + (month <= 2)
    sign = "-" if year < 0 else "+" if year > 9999 else ""
    return f"{sign}{abs(year):04}-{month:02}-{day:02}"


def _clock(micros: int, precision: int) -> str:
    days, rest = divmod(micros, _DAY)
    seconds, fraction = divmod(rest, _SECOND)
    digits = f"{fraction:06}".ljust(12, "0")
    assert not digits[precision:].strip("0")
    clock = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return f"{_date(days)} {clock}{'.' * (precision > 0)}{digits[:precision]}"
