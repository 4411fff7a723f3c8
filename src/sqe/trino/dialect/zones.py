"""The zone and the moment of the session.

The rules of types have no context of their own, but a ``timestamp`` that becomes a ``timestamp
with time zone`` does so in the session's zone, wherever in the analysis that happens. So the
analyzer of a statement says here which session it is.

A view is read in sessions with zones of their own. In its text the zone of the session is
``SESSION``, which becomes a name when the view is read.
"""

from __future__ import annotations

import datetime
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqe.model.trino_types import TIMESTAMP_TZ, RowField, TrinoType
from sqe.sql.zone_names import zone_named
from sqe.trino.dialect.errors import Refused, not_supported

if TYPE_CHECKING:
    from sqe.model.query import ClientState
    from sqe.trino.dialect.context import Context

VIEW, MATERIALIZED_VIEW = "view", "materialized view"  # what a text may be stored as

TIME_ZONE_ID = "time_zone_id"  # the session property that SET TIME ZONE sets
# Zones of types in the text of a view: the reader's, and that if it is UTC, which some values have.
SESSION, SESSION_IF_UTC = "session", "session if UTC"


# ------------------------------------------------------------------------- the session


@dataclass(frozen=True, slots=True)
class _Session:
    zone: str = "UTC"
    now: datetime.datetime | None = None
    stored: str = ""  # see ``Context``


_NONE = _Session()
# Not a parameter: rules of types and casts are functions of values alone, and two values may meet
# anywhere. The analyzer of a statement sets it before any of them is asked. Policies' expressions
# are analysed in a copy of it, so that the user's zone has no say in them.
_SESSION: ContextVar[_Session] = ContextVar("trino_session", default=_NONE)


def zone_of_client(client: ClientState) -> str:
    name = client.properties.get(TIME_ZONE_ID) or client.time_zone
    zone = zone_named(name)
    if zone is None:
        raise Refused("NOT_SUPPORTED", f"Time zone not supported: {name}")
    return zone


def enter(context: Context) -> None:
    """From here on the analysis is of this statement."""
    _SESSION.set(_Session(zone_of_client(context.client), context.now, context.stored))


def zone_of_session() -> str:
    """The session's. None in a materialized view: it is nobody's who reads it."""
    session = _SESSION.get()
    if session.stored:
        return SESSION if session.stored == VIEW else ""
    return session.zone


def session_zone(at: int) -> str:
    zone = zone_of_session()
    if not zone:
        raise not_supported("The time zone of the session in a materialized view", at)
    return zone


def session_start(at: int) -> datetime.datetime | None:
    """When the statement began, in UTC without saying so; None in the text of a view, which begins
    when it is read."""
    session = _SESSION.get()
    if session.stored == VIEW:
        return None
    if session.stored or session.now is None:
        raise not_supported("The current date and time in a materialized view", at)
    return session.now.replace(tzinfo=None)


# ---------------------------------------------------------------------- zones of types


def zones_in(kind: TrinoType) -> set[str]:
    """Of all moments inside; an empty one where it is not known."""
    zones = {kind.zone} if kind.base == TIMESTAMP_TZ else set()
    for part in (*kind.types, *(field.type for field in kind.fields)):
        zones |= zones_in(part)
    return zones


def common_zone(one: str, other: str) -> str:
    """Of values of both; empty where they are of different zones."""
    if one == other:
        return one
    return SESSION_IF_UTC if {one, other} <= {SESSION, SESSION_IF_UTC, "UTC"} else ""


def with_common_zones(one: TrinoType, other: TrinoType) -> TrinoType:
    """``one`` with the zones that it has in common with ``other``, an equal type."""
    if one.base == TIMESTAMP_TZ:
        return replace(one, zone=common_zone(one.zone, other.zone))
    if not (one.types or one.fields):
        return one
    types = tuple(map(with_common_zones, one.types, other.types))
    fields = tuple(
        RowField(mine.name, with_common_zones(mine.type, their.type))
        for mine, their in zip(one.fields, other.fields, strict=True)
    )
    return replace(one, types=types, fields=fields)


def in_zone(kind: TrinoType, zone: str) -> TrinoType:
    """The type with all moments inside of this zone. ValueError: there is no such zone."""
    if zone not in ("", SESSION, SESSION_IF_UTC) and zone_named(zone) != zone:
        raise ValueError(zone)
    if kind.base == TIMESTAMP_TZ:
        return replace(kind, zone=zone)
    fields = tuple(RowField(field.name, in_zone(field.type, zone)) for field in kind.fields)
    return replace(kind, types=tuple(in_zone(inner, zone) for inner in kind.types), fields=fields)


def read_here(kind: TrinoType) -> TrinoType:
    """The type of a view's column in this statement, whose session is the one that is meant."""
    zones = zones_in(kind)
    if not zones & {SESSION, SESSION_IF_UTC}:
        return kind
    here = zone_of_session()
    return in_zone(kind, here if zones == {SESSION} else common_zone(here, "UTC"))


def with_one_zone(kind: TrinoType, at: int = 0) -> TrinoType:
    """The type of a column of the answer, with the one zone of all moments inside as its own."""
    zones = zones_in(kind)
    if not zones:
        return kind
    if len(zones) > 1 or "" in zones:
        raise not_supported("A column of different time zones", at)
    return replace(kind, zone=zones.pop())
