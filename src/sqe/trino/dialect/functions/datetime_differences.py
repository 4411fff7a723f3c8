"""Whole months and years between two dates or local times, as Joda counts them.

Both count from the earlier one; a difference backwards is the same number, negative.
"""

from __future__ import annotations

from collections.abc import Callable

from sqe.trino.dialect.repeated import both_repeated

_DAY = 86_400_000  # milliseconds


def months_between(start: str, end: str, *, dates: bool) -> str:
    """``dates``: both are DATE, else TIMESTAMP_NTZ."""
    return _from_the_earlier(start, end, lambda a, b: _months(a, b, dates))


def years_between(start: str, end: str, *, dates: bool) -> str:
    return _from_the_earlier(start, end, lambda a, b: _years(a, b, dates))


def _from_the_earlier(start: str, end: str, count: Callable[[str, str], str]) -> str:
    def write(start: str, end: str) -> str:
        return f"IF({start} <= {end}, {count(start, end)}, - {count(end, start)})"

    return both_repeated(start, end, write)


def _since(days: str, moment: str, dates: bool) -> str:
    """Milliseconds of whole days and of the day."""
    whole = f"({days} * {_DAY}L)"
    if dates:
        return whole
    return f"({whole} + pmod(unix_millis(CAST({moment} AS TIMESTAMP)), {_DAY}))"


def _months(a: str, b: str, dates: bool) -> str:
    """The end of a shorter month counts as the day that it has not."""
    months = f"((year({b}) - year({a})) * 12 + month({b}) - month({a}))"
    day = f"IF(day({b}) = day(last_day({b})), least(day({a}), day({b})), day({a}))"
    unfinished = f"{_since(f'day({b})', b, dates)} < {_since(day, a, dates)}"
    return f"CAST({months} - IF({unfinished}, 1, 0) AS BIGINT)"


def _years(a: str, b: str, dates: bool) -> str:
    """From the 29th of February on, the days of a leap year and of another are made equal."""
    leap_a, leap_b = _is_leap(a), _is_leap(b)
    late_a, late_b = f"dayofyear({a}) > 59", f"dayofyear({b}) > 59"
    day_a = f"(dayofyear({a}) - IF({late_a} AND {leap_a} AND NOT {leap_b}, 1, 0))"
    unequal = f"{late_a} AND NOT {leap_a} AND {late_b} AND {leap_b}"
    day_b = f"(dayofyear({b}) - IF({unequal}, 1, 0))"
    unfinished = f"{_since(day_b, b, dates)} < {_since(day_a, a, dates)}"
    return f"CAST(year({b}) - year({a}) - IF({unfinished}, 1, 0) AS BIGINT)"


def _is_leap(moment: str) -> str:
    year = f"year({moment})"
    return f"({year} % 4 = 0 AND ({year} % 100 <> 0 OR {year} % 400 = 0))"
