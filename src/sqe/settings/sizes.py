"""Sizes of memory: how people write them, and what the machine has."""

from __future__ import annotations

import os
import re
from pathlib import Path

MB = 1024 * 1024
# Below, Spark 4.1 does not start: it wants 1.5 times the 300 MB that it keeps for itself.
SPARK_LEAST_MB = 512
_JAVA_SIZE = re.compile(r"([1-9]\d{0,12})([kmgt])", re.IGNORECASE)
_UNITS = {"k": 1024, "m": MB, "g": 1024 * MB, "t": 1024 * 1024 * MB}
_CGROUP = Path("/sys/fs/cgroup/memory.max")


def java_size(text: str) -> int:
    """The bytes of ``4g`` or ``512m``. ValueError for anything else."""
    match = _JAVA_SIZE.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text[:40]!r} is no size; write it as 4g or 512m")
    return int(match[1]) * _UNITS[match[2].lower()]


def check_spark_memory(text: str) -> None:
    """ValueError for a heap with which Spark could not start here."""
    size = java_size(text)
    if size < SPARK_LEAST_MB * MB:
        raise ValueError(f"{text} is less than Spark needs, {SPARK_LEAST_MB}m")
    check_fits(size, text)


def check_fits(size: int, text: str) -> None:
    """ValueError for more memory than there is."""
    machine = usable_memory()
    if size > machine:
        raise ValueError(f"{text} is more than this machine has, {machine // MB} MB")


def usable_memory() -> int:
    """The bytes that this process may use: the machine's, or those of its container."""
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        limit = _CGROUP.read_text().strip()
    except OSError:
        return machine
    return min(machine, int(limit)) if limit.isdigit() else machine
