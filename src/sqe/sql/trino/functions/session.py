"""What the statement knows of its session: the moment it began, the user, the catalog.

All are constants. In a text that is kept, a view's, they are not: it is refused there.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable

from sqe.model.trino_types import VARCHAR, TrinoType, array, timestamp_tz
from sqe.model.trino_version import VERSION
from sqe.sql.trino.calls import CallSite, special
from sqe.sql.trino.errors import Refused, not_supported
from sqe.sql.trino.functions.registry import Bound, declare
from sqe.sql.trino.temporal_literals import (
    clock,
    date_value,
    instant_value,
    time_value,
    timestamp_value,
)
from sqe.sql.trino.typed import Typed, string
from sqe.sql.trino.zones import session_start, session_zone

_MOST_DIGITS = 12
_DEFAULT_DIGITS = 3


def _digits(site: CallSite, kind: str) -> int:
    """The precision in brackets. One that is only asked for its type may be larger than 6."""
    if not site.node.arguments:
        return _DEFAULT_DIGITS
    digits = site.argument(0).constant
    if not isinstance(digits, int) or digits > _MOST_DIGITS:
        message = f"{kind} precision must be in range [0, 12]: {digits}"
        raise Refused("NUMERIC_VALUE_OUT_OF_RANGE", message, site.node.at)
    return digits


def _cut(moment: datetime.datetime, digits: int) -> datetime.datetime:
    unit = 10 ** (6 - digits)
    return moment.replace(microsecond=moment.microsecond // unit * unit)


def _began(digits: int, at: int) -> Typed:
    zone = session_zone(at)
    return instant_value(_cut(session_start(at), digits), timestamp_tz(digits, zone))


def _local(at: int) -> datetime.datetime:
    return clock(session_start(at), session_zone(at))


def _beyond(kind: str, digits: int, site: CallSite) -> None:
    if digits > 6:
        raise not_supported(f"{kind} of {digits} digits", site.node.at)


@special("current_timestamp")
def _current_timestamp(site: CallSite) -> Typed:
    digits = _digits(site, "TIMESTAMP WITH TIME ZONE")
    _beyond("timestamp with time zone", digits, site)
    return _began(digits, site.node.at)


@special("localtimestamp")
def _localtimestamp(site: CallSite) -> Typed:
    digits = _digits(site, "TIMESTAMP")
    _beyond("timestamp", digits, site)
    return timestamp_value(_cut(_local(site.node.at), digits), digits)


@special("localtime")
def _localtime(site: CallSite) -> Typed:
    digits = _digits(site, "TIME")
    _beyond("time", digits, site)
    now = _cut(_local(site.node.at), digits)
    seconds = (now.hour * 60 + now.minute) * 60 + now.second
    return time_value(seconds * 1_000_000 + now.microsecond, digits)


@special("current_time")
def _current_time(site: CallSite) -> Typed:
    raise not_supported("time with time zone", site.node.at)


def _today(call: Bound) -> Typed:
    return date_value(_local(call.at).date())


def _now(call: Bound) -> Typed:
    return _began(_DEFAULT_DIGITS, call.at)


def _text(value: str, kind: TrinoType = VARCHAR) -> Typed:
    return Typed(kind, string(value), value)


declare("current_date", "() -> date", _today, description="Current date")
declare("now", "() -> timestamp(3) with time zone", _now,
        description="Current timestamp with time zone")  # fmt: skip
declare("current_timezone", "() -> varchar", lambda call: _text(session_zone(call.at)),
        description="Current time zone")  # fmt: skip
declare("version", "() -> varchar", lambda call: _text(VERSION),
        description="Return server version")  # fmt: skip
declare("current_groups", "() -> array(varchar)",
        lambda call: Typed(array(VARCHAR), "CAST(array() AS array<string>)"),
        description="Current groups of current user")  # fmt: skip


def _of_client(name: str, read: Callable[[CallSite], str | None]) -> None:
    @special(name)
    def write(site: CallSite) -> Typed:
        if site.analyzer.context.stored:
            raise not_supported(f"{name} in a view", site.node.at)
        value = read(site)
        return _text(value) if value is not None else Typed(VARCHAR, "CAST(NULL AS STRING)", None)


_of_client("current_user", lambda site: site.analyzer.context.user)
_of_client("current_catalog", lambda site: site.analyzer.context.client.catalog or None)
_of_client("current_schema", lambda site: site.analyzer.context.client.schema or None)
_of_client("current_path", lambda site: site.analyzer.context.client.path)
