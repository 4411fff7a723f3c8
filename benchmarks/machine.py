"""Where a result was measured, and with what."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from pathlib import Path

from sqe import __version__
from sqe.engines.spark.jars import JARS
from sqe.engines.spark.java import find_java
from sqe.errors import SqeError

_PACKAGES = ("pyspark", "pyiceberg", "pyarrow", "duckdb", "sqlglot", "tpchgen-cli")


def machine() -> dict[str, str | int | float]:
    pages = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "cores": os.cpu_count() or 0,
        "memory_mb": pages // 1024**2,
        "cpu": _cpu_model(),
        "system": platform.platform(),
        # Well above the number of cores means: others were working too.
        "load_at_start": round(os.getloadavg()[0], 2),
    }


def versions() -> dict[str, str]:
    try:
        java = find_java().version
    except SqeError:
        java = "none"
    return {
        "sqe": __version__,
        "python": platform.python_version(),
        "java": java,
        "iceberg": JARS[0].version,
        **{name: version(name) for name in _PACKAGES},
    }


def _cpu_model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(models, platform.machine())
