"""Names of time zones, spelled in one way: a region, ``+02:00`` or UTC."""

from __future__ import annotations

import datetime
import re
import zoneinfo

_FURTHEST = 14 * 60
_OFFSET = re.compile(r"([+-])(?:(\d)|(\d\d)(?::?(\d\d))?)", re.ASCII)
_NAMED_OFFSET = re.compile(r"(?:UTC|GMT|UT)(?=[+-])")
_ETC = re.compile(r"Etc/GMT([+-])(\d\d?)")
# Names that Trino takes for UTC itself.
_UTC = frozenset(
    {"UTC", "UCT", "UT", "Z", "Zulu", "Universal", "GMT", "GMT0", "Greenwich", "Etc/UTC",
     "Etc/UCT", "Etc/Universal", "Etc/GMT", "Etc/GMT0"}
)  # fmt: skip


def offset_named(minutes: int) -> str | None:
    """``+02:00``; None where no zone is that far away."""
    if abs(minutes) > _FURTHEST:
        return None
    if minutes == 0:
        return "UTC"
    hours, rest = divmod(abs(minutes), 60)
    return f"{'-' if minutes < 0 else '+'}{hours:02}:{rest:02}"


def is_offset(name: str) -> bool:
    """Whether it is written as an offset, near enough or too far away."""
    return _OFFSET.fullmatch(name) is not None


def zone_named(name: str) -> str | None:
    """A zone as Trino spells it: a name, or ``+02:00``. None: there is no such zone."""
    if name in _UTC:
        return "UTC"
    etc = _ETC.fullmatch(name)
    if etc is not None:  # counts to the west
        hours = int(etc[2])
        return offset_named((hours if etc[1] == "-" else -hours) * 60)
    offset = _OFFSET.fullmatch(_NAMED_OFFSET.sub("", name))
    if offset is not None:
        minutes = int(offset[2] or offset[3]) * 60 + int(offset[4] or 0)
        return offset_named(-minutes if offset[1] == "-" else minutes)
    return name if name in _names() and name not in _UNKNOWN else None


def zone_in_any_case(name: str) -> str | None:
    """The same for SET TIME ZONE, which does not look at the case."""
    proper = next((zone for zone in _names() if zone.lower() == name.lower()), name)
    return zone_named(proper)


# In Python's list, not in Trino's.
_UNKNOWN = frozenset(
    {"America/Coyhaique", "EST", "Etc/Greenwich", "Etc/Zulu", "Factory", "HST", "MST", "ROC",
     "localtime", "posixrules"}
)  # fmt: skip
_NAMES: frozenset[str] = frozenset()


def _names() -> frozenset[str]:
    global _NAMES
    if not _NAMES:
        _NAMES = frozenset(zoneinfo.available_timezones())
    return _NAMES


def rules_of(zone: str) -> datetime.tzinfo:
    """``zone`` as ``zone_named`` spells it."""
    offset = _OFFSET.fullmatch(zone)
    if offset is None:
        return zoneinfo.ZoneInfo(zone)
    minutes = int(offset[3]) * 60 + int(offset[4])
    return datetime.timezone(datetime.timedelta(minutes=-minutes if offset[1] == "-" else minutes))
