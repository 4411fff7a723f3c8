"""What a family of metrics is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum


class Kind(Enum):
    COUNTER = "counter"  # only grows
    GAUGE = "gauge"  # how it is at the moment
    HISTOGRAM = "histogram"  # counts by size, with their sum


_SECONDS = (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800)
SECONDS: tuple[float, ...] = tuple(map(float, _SECONDS))
CALL_SECONDS: tuple[float, ...] = (0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
POLICY_SECONDS: tuple[float, ...] = (0.0001, 0.0005, 0.001, 0.005, 0.025, 0.1, 0.5, 1.0, 5.0)
ROWS: tuple[float, ...] = tuple(10.0**power for power in range(9))
BYTES: tuple[float, ...] = tuple(10.0**power for power in range(3, 12))


@dataclass(frozen=True)
class Family:
    """``labels``: what each of them says, for people. No label is a user, a table or a text; what
    people can name in the settings (a catalog) may be one."""

    name: str
    kind: Kind
    meaning: str
    labels: Mapping[str, str] = field(default_factory=dict)
    buckets: tuple[float, ...] = ()

    def __hash__(self) -> int:
        return hash(self.name)

    @property
    def series(self) -> tuple[str, ...]:
        """The names that a query in Prometheus can use."""
        if self.kind is Kind.HISTOGRAM:
            return tuple(f"{self.name}_{part}" for part in ("bucket", "count", "sum"))
        return (self.name,)
