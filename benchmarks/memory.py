"""How much memory a process has, as Linux counts it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

_SAMPLE_S = 0.05


def rss_mb() -> float:
    """This process's resident memory, shared libraries included."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise OSError("/proc/self/status has no VmRSS")


@dataclass
class Watch:
    """Memory, sampled by a thread, with how many rows had passed by then."""

    rows: int = 0
    samples: list[tuple[int, float]] = field(default_factory=list)

    def sample(self) -> None:
        self.samples.append((self.rows, rss_mb()))

    def peak(self, first: float = 0.0, last: float = 1.0) -> float:
        """The highest value while between these fractions of all rows had passed."""
        low, high = first * self.rows, last * self.rows
        return max((mb for rows, mb in self.samples if low <= rows <= high), default=0.0)

    @contextmanager
    def running(self) -> Iterator[None]:
        stop = threading.Event()

        def watch() -> None:
            while not stop.wait(_SAMPLE_S):
                self.sample()

        thread = threading.Thread(target=watch, daemon=True)
        self.sample()
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()
            self.sample()
