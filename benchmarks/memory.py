"""How much memory a process has, as Linux counts it."""

from __future__ import annotations

from pathlib import Path


def rss_mb() -> float:
    """This process's resident memory, shared libraries included."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise OSError("/proc/self/status has no VmRSS")
