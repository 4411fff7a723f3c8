"""Whether a parameter's value is one of its type, and the one form of it that engines get."""

from __future__ import annotations

import datetime
import struct
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, localcontext
from typing import Any

from sqe.errors import ErrorCode, UserError
from sqe.model.query import Parameter
from sqe.model.types import Array, Map, Plain, Struct, Type, parse_type

_BITS = {"tinyint": 7, "smallint": 15, "int": 31, "bigint": 63}
_MOST_PARTS = 10_000  # values inside one nested value; more are data, and loaded


def check_parameter(parameter: Parameter, number: int, row: int = 0) -> Parameter:
    """``number`` and ``row`` count from 1 and are for the message, which never shows the value."""
    kind = parse_type(parameter.type)
    try:
        return Parameter(str(kind), _fit(kind, parameter.value))
    except (_Unfit, ValueError, ArithmeticError):
        raise UserError(
            ErrorCode.INVALID_ARGUMENT,
            f"The value of parameter {number}{f' in row {row}' if row else ''} is none of type"
            f" {kind}.",
            hint="Send it as another type; values are cast as literals are.",
        ) from None


class _Unfit(Exception):
    pass


def _fit(kind: Type, value: Any) -> Any:
    if value is None:
        return None
    if isinstance(kind, Plain):
        fit = _PLAIN.get(kind.name)
        if fit is None:
            raise UserError(
                ErrorCode.NOT_SUPPORTED, f"Parameters of type {kind} are not supported."
            )
        return fit(kind, value)
    return _fit_nested(kind, value)


def _fit_nested(kind: Array | Map | Struct, value: Any) -> Any:
    if isinstance(kind, Array):
        return tuple(_fit(kind.element, element) for element in _several(value))
    if isinstance(kind, Map):
        pairs = value.items() if isinstance(value, Mapping) else _several(value)
        return tuple((_fit(kind.key, key), _fit(kind.value, element)) for key, element in pairs)
    if isinstance(value, Mapping):
        value = [value.get(member.name) for member in kind.members]
    parts = _several(value)
    if len(parts) != len(kind.members):
        raise _Unfit
    return tuple(_fit(m.type, part) for m, part in zip(kind.members, parts, strict=True))


def _several(value: Any) -> Sequence[Any]:
    if not isinstance(value, list | tuple) or len(value) > _MOST_PARTS:
        raise _Unfit
    return value


def _of(*kinds: type) -> Callable[[Plain, Any], Any]:
    def fit(kind: Plain, value: Any) -> Any:
        if not isinstance(value, kinds):
            raise _Unfit
        return value

    return fit


def _fit_integer(kind: Plain, value: Any) -> int:
    limit = 2 ** _BITS[kind.name]
    if isinstance(value, bool) or not isinstance(value, int) or not -limit <= value < limit:
        raise _Unfit
    return value


def _float(kind: Plain, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, float | int):
        raise _Unfit
    if kind.name == "double":
        return float(value)
    return float(struct.unpack("<f", struct.pack("<f", value))[0])


def _decimal(kind: Plain, value: Any) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, Decimal | int):
        raise _Unfit
    with localcontext(prec=80):
        decimal_value = Decimal(value)
        scaled = decimal_value.quantize(Decimal(1).scaleb(-kind.scale))
        if scaled != decimal_value or abs(scaled) >= Decimal(10) ** (kind.precision - kind.scale):
            raise _Unfit
    return scaled


def _text(kind: Plain, value: Any) -> str:
    if not isinstance(value, str):
        raise _Unfit
    value.encode("utf-8")  # half a surrogate pair is no character
    return value


def _bytes(kind: Plain, value: Any) -> bytes:
    if not isinstance(value, bytes | bytearray | memoryview):
        raise _Unfit
    return bytes(value)


def _date(kind: Plain, value: Any) -> datetime.date:
    if not isinstance(value, datetime.date) or isinstance(value, datetime.datetime):
        raise _Unfit
    return value


def _moment(kind: Plain, value: Any) -> datetime.datetime:
    zoned = kind.name == "timestamp"
    if not isinstance(value, datetime.datetime) or (value.utcoffset() is not None) is not zoned:
        raise _Unfit
    return value.astimezone(datetime.UTC) if zoned else value


_PLAIN: dict[str, Callable[[Plain, Any], Any]] = {
    "boolean": _of(bool),
    **dict.fromkeys(_BITS, _fit_integer),
    "float": _float,
    "double": _float,
    "decimal": _decimal,
    "string": _text,
    "binary": _bytes,
    "date": _date,
    "timestamp": _moment,
    "timestamp_ntz": _moment,
    "interval day to second": _of(datetime.timedelta),
    "void": _of(),
}
