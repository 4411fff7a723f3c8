"""Whether Spark's disk has room: without, Java may end without a word about why."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from sqe.errors import ErrorCode, ResourceError

_LEAST = 64 * 1024 * 1024  # bytes that Spark needs for itself, besides what a query writes


def _free_bytes(folder: Path) -> int:
    return shutil.disk_usage(folder).free


def explain_by_disk(
    what: str, folder: Path, free_bytes: Callable[[Path], int] = _free_bytes
) -> ResourceError | None:
    """DISK_FULL for something that happened to Spark, where there is hardly any room left."""
    try:
        free = free_bytes(folder)
    except OSError:
        return None
    if free >= _LEAST:
        return None
    return ResourceError(
        ErrorCode.DISK_FULL,
        f"{what}, and the disk of {folder} has {free // 2**20} MB left.",
        hint="Free some space and run it again; nothing was changed.",
    )
