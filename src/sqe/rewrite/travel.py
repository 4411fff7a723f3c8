"""Which state of a table is meant by what stands behind its name."""

from __future__ import annotations

import re
from dataclasses import dataclass

_VERSION = re.compile(
    r"(?:for\s+)?(?:system_)?version\s+as\s+of\s+(?:(?P<id>\d+)|'(?P<name>[^'\\]*)')\s*\Z",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"(?:for\s+)?(?:timestamp|system_time)\s+as\s+of\s+(?P<moment>.+)\Z", re.IGNORECASE | re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Version:
    """One of: a snapshot, the name of a branch or tag, an expression of a moment."""

    snapshot: int | None = None
    reference: str = ""
    moment: str | None = None


def read_travel(text: str) -> Version | None:
    """``VERSION AS OF …`` or ``TIMESTAMP AS OF …``. None: it is neither, or not plain."""
    version = _VERSION.match(text.strip())
    if version is not None:
        return _version(version["id"] or version["name"])
    time = _TIME.match(text.strip())
    return Version(moment=time["moment"]) if time is not None else None


def read_suffix(part: str) -> Version | None:
    """``t.branch_x`` and its kin."""
    kind, _, rest = part.partition("_")
    match kind:
        case "branch" | "tag" if rest:
            return Version(reference=rest)
        case "snapshot" if re.fullmatch(r"id_\d+", rest):
            return Version(snapshot=int(rest.removeprefix("id_")))
        case "at" if re.fullmatch(r"timestamp_\d+", rest):
            seconds, millis = divmod(int(rest.removeprefix("timestamp_")), 1000)
            return Version(moment=f"{seconds}.{millis:03}")
        case _:
            return None


def _version(wanted: str) -> Version:
    """What could be a number is one."""
    return Version(snapshot=int(wanted)) if wanted.isdecimal() else Version(reference=wanted)
