"""Where the events of queries go besides the audit log in the home."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from sqe.settings.strict import Strict


class FileSinkSettings(Strict):
    """The lines of the audit log in a file of this name, which only its owner may read. It can be
    there in place of `logs/audit.jsonl` (`log.audit = false`) or besides it."""

    type: Literal["file"] = "file"
    path: Path = Field(description="the file, in the home if it is relative")
    required: bool = Field(
        False, description="refuse new queries and logins while the file cannot be written"
    )
    max_mb: int = Field(
        0, ge=0, description="size at which the file gets a number and a new one begins; 0: never"
    )


class LogSinkSettings(Strict):
    """The lines of the audit log in SQE's own log, whatever its level, as `audit`: with
    `log.to = "stdout"` whoever collects the logs of containers has them, and sees what policies
    hide. `logs/sqe.log` itself is cut at 10 MB."""

    type: Literal["log"] = "log"


def _type(value: Any) -> str:
    kind = value.get("type") if isinstance(value, dict) else getattr(value, "type", None)
    return str(kind or "file")


SinkSettings = Annotated[
    Annotated[FileSinkSettings, Tag("file")] | Annotated[LogSinkSettings, Tag("log")],
    Discriminator(_type),
]
