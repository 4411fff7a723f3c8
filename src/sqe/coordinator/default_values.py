"""Default values between Spark and Iceberg's metadata, which keeps them as JSON."""

from __future__ import annotations

import datetime
import math
import re
from decimal import Decimal
from typing import Any

from sqe.errors import ErrorCode, UserError
from sqe.model.names import string_literal

_UTC = "+00:00"
_QUOTED = {"date": "DATE", "timestamp": "TIMESTAMP_NTZ", "timestamptz": "TIMESTAMP"}


def default_json(value: Any, kind: Any) -> Any:
    """A value that Spark gave for a column of Iceberg's type ``kind``, as metadata keeps it."""
    if not isinstance(kind, str):
        raise UserError(
            ErrorCode.NOT_SUPPORTED,
            "A column of a nested type has no default but NULL.",
            hint="Give its fields defaults of their own.",
        )
    if kind == "variant":
        raise UserError(ErrorCode.NOT_SUPPORTED, "A VARIANT column has no default but NULL.")
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, datetime.datetime):
        if value.tzinfo is not None:
            utc = value.astimezone(datetime.UTC).replace(tzinfo=None)
            return utc.isoformat(timespec="microseconds") + _UTC
        return value.isoformat(timespec="microseconds")
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, float) and not math.isfinite(value):
        raise UserError(ErrorCode.NOT_SUPPORTED, "A default is a finite number.")
    return value


def default_text(value: Any, kind: Any) -> str:
    """A default out of the metadata, as it stands in DDL."""
    if isinstance(value, bool) or not isinstance(kind, str):
        return str(value).lower()
    if kind in ("binary", "uuid") or kind.startswith("fixed"):
        return f"X'{value}'" if kind != "uuid" else string_literal(str(value))
    if kind in _QUOTED:
        moment = re.sub(r"T", " ", str(value))
        return f"{_QUOTED[kind]} '{moment}'"
    return string_literal(value) if kind == "string" else str(value)
