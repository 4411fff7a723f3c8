"""Functions that answer what the statement knows of its session: see ``session_values``."""

from __future__ import annotations

from collections.abc import Callable

from sqe.model.trino_types import VARCHAR, array
from sqe.model.trino_version import VERSION
from sqe.trino.dialect.calls import CallSite, special
from sqe.trino.dialect.context import Context
from sqe.trino.dialect.errors import Refused, not_supported
from sqe.trino.dialect.functions.registry import declare
from sqe.trino.dialect.session_values import (
    local_start,
    local_time,
    of_client,
    start,
    today,
    zone_name,
)
from sqe.trino.dialect.typed import Typed, string

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


def _beyond(kind: str, digits: int, site: CallSite) -> None:
    if digits > 6:
        raise not_supported(f"{kind} of {digits} digits", site.node.at)


@special("current_timestamp")
def _current_timestamp(site: CallSite) -> Typed:
    digits = _digits(site, "TIMESTAMP WITH TIME ZONE")
    _beyond("timestamp with time zone", digits, site)
    return start(digits, site.node.at)


@special("localtimestamp")
def _localtimestamp(site: CallSite) -> Typed:
    digits = _digits(site, "TIMESTAMP")
    _beyond("timestamp", digits, site)
    return local_start(digits, site.node.at)


@special("localtime")
def _localtime(site: CallSite) -> Typed:
    digits = _digits(site, "TIME")
    _beyond("time", digits, site)
    return local_time(digits, site.node.at)


@special("current_time")
def _current_time(site: CallSite) -> Typed:
    raise not_supported("time with time zone", site.node.at)


declare("current_date", "() -> date", lambda call: today(call.at), description="Current date")
declare("now", "() -> timestamp(3) with time zone", lambda call: start(_DEFAULT_DIGITS, call.at),
        description="Current timestamp with time zone")  # fmt: skip
declare("current_timezone", "() -> varchar", lambda call: zone_name(call.at),
        description="Current time zone")  # fmt: skip
declare("version", "() -> varchar", lambda call: Typed(VARCHAR, string(VERSION), VERSION),
        description="Return server version")  # fmt: skip
declare("current_groups", "() -> array(varchar)",
        lambda call: Typed(array(VARCHAR), "CAST(array() AS array<string>)"),
        description="Current groups of current user")  # fmt: skip


def _declare_of_client(name: str, read: Callable[[Context], str | None]) -> None:
    @special(name)
    def write(site: CallSite) -> Typed:
        context = site.analyzer.context
        return of_client(name, read(context), context, site.node.at)


_declare_of_client("current_user", lambda context: context.user)
_declare_of_client("current_catalog", lambda context: context.client.catalog or None)
_declare_of_client("current_schema", lambda context: context.client.schema or None)


@special("current_path")
def _current_path(site: CallSite) -> Typed:
    context = site.analyzer.context
    if context.stored:  # Spark has none
        raise not_supported(f"current_path in a {context.stored}", site.node.at)
    return Typed(VARCHAR, string(context.client.path), context.client.path)
