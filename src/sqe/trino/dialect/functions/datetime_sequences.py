"""Sequences of dates and timestamps, and to_milliseconds."""

from __future__ import annotations

from sqe.model.trino_types import BIGINT, TrinoType, array
from sqe.trino.dialect.functions.registry import Bound, declare, null_for_null
from sqe.trino.dialect.moments import MILLIS_OF_DAY, from_micros, micros
from sqe.trino.dialect.repeated import both_repeated, with_variable
from sqe.trino.dialect.typed import fail, string

_MOST_ENTRIES = 10_000


declare("to_milliseconds", "(interval day to second) -> bigint", "{0}")


# -------------------------------------------------------------------------- sequences


_AWAY = (
    "sequence stop value should be greater than or equal to start value if step is greater "
    "than zero otherwise stop should be less than or equal to start"
)
_LONG = "result of sequence function must not have more than 10000 entries"


def _argument_error(message: str, kind: TrinoType, at: int) -> str:
    return fail("INVALID_FUNCTION_ARGUMENT", string(message), kind, at)


def _check_direction(start: str, stop: str, step: str, kind: TrinoType, at: int) -> str:
    """The first branches of a CASE: a step that does not lead from the start to the stop."""
    away = f"({step} > 0 AND {start} > {stop}) OR ({step} < 0 AND {start} < {stop})"
    return (
        f"WHEN {step} = 0 THEN {_argument_error('step must not be zero', kind, at)} "
        f"WHEN {away} THEN {_argument_error(_AWAY, kind, at)}"
    )


def _numbers(call: Bound, start: str, stop: str, step: str) -> str:
    """Numbers from start to stop."""
    kind = array(BIGINT)

    def write(start: str, stop: str) -> str:
        long = f"abs(({stop} - {start}) div {step}) >= {_MOST_ENTRIES}"
        return (
            f"CASE {_check_direction(start, stop, step, kind, call.at)} "
            f"WHEN {long} THEN {_argument_error(_LONG, kind, call.at)} "
            f"ELSE sequence({start}, {stop}, {step}) END"
        )

    return both_repeated(start, stop, write)


def _days(call: Bound) -> str:
    start, stop = (f"CAST(unix_date({call.sql(i)}) AS BIGINT)" for i in (0, 1))
    step = f"IF({start} <= {stop}, 1L, -1L)"
    return _dates(_numbers(call, start, stop, step))


def _dates(numbers: str) -> str:
    return f"transform({numbers}, day -> date_from_unix_date(CAST(day AS INT)))"


def _days_by(call: Bound) -> str:
    start, stop = (f"CAST(unix_date({call.sql(i)}) AS BIGINT)" for i in (0, 1))

    def write(step: str) -> str:
        message = "sequence step must be a day interval if start and end values are dates"
        error = _argument_error(message, array(BIGINT), call.at)
        days = _numbers(call, start, stop, f"({step} div {MILLIS_OF_DAY}L)")
        return _dates(f"IF({step} % {MILLIS_OF_DAY}L <> 0, {error}, {days})")

    return with_variable(call.sql(2), write)


def _moments_by(call: Bound) -> str:
    kind = call.returns.element
    start, stop = (micros(call.arguments[i]) for i in (0, 1))
    unit = 10 ** (6 - kind.precision)

    def write(step: str) -> str:
        message = string(f"Expected 0s for digits beyond precision {kind.precision}")
        error = fail("GENERIC_INTERNAL_ERROR", message, array(BIGINT), call.at)
        numbers = _numbers(call, start, stop, f"({step} * 1000L)")
        if unit > 1000:
            numbers = f"IF(({step} * 1000L) % {unit} <> 0, {error}, {numbers})"
        return f"transform({numbers}, moment -> {from_micros('moment', kind)})"

    return with_variable(call.sql(2), write)


def _by_months(call: Bound) -> str:
    kind, step = call.returns, call.sql(2)

    def write(start: str, stop: str) -> str:
        entries = f"sequence({start}, {stop}, make_ym_interval(0, {step}))"
        long = _argument_error(_LONG, kind, call.at)
        limited = with_variable(
            entries, lambda sql: f"IF(size({sql}) > {_MOST_ENTRIES}, {long}, {sql})"
        )
        return f"CASE {_check_direction(start, stop, step, kind, call.at)} ELSE {limited} END"

    return both_repeated(call.sql(0), call.sql(1), write)


declare("sequence", "(date, date) -> array(date)", _days)
declare("sequence", "(date, date, interval day to second) -> array(date)", null_for_null(_days_by))
declare(
    "sequence", "(date, date, interval year to month) -> array(date)", null_for_null(_by_months)
)
declare("sequence", "(timestamp(p), timestamp(p), interval day to second) -> array(timestamp(p))",
        null_for_null(_moments_by))  # fmt: skip
declare("sequence", "(timestamp(p), timestamp(p), interval year to month) -> array(timestamp(p))",
        null_for_null(_by_months))  # fmt: skip
