"""Time zones as Trino names them."""

from __future__ import annotations

import re
import zoneinfo
from functools import cache

_OFFSET = re.compile(r"([+-])(\d\d?):(\d\d)\Z")
_FURTHEST = 14 * 60  # minutes


@cache
def _zones() -> dict[str, str]:
    return {name.lower(): name for name in zoneinfo.available_timezones()}


def zone_of(text: str) -> str | None:
    """The zone's proper name; None if there is none."""
    offset = _OFFSET.match(text)
    if offset:
        minutes = int(offset[2]) * 60 + int(offset[3])
        return offset_zone(-minutes if offset[1] == "-" else minutes)
    return _zones().get(text.lower())


def offset_zone(minutes: int) -> str | None:
    """``+02:00``; None where no zone is that far away."""
    if abs(minutes) > _FURTHEST:
        return None
    if minutes == 0:
        return "UTC"
    hours, rest = divmod(abs(minutes), 60)
    return f"{'-' if minutes < 0 else '+'}{hours:02}:{rest:02}"
