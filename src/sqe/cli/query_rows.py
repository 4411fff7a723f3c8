"""What `sqe queries` and `sqe top` ask, and how they show it."""

from __future__ import annotations

import datetime
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqe.errors import ErrorCode, UserError
from sqe.model.names import string_literal

if TYPE_CHECKING:
    from sqe.client.transport import Transport

Row = Mapping[str, Any]
_AGE = re.compile(r"([1-9]\d{0,5})([smhd])")
_SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}


@dataclass(frozen=True, slots=True)
class Wanted:
    """None: any."""

    user: str | None = None
    state: str | None = None
    engine: str | None = None
    since: str | None = None
    query_id: str | None = None
    running: bool = False

    @property
    def conditions(self) -> list[str]:
        equal = {
            "user": self.user,
            "state": self.state and self.state.upper(),
            "engine": self.engine and self.engine.lower(),
            "query_id": self.query_id,
        }
        found = [
            f"`{column}` = {string_literal(value)}"
            for column, value in equal.items()
            if value is not None
        ]
        if self.running:
            found.append("`end` IS NULL")
        if self.since is not None:
            found.append(f"created >= {moment_before(self.since)}")
        return found


def moment_before(age: str) -> str:
    """Of an age such as 90m, as SQL."""
    match = _AGE.fullmatch(age.strip().lower())
    if match is None:
        raise UserError(
            ErrorCode.INVALID_ARGUMENT,
            f"{age!r} is no age.",
            hint="Write a number and a unit: 30s, 90m, 12h, 7d.",
        )
    moment = time.gmtime(time.time() - int(match[1]) * _SECONDS[match[2]])
    return f"TIMESTAMP '{time.strftime('%Y-%m-%d %H:%M:%S', moment)}+00:00'"


def select(
    transport: Transport, columns: Sequence[str], wanted: Wanted, most: int
) -> list[dict[str, Any]]:
    """The newest first. Without ``columns`` all there are."""
    listed = ", ".join(f"`{column}`" for column in columns) or "*"  # `user` is a function as well
    conditions = wanted.conditions
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    order = f" ORDER BY created DESC LIMIT {most}"
    text = f"SELECT {listed} FROM system.history.queries{where}{order}"  # noqa: S608  quoted
    with transport.execute(text).result() as result:
        rows: list[dict[str, Any]] = result.read_all().to_pylist()
    return rows


def seconds_of(row: Row, now: float) -> float:
    """How long it took, or has taken so far."""
    if row["elapsed_time_ms"] is not None:
        return float(row["elapsed_time_ms"]) / 1000
    began: datetime.datetime = row["created"]
    return max(0.0, now - began.timestamp())


def format_seconds(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f}s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}h{minutes:02}m" if hours else f"{minutes}m{rest:02}s"
