"""Rows whose partition column is NULL come back, or are changed (decision 0014).

Defect: Iceberg has no third truth value: to it ``NULL <> 1`` and ``NULL < 1`` are true. Where a
condition is about partitions alone, it tells Spark to leave the condition to it.

Repair: it does so only if all partition specs of a table agree. Spark is shown one more, which has
no fields and which no file is of. Spark then judges every row; files are skipped as before.

Upstream: see ``null_conditions.py``.

It can go when Iceberg reports such a condition as one that Spark has to evaluate again:
``tests/embedded/writes/test_repairs.py`` fails then, and says so.
"""

from __future__ import annotations

import json
from dataclasses import replace

from sqe.catalog.protocol import Json, Loaded


def judge_by_row(loaded: Loaded) -> Loaded:
    """For who reads the table or changes its rows. Not for who changes how it is partitioned."""
    metadata = loaded.metadata
    specs = _specs(metadata)
    if not all(spec["fields"] for spec in specs):
        return loaded
    empty = {"spec-id": max(spec["spec-id"] for spec in specs) + 1, "fields": []}
    shown = {"default-spec-id": 0, **metadata, "partition-specs": [*specs, empty]}
    return replace(loaded, metadata_json=json.dumps(shown).encode())


def _specs(metadata: Json) -> list[Json]:
    """The first tables had one, and no list."""
    specs: list[Json] | None = metadata.get("partition-specs")
    return specs or [{"spec-id": 0, "fields": metadata.get("partition-spec") or []}]
