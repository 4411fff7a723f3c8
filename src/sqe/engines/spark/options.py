"""What an embedded Spark server needs to know."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sqe.settings.sizes import MB, SPARK_LEAST_MB, usable_memory

_LARGEST_DEFAULT_MB = 4096


@dataclass(frozen=True, slots=True)
class SparkServerOptions:
    """Where the server lives and how it runs. Two servers may share ``home`` and ``jar_cache``."""

    home: Path
    jar_cache: Path
    java: Path | None = None  # an executable; None means: look for one
    master: str = "local[*]"
    driver_memory: str = ""  # as Java spells it, e.g. "2g"; empty: see default_driver_memory
    extra_conf: Mapping[str, str] = field(default_factory=dict)
    start_timeout_s: float = 120.0
    stop_timeout_s: float = 3.0
    archive_timeout_s: float = 60.0  # how long the first stop may take to write the class archive
    cds: bool = True

    @property
    def heap(self) -> str:
        return self.driver_memory or default_driver_memory()

    @property
    def result_limit(self) -> str:
        """What results may take of the heap: Spark keeps a result there until it is sent, and a
        query that is refused is better than a server that dies."""
        match = re.fullmatch(r"(\d+)([gm])", self.heap.lower())
        if match is None:
            return "1g"
        megabytes = int(match[1]) * (1024 if match[2] == "g" else 1)
        return f"{megabytes * 2 // 3}m"

    @property
    def logs(self) -> Path:
        return self.home / "logs"

    @property
    def log_file(self) -> Path:
        return self.logs / "spark.log"

    @property
    def scratch(self) -> Path:
        """Holds one folder per running server, and what is shared by all of them."""
        return self.home / "spark"

    @property
    def archives(self) -> Path:
        return self.home / "cds"


def default_driver_memory() -> str:
    """Half of what this process may use, at most 4 GB: SQE's own engine needs the other half."""
    return f"{min(_LARGEST_DEFAULT_MB, max(SPARK_LEAST_MB, usable_memory() // MB // 2))}m"
