"""The question whose answer makes a TableState: SHOW MAINTENANCE, which reads metadata alone."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping
from typing import Any

from sqe.maintenance.needs import (
    TARGET_FILE_BYTES,
    TARGET_MANIFEST_BYTES,
    TableState,
    Thresholds,
)

_TARGET_FILE = "write.target-file-size-bytes"
_TARGET_MANIFEST = "commit.manifest.target-size-bytes"


def targets(properties: Iterable[tuple[str, str]]) -> dict[str, int]:
    """The sizes the table asks for, by the names TableState has for them."""
    set_properties = dict(properties)
    return {
        "target_file_bytes": _number(set_properties.get(_TARGET_FILE), TARGET_FILE_BYTES),
        "target_manifest_bytes": _number(
            set_properties.get(_TARGET_MANIFEST), TARGET_MANIFEST_BYTES
        ),
    }


def state_question(table: str) -> str:
    """``table`` is a name as SQL has it."""
    return f"SHOW MAINTENANCE FOR {table}"


def read_state(
    row: Mapping[str, Any], thresholds: Thresholds, now: datetime.datetime | None = None
) -> TableState:
    """Of the answer's one row."""
    counts = dict(row)
    moment = (now or datetime.datetime.now(datetime.UTC)) - thresholds.snapshot_age
    expirable, small = counts.pop("expirable"), counts.pop("small_files")
    return TableState(
        **{name: int(value) for name, value in counts.items()},
        small_files=sum(count for count in small if count >= thresholds.small_files),
        old_snapshots=sum(snapshot < moment for snapshot in expirable),
    )


def _number(text: str | None, default: int) -> int:
    return int(text) if text is not None and text.isdecimal() else default
