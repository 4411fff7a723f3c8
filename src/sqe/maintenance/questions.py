"""The questions whose answers make a TableState: SQL over a table's metadata tables."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping
from typing import Any

from sqe.maintenance.needs import (
    SMALL,
    TARGET_FILE_BYTES,
    TARGET_MANIFEST_BYTES,
    TableState,
    Thresholds,
)

_TARGET_FILE = "write.target-file-size-bytes"
_TARGET_MANIFEST = "commit.manifest.target-size-bytes"


def targets(properties: Iterable[tuple[str, str]]) -> dict[str, int]:
    """The sizes the table asks for, by the names TableState has for them."""
    given = dict(properties)
    return {
        "target_file_bytes": _number(given.get(_TARGET_FILE), TARGET_FILE_BYTES),
        "target_manifest_bytes": _number(given.get(_TARGET_MANIFEST), TARGET_MANIFEST_BYTES),
    }


def state_query(
    table: str,
    sizes: Mapping[str, int],
    thresholds: Thresholds,
    *,
    partitioned: bool,
    now: datetime.datetime | None = None,
) -> str:
    """One row, whose columns are TableState's. ``table`` is a name as SQL has it."""
    small = int(sizes["target_file_bytes"] * SMALL)
    moment = (now or datetime.datetime.now(datetime.UTC)) - thresholds.snapshot_age
    old = f"TIMESTAMP '{moment.astimezone(datetime.UTC):%Y-%m-%d %H:%M:%S}Z'"
    group = "spec_id, partition" if partitioned else "spec_id"
    return (  # names and numbers only
        "SELECT * FROM"  # noqa: S608
        " (SELECT count(*) AS data_files, coalesce(sum(file_size_in_bytes), 0) AS data_bytes,"
        f" coalesce(sum(record_count), 0) AS rows FROM {table}.data_files),"
        " (SELECT coalesce(sum(files), 0) AS small_files FROM (SELECT count(*) AS files"
        f" FROM {table}.data_files WHERE file_size_in_bytes < {small} GROUP BY {group})"
        f" WHERE files >= {thresholds.small_files}),"
        " (SELECT count(*) AS delete_files,"
        " coalesce(sum(if(content = 1, record_count, 0)), 0) AS deleted_rows"
        f" FROM {table}.delete_files),"
        " (SELECT count(*) AS manifests, coalesce(sum(length), 0) AS manifest_bytes"
        f" FROM {table}.manifests),"
        " (SELECT count(*) AS snapshots, count_if(committed_at < "
        f"{old} AND snapshot_id NOT IN (SELECT snapshot_id FROM {table}.refs)) AS old_snapshots"
        f" FROM {table}.snapshots)"
    )


def read_state(row: Mapping[str, Any], sizes: Mapping[str, int]) -> TableState:
    return TableState(**{name: int(value) for name, value in row.items()}, **sizes)


def _number(text: str | None, default: int) -> int:
    return int(text) if text is not None and text.isdecimal() else default
