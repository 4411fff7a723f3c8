"""What clocks in a zone show, for many instants at once.

Arrow's own conversion knows no summer time after 2037, so the offsets come from zoneinfo: one for
each day, and one for each instant only on days when the clocks change.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np
import numpy.typing as npt

from sqe.trino.http.encode_carriers import NotCarried

_DAY = 86_400
_CYCLE = 146_097 * _DAY  # after 400 years the calendar, and so every rule, begins anew
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST = -719_161 * _DAY  # 0001-01-02: before it, offsets are what they were then
_LAST = 2_932_895 * _DAY  # 9999-12-30
_FIXED = re.compile(r"([+-])(\d\d):(\d\d)")


def local_micros(micros: npt.NDArray[np.int64], zone: str) -> npt.NDArray[np.int64]:
    """Microseconds since the epoch, of the clock's date and time instead of the instant's."""
    if zone in ("UTC", "Z"):
        return micros
    if fixed := _FIXED.fullmatch(zone):
        sign, hours, minutes = fixed.groups()
        seconds = int(f"{sign}{int(hours) * 3600 + int(minutes) * 60}")
        return np.asarray(micros + seconds * 1_000_000, dtype=np.int64)
    return np.asarray(micros + _offsets(micros // 1_000_000, zone) * 1_000_000, dtype=np.int64)


def _offsets(seconds: npt.NDArray[np.int64], zone: str) -> npt.NDArray[np.int64]:
    _rules(zone)  # an unknown one is refused even if there is no instant
    days, which = np.unique(seconds // _DAY, return_inverse=True)
    starts = np.array([_offset(zone, int(day) * _DAY) for day in days], np.int64)
    ends = np.array([_offset(zone, int(day) * _DAY + _DAY) for day in days], np.int64)
    offsets = starts[which]
    for place in np.flatnonzero((starts != ends)[which]):
        offsets[place] = _offset(zone, int(seconds[place]))
    return offsets


@lru_cache(maxsize=100_000)
def _offset(zone: str, second: int) -> int:
    if second > _LAST:
        second -= -(-(second - _LAST) // _CYCLE) * _CYCLE
    at = _EPOCH + timedelta(seconds=max(second, _FIRST))
    offset = at.astimezone(_rules(zone)).utcoffset()
    return 0 if offset is None else int(offset.total_seconds())


@lru_cache(maxsize=1000)
def _rules(zone: str) -> ZoneInfo:
    try:
        return ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError) as error:
        raise NotCarried(f"no such zone: {zone}") from error
