"""Clocks and the statistics of samples."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


def timed(call: Callable[[], T]) -> tuple[float, T]:
    """Seconds, and the answer."""
    started = time.perf_counter()
    answer = call()
    return time.perf_counter() - started, answer


def in_ms(seconds: Sequence[float]) -> list[float]:
    return [round(value * 1000, 2) for value in seconds]


def p50(samples: Sequence[float]) -> float:
    return round(statistics.median(samples), 3)


def p95(samples: Sequence[float]) -> float:
    return percentile(samples, 0.95)


def percentile(samples: Sequence[float], part: float) -> float:
    ordered = sorted(samples)
    return ordered[min(len(ordered) - 1, round(part * len(ordered)))]
