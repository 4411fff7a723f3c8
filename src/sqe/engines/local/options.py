"""What the local engine may take of the machine."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from sqe.settings.sizes import usable_memory

MB = 1024 * 1024
GB = 1024 * MB
_FLOOR = 96 * MB


def _default_memory() -> int:
    """Half of the machine, and no more than four gigabytes: Spark lives here too."""
    return max(_FLOOR, min(4 * GB, usable_memory() // 2))


@dataclass(frozen=True)
class LocalOptions:
    """Sizes are in bytes. ``memory`` is for all queries together, whatever each one asks for."""

    folder: Path  # where queries spill; SQE's own, under its home
    memory: int = field(default_factory=_default_memory)
    memory_per_query: int = GB
    memory_floor: int = _FLOOR  # the least a query is started with
    threads: int = field(default_factory=lambda: os.cpu_count() or 1)
    pool: int = 4  # prepared instances kept waiting
    reuse_s: float = 300.0  # how long an instance waits for its next query; 0: each has its own
    max_deleted_rows: int = 20_000_000
    spill: int = 10 * GB  # per query; 0 keeps queries in memory
    wait_s: float = 10.0  # for memory, before a query goes to Spark instead
    batch_rows: int = 50_000
    remote_timeout_s: float = 30.0  # for one request to the object store
    long_query_s: float = 600.0  # keys that end sooner are not left to DuckDB, which keeps them
    cached_files: int = 100_000  # data files remembered of plans and manifests, in all

    def __post_init__(self) -> None:
        if self.memory_floor > self.memory:
            raise ValueError("memory is less than one query needs")
