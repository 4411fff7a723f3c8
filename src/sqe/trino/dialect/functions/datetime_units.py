"""date_trunc, date_add and date_diff: what depends on a unit that is given as a text."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sqe.model.trino_types import BIGINT, DATE, TIMESTAMP_TZ, TrinoType
from sqe.trino.dialect.functions.datetime_differences import months_between, years_between
from sqe.trino.dialect.functions.registry import Bound, declare
from sqe.trino.dialect.moments import (
    MICROS_OF_DAY,
    from_micros,
    local,
    local_in,
    micros,
    millis,
    round_to,
    with_clock,
)
from sqe.trino.dialect.repeated import with_variable
from sqe.trino.dialect.typed import Typed, fail, string

# Milliseconds; what is below a day is the same whatever the clock does.
_SHORT = {"millisecond": 1, "second": 1_000, "minute": 60_000, "hour": 3_600_000}
_DAYS = {"day": 1, "week": 7}
_MONTHS = {"month": 1, "quarter": 3, "year": 12}
_FIELDS = {"date": "DATE", "time": "TIME"}
_LARGEST, _SMALLEST = 2**31 - 1, -(2**31)


def _of_unit(call: Bound, written: Mapping[str, Callable[[], str]], kind: TrinoType) -> str:
    """The SQL for the unit of the first argument, or the error that there is no such unit."""
    unit, value = call.arguments[0], call.arguments[-1]
    field = _FIELDS.get(value.type.base, "TIMESTAMP")
    if isinstance(unit.constant, str):
        name = unit.constant.lower()
        if name in written:
            return written[name]()
        message = string(f"'{unit.constant}' is not a valid {field} field")
        error = fail("INVALID_FUNCTION_ARGUMENT", message, kind, call.at)
        missing = " OR ".join(f"{argument.sql} IS NULL" for argument in call.arguments[1:])
        return f"IF({missing}, NULL, {error})"

    def write(sql: str) -> str:
        message = f"concat('\\'', {sql}, '\\' is not a valid {field} field')"
        error = fail("INVALID_FUNCTION_ARGUMENT", message, kind, call.at)
        cases = " ".join(f"WHEN '{name}' THEN {make()}" for name, make in written.items())
        missing = " OR ".join(f"{argument.sql} IS NULL" for argument in call.arguments)
        return f"CASE WHEN {missing} THEN NULL ELSE CASE lower({sql}) {cases} ELSE {error} END END"

    return with_variable(unit.sql, write)


# -------------------------------------------------------------------------- date_trunc


def _trunc_date(call: Bound) -> str:
    day = call.sql(1)
    written: dict[str, Callable[[], str]] = {"day": lambda: day}
    for unit in ("week", *_MONTHS):
        written[unit] = lambda unit=unit: f"trunc({day}, '{unit}')"  # type: ignore[misc]
    return _of_unit(call, written, DATE)


def _trunc_time(call: Bound) -> str:
    def cut(unit: str) -> Callable[[], str]:
        size = _SHORT[unit] * 1000
        return lambda: with_variable(call.sql(1), lambda sql: f"({sql} - {sql} % {size}L)")

    return _of_unit(call, {unit: cut(unit) for unit in _SHORT}, call.returns)


def _trunc_moment(call: Bound) -> Typed:
    value = call.arguments[1]
    clock = local(value, call.at)

    def cut(unit: str) -> Callable[[], str]:
        changed = f"CAST(date_trunc('{unit}', {clock}) AS TIMESTAMP_NTZ)"
        return lambda: with_clock(value, changed, call.at)

    units = (*_SHORT, *_DAYS, *_MONTHS)
    return Typed(value.type, _of_unit(call, {unit: cut(unit) for unit in units}, value.type))


_TRUNCATE = "Truncate to the specified precision"
declare("date_trunc", "(varchar(x), date) -> date", _trunc_date,
        description=f"{_TRUNCATE} in the session timezone")  # fmt: skip
declare("date_trunc", "(varchar(x), time(p)) -> time(p)", _trunc_time, description=_TRUNCATE)
declare("date_trunc", "(varchar(x), timestamp(p)) -> timestamp(p)", _trunc_moment,
        description=f"{_TRUNCATE} in the session timezone")  # fmt: skip
declare("date_trunc", "(varchar(x), timestamp(p) with time zone) -> timestamp(p) with time zone",
        _trunc_moment, description=_TRUNCATE)  # fmt: skip


# ---------------------------------------------------------------------------- date_add


def _constant_count(call: Bound) -> int | None:
    """How many, where that is constant and fits into 32 bits."""
    number = call.arguments[1].constant
    return number if isinstance(number, int) and _SMALLEST <= number <= _LARGEST else None


def _count(call: Bound, name: str) -> str:
    """How many; it must fit into 32 bits."""
    value, number = call.arguments[1], _constant_count(call)
    if number is not None:
        return f"({number})" if number < 0 else str(number)
    error = fail(name, string("integer overflow"), BIGINT, call.at)
    return with_variable(
        value.sql,
        lambda sql: (
            f"CAST(IF({sql} NOT BETWEEN {_SMALLEST}L AND {_LARGEST}L, {error}, {sql}) AS INT)"
        ),
    )


def _times(count: str, factor: int) -> str:
    return count if factor == 1 else f"({count} * {factor})"


def _add_to_date(call: Bound) -> str:
    count, day = _count(call, "GENERIC_INTERNAL_ERROR"), call.sql(2)
    written: dict[str, Callable[[], str]] = {}
    for unit, days in _DAYS.items():
        written[unit] = lambda days=days: f"date_add({day}, {_times(count, days)})"  # type: ignore[misc]
    for unit, months in _MONTHS.items():
        written[unit] = lambda months=months: f"add_months({day}, {_times(count, months)})"  # type: ignore[misc]
    return _of_unit(call, written, DATE)


def _add_to_time(call: Bound) -> str:
    value = call.arguments[2]
    smallest = 10 ** (6 - value.type.precision)

    def add(size: int) -> Callable[[], str]:
        moved = f"({value.sql} + ({call.sql(1)} % {MICROS_OF_DAY // 1000}L) * {size * 1000}L)"
        return lambda: f"pmod({round_to(moved, smallest)}, {MICROS_OF_DAY})"

    return _of_unit(call, {unit: add(size) for unit, size in _SHORT.items()}, call.returns)


def _add_to_moment(call: Bound) -> Typed:
    value = call.arguments[2]
    count = _count(call, "INVALID_FUNCTION_ARGUMENT")
    clock = local(value, call.at)

    def add_short(size: int) -> Callable[[], str]:
        moved = f"({micros(value)} + {count} * {size * 1000}L)"
        digits = value.type.precision
        # Only milliseconds can be smaller than the last digit.
        unit = 10 ** (6 - digits) if digits < 3 and size == 1 else 1
        return lambda: from_micros(round_to(moved, unit), value.type)

    def add_long(interval: str) -> Callable[[], str]:
        return lambda: with_clock(value, f"({clock} + {interval})", call.at)

    def interval(size: int, unit: str, made: str) -> str:
        """A literal where it can be one, which the local engine reads too."""
        number = _constant_count(call)
        if number is None:
            return made.format(_times(count, size))
        return f"INTERVAL '{number * size}' {unit}"

    written = {unit: add_short(size) for unit, size in _SHORT.items()}
    for unit, days in _DAYS.items():
        written[unit] = add_long(interval(days, "DAY", "make_dt_interval({})"))
    for unit, months in _MONTHS.items():
        written[unit] = add_long(interval(months, "MONTH", "make_ym_interval(0, {})"))
    return Typed(value.type, _of_unit(call, written, value.type))


_ADD = "Add the specified amount of {} to the given {}"
declare("date_add", "(varchar(x), bigint, date) -> date", _add_to_date,
        description=_ADD.format("date", "date"))  # fmt: skip
declare("date_add", "(varchar(x), bigint, time(p)) -> time(p)", _add_to_time,
        description=_ADD.format("time", "time"))  # fmt: skip
for _kind in ("timestamp(p)", "timestamp(p) with time zone"):
    declare("date_add", f"(varchar(x), bigint, {_kind}) -> {_kind}", _add_to_moment,
            description=_ADD.format("time", "timestamp"))  # fmt: skip


# --------------------------------------------------------------------------- date_diff


def _between_dates(call: Bound) -> str:
    start, end = call.sql(1), call.sql(2)
    days = f"CAST(datediff({end}, {start}) AS BIGINT)"
    written: dict[str, Callable[[], str]] = {
        "day": lambda: days,
        "week": lambda: f"({days} div 7)",
    }
    return _of_unit(call, written | _long_units(start, end, dates=True), BIGINT)


def _long_units(start: str, end: str, *, dates: bool) -> dict[str, Callable[[], str]]:
    return {
        "month": lambda: months_between(start, end, dates=dates),
        "quarter": lambda: f"({months_between(start, end, dates=dates)} div 3)",
        "year": lambda: years_between(start, end, dates=dates),
    }


def _between_times(call: Bound) -> str:
    def count(size: int) -> Callable[[], str]:
        return lambda: f"(({call.sql(2)} - {call.sql(1)}) div {size * 1000}L)"

    return _of_unit(call, {unit: count(size) for unit, size in _SHORT.items()}, BIGINT)


def _between_moments(call: Bound) -> str:
    """Days and more are counted on the clock of the first argument."""
    start, end = call.arguments[1], call.arguments[2]
    if start.type.base == TIMESTAMP_TZ:
        clocks = [local(start, call.at), local_in(end.sql, start.type.zone)]
    else:
        clocks = [start.sql, end.sql]

    def count(size: int) -> Callable[[], str]:
        distance = f"({millis(end)} - {millis(start)})"
        return lambda: distance if size == 1 else f"({distance} div {size}L)"

    def days(size: int) -> Callable[[], str]:
        distance = "unix_millis(CAST({} AS TIMESTAMP)) - unix_millis(CAST({} AS TIMESTAMP))"
        return lambda: f"(({distance.format(clocks[1], clocks[0])}) div {size * 86_400_000}L)"

    written = {unit: count(size) for unit, size in _SHORT.items()}
    written |= {unit: days(size) for unit, size in _DAYS.items()}
    return _of_unit(call, written | _long_units(clocks[0], clocks[1], dates=False), BIGINT)


_DIFFERENCE = "Difference of the given {} in the given unit"
declare("date_diff", "(varchar(x), date, date) -> bigint", _between_dates,
        description=_DIFFERENCE.format("dates"))  # fmt: skip
declare("date_diff", "(varchar(x), time(p), time(p)) -> bigint", _between_times,
        description=_DIFFERENCE.format("times"))  # fmt: skip
for _kind in ("timestamp(p)", "timestamp(p) with time zone"):
    declare("date_diff", f"(varchar(x), {_kind}, {_kind}) -> bigint", _between_moments,
            description=_DIFFERENCE.format("times"))  # fmt: skip
