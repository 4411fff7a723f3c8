"""Numbers as Java, and so Spark, prints them."""

from __future__ import annotations

import math
from decimal import Decimal


def float_text(shortest: str) -> str:
    """Java's spelling of a float given in its shortest decimal form, e.g. ``1e+16`` -> 1.0E16."""
    value = float(shortest)
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    sign, digits, exponent = Decimal(shortest).as_tuple()
    assert isinstance(exponent, int)  # noqa: S101 - infinities are behind us
    text = "".join(map(str, digits)).rstrip("0") or "0"
    exponent += len(digits) - len(text)
    minus = "-" if sign else ""
    if text == "0":
        return f"{minus}0.0"
    point = len(text) + exponent  # digits before the decimal point
    if -2 <= point <= 7:  # 1e-3 <= |value| < 1e7
        if point <= 0:
            return f"{minus}0.{'0' * -point}{text}"
        whole = text[:point].ljust(point, "0")
        return f"{minus}{whole}.{text[point:] or '0'}"
    return f"{minus}{text[0]}.{text[1:] or '0'}E{point - 1}"


def decimal_text(value: Decimal) -> str:
    """All digits, never an exponent."""
    return f"{value:f}"
