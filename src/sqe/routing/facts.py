"""What routing knows of a query besides its text."""

from __future__ import annotations

from dataclasses import dataclass

from sqe.model.query import RouteCause


@dataclass(frozen=True, slots=True)
class LocalFacts:
    """The local engine's view of a query: why it may not run it, or how much it would read.

    Sizes are of data files that are left after pruning.
    """

    obstacle: str = ""  # empty: nothing stands in the way
    remedy: str = ""  # what would have to change, if that is known
    bytes: int = 0
    files: int = 0
    delete_files: int = 0
    cause: RouteCause = RouteCause.UNPROVEN  # of the obstacle


@dataclass(frozen=True, slots=True)
class RoutingLimits:
    """How much the local engine is given to read; the rest is Spark's."""

    max_bytes: int = 4 * 1024**3
    max_files: int = 10_000
